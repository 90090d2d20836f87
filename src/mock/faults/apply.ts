import type { FaultOf, MockFault, MockFaultKind } from './fault.js';
import type { MockResponseDelivery, MockHttpResponse } from '../http/message.js';
import { HttpError } from '../http/http-error.js';

/** Returns the effect that replaces the handler; undefined if the handler runs. */
export function effectBefore(fault: MockFault): MockResponseDelivery | HttpError | undefined {
  switch (fault.kind) {
    case 'status':
      return new HttpError(fault.status, 'injected_fault', `a planned fault responded with ${fault.status}`);
    case 'rate-limit':
      return new HttpError(429, 'rate_limited', 'a planned fault responded as if the rate limit were exceeded');
    case 'redirect':
      return new HttpError(307, 'redirected', 'a planned fault redirected the request');
    case 'reset':
    case 'late-commit':
      return { kind: 'reset' };
    case 'hang':
      return { kind: 'hang' };
    default:
      return undefined;
  }
}

/** Returns the headers that a fault adds to its error response. */
export function rejectionHeaders(fault: MockFault): Readonly<Record<string, string>> {
  if (fault.kind === 'redirect') return { location: fault.location };
  if (fault.kind === 'status') {
    const headers = Object.entries(fault.headers ?? {});
    return Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));
  }
  return fault.kind === 'rate-limit' && fault.retryAfter !== undefined
    ? { 'retry-after': String(fault.retryAfter) }
    : {};
}

const deliveries: { readonly [Kind in MockFaultKind]?: (fault: FaultOf<Kind>) => MockResponseDelivery } = {
  'reset-after-commit': () => ({ kind: 'reset' }),
  'hang-after-commit': () => ({ kind: 'hang' }),
  slow: ({ delay }) => ({ kind: 'slow', delay }),
  drip: ({ pause = 5 }) => ({ kind: 'drip', pause }),
  'cut-body': () => ({ kind: 'cut' }),
  'stall-body': () => ({ kind: 'stall' }),
};

/**
 * Returns how a response is delivered after the handler ran. If it has no body, a fault of the body applies to the
 * whole response.
 */
export function deliveryAfter(fault: MockFault, response: MockHttpResponse): MockResponseDelivery | undefined {
  const delivery = (deliveries[fault.kind] as ((fault: MockFault) => MockResponseDelivery) | undefined)?.(fault);
  if (delivery === undefined || (response.body !== null && response.body.length > 1)) return delivery;
  const withoutBody: { readonly [Kind in MockResponseDelivery['kind']]?: MockResponseDelivery } = {
    cut: { kind: 'reset' },
    stall: { kind: 'hang' },
  };
  return delivery.kind === 'drip' ? undefined : (withoutBody[delivery.kind] ?? delivery);
}
