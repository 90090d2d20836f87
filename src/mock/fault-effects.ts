import type { FaultOf, MockFault, MockFaultKind } from './fault.js';
import type { Delivery, Reply } from './exchange.js';
import { Refusal } from './refusal.js';

/** What happens in place of the work; undefined where the work is done. */
export function effectBefore(fault: MockFault): Delivery | Refusal | undefined {
  switch (fault.kind) {
    case 'status': return new Refusal(fault.status, 'injected_fault', `the mock was told to answer ${fault.status}`);
    case 'rate-limit': return new Refusal(429, 'rate_limited', 'the mock was told to answer as if too many requests had come');
    case 'redirect': return new Refusal(307, 'redirected', 'the mock was told to redirect');
    case 'reset': case 'late-commit': return { kind: 'reset' };
    case 'hang': return { kind: 'hang' };
    default: return undefined;
  }
}

/** The headers that a fault adds to its refusal. */
export function refusalHeaders(fault: MockFault): Readonly<Record<string, string>> {
  if (fault.kind === 'redirect') return { location: fault.location };
  return fault.kind === 'rate-limit' && fault.retryAfter !== undefined ? { 'retry-after': String(fault.retryAfter) } : {};
}

const deliveries: { readonly [Kind in MockFaultKind]?: (fault: FaultOf<Kind>) => Delivery } = {
  'reset-after-commit': () => ({ kind: 'reset' }),
  'hang-after-commit': () => ({ kind: 'hang' }),
  'slow': ({ delay }) => ({ kind: 'slow', delay }),
  'drip': ({ pause = 5 }) => ({ kind: 'drip', pause }),
  'cut-body': () => ({ kind: 'cut' }),
  'stall-body': () => ({ kind: 'stall' }),
};

/** How an answer is delivered after the work was done. Where there is no body, what would go wrong with it goes wrong with the answer. */
export function deliveryAfter(fault: MockFault, reply: Reply): Delivery | undefined {
  const delivery = (deliveries[fault.kind] as ((fault: MockFault) => Delivery) | undefined)?.(fault);
  if (delivery === undefined || (reply.body !== null && reply.body.length > 1)) return delivery;
  const without: { readonly [Kind in Delivery['kind']]?: Delivery } = { cut: { kind: 'reset' }, stall: { kind: 'hang' } };
  return delivery.kind === 'drip' ? undefined : (without[delivery.kind] ?? delivery);
}
