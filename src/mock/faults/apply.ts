import type { FaultOf, MockFault, MockFaultKind } from './fault.js';
import type { MockHttpResponse, MockNoResponse, MockResponseDelivery } from '../wire/message.js';
import { HttpError } from '../wire/http-error.js';
import { MockPlatformError } from '../base/error.js';

/** Returns the effect that replaces the handler; undefined if the handler runs. */
export function effectBefore(fault: MockFault): MockNoResponse | HttpError | undefined {
  switch (fault.kind) {
    case 'status':
      return new HttpError(fault.status, 'injected_fault', `a planned fault responded with ${fault.status}`);
    case 'rate-limit':
      return new HttpError(429, 'rate_limited', 'a planned fault responded as if the rate limit were exceeded');
    case 'redirect':
      return new HttpError(307, 'redirected', 'a planned fault redirected the request');
    case 'reset':
    case 'late-commit':
      return { delivery: { kind: 'reset' } };
    case 'hang':
      return { delivery: { kind: 'hang' } };
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

type Json = unknown;
interface JsonObject {
  [field: string]: Json;
}

/** Returns whether a fault needs certain fields in the response, so that `corruptResult` may throw. */
export function needsRecord(fault: MockFault): boolean {
  return fault.kind === 'change-field' || fault.kind === 'unknown-field';
}

/**
 * Corrupts the body of a response before it is serialized. Throws `MockPlatformError` if the body lacks the field or
 * record to corrupt.
 */
export function corruptResult(fault: MockFault, result: Json): Json {
  if (fault.kind === 'change-field') return changeField(result, fault);
  if (fault.kind === 'unknown-field') return addField(result);
  return result;
}

/** Adds a field to every record of a response: the items of a page or list, or the body itself. */
function addField(result: Json): Json {
  const copy = structuredClone(result);
  const listed = isObject(copy) && Array.isArray(copy['items']) ? (copy['items'] as readonly Json[]) : copy;
  const records = (Array.isArray(listed) ? (listed as readonly Json[]) : [listed]).filter(isObject);
  if (records.length === 0)
    throw new MockPlatformError(
      'faults: unknown-field needs a response with records, and this one has none. Add a record first.',
    );
  for (const record of records) record['addedByThePlatform'] = 'a field of tomorrow';
  return copy;
}

function changeField(result: Json, { path, value }: FaultOf<'change-field'>): Json {
  const copy: JsonObject = { body: structuredClone(result) };
  const steps = ['body', ...path.split(/[.[\]]+/).filter((step) => step !== '')];
  const last = steps.pop() ?? '';
  let holder: Json = copy;
  for (const step of steps) holder = hasField(holder, step) ? holder[step] : undefined;
  if (!hasField(holder, last))
    throw new MockPlatformError(
      `faults: the response has no field ${path} to change. Use the path of an existing field, such as items[0].status.`,
    );
  if (value !== undefined) holder[last] = value;
  else if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else delete holder[last];
  return copy['body'];
}

const isObjectOrArray = (value: Json): value is JsonObject => typeof value === 'object' && value !== null;
/** Returns whether a field appears in JSON: excludes the length of arrays and inherited properties. */
const hasField = (holder: Json, field: string): holder is JsonObject =>
  isObjectOrArray(holder) && Object.prototype.propertyIsEnumerable.call(holder, field);
const isObject = (value: Json): value is JsonObject => isObjectOrArray(value) && !Array.isArray(value);
