import type { FaultOf, MockFault, MockFaultKind } from './fault.js';
import type { MockResponseDelivery, MockHttpResponse } from '../wire/message.js';
import { HttpError } from '../wire/http-error.js';
import { MockPlatformError } from '../base/error.js';

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

type Json = unknown;
interface JsonObject {
  [field: string]: Json;
}

const kindsForRecords: readonly MockFaultKind[] = [
  'wrong-type',
  'unexpected-null',
  'missing-field',
  'unknown-field',
  'unknown-status',
];

/** Returns whether a fault needs certain fields in the response, so that `corruptResult` may throw. */
export function needsRecord(fault: MockFault): boolean {
  return kindsForRecords.includes(fault.kind);
}

/**
 * Corrupts the body of a response before it is serialized. Throws `MockPlatformError` if the body lacks the field or
 * record to corrupt.
 */
export function corruptResult(fault: MockFault, result: Json): Json {
  if (fault.kind === 'wrong-type') return changeField(result, fault.path, setWrongType, 'change the type of');
  if (fault.kind === 'unexpected-null') return changeField(result, fault.path, setNull, 'set to null');
  if (fault.kind === 'missing-field') return changeField(result, fault.path, removeField, 'leave out');
  if (fault.kind === 'unknown-field')
    return mapRecords(fault.kind, result, (record) => (record['addedByThePlatform'] = 'a field of tomorrow'));
  if (fault.kind === 'unknown-status') return mapRecords(fault.kind, result, setUnknownStatus);
  return result;
}

/** Corrupts the serialized body of a response. */
export function corruptText(fault: MockFault, text: string): { readonly text: string; readonly contentType?: string } {
  if (fault.kind === 'malformed-json') return { text: text === '' ? '{' : text.slice(0, -1) };
  if (fault.kind === 'html')
    return {
      text: '<!doctype html><html><head><title>Sign in</title></head><body>Sign in to continue</body></html>',
      contentType: 'text/html; charset=utf-8',
    };
  return { text };
}

/** Changes every record of a response: the items of a page or list, or the body itself. */
function mapRecords(kind: MockFaultKind, result: Json, change: (record: JsonObject) => void): Json {
  const copy = structuredClone(result);
  const listed = isObject(copy) && Array.isArray(copy['items']) ? (copy['items'] as readonly Json[]) : copy;
  const records = (Array.isArray(listed) ? (listed as readonly Json[]) : [listed]).filter(isObject);
  if (records.length === 0)
    throw new MockPlatformError(
      `faults: ${kind} needs a response with records, and this one has none. Add a record first.`,
    );
  for (const record of records) change(record);
  return copy;
}

function setUnknownStatus(record: JsonObject): void {
  if (typeof record['status'] !== 'string')
    throw new MockPlatformError(
      'faults: unknown-status needs records with a status, and these have none. Plan it for another endpoint.',
    );
  record['status'] = 'STATUS_OF_TOMORROW';
}

type ChangeField = (holder: JsonObject, field: string) => void;

function changeField(result: Json, path: string, change: ChangeField, purpose: string): Json {
  const copy: JsonObject = { body: structuredClone(result) };
  const steps = ['body', ...path.split(/[.[\]]+/).filter((step) => step !== '')];
  const last = steps.pop() ?? '';
  let holder: Json = copy;
  for (const step of steps) holder = hasField(holder, step) ? holder[step] : undefined;
  if (!hasField(holder, last))
    throw new MockPlatformError(
      `faults: the response has no field ${path} to ${purpose}. Use the path of an existing field, such as items[0].status.`,
    );
  change(holder, last);
  return copy['body'];
}

const setWrongType: ChangeField = (holder, field) =>
  (holder[field] = typeof holder[field] === 'number' ? String(holder[field]) : 12_345);

const setNull: ChangeField = (holder, field) => (holder[field] = null);

function removeField(holder: JsonObject, field: string): void {
  if (Array.isArray(holder)) holder.splice(Number(field), 1);
  else delete holder[field];
}

const isObjectOrArray = (value: Json): value is JsonObject => typeof value === 'object' && value !== null;
/** Returns whether a field appears in JSON: excludes the length of arrays and inherited properties. */
const hasField = (holder: Json, field: string): holder is JsonObject =>
  isObjectOrArray(holder) && Object.prototype.propertyIsEnumerable.call(holder, field);
const isObject = (value: Json): value is JsonObject => isObjectOrArray(value) && !Array.isArray(value);
