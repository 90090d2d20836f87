import type { Issue } from '../../contract/issue.js';
import { validateRequest, validateResponse, type ContractViolation } from '../../contract/violations.js';
import { describeType } from '../../contract/describe.js';
import { type AddedValues, issuesOf } from '../base/unknown-values.js';
import type { ResolvedDialect } from '../../contract/dialect.js';
import { endpoints, type EndpointDefinition, type EndpointName } from '../../contract/endpoints.js';
import { requestFields } from '../../contract/request-fields.js';
import type { ResolvedOptions } from '../base/mock-options.js';
import type { MockHttpRequest } from '../wire/message.js';
import { reject } from '../wire/http-error.js';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The options that decide how requests are validated. */
type RequestRules = Pick<ResolvedOptions, 'dialect' | 'unknownFields'>;

/**
 * Returns the filters of a request by the contract's names. Throws an `HttpError` if one is unknown, repeated or
 * invalid.
 */
export function validateQuery(
  endpoint: EndpointDefinition<unknown>,
  { dialect, unknownFields }: RequestRules,
  added: AddedValues,
  search: string,
): Readonly<Record<string, unknown>> {
  const names = namesByWireName(dialect);
  const query: Record<string, unknown> = {};
  const issues: Issue[] = [];
  for (const [wire, text] of new URLSearchParams(search)) {
    const name = names.get(wire);
    if (unknownFields === 'ignore' && (endpoint.query === undefined || name === undefined)) continue;
    if (endpoint.query === undefined)
      issues.push({ path: wire, message: 'is not allowed: this endpoint has no query parameters' });
    else if (name === undefined)
      issues.push({ path: wire, message: `is not a query parameter of this API (${[...names.keys()].join(', ')})` });
    else if (Object.hasOwn(query, name)) issues.push({ path: wire, message: 'must not be repeated' });
    else query[name] = filterValue(name, text);
  }
  if (endpoint.query !== undefined) {
    for (const { path, message } of issuesOf(added, endpoint.query(), query, describeType, false))
      issues.push({ path: dialect.wireNames.get(path) ?? path, message });
  }
  if (issues.length > 0) reject('invalid_query', 'the query is invalid', issues);
  return query;
}

/** Maps the names of filters on the wire to the contract's names. */
function namesByWireName({ filterNames }: ResolvedDialect): Map<string, string> {
  return new Map(Object.entries(filterNames).map(([name, wire]) => [wire, name]));
}

function filterValue(name: string, text: string): string | number {
  return name === 'limit' ? numberOf(text) : text;
}

/** Returns the filters of a query for the log by the contract's names, whether or not they are valid. */
export function recordedFilters(dialect: ResolvedDialect, query: URLSearchParams): Record<string, string | number> {
  const names = namesByWireName(dialect);
  return Object.fromEntries(
    [...query].flatMap(([wire, text]) => {
      const name = names.get(wire);
      return name === undefined ? [] : [[name, filterValue(name, text)]];
    }),
  );
}

function numberOf(text: string): number | string {
  return /^-?(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text;
}

/** Returns the body of a request. Throws an `HttpError` if it is not JSON or is invalid. */
export function validateBody(
  endpoint: EndpointDefinition<unknown>,
  { dialect, unknownFields }: RequestRules,
  request: MockHttpRequest,
): unknown {
  if (endpoint.body === undefined) {
    if (request.body.length > 0) reject('unexpected_body', 'this endpoint does not accept a body');
    return undefined;
  }
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type)) {
    reject(
      'unsupported_media_type',
      `the content-type must be application/json (received ${type === '' ? 'no content-type' : JSON.stringify(type)})`,
    );
  }
  const schema = endpoint.body(dialect);
  const received = parseJson(request.body);
  const body = unknownFields === 'ignore' ? knownFields(schema, received) : received;
  const issues = validateRequest(schema, body, describeType, false);
  if (issues.length > 0) reject('invalid_body', 'the body is invalid', issues);
  return body;
}

/** Returns a body without the fields that the contract does not know. */
function knownFields(schema: Parameters<typeof requestFields>[0], body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const names = requestFields(schema).map(({ name }) => name);
  return Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)));
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    return reject('invalid_json', 'the body must be JSON in UTF-8');
  }
}

/** Returns the differences between the body of a successful response and the contract. */
export function violationsOf(name: EndpointName | undefined, body: unknown): readonly ContractViolation[] {
  const { result }: Partial<EndpointDefinition<unknown>> = name === undefined ? {} : endpoints[name];
  return result === undefined ? [] : validateResponse(result(), body);
}

/**
 * Returns a body for the log: parsed if it is JSON, as a string if it is not or is nested too deep to be serialized
 * again.
 */
export function recordedBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined;
  const text = new TextDecoder().decode(bytes);
  try {
    const body: unknown = JSON.parse(text);
    return isDeeperThan(body, 100) ? text : body;
  } catch {
    return text;
  }
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each: unknown) => isDeeperThan(each, levels - 1));
}

/** Returns the start of a body as a string, for the log of a request whose sender is unknown. */
export function recordedPrefix(bytes: Uint8Array): string | undefined {
  return bytes.length === 0 ? undefined : new TextDecoder().decode(bytes.subarray(0, 1000), { stream: true });
}
