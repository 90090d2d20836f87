import type { FaultOf, MockFault, MockFaultKind } from './fault.js';
import type { MockNoResponse, MockResponseDelivery } from '../wire/message.js';
import { HttpError } from '../wire/http-error.js';
import type { RecordedRequest } from '../wire/request-log.js';
import { isDerived, isProcessed, respondWith, type MockPlatformResponse } from './response.js';

/** Returns the effect that replaces the handler; undefined if the handler runs. */
export function effectBefore(fault: MockFault): MockNoResponse | HttpError | MockPlatformResponse | undefined {
  switch (fault.kind) {
    case 'response':
      if (isProcessed(fault)) return undefined;
      return fault.status !== undefined && fault.status >= 300
        ? injected(fault.status)
        : { status: 200, headers: {}, body: undefined };
    case 'status':
      return injected(fault.status);
    case 'rate-limit':
      return new HttpError(
        429,
        'rate_limited',
        'a planned fault responded as if the rate limit were exceeded',
        [],
        fault.retryAfter,
      );
    case 'reset':
    case 'late-commit':
      return { delivery: { kind: 'reset' } };
    case 'hang':
      return { delivery: { kind: 'hang' } };
    default:
      return undefined;
  }
}

const injected = (status: number): HttpError =>
  new HttpError(status, 'injected_fault', `a planned fault responded with ${status}`);

/** Returns the response with what a fault replaces or changes in it. Throws as `respondWith` does. */
export function responseAfter(
  fault: MockFault,
  request: RecordedRequest,
  response: MockPlatformResponse,
): MockPlatformResponse {
  return fault.kind === 'response' || fault.kind === 'status' ? respondWith(fault, request, response) : response;
}

const ofAcceptedRequests: readonly MockFaultKind[] = ['reset-after-commit', 'hang-after-commit', 'acked-but-lost'];

/** Returns whether a fault applies only to a request that the platform accepts: it is about what the request changes. */
export function needsSuccess(fault: MockFault): boolean {
  return ofAcceptedRequests.includes(fault.kind) || (fault.kind === 'response' && isDerived(fault));
}

/** Returns whether the changes of a request may be discarded after the handler ran. */
export function mayRollBack(fault: MockFault): boolean {
  return fault.kind === 'acked-but-lost' || (fault.kind === 'response' && isDerived(fault));
}

const deliveries: { readonly [Kind in MockFaultKind]?: (fault: FaultOf<Kind>) => MockResponseDelivery } = {
  'reset-after-commit': () => ({ kind: 'reset' }),
  'hang-after-commit': () => ({ kind: 'hang' }),
  slow: ({ delay }) => ({ kind: 'slow', delay: Number(delay) }),
  drip: ({ pause = 5 }) => ({ kind: 'drip', pause }),
  'cut-body': () => ({ kind: 'cut' }),
  'stall-body': () => ({ kind: 'stall' }),
};

/**
 * Returns how a response is delivered after the handler ran. If it has no body, a fault of the body applies to the
 * whole response.
 */
export function deliveryAfter(fault: MockFault, hasBody: boolean): MockResponseDelivery | undefined {
  const delivery = (deliveries[fault.kind] as ((fault: MockFault) => MockResponseDelivery) | undefined)?.(fault);
  if (delivery === undefined || hasBody) return delivery;
  const withoutBody: { readonly [Kind in MockResponseDelivery['kind']]?: MockResponseDelivery } = {
    cut: { kind: 'reset' },
    stall: { kind: 'hang' },
  };
  return delivery.kind === 'drip' ? undefined : (withoutBody[delivery.kind] ?? delivery);
}
