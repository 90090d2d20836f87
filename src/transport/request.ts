import { requestIssues } from '../contract/check.js';
import type { FilterName, ResolvedDialect } from '../contract/dialect.js';
import { endpoints, type EndpointName } from '../contract/endpoints.js';
import type { AnswerKind } from '../contract/endpoint.js';
import type { PaymentCreate } from '../contract/payments.js';
import type { Schema } from '../contract/schema.js';
import { ConfigurationError, InvalidRequestError } from '../errors.js';
import { checkPath, fillPath } from './path.js';
import { snapshot } from './snapshot.js';

/** What can be said of a single call; always the last argument. */
export interface RequestOptions {
  /** Aborts the call, in any phase. Aborting a write does not undo it. */
  readonly signal?: AbortSignal | undefined;
  /** How long one attempt may take, in milliseconds. @default the client's */
  readonly timeout?: number | undefined;
  /** How long the whole call may take, in milliseconds. @default the client's */
  readonly deadline?: number | undefined;
  /** How many further attempts may follow the first. @default the client's */
  readonly retries?: number | undefined;
  /** Further headers. Those of our credentials, `host` and `content-length` are refused. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** What a call of an endpoint gives. */
export interface CallInput {
  /** The ids in its path. */
  readonly ids?: Readonly<Record<string, unknown>>;
  /** Its filters. */
  readonly query?: object | undefined;
  /** Its body. */
  readonly body?: unknown;
}

/** A call of an endpoint that this version does not know. */
export interface CustomRequest {
  /** The HTTP method. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path under `baseUrl`, such as `/api/v1/reports`; ids in it are yours to percent-encode. */
  readonly path: string;
  /** The query. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  /** The body, sent as JSON. */
  readonly body?: unknown;
}

/** When a request may be sent again: a read always, a create only if it was not taken, a write we know nothing of never. */
type Repeat = 'always' | 'if-not-taken' | 'never';

/** A request that was checked, ready to be signed and sent as often as needed. */
export interface PreparedRequest {
  readonly endpoint: string;
  readonly method: string;
  /** The path without ids, for logs. */
  readonly template: string;
  /** Path and query, as sent. */
  readonly uri: string;
  readonly body: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly repeat: Repeat;
  readonly answer: AnswerKind;
  readonly result: Schema<unknown> | undefined;
}

/** Checks a call of an endpoint by the contract. */
export function prepare(name: EndpointName, input: CallInput, options: RequestOptions, dialect: ResolvedDialect): PreparedRequest {
  const endpoint: (typeof endpoints)[EndpointName] = endpoints[name];
  const path = fillPath(name, endpoint.path, input.ids ?? {});
  const query = 'query' in endpoint ? checked(name, endpoint.query(), input.query ?? {}, 'as text') : undefined;
  const body = 'body' in endpoint ? checked(name, endpoint.body(dialect), input.body, 'refused') : undefined;
  return {
    endpoint: name,
    method: endpoint.method,
    template: endpoint.path,
    uri: path + queryText(query, dialect),
    body: body === undefined ? undefined : JSON.stringify(body),
    headers: checkedHeaders(name, options.headers),
    repeat: endpoint.method === 'POST' ? 'if-not-taken' : 'always',
    answer: endpoint.answer,
    result: 'result' in endpoint ? endpoint.result : undefined,
  };
}

/** Checks a payment that is about to be created, and gives it as it will be sent. */
export function checkedPayment(payment: PaymentCreate, dialect: ResolvedDialect): PaymentCreate & Readonly<Record<string, unknown>> {
  const request = checked('payments.create', endpoints['payments.create'].body(dialect), payment, 'refused');
  return JSON.parse(JSON.stringify(request)) as PaymentCreate & Readonly<Record<string, unknown>>;
}

/** Checks a call of an endpoint that the contract does not know. */
export function prepareCustom(request: CustomRequest, options: RequestOptions): PreparedRequest {
  const path = checkPath(request.path);
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
  if (!methods.includes(request.method)) throw new InvalidRequestError('request', [{ path: 'method', message: `must be one of ${methods.join(', ')}` }]);
  const query = request.query === undefined ? undefined : (snapshot('request', request.query, 'as text') as Record<string, unknown>);
  const body = request.body === undefined ? undefined : JSON.stringify(snapshot('request', request.body, 'refused'));
  if (request.method === 'GET' && body !== undefined) throw new InvalidRequestError('request', [{ path: 'body', message: 'must be absent: a GET has none' }]);
  return {
    endpoint: 'request',
    method: request.method,
    // The path is the caller's own, ids and all: it has no place in logs.
    template: '{path}',
    uri: path + queryText(query, undefined),
    body,
    headers: checkedHeaders('request', options.headers),
    repeat: request.method === 'GET' ? 'always' : 'never',
    answer: 'anything',
    result: undefined,
  };
}

function checked(name: EndpointName, schema: ReturnType<Schema<object>>, given: unknown, dates: 'as text' | 'refused'): Record<string, unknown> {
  const value = snapshot(name, given, dates);
  const issues = requestIssues(schema, value);
  if (issues.length > 0) throw new InvalidRequestError(name, issues);
  return value as Record<string, unknown>;
}

function queryText(query: Readonly<Record<string, unknown>> | undefined, dialect: ResolvedDialect | undefined): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    parameters.append(dialect?.filters[name as FilterName] ?? name, String(value));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

const reserved: ReadonlySet<string> = new Set(['authorization', 'x-api-key', 'host', 'content-length', 'content-type', 'transfer-encoding', 'connection']);

function checkedHeaders(endpoint: string, headers: RequestOptions['headers']): Readonly<Record<string, string>> {
  const result = Object.create(null) as Record<string, string>;
  for (const name of Object.keys(headers ?? {})) {
    const value = headers?.[name];
    const lower = name.toLowerCase();
    if (reserved.has(lower)) throw new InvalidRequestError(endpoint, [{ path: `headers.${lower}`, message: 'must not be set: it is ours' }]);
    if (!/^[!#$%&'*+\-.^_`|~\w]+$/.test(name)) throw new InvalidRequestError(endpoint, [{ path: 'headers', message: 'must have names that HTTP allows' }]);
    if (typeof value !== 'string' || !/^[\t\x20-\x7e]*$/.test(value)) {
      throw new InvalidRequestError(endpoint, [{ path: `headers.${lower}`, message: 'must be a string of printable ASCII characters' }]);
    }
    result[lower] = value;
  }
  return result;
}

/** Milliseconds that a timer can count. */
const longestTimer = 2_147_483_647;

/** Checks the numbers of a call's options; `fail` says how it is told. */
export function checkLimits(options: Pick<RequestOptions, 'timeout' | 'deadline' | 'retries'>): void {
  for (const name of ['timeout', 'deadline'] as const) {
    const value = options[name];
    if (value !== undefined && !(typeof value === 'number' && value > 0 && value <= longestTimer)) {
      throw new ConfigurationError(`${name} must be a number of milliseconds from 1 to ${longestTimer}`);
    }
  }
  const { retries } = options;
  if (retries !== undefined && !(Number.isInteger(retries) && retries >= 0 && retries <= 100)) {
    throw new ConfigurationError('retries must be a whole number from 0 to 100');
  }
}
