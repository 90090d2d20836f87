import type { FilterName, ResolvedDialect } from '../contract/dialect.js';
import { endpoints, type EndpointName, type EndpointDefinition, type ResultOf } from '../contract/endpoints.js';
import { isUnknownValue, UnknownText, type Schema } from '../contract/schema/schema.js';
import { isRecord, validateRequest } from '../contract/validate.js';
import type { Issue } from '../contract/issue.js';
import { InvalidRequestError } from '../errors/api.js';
import { copyInput, type DateHandling } from './input.js';

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
type RetryMode = 'always' | 'if-not-taken' | 'never';

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
    retryMode: method === 'POST' ? 'if-not-taken' : 'always',
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
  if (!id.isWellFormed()) return 'must be well-formed Unicode (no lone surrogates)';
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
  if (isRecord(value)) replaceUnknown(value);
  const issues = validateRequest(schema, value, describe);
  if (issues.length > 0) throw new InvalidRequestError(call, issues);
  return value as T;
}

/** Replaces the values that `unknownValue` marks, in the fields of an object and in arrays there. */
function replaceUnknown(container: object): void {
  for (const [key, value] of Object.entries(container) as [never, unknown][]) {
    if (Array.isArray(value)) replaceUnknown(value);
    else if (isUnknownValue(value)) container[key] = new UnknownText(value.unknownValue) as never;
  }
}

/** Serializes a query with the names that the platform uses. */
export function serializeQuery(query: object | undefined, dialect?: ResolvedDialect): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries<unknown>({ ...query }))
    params.append(dialect?.filterNames[name as FilterName] ?? name, String(value));
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}
