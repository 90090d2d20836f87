import type { EndpointName, endpoints, ResultOf } from '../../contract/endpoints.js';
import { describeType } from '../../contract/describe.js';
import { MockPlatformError } from '../base/mock-error.js';
import type { RecordedRequest } from '../wire/request-log.js';
import type { FaultTarget } from './request-condition.js';

/** The body of a successful response to the requests of a target; unknown if the contract does not define it. */
export type BodyOfTarget<Target extends FaultTarget> = Target extends EndpointName
  ? ResultOf<(typeof endpoints)[Target]>
  : unknown;

type OtherJson = (string & {}) | number | boolean | null;

/**
 * JSON with the fields of `T`, none of which is required. Other fields and values are allowed, because a test may need
 * a response that violates the contract. In a patch, an object whose keys are indices changes these elements of an
 * array; the key `'*'` changes all of them.
 */
export type ResponseFields<T> = unknown extends T
  ? unknown
  : T extends readonly (infer Element)[]
    ?
        | readonly ResponseFields<Element>[]
        | { readonly [Index in number | '*']?: ResponseFields<Element> }
        | object
        | OtherJson
    : T extends object
      ? { readonly [Field in keyof T]?: ResponseFields<T[Field]> } | object | OtherJson
      : T | object | OtherJson;

/**
 * A response that replaces that of the platform, or changes it. What it does not have stays as the platform responds.
 * Texts in it can have fields of the request, such as `{{request.body.amount}}` or `{{request.params.id}}`.
 *
 * A request with a response whose `status` is 300 or higher is not processed: nothing changes. All other requests are
 * processed first. `processed` decides otherwise.
 */
export interface MockResponse<Body = unknown> {
  /** The status, from 200 to 599. @default that of the platform; 200 with a `body` instead of an error or of no body */
  readonly status?: number | undefined;
  /** The headers to add or replace, such as `{ 'retry-after': '30' }`. @default none */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * The body: a string is sent as it is, any other JSON is serialized. Replaces that of the platform, or its error body
   * if it rejects the request. @default that of the platform; its error body with a `status` of 300 or higher, unless
   * there is `patch` or `omit`
   */
  readonly body?: ResponseFields<Body> | undefined;
  /**
   * The fields of the body to replace or add; those of objects in it, too. `items: { 0: … }` changes the first element
   * of an array, `items: { '*': … }` every element, and `items: []` replaces the array. Not together with `body`.
   */
  readonly patch?: ResponseFields<Body> | undefined;
  /** The paths of the fields to remove, such as `memo`, `items.0.memo` or `items.*.memo`. Not together with `body`. */
  readonly omit?: readonly string[] | undefined;
  /**
   * The delay in milliseconds, on the mock's clock if the client waits on it; the seed determines one in a range.
   * @default none
   */
  readonly delay?: number | { readonly min: number; readonly max: number } | undefined;
  /** Whether the platform processes the request first. @default true, unless `status` is 300 or higher */
  readonly processed?: boolean | undefined;
}

/** A response of the platform, before it is serialized. */
export interface MockPlatformResponse<Body = unknown> {
  /** The status. */
  readonly status: number;
  /** The headers, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as JSON; undefined if there is none. */
  readonly body: Body;
  /** The delay in milliseconds that a plan adds. */
  readonly delay?: number | undefined;
}

/** What a function for `respond` returns; undefined leaves the response of the platform as it is. */
export type MockResolvedResponse<Body> =
  | (Omit<MockResponse<Body>, 'processed' | 'delay'> & { readonly delay?: number | undefined })
  | undefined;

/**
 * Returns the response to a request that the platform has processed, or a promise of it. It is not called for requests
 * that the platform rejects. Other requests are processed before the promise is fulfilled; if it is rejected, what the
 * request changed stays.
 */
export type MockResponseResolver<Body = unknown> = (context: {
  /** The request, as the log has it. */
  readonly request: RecordedRequest;
  /** The response of the platform. */
  readonly response: MockPlatformResponse<Body>;
}) => MockResolvedResponse<Body> | Promise<MockResolvedResponse<Body>>;

/** A planned response, or the parts of a response that another fault replaces. */
interface Planned extends MockResponse {
  readonly resolver?: MockResponseResolver | undefined;
}

/** Returns whether a response is made from that of the platform, so that it needs a request that succeeds. */
export function isDerived({ patch, omit, resolver }: Planned): boolean {
  return (patch ?? omit ?? resolver) !== undefined;
}

/** Returns whether the platform processes a request before a planned response. */
export function isProcessed({ status = 200, processed = status < 300 }: MockResponse): boolean {
  return processed;
}

/**
 * Replaces or changes the response of the platform. An error instead of a success has no body of its own unless it has
 * `body`, `patch` or `omit`. Throws `MockPlatformError` if a resolver fails, or if the body lacks
 * what a patch or `omit` changes.
 */
export function respondWith(
  { resolver, ...planned }: Planned,
  request: RecordedRequest,
  response: MockPlatformResponse,
): MockPlatformResponse | Promise<MockPlatformResponse> {
  if (resolver === undefined) return changedBy(response, rendered(planned, request));
  let result: unknown;
  try {
    result = resolver({ request, response: structuredClone(response) });
  } catch (cause) {
    return functionFailed(cause);
  }
  // Not instanceof: a promise can be of a library, or of another realm.
  return typeof (Object(result) as Partial<PromiseLike<unknown>>).then === 'function'
    ? Promise.resolve(result)
        .catch(functionFailed)
        .then((changes: unknown) => changedBy(response, requireChanges(changes)))
    : changedBy(response, requireChanges(result));
}

function changedBy(response: MockPlatformResponse, changes: MockResponse): MockPlatformResponse {
  const { patch, omit = [] } = changes;
  const headers = Object.fromEntries(
    Object.entries(changes.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  let { body } = response;
  const { 'content-type': type, ...others } = response.headers;
  const isError = Number(changes.status) >= 300 && response.status < 300;
  const isReplaced = changes.body !== undefined || (isError && patch === undefined && omit.length === 0);
  const kept = !isReplaced && type !== undefined ? { 'content-type': type } : {};
  if (isReplaced) body = changes.body;
  else if (patch !== undefined || omit.length > 0) {
    body = patched(structuredClone(body), patch, []);
    for (const path of omit) removeField(body, path);
  }
  // A 204 cannot have a body, and an error is replaced by a success.
  const isOther =
    body !== undefined && (response.status === 204 || (changes.body !== undefined && response.status > 299));
  const status = isOther ? 200 : response.status;
  return {
    status: changes.status ?? status,
    headers: { ...kept, ...others, ...headers },
    body,
    ...(changes.delay !== undefined && { delay: Number(changes.delay) }),
  };
}

function functionFailed(cause: unknown): never {
  throw new MockPlatformError(`respond: the function threw an error: ${String(cause)}`, { cause });
}

function requireChanges(changes: unknown): MockResponse {
  if (changes === undefined) return {};
  if (typeof changes === 'object' && changes !== null) return changes;
  throw new MockPlatformError(
    'respond: the function must return a response such as { status: 200, body: ' +
      `{} }, or undefined (received ${describeType(changes)}).`,
  );
}

const template = /\{\{request\.([^{}]+)\}\}/g;

/**
 * Returns JSON with the fields of a request in place of templates such as `{{request.body.amount}}`. A text that is
 * only one template becomes the field, whatever its type.
 */
function rendered<T>(value: T, request: RecordedRequest): T {
  if (Array.isArray(value)) return value.map((item: unknown) => rendered(item, request)) as T;
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, rendered(field, request)])) as T;
  if (typeof value !== 'string') return value;
  const [only, ...others] = [...value.matchAll(template)];
  if (only?.[0] === value && others.length === 0) return fieldOf(request, only[1]) as T;
  return value.replaceAll(template, (_, path: string) => {
    const field = fieldOf(request, path);
    return typeof field === 'string' ? field : JSON.stringify(field);
  }) as T;
}

function fieldOf(request: RecordedRequest, path = ''): unknown {
  const field = path
    .split('.')
    .reduce<unknown>(
      (parent, key) => (Object.hasOwn(Object(parent), key) ? (parent as JsonObject)[key] : undefined),
      request,
    );
  if (field !== undefined) return field;
  throw new MockPlatformError(
    `respond: the request has no ${path}, which the template {{request.${path}}} names. ` +
      'Use a field of the request such as {{request.body.amount}}, {{request.params.id}}, ' +
      '{{request.filters.limit}} or {{request.headers.x-trace}}.',
  );
}

interface JsonObject {
  [field: string]: unknown;
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns a value with the fields of a patch, which it may change in place. */
function patched(value: unknown, patch: unknown, path: readonly string[]): unknown {
  if (!isObject(patch)) return patch === undefined ? value : patch;
  const holder = Array.isArray(value) || isObject(value) ? (value as JsonObject) : {};
  for (const [field, change] of Object.entries(patch))
    for (const key of keysOf(holder, field, [...path, field].join('.'))) {
      const changed = patched(Object.hasOwn(holder, key) ? holder[key] : undefined, change, [...path, key]);
      Object.defineProperty(holder, key, { value: changed, enumerable: true, configurable: true, writable: true });
    }
  return holder;
}

/** Removes a field. */
function removeField(body: unknown, path: string): void {
  const steps = path.split('.');
  const last = steps.pop() ?? '';
  let holders: unknown[] = [body];
  for (const step of steps)
    holders = holders.flatMap((holder) => keysOf(holder, step, path).map((key) => (holder as JsonObject)[key]));
  for (const holder of holders)
    for (const key of keysOf(holder, last, path).toReversed()) {
      if (!Object.prototype.propertyIsEnumerable.call(Object(holder), key)) missing(path);
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete (holder as JsonObject)[key];
    }
}

/** Returns the keys of a step of a path: in an array, an existing index or all of them. */
function keysOf(holder: unknown, step: string, path: string): string[] {
  if (!Array.isArray(holder)) return isObject(holder) ? [step] : missing(path);
  if (step === '*') return Object.keys(holder);
  return step in holder && /^\d+$/.test(step) ? [step] : missing(path);
}

function missing(path: string): never {
  throw new MockPlatformError(
    `respond: the response has no ${path} to change. Use the path of an ` +
      'existing field, such as items.0.status, or add a record first.',
  );
}
