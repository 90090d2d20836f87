import { integerFrom, optionsObject } from '../../contract/option-schemas.js';
import { pageSize } from '../../contract/schema/page.js';
import { memoize, string } from '../../contract/schema/schema.js';
import type { MockOrganization } from '../platform/organization.js';
import type { RecordKindName } from '../state/record-kinds.js';
import { catalogRecords, isCatalogKind, type CatalogKind } from './catalog.js';
import type { Exchange, ExchangeLog, RecordedErrorResponse, RecordedRequest } from '../wire/request-log.js';

/** Selects records of one kind. */
interface RecordSearch {
  /** A text that a field of the record contains, in upper or lower case. */
  readonly text?: string | undefined;
  readonly status?: string | undefined;
  readonly customerId?: string | undefined;
  /** The path of the field to sort by, `-` before it reverses the order. @default the newest first */
  readonly sort?: string | undefined;
  /** The most records to return. @default 100 */
  readonly limit?: number | undefined;
}

/** The schema of a search of records. */
export const recordSearch = memoize(() =>
  optionsObject<RecordSearch>({
    text: string(),
    status: string(),
    customerId: string(),
    sort: string(),
    limit: integerFrom(1),
  }),
);

/** The first of the records that a search selects. */
export interface FoundRecords<T> {
  /** The number of records that the search selects. */
  readonly count: number;
  /** The same for each status; the status of the search does not affect these. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly records: readonly T[];
}

type Fields = Readonly<Record<string, unknown>>;

/** The records of one kind. */
interface SearchedRecords {
  all(): readonly object[];
  get(id: string): unknown;
}

/** Searches the records of one kind of an organization. */
export function searchRecords(
  organization: MockOrganization,
  kind: RecordKindName | CatalogKind,
  { text = '', status, customerId, sort, limit = defaultLimit }: RecordSearch = {},
): FoundRecords<unknown> {
  const { all, get }: SearchedRecords = isCatalogKind(kind) ? catalogRecords(organization)[kind] : organization[kind];
  // Views have fields of other records, such as the name of a customer, but take long to create.
  const isStored = text === '' && sort === undefined && !isCatalogKind(kind);
  const records = (isStored ? storedRecords(organization, kind) : all()) as readonly Fields[];
  const matching = records
    .toReversed()
    .filter(
      (record) =>
        (customerId === undefined || record['customerId'] === customerId) &&
        (text === '' || containsText(record, text.toLowerCase())),
    );
  const selected = status === undefined ? matching : matching.filter((record) => record['status'] === status);
  return {
    count: selected.length,
    statuses: countBy(matching, (record) => record['status']),
    records: sorted(selected, sort)
      .slice(0, limit)
      .map(({ id }) => get(String(id))),
  };
}

const defaultLimit = 100;

/** Returns the fields that are stored, oldest first. */
function storedRecords(organization: MockOrganization, kind: RecordKindName): readonly Fields[] {
  return organization
    .stored(kind)
    .map((stored) => ('record' in stored ? { ...stored, ...stored.record } : { ...stored }));
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

/** Sorts by the value at a path; decimal strings by their value, records without one last. */
function sorted<T extends object>(elements: readonly T[], sort = ''): readonly T[] {
  if (sort === '') return elements;
  const [path, direction] = sort.startsWith('-') ? [sort.slice(1), -1] : [sort, 1];
  const keyOf = (element: T): string | number | undefined => {
    const value = path.split('.').reduce<unknown>((inner, name) => (Object(inner) as Fields)[name], element);
    if (value === null || value === undefined || value === '') return undefined;
    return /^-?\d+(?:\.\d+)?$/.test(String(value)) ? Number(value) : String(value).toLowerCase();
  };
  return elements
    .map((element) => ({ element, key: keyOf(element) }))
    .toSorted(({ key: left }, { key: right }) => {
      if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined);
      return (left < right ? -1 : left > right ? 1 : 0) * direction;
    })
    .map(({ element }) => element);
}

/** Searches the fields of a record and of the objects in it, down to `screening.subject`. Lists are not searched. */
function containsText(value: unknown, searched: string, depth = 2): boolean {
  if (typeof value === 'string') return value.toLowerCase().includes(searched);
  if (typeof value !== 'object' || value === null || Array.isArray(value) || ArrayBuffer.isView(value)) return false;
  return Object.values(value).some(
    (field: unknown) => (typeof field === 'string' || depth > 0) && containsText(field, searched, depth - 1),
  );
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
  /** The field of the summary to sort by, `-` before it reverses the order. @default the newest first */
  readonly sort?: string | undefined;
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
    sort: string(),
    limit: integerFrom(1),
  }),
);

/** A request in the list of the console. `requests.get` returns all of it. */
export interface RequestSummary {
  readonly sequence: number;
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
  readonly error: RecordedErrorResponse | null;
  readonly fault: string | null;
  /** The time from the request to the response, in milliseconds. */
  readonly duration: number;
  /** The quote of a payment, which all attempts to create it have in common. */
  readonly quoteId: string | null;
}

/** The first of the requests that a search selects. */
export interface FoundRequests {
  /** The number of requests that the search selects. */
  readonly count: number;
  /** The number of requests in the log. */
  readonly total: number;
  /** The number of requests that the log dropped because it was full. */
  readonly dropped: number;
  /** The number of the last request since the server started, and how often the log was cleared. */
  readonly sequence: number;
  readonly generation: number;
  /** How many requests have each value of these fields; the values in the search do not affect these. */
  readonly values: Readonly<Record<(typeof countedFields)[number], Readonly<Record<string, number>>>>;
  readonly requests: readonly RequestSummary[];
}

const countedFields = ['endpoint', 'status', 'error', 'fault'] as const;

/** Searches the log. */
export function searchRequests(
  log: ExchangeLog,
  { text = '', organization, seconds, quoteId, sort, limit = defaultLimit, ...values }: RequestSearch = {},
): FoundRequests {
  const since = seconds === undefined ? 0 : Date.now() - seconds * 1000;
  const ofOrganization = log.all.filter(
    ({ completedAt, request }) =>
      completedAt >= since && (organization === undefined || request.organization === organization),
  );
  const matching = (quoteId === undefined ? ofOrganization : requestsOfCreate(ofOrganization, quoteId))
    .map((exchange) => ({ exchange, summary: summaryOf(exchange) }))
    .filter(({ exchange, summary }) => matchesText(exchange, summary, text.toLowerCase()))
    .map(({ summary }) => summary);
  const valueOf = (each: RequestSummary, field: (typeof countedFields)[number]): string | null =>
    field === 'error' ? (each.error?.code ?? null) : each[field];
  const selected = matching
    .filter((each) =>
      countedFields.every((field) => values[field] === undefined || valueOf(each, field) === values[field]),
    )
    .toReversed();
  return {
    count: selected.length,
    total: log.all.length,
    dropped: log.dropped,
    sequence: log.all.at(-1)?.sequence ?? 0,
    generation: log.generation,
    values: Object.fromEntries(
      countedFields.map((field) => [field, countBy(matching, (each) => valueOf(each, field))]),
    ) as FoundRequests['values'],
    requests: sorted(selected, sort).slice(0, limit),
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

function matchesText(
  { request, response }: Exchange,
  { method, path, status, error, fault, requestId, quoteId, endpoint }: RequestSummary,
  text: string,
): boolean {
  if (text === '') return true;
  const searched = [method, path, endpoint, status, error?.code, error?.message, fault, requestId, quoteId];
  const includesText = (value: string): boolean => value.toLowerCase().includes(text);
  return (
    includesText(searched.join(' ')) ||
    includesText(JSON.stringify(request.body) ?? '') ||
    includesText(response?.body ?? '')
  );
}

function summaryOf({ sequence, request, response, duration }: Exchange): RequestSummary {
  const search = new URLSearchParams(request.query).toString();
  const delivery = response?.delivery?.kind;
  return {
    sequence,
    requestId: request.requestId,
    receivedAt: request.receivedAt,
    organization: request.organization ?? null,
    endpoint: request.endpoint ?? null,
    method: request.method,
    path: search === '' ? request.path : `${request.path}?${search}`,
    status: delivery === 'reset' || delivery === 'hang' ? delivery : String(request.status ?? 'none'),
    error: request.error ?? null,
    fault: request.fault ?? null,
    duration: Math.round(duration * 100) / 100,
    quoteId: quoteOf(request),
  };
}
