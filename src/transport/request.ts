import { requestIssues, typeName } from '../contract/check.js';
import type { FilterName, ResolvedDialect } from '../contract/dialect.js';
import { endpoints, type EndpointName } from '../contract/endpoints.js';
import type { AnswerKind } from '../contract/endpoint.js';
import { owns } from '../contract/own.js';
import type { PaymentCreate } from '../contract/payments.js';
import type { Schema } from '../contract/schema.js';
import { InvalidRequestError } from '../errors.js';
import type { StandardSchema } from '../standard-schema.js';
import { checkPath, fillPath } from './path.js';
import { checkedHeaders, type RequestOptions } from './request-options.js';
import { snapshot } from './snapshot.js';

export type { RequestOptions } from './request-options.js';

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
  const query = owns(endpoint, 'query') ? checked(name, endpoint.query(), input.query ?? {}, 'as text') : undefined;
  const body = owns(endpoint, 'body') ? checked(name, endpoint.body(dialect), input.body, 'refused') : undefined;
  return {
    endpoint: name,
    method: endpoint.method,
    template: endpoint.path,
    uri: path + queryText(query, dialect),
    body: body === undefined ? undefined : JSON.stringify(body),
    headers: checkedHeaders(name, options.headers),
    repeat: endpoint.method === 'POST' ? 'if-not-taken' : 'always',
    answer: endpoint.answer,
    result: owns(endpoint, 'result') ? endpoint.result : undefined,
  };
}

/** Checks a payment that is about to be created, and gives it as it will be sent. */
export function checkedPayment(payment: PaymentCreate, dialect: ResolvedDialect): PaymentCreate & Readonly<Record<string, unknown>> {
  const request = checked('payments.create', endpoints['payments.create'].body(dialect), payment, 'refused');
  return JSON.parse(JSON.stringify(request)) as PaymentCreate & Readonly<Record<string, unknown>>;
}

const methods: readonly unknown[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const customFields: readonly string[] = ['method', 'path', 'query', 'body', 'schema'];

/** Checks a call of an endpoint that the contract does not know. */
export function prepareCustom(request: CustomRequest & { readonly schema?: unknown }, options: RequestOptions): PreparedRequest {
  if (typeof request !== 'object' || request === null) refuseCustom('', `must be an object (got ${typeName(request)})`);
  const unknown = Object.keys(request).find((name) => !customFields.includes(name));
  if (unknown !== undefined) refuseCustom(unknown, `is not a known field (known: ${customFields.join(', ')})`);
  const path = checkPath(request.path);
  if (!methods.includes(request.method)) refuseCustom('method', `must be one of ${methods.join(', ')}`);
  const query = request.query === undefined ? undefined : customQuery(request.query);
  const body = request.body === undefined ? undefined : JSON.stringify(snapshot('request', request.body, 'refused', 'body'));
  if (request.method === 'GET' && body !== undefined) refuseCustom('body', 'must be absent: a GET has none');
  if (request.schema !== undefined && !isSchema(request.schema)) refuseCustom('schema', 'must follow Standard Schema, as those of zod, valibot and arktype do');
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

function customQuery(given: unknown): Record<string, unknown> {
  const query = snapshot('request', given, 'refused', 'query');
  if (typeof query !== 'object' || query === null || Array.isArray(query)) return refuseCustom('query', `must be an object (got ${typeName(query)})`);
  for (const [name, value] of Object.entries(query as Record<string, unknown>)) {
    if (typeof value === 'object') refuseCustom(`query.${name}`, `must be a string, a number, true or false (got ${typeName(value)})`);
  }
  return query as Record<string, unknown>;
}

// Before anything is sent: an answer that cannot be checked would come too late.
function isSchema(schema: unknown): boolean {
  const entry = schema === null ? undefined : (schema as Partial<StandardSchema<unknown>>)['~standard'];
  return typeof entry?.validate === 'function';
}

function refuseCustom(path: string, message: string): never {
  throw new InvalidRequestError('request', [{ path, message }]);
}

function checked(name: EndpointName, schema: ReturnType<Schema<object>>, given: unknown, dates: 'as text' | 'refused'): Record<string, unknown> {
  const value = snapshot(name, given, dates);
  const issues = requestIssues(schema, value);
  if (issues.length > 0) throw new InvalidRequestError(name, issues);
  return value as Record<string, unknown>;
}

function queryText(query: Readonly<Record<string, unknown>> | undefined, dialect: ResolvedDialect | undefined): string {
  if (query === undefined) return '';
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    parameters.append(dialect?.filters[name as FilterName] ?? name, String(value));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}
