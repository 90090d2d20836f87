import { integerFrom, optionsObject } from '../../contract/option-schemas.js';
import { pageSize } from '../../contract/schema/page.js';
import { memoize, string } from '../../contract/schema/schema.js';
import type { MockOrganization } from '../platform/organization.js';
import type { RecordKindName } from '../state/record-kinds.js';
import type { Exchange, ExchangeLog, RecordedRequest } from '../wire/request-log.js';

/** Selects records of one kind. */
interface RecordSearch {
  /** A text that a field of the record contains, in upper or lower case. */
  readonly text?: string | undefined;
  readonly status?: string | undefined;
  readonly customerId?: string | undefined;
  /** The most records to return. @default 100 */
  readonly limit?: number | undefined;
}

/** The schema of a search of records. */
export const recordSearch = memoize(() =>
  optionsObject<RecordSearch>({ text: string(), status: string(), customerId: string(), limit: integerFrom(1) }),
);

/** The newest of the records that a search selects. */
export interface Found<T> {
  /** The number of records that the search selects. */
  readonly count: number;
  /** How many records have each value of certain fields; the values in the search do not affect these. */
  readonly values: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly records: readonly T[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Searches the records of one kind of an organization. */
export function searchRecords(
  organization: MockOrganization,
  kind: RecordKindName,
  { text = '', customerId, limit, ...values }: RecordSearch = {},
): Found<unknown> {
  const { get }: { get(id: string): unknown } = organization[kind];
  const matching = organization
    .stored(kind)
    .map((stored): Fields => ('record' in stored ? { ...stored, ...stored.record } : { ...stored }))
    .filter(
      (record) =>
        (customerId === undefined || record['customerId'] === customerId) &&
        // Views have fields of other records, such as the name of a customer, but take long to create.
        (text === '' || containsText(get(String(record['id'])), text.toLowerCase())),
    );
  const { records, ...found } = select(matching, ['status'], values, limit);
  return { ...found, records: records.map(({ id }) => get(String(id))) };
}

/** Selects records by the values of fields, the newest first. The records are passed oldest first. */
function select<T extends object>(
  records: readonly T[],
  fields: readonly (string & keyof T)[],
  values: { readonly [Field in keyof T]?: unknown },
  limit = 100,
): Found<T> {
  const selected = records.filter((record) =>
    fields.every((field) => values[field] === undefined || record[field] === values[field]),
  );
  return {
    count: selected.length,
    values: Object.fromEntries(fields.map((field) => [field, countBy(records, (record) => record[field])])),
    records: selected.slice(-limit).toReversed(),
  };
}

/** Counts the elements for which a function returns the same name; undefined and null are not counted. */
function countBy<T>(elements: readonly T[], nameOf: (element: T) => unknown): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const element of elements) {
    const name = nameOf(element);
    if (name !== undefined && name !== null) counts[String(name)] = (counts[String(name)] ?? 0) + 1;
  }
  return counts;
}

/** Returns whether a value or any value in it is a text that contains another one. */
function containsText(value: unknown, searched: string): boolean {
  if (typeof value === 'string') return value.toLowerCase().includes(searched);
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return false;
  return (Object.values(value) as unknown[]).some((each) => containsText(each, searched));
}

/** Selects requests. */
interface RequestSearch {
  /** A text in the method, path, query, ids, status, error, fault or bodies, in upper or lower case. */
  readonly text?: string | undefined;
  /** The id of the organization. */
  readonly organization?: string | undefined;
  readonly endpoint?: string | undefined;
  /** The status that the client received, or how the response was lost: `503`, `reset`, `hang`. */
  readonly status?: string | undefined;
  /** The code of the error. */
  readonly error?: string | undefined;
  /** The kind of the fault. */
  readonly fault?: string | undefined;
  /** The quote of a payment: selects the requests to create it, and the searches for it after a lost response. */
  readonly quoteId?: string | undefined;
  /** Only requests whose response is at most this many seconds old, in real time. */
  readonly seconds?: number | undefined;
  /** The most requests to return. @default 100 */
  readonly limit?: number | undefined;
}

/** The schema of a search of requests. */
export const requestSearch = memoize(() =>
  optionsObject<RequestSearch>({
    text: string(),
    organization: string(),
    endpoint: string(),
    status: string(),
    error: string(),
    fault: string(),
    quoteId: string(),
    seconds: integerFrom(1),
    limit: integerFrom(1),
  }),
);

/** A request in the list of the console. `requests.get` returns all of it. */
export interface RequestSummary {
  readonly requestId: string;
  /** The time on the mock's clock when the request was received, in milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly organization: string | null;
  readonly endpoint: string | null;
  readonly method: string;
  /** The path, with the query as it was sent. */
  readonly path: string;
  /** The status that the client received, or how its response was lost: `reset`, `hang`. */
  readonly status: string;
  /** The code of the error. */
  readonly error: string | null;
  readonly fault: string | null;
  /** The time from the request to the response, in milliseconds. */
  readonly duration: number;
}

/** The newest of the requests that a search selects. */
export interface FoundRequests extends Found<RequestSummary> {
  /** The number of requests in the log. */
  readonly total: number;
  /** The number of requests that the log dropped because it was full. */
  readonly dropped: number;
}

/** Searches the log. */
export function searchRequests(
  log: ExchangeLog,
  { text = '', organization, seconds, quoteId, limit, ...values }: RequestSearch = {},
): FoundRequests {
  const since = seconds === undefined ? 0 : Date.now() - seconds * 1000;
  const ofOrganization = log.all.filter(
    ({ completedAt, request }) =>
      completedAt >= since && (organization === undefined || request.organization === organization),
  );
  const matching = (quoteId === undefined ? ofOrganization : requestsOfCreate(ofOrganization, quoteId))
    .map((exchange) => ({ ...exchange, summary: summaryOf(exchange) }))
    .filter(
      ({ summary, request: { error, body }, response }) =>
        text === '' || containsText([summary, error?.message, body, response?.body], text.toLowerCase()),
    );
  return {
    ...select(
      matching.map(({ summary }) => summary),
      ['endpoint', 'status', 'error', 'fault'],
      values,
      limit,
    ),
    total: log.all.length,
    dropped: log.dropped,
  };
}

/**
 * Returns the requests to create a payment with a quote and, after each whose outcome its client may not know, the
 * searches for the payment until one shows it. A search has nothing in common with the create: the client reads the
 * newest payments of all statuses, in the largest pages.
 */
function requestsOfCreate(exchanges: readonly Exchange[], quoteId: string): readonly Exchange[] {
  const searching = new Set<string | undefined>();
  return exchanges.filter((exchange) => {
    const { request, response } = exchange;
    const { endpoint, organization, filters } = request;
    if (quoteOf(request) === quoteId) {
      const status = response?.status ?? 0;
      const isKnown = response?.delivery === null && status >= 200 && status < 500 && status !== 409;
      if (isKnown) searching.delete(organization);
      else searching.add(organization);
      return true;
    }
    const isSearch = endpoint === 'payments.list' && filters['limit'] === pageSize.largest && !('status' in filters);
    if (!isSearch || !searching.has(organization)) return false;
    if (response?.delivery === null && response.body?.includes(JSON.stringify(quoteId)) === true)
      searching.delete(organization);
    return true;
  });
}

/** Returns the quote of a request to create a payment; null for any other request. */
function quoteOf({ endpoint, body }: RecordedRequest): string | null {
  const { paymentQuoteId } = Object(body) as { readonly paymentQuoteId?: unknown };
  return endpoint === 'payments.create' && typeof paymentQuoteId === 'string' ? paymentQuoteId : null;
}

function summaryOf({ request, response, duration }: Exchange): RequestSummary {
  const search = new URLSearchParams(request.query).toString();
  const delivery = response?.delivery?.kind;
  return {
    requestId: request.requestId,
    receivedAt: request.receivedAt,
    organization: request.organization ?? null,
    endpoint: request.endpoint ?? null,
    method: request.method,
    path: search === '' ? request.path : `${request.path}?${search}`,
    status: delivery === 'reset' || delivery === 'hang' ? delivery : String(request.status ?? 'none'),
    error: request.error?.code ?? null,
    fault: request.fault ?? null,
    duration: Math.round(duration * 100) / 100,
  };
}
