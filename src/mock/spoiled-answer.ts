import { MockPlatformError } from './error.js';
import type { MockFault, MockFaultKind } from './fault.js';

type Json = unknown;
interface JsonObject {
  [field: string]: Json;
}

/** Whether a fault is about what an answer has, so that `spoiledResult` may throw. */
export function mayNotFit(fault: MockFault | undefined): boolean {
  return fault?.kind === 'wrong-type' || fault?.kind === 'unknown-field' || fault?.kind === 'unknown-status';
}

/** An answer's body as a fault leaves it, before it becomes text. Throws `MockPlatformError` where the answer has not what the fault is about. */
export function spoiledResult(fault: MockFault | undefined, result: Json): Json {
  if (fault?.kind === 'wrong-type') return withWrongType(result, fault.path);
  if (fault?.kind === 'unknown-field') return changed(fault.kind, result, (record) => (record['addedByThePlatform'] = 'a field of tomorrow'));
  if (fault?.kind === 'unknown-status') return changed(fault.kind, result, setUnknownStatus);
  return result;
}

/** The text of an answer's body as a fault leaves it. */
export function spoiledText(fault: MockFault | undefined, text: string): { readonly text: string; readonly contentType?: string } {
  if (fault?.kind === 'malformed-json') return { text: text === '' ? '{' : text.slice(0, -1) };
  if (fault?.kind === 'html') return { text: '<!doctype html><html><head><title>Sign in</title></head><body>Sign in to continue</body></html>', contentType: 'text/html; charset=utf-8' };
  return { text };
}

/** Changes every record of an answer: the items of a page or list, or the answer itself. */
function changed(kind: MockFaultKind, result: Json, change: (record: JsonObject) => void): Json {
  const copy = structuredClone(result);
  const listed = isObject(copy) && Array.isArray(copy['items']) ? (copy['items'] as readonly Json[]) : copy;
  const records = (Array.isArray(listed) ? (listed as readonly Json[]) : [listed]).filter(isObject);
  if (records.length === 0) throw new MockPlatformError(`faults: ${kind} is for answers with records; this one has none`);
  for (const record of records) change(record);
  return copy;
}

function setUnknownStatus(record: JsonObject): void {
  if (typeof record['status'] !== 'string') throw new MockPlatformError('faults: unknown-status is for answers whose records have a status; this one has none');
  record['status'] = 'STATUS_OF_TOMORROW';
}

function withWrongType(result: Json, path: string): Json {
  const copy: JsonObject = { answer: structuredClone(result) };
  const steps = ['answer', ...path.split(/[.[\]]+/).filter((step) => step !== '')];
  const last = steps.pop() ?? '';
  let holder: Json = copy;
  for (const step of steps) holder = hasField(holder, step) ? holder[step] : undefined;
  if (!hasField(holder, last)) throw new MockPlatformError(`faults: the answer has no field ${path} that could have the wrong type`);
  holder[last] = wrongTypeOf(holder[last]);
  return copy['answer'];
}

const wrongTypeOf = (value: Json): Json => (typeof value === 'number' ? String(value) : 12_345);

const isHolder = (value: Json): value is JsonObject => typeof value === 'object' && value !== null;
/** Whether it is a field that JSON shows: no length of an array, nothing that all objects have. */
const hasField = (holder: Json, field: string): holder is JsonObject => isHolder(holder) && Object.prototype.propertyIsEnumerable.call(holder, field);
const isObject = (value: Json): value is JsonObject => isHolder(value) && !Array.isArray(value);
