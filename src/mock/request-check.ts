import { requestIssues, type Issue } from '../contract/check.js';
import type { FilterName, ResolvedDialect } from '../contract/dialect.js';
import type { Endpoint } from '../contract/endpoint.js';
import type { Arrival } from './exchange.js';
import { Refusal } from './refusal.js';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The filters of a request under the contract's names. Throws a `Refusal` where one is unknown, given twice or wrong. */
export function checkedQuery(endpoint: Endpoint<unknown>, dialect: ResolvedDialect, search: string): Readonly<Record<string, unknown>> {
  const { filters } = dialect;
  const names = filterNames(dialect);
  const query: Record<string, unknown> = {};
  const issues: Issue[] = [];
  for (const [wire, text] of new URLSearchParams(search)) {
    const name = names.get(wire);
    if (endpoint.query === undefined) issues.push({ path: wire, message: 'is not a query parameter: this endpoint takes none' });
    else if (name === undefined) issues.push({ path: wire, message: `is not a query parameter of this API (${[...names.keys()].join(', ')})` });
    else if (Object.hasOwn(query, name)) issues.push({ path: wire, message: 'is given more than once' });
    else query[name] = filterValue(name, text);
  }
  if (endpoint.query !== undefined) {
    for (const { path, message } of requestIssues(endpoint.query(), query)) issues.push({ path: filters[path as FilterName] ?? path, message });
  }
  if (issues.length > 0) throw new Refusal(400, 'invalid_query', 'the query breaks the rules', issues);
  return query;
}

/** The filters' names by their names on the wire. */
function filterNames({ filters }: ResolvedDialect): Map<string, FilterName> {
  return new Map(Object.entries(filters).map(([name, wire]) => [wire, name as FilterName]));
}

function filterValue(name: FilterName, text: string): string | number {
  return name === 'limit' ? numberOf(text) : text;
}

/** The filters of a query as the log keeps them, right or wrong, by the contract's names. */
export function loggedFilters(dialect: ResolvedDialect, query: URLSearchParams): Record<string, string | number> {
  const names = filterNames(dialect);
  return Object.fromEntries([...query].flatMap(([wire, text]) => {
    const name = names.get(wire);
    return name === undefined ? [] : [[name, filterValue(name, text)]];
  }));
}

function numberOf(text: string): number | string {
  return /^-?(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text;
}

/** The body of a request. Throws a `Refusal` where it is not JSON or breaks the rules. */
export function checkedBody(endpoint: Endpoint<unknown>, dialect: ResolvedDialect, arrival: Arrival): unknown {
  if (endpoint.body === undefined) {
    if (arrival.body.length > 0) throw new Refusal(400, 'unexpected_body', 'this endpoint takes no body');
    return undefined;
  }
  const type = arrival.header('content-type') ?? '';
  if (!/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type)) {
    throw new Refusal(415, 'unsupported_media_type', `the content-type must be application/json (got ${type === '' ? 'none' : JSON.stringify(type)})`);
  }
  const body = parsed(arrival.body);
  const issues = requestIssues(endpoint.body(dialect), body);
  if (issues.length > 0) throw new Refusal(400, 'invalid_body', 'the body breaks the rules', issues);
  return body;
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    throw new Refusal(400, 'invalid_json', 'the body is not JSON in UTF-8');
  }
}

/** A body as the log keeps it: parsed where it is JSON, as text where it is not, or cannot be written as JSON again for its depth. */
export function loggedBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined;
  const text = new TextDecoder().decode(bytes);
  try {
    const body: unknown = JSON.parse(text);
    return isDeeper(body, 100) ? text : body;
  } catch {
    return text;
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each: unknown) => isDeeper(each, levels - 1));
}

/** A body as the log keeps it where nobody is known to have sent it: as text, and no more than its beginning. */
export function loggedBeginning(bytes: Uint8Array): string | undefined {
  return bytes.length === 0 ? undefined : new TextDecoder().decode(bytes.subarray(0, 1000), { stream: true });
}
