import * as z from 'zod/mini';
import type { ResolvedDialect } from '../contract/dialect.js';
import { endpoints, type EndpointName, type EndpointDefinition, type ResultOf } from '../contract/endpoints.js';
import { isDate } from '../contract/objects.js';
import type { Issue } from '../contract/issue.js';
import { custom } from '../contract/option-schemas.js';
import {
  enumOf,
  isUnknownField,
  isUnknownValue,
  memoize,
  metadataOf,
  Unknown,
  wellFormedRule,
  withMetadata,
  type Schema,
} from '../contract/schema/schema.js';
import { validDateRule } from '../contract/schema/time.js';
import { validateRequest } from '../contract/violations.js';
import { isRecord, matchesSchema } from '../contract/predicate.js';
import { ConfigurationError, InvalidRequestError } from '../errors/api.js';

/** The input of a call to an endpoint. */
export interface CallInput {
  /** The ids in the path. */
  readonly ids?: Readonly<Record<string, unknown>>;
  /** The query parameters. */
  readonly query?: object | undefined;
  /** The body, before validation. */
  readonly body?: unknown;
}

/** When a request may be retried: a read always, a create only if it was not processed, an unknown write never. */
type RetryMode = 'always' | 'if-not-processed' | 'never';

/** A validated request, ready to be signed and sent; `T` is the type of its response. */
export interface PreparedRequest<T = unknown> {
  readonly endpoint: string;
  readonly method: string;
  /** The path without ids, for logs. */
  readonly template: string;
  /** The path and query, as sent. */
  readonly uri: string;
  readonly body: string | undefined;
  readonly retryMode: RetryMode;
  /** The schema of the response body; any body is accepted without one. */
  readonly result: Schema<T> | undefined;
  /** Whether the response has no body. */
  readonly hasNoContent: boolean;
  /** Called right before each attempt is sent; nothing is sent if it throws. */
  readonly beforeSend?: (() => void) | undefined;
}

/** Validates a call to an endpoint of the contract and builds its request. `call` names the call in errors. */
export function buildRequest<N extends EndpointName>(
  name: N,
  input: CallInput,
  dialect: ResolvedDialect,
  call: string = name,
): PreparedRequest<ResultOf<(typeof endpoints)[N]>> {
  const endpoint: EndpointDefinition<unknown> = endpoints[name];
  const { method, path, query, body, result, success } = endpoint;
  const request: PreparedRequest = {
    endpoint: name,
    method,
    template: path,
    uri:
      expandPath(call, path, input.ids ?? {}) +
      serializeQuery(query && copyAndValidate(call, query(), input.query ?? {}, 'as-string'), dialect),
    body: body && JSON.stringify(copyAndValidate(call, body(dialect), input.body, 'reject')),
    retryMode: method === 'POST' ? 'if-not-processed' : 'always',
    result,
    hasNoContent: success === 204,
  };
  // The contract maps the name of an endpoint to the type of its response.
  return request as PreparedRequest<ResultOf<(typeof endpoints)[N]>>;
}

/**
 * Replaces the `{name}` placeholders of a path with ids, each as one segment, so that no id can change which endpoint
 * is reached.
 */
function expandPath(endpoint: string, template: string, ids: Readonly<Record<string, unknown>>): string {
  const [start = '', ...rest] = template.split('{');
  const issues: Issue[] = [];
  let path = start;
  for (const part of rest) {
    const end = part.indexOf('}');
    const name = part.slice(0, end);
    const message = validateId(ids[name]);
    if (message === undefined) path += encodeURIComponent(ids[name] as string) + part.slice(end + 1);
    else issues.push({ path: name, message });
  }
  if (issues.length > 0) throw new InvalidRequestError(endpoint, issues);
  return path;
}

function validateId(id: unknown): string | undefined {
  if (typeof id !== 'string') return `must be a string (received ${id === null ? 'null' : typeof id})`;
  if (id === '') return 'must not be empty';
  // URL parsers remove these two, percent-encoded or not: the request would reach another endpoint.
  if (id === '.' || id === '..') return 'must not be "." or ".."';
  if (!id.isWellFormed()) return wellFormedRule;
  return undefined;
}

/** Copies and validates the query or body of a call. Throws an InvalidRequestError that names the call. */
export function copyAndValidate<T extends object>(
  call: string,
  schema: ReturnType<Schema<T>>,
  input: unknown,
  dates: DateHandling,
  describe?: (value: unknown) => string,
): T {
  const value = copyInput(call, input, dates);
  if (isRecord(value)) replaceUnknown(value, metadataOf(schema).isRequest && dates);
  const issues = matchesSchema(schema, value) ? [] : validateRequest(schema, value, describe);
  if (issues.length > 0) throw new InvalidRequestError(call, issues);
  return value as T;
}

/**
 * Replaces what is marked as unknown in a container: values, and fields if it is the body or the query of a request. A
 * query has no objects.
 */
function replaceUnknown(container: object, request?: DateHandling): void {
  for (const [key, value] of Object.entries(container) as [never, unknown][]) {
    if (Array.isArray(value)) replaceUnknown(value);
    else if (isUnknownValue(value)) container[key] = new Unknown(value.unknownValue) as never;
    else if (request && isUnknownField(value) && (request === 'reject' || typeof value.unknownField !== 'object'))
      container[key] = new Unknown(value.unknownField, true) as never;
  }
}

/** Serializes a query with the names that the platform uses. */
function serializeQuery(query: object | undefined, dialect?: ResolvedDialect): string {
  if (query === undefined) return '';
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries<unknown>({ ...query }))
    params.append(dialect?.wireNames.get(name) ?? name, String(value));
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

// Functions that JSON and the language call under these names, on any object.
const calledImplicitly: ReadonlySet<string> = new Set(['toJSON', 'then', 'get', 'set']);

/**
 * Whether a property of Object.prototype could change what is sent: ky and the runtime's `fetch` read options, such as
 * a `referrer` or another `query`, from objects that inherit from it. Functions and accessors of old libraries cannot,
 * nor can symbols of libraries, such as the one that Jest adds.
 */
function changesRequests(name: string | symbol): boolean {
  if (typeof name === 'symbol') return name.description?.startsWith('Symbol.') === true;
  const descriptor = Object.getOwnPropertyDescriptor(Object.prototype, name) ?? {};
  const isData = Object.hasOwn(descriptor, 'value') && typeof descriptor.value !== 'function';
  return isData || calledImplicitly.has(name);
}

const harmless = new Set(Reflect.ownKeys(Object.prototype).filter((name) => !changesRequests(name)));

/** Throws a ConfigurationError if Object.prototype has a property that could change what is sent. */
export function assertUnpollutedPrototype(): void {
  const name = Reflect.ownKeys(Object.prototype).find((each) => !harmless.has(each) && changesRequests(each));
  if (name === undefined) return;
  throw new ConfigurationError(
    `Object.prototype has a property "${String(name)}" that could change what is sent. Find and ` +
      'remove the code that adds it, such as an unsafe merge of untrusted data',
  );
}

const maxDepth = 32;

/** Whether a `Date` is converted to an ISO 8601 string or rejected. */
export type DateHandling = 'as-string' | 'reject';

/**
 * Copies the caller's input once, so that getters or later mutations cannot change a value between validation and
 * sending. Treats undefined fields as absent. `root` is the path of the whole value.
 */
function copyInput(endpoint: string, value: unknown, dates: DateHandling, root = ''): unknown {
  const reject = (path: string, message: string): never => {
    throw new InvalidRequestError(endpoint, [{ path, message }]);
  };
  const copy = (input: unknown, path: string, depth: number): unknown => {
    if (depth > maxDepth)
      return reject(path, `must not contain a circular reference or be nested more than ${maxDepth} levels deep`);
    if (typeof input === 'string') return input.isWellFormed() ? input : reject(path, wellFormedRule);
    if (typeof input === 'number')
      return Number.isFinite(input) ? input : reject(path, `must be a finite number (received ${input})`);
    if (typeof input === 'bigint') return reject(path, 'must be a string or a number (received a bigint)');
    if (typeof input === 'function' || typeof input === 'symbol')
      return reject(path, `must be JSON (received ${typeof input})`);
    if (typeof input !== 'object' || input === null) return input;
    if (Array.isArray(input))
      return Array.from(input, (item: unknown, index) => copy(item ?? null, `${path}[${index}]`, depth + 1));
    if (isDate(input)) {
      if (dates === 'reject') return reject(path, 'must be JSON (received a Date)');
      return Number.isNaN(input.getTime()) ? reject(path, validDateRule) : input.toISOString();
    }
    const kind = Object.prototype.toString.call(input).slice(8, -1);
    // The content of a Map, a URLSearchParams and similar objects is not in their keys and would be lost silently.
    const { toFixed, toJSON } = input as { readonly toFixed?: unknown; readonly toJSON?: unknown };
    if (typeof toFixed === 'function')
      return reject(path, 'must be a string or a number (received a decimal of a library). Pass value.toFixed(2)');
    if (kind !== 'Object') return reject(path, `must be JSON (received a ${kind})`);
    if (typeof toJSON === 'function')
      return reject(path, 'must be JSON (received an object with toJSON: pass the value that toJSON returns)');
    const getter = inheritedGetter(input);
    if (getter !== undefined)
      return reject(
        path === '' ? getter : `${path}.${getter}`,
        'is a getter of a class, which JSON omits: pass a plain object',
      );
    // Without a prototype, because a key of parsed JSON can be `__proto__`.
    const fields = Object.create(null) as Record<string, unknown>;
    for (const key of Object.keys(input)) {
      const field = (input as Record<string, unknown>)[key];
      if (field !== undefined) fields[key] = copy(field, path === '' ? key : `${path}.${key}`, depth + 1);
    }
    return fields;
  };
  try {
    return copy(value, root, 0);
  } catch (error) {
    if (error instanceof InvalidRequestError) throw error;
    return reject(root, 'could not be read: a getter or a proxy in it threw an error');
  }
}

/**
 * Returns the name of a getter that an object inherits from its class, whose value would be lost silently, or
 * undefined.
 */
export function inheritedGetter(object: object): string | undefined {
  for (
    let owner: unknown = Object.getPrototypeOf(object);
    typeof owner === 'object' && owner !== null && owner !== Object.prototype;
    owner = Object.getPrototypeOf(owner)
  ) {
    // The Object.prototype of another realm has `__proto__`.
    const found = Object.entries(Object.getOwnPropertyDescriptors(owner)).find(
      ([name, { get }]) => get !== undefined && name !== '__proto__',
    );
    if (found !== undefined) return found[0];
  }
  return undefined;
}

/** The body of one attempt of a write. */
export interface RequestBody {
  readonly stream: ReadableStream;
  /** Its length in bytes. */
  readonly length: number;
  /** Ends the attempt: returns whether nothing has read the body, and nothing can read it from now on. */
  close(): boolean;
}

interface Runtime {
  readonly FixedLengthStream?: new (length: number) => ReadableWritablePair<Uint8Array, Uint8Array>;
}

/**
 * Creates a body that can be read once: if fetch could read it again, it might send it again, as it does after a 421,
 * and in Deno also when the connection breaks. Sending a request reads its body, so that an unread one proves that
 * the platform cannot have processed the request, whatever has happened in between: dispatchers and wrappers of fetch
 * may connect several times, and only report the last error.
 */
export function createRequestBody(text: string): RequestBody {
  const bytes = new TextEncoder().encode(text);
  const { length } = bytes;
  // An empty body is never read, so that it proves nothing.
  let isRead = length === 0;
  let isClosed = false;
  const read = (): void => {
    if (isClosed) throw new Error('the attempt that this body belongs to has ended');
    isRead = true;
  };
  // A stream of bytes, because the copies of it that fetch and its wrappers make read nothing in advance.
  const source = new ReadableStream({
    type: 'bytes',
    pull(controller) {
      read();
      if (length > 0) controller.enqueue(bytes);
      controller.close();
      controller.byobRequest?.respond(0);
    },
  });
  // workerd sends other streams without a content-length.
  const { FixedLengthStream } = globalThis as Runtime;
  const stream = FixedLengthStream === undefined ? source : source.pipeThrough(new FixedLengthStream(length));
  // For a fetch option that cannot send web streams.
  const toString = (): string => {
    read();
    return text;
  };
  return {
    stream: Object.assign(stream, { toString }),
    length,
    close() {
      isClosed = !isRead;
      return isClosed;
    },
  };
}

/** A request to an endpoint that this version does not know. */
export interface CustomRequest {
  /** The HTTP method. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path relative to `baseUrl`, such as `/api/v1/reports`. Percent-encode any ids in it. */
  readonly path: string;
  /** The query parameters. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  /** The body, sent as JSON. */
  readonly body?: unknown;
}

const customRequest = memoize(() => {
  const fields = z.strictObject({
    method: enumOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
    path: custom<string>(isSafePath, {
      rule:
        'must be a percent-encoded path that starts with "/", has no empty, "." or ".." ' +
        'segments, no query and no fragment, such as "/api/v1/customers"',
      fix: 'Pass filters as query',
    }),
    query: z.optional(
      custom<Readonly<Record<string, unknown>>>(
        (query) => isRecord(query) && Object.values(query).every((value) => typeof value !== 'object'),
        { rule: 'must be an object of strings, numbers and booleans' },
      ),
    ),
    body: z.optional(z.unknown()),
  });
  const hasNoBody = z.refine<z.infer<typeof fields>>(({ method, body }) => method !== 'GET' || body === undefined, {
    path: ['body'],
    error: () => 'must be absent, because a GET has no body',
  });
  return withMetadata(fields.check(hasNoBody), {
    rule: "must be an object, such as { method: 'GET', path: '/api/v1/x' }",
  });
});

/** Validates a call to an endpoint that the contract does not contain and builds its request. */
export function buildCustomRequest(request: CustomRequest): PreparedRequest {
  const copy = copyInput('request', request, 'reject') as CustomRequest;
  const issues = validateRequest(customRequest(), copy);
  if (issues.length > 0) throw new InvalidRequestError('request', issues);
  const { method, path, query, body } = copy;
  return {
    endpoint: 'request',
    method,
    // The path contains the caller's ids, which must not appear in logs.
    template: '{path}',
    uri: path + serializeQuery(query),
    body: body === undefined ? undefined : JSON.stringify(body),
    retryMode: method === 'GET' ? 'always' : 'never',
    result: undefined,
    hasNoContent: false,
  };
}

/**
 * Returns whether a path stays below the base URL. URL parsers must not rewrite it: the token is signed for it as sent.
 */
function isSafePath(path: unknown): boolean {
  return (
    typeof path === 'string' &&
    path.startsWith('/') &&
    !/[?#\\\s\p{Cc}]|%(?![0-9a-f]{2})/iu.test(path) &&
    path
      .split('/')
      .slice(1)
      .every((segment) => segment !== '' && !/^(\.|%2e){1,2}$/i.test(segment)) &&
    new URL(`http://localhost${path}`).pathname === path
  );
}
