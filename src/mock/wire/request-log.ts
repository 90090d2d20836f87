import type { Issue } from '../../contract/issue.js';
import type { EndpointName, endpoints } from '../../contract/endpoints.js';
import { requireEndpoint } from '../base/mock-error.js';
import type { MockHttpRequest, MockHttpResponse, MockNoResponse, MockResponseDelivery } from './message.js';
import type { ResolvedDialect } from '../../contract/dialect.js';
import type { Schema } from '../../contract/schema/schema.js';

/** The error response that a request received. */
export interface RecordedErrorResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The error code, such as `token_expired` or `quote_used`. */
  readonly code: string;
  /** The error message. */
  readonly message: string;
}

/** A request that the mock platform received. */
export interface RecordedRequest {
  /** The endpoint; undefined if the path belongs to no endpoint. */
  readonly endpoint: EndpointName | undefined;
  /** The id of the organization; undefined if the API key is unknown. */
  readonly organization: string | undefined;
  /** The HTTP method. */
  readonly method: string;
  /** The path, without the path of the base URL. */
  readonly path: string;
  /** The ids in the path by their names in that of the endpoint or of a planned response; empty for other paths. */
  readonly params: Readonly<Record<string, string>>;
  /** The query as it was sent. */
  readonly query: Readonly<Record<string, string>>;
  /** The filters in the query by the client's names for them, independent of the dialect; `limit` as a number. */
  readonly filters: Readonly<Record<string, unknown>>;
  /** The headers by their names in lower case, without those that carry credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The body: parsed if it is JSON, as a string if it is not JSON or is nested deeper than 100 levels. If the API key
   * is unknown, the first 1000 bytes as a string. Undefined if there was no body or it was larger than the limit.
   */
  readonly body: unknown;
  /** The claims of the token, also of a rejected one; undefined if they cannot be read or the API key is unknown. */
  readonly claims: Readonly<Record<string, unknown>> | undefined;
  /** The thumbprint of the public key that verified the token's signature; undefined if none did. */
  readonly keyId: string | undefined;
  /**
   * The error response; undefined if the request succeeded. If a `late-commit` fault could not commit, the error that
   * the platform would have returned at that time.
   */
  readonly error: RecordedErrorResponse | undefined;
  /** The violations of the contract in the request; empty if there are none. */
  readonly issues: readonly Issue[];
  /** The violations of the contract in a successful response that `respond` planned; empty if there are none. */
  readonly responseIssues: readonly Issue[];
  /** The kind of the injected fault, `response` for one that `respond` planned; undefined if there was none. */
  readonly fault: string | undefined;
  /** The HTTP status of the response; undefined until there is one. */
  readonly status: number | undefined;
  /** The id of the request, which the response carries as `x-request-id`. */
  readonly requestId: string;
  /** The time on the mock's clock when the request was received, in milliseconds since the epoch. */
  readonly receivedAt: number;
}

/** A request record that the pipeline is still filling in. */
export type RecordedRequestDraft = { -readonly [K in keyof RecordedRequest]: RecordedRequest[K] };

/**
 * The requests that a platform or an organization received, oldest first. The log keeps as many as the option `logSize`
 * allows and drops the oldest.
 *
 * @example
 * ```ts
 * import { createMockPlatform } from 'corridor-sdk/mock';
 * const platform = createMockPlatform();
 * const creates = platform.requests.to('payments.create');
 * const rejected = platform.requests.filter((request) => request.error !== undefined);
 * ```
 */
export interface RequestLog extends ReadonlyArray<RecordedRequest> {
  /** Returns the requests to one endpoint. Throws `MockPlatformError` if there is no such endpoint. */
  to(endpoint: EndpointName): RecordedRequest[];
  /** Removes all requests. */
  clear(): void;
}

/** The log as the platform writes it. */
export type WritableRequestLog = RequestLog & RecordedRequest[];

/**
 * Creates an empty log: an array with two methods that are not enumerable, so that it compares and prints as a plain
 * array. Calls a function after the log was cleared.
 */
export function createRequestLog(onClear: () => void = () => {}): WritableRequestLog {
  const log: RecordedRequest[] = [];
  const methods: Pick<RequestLog, 'to' | 'clear'> = {
    to(endpoint) {
      requireEndpoint('requests.to', endpoint);
      return log.filter((request) => request.endpoint === endpoint);
    },
    clear() {
      log.length = 0;
      onClear();
    },
  };
  return Object.defineProperties(log, {
    to: { value: methods.to },
    clear: { value: methods.clear },
  }) as WritableRequestLog;
}

/**
 * Adds a request, and returns the number of dropped ones. A full log drops its oldest tenth at once, because removing
 * single elements from the front of an array is slow.
 */
export function logRequest(log: WritableRequestLog, request: RecordedRequest, size: number): number {
  log.push(request);
  return log.length > size ? log.splice(0, Math.max(1, Math.ceil(size / 10))).length : 0;
}

/** A response as the platform sent it. */
export interface RecordedResponse {
  /** The HTTP status; null if a fault withheld the response. */
  readonly status: number | null;
  /** The headers, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The first 64 KiB of the body as a string; null if it was not text, or newer bodies have taken its place. */
  readonly body: string | null;
  /** The size of the whole body in bytes or, of text, in UTF-16 code units. */
  readonly bodySize: number;
  /** How a fault disturbed the delivery; null if the response was simply sent. */
  readonly delivery: MockResponseDelivery | null;
}

/** A response for the log. */
export interface LoggedResponse extends MockHttpResponse {
  /** The size of a body that passed as a stream. */
  readonly bodySize?: number;
  /** All of what a real platform sent, parsed; null if there was no body, or if not all of it was kept. */
  readonly content?: unknown;
}

/** A request with its response. */
export interface Exchange {
  /** The time of the response in real time, in milliseconds since the epoch. */
  readonly completedAt: number;
  readonly request: RecordedRequest;
  /** The response; null if the mock itself failed. */
  readonly response: RecordedResponse | null;
  /** The time from the request to the response, in milliseconds of real time. */
  readonly duration: number;
}

/** The most characters of a response body that are recorded. */
const maxBody = 64 * 1024;
/** The most characters of response bodies that the log keeps in total. */
const maxTotal = 32 * 1024 * 1024;

/**
 * Called with a request and its whole response after it was handled, and after something else than a request changed
 * the state.
 */
export type ExchangeListener = (
  change: RecordedRequest | 'state',
  response?: LoggedResponse | MockNoResponse | null,
) => void;

/** What is known of the requests in a log, besides the requests: their responses. Notifies its listeners of changes. */
export class ExchangeLog {
  readonly #requests: WritableRequestLog;
  readonly #exchanges = new WeakMap<RecordedRequest, Exchange>();
  readonly #listeners = new Set<ExchangeListener>();
  #characters = 0;
  /** Whether it keeps the bodies of responses, for the console. */
  hasBodies = false;
  /** The number of requests that were dropped because the log was full, since it was cleared. */
  dropped = 0;

  constructor(requests: WritableRequestLog) {
    this.#requests = requests;
  }

  /** Adds the response to a request. */
  add(request: RecordedRequest, response: LoggedResponse | MockNoResponse | null, duration: number): void {
    const recorded = response === null ? null : recordedResponse(response, this.hasBodies);
    this.#exchanges.set(request, { completedAt: Date.now(), request, response: recorded, duration });
    this.#characters += recorded?.body?.length ?? 0;
    if (this.#characters > maxTotal) this.#dropBodies();
    this.notify(request, response);
  }

  /** The exchanges, oldest first, without those whose request is being handled. */
  get all(): readonly Exchange[] {
    return this.#requests.flatMap((request) => this.#exchanges.get(request) ?? []);
  }

  /** Returns the exchange with a request id, or of a request; undefined while the request is being handled. */
  get(request: string | RecordedRequest): Exchange | undefined {
    const found =
      typeof request === 'string' ? this.#requests.findLast(({ requestId }) => requestId === request) : request;
    return found && this.#exchanges.get(found);
  }

  /** Reports a request, or that records, faults, the clock, the behavior or an earlier exchange changed otherwise. */
  notify(...change: Parameters<ExchangeListener>): void {
    for (const listener of this.#listeners) listener(...change);
  }

  /** Calls a function after each change, and returns a function that stops this. */
  subscribe(listener: ExchangeListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Removes the bodies of the older exchanges, which have half of the characters. */
  #dropBodies(): void {
    this.#characters = 0;
    for (const exchange of this.all.toReversed()) {
      const { request, response } = exchange;
      const characters = this.#characters + (response?.body?.length ?? 0);
      if (characters <= maxTotal / 2) this.#characters = characters;
      else this.#exchanges.set(request, { ...exchange, response: response && { ...response, body: null } });
    }
  }
}

function recordedResponse(response: LoggedResponse | MockNoResponse, hasBody: boolean): RecordedResponse {
  const delivery = response.delivery ?? null;
  if (!('status' in response)) return { status: null, headers: {}, body: null, bodySize: 0, delivery };
  const { status, headers, body, bodySize = body?.length ?? 0 } = response;
  return {
    status,
    headers,
    body: hasBody && typeof body === 'string' ? body.slice(0, maxBody) : null,
    bodySize,
    delivery,
  };
}

/** The definition of an endpoint. */
export type EndpointOf<Name extends EndpointName> = (typeof endpoints)[Name];

/** The names of the ids in a path. */
export type ParamsIn<Path extends string> = Path extends `${string}{${infer Param}}${infer Rest}`
  ? Param | ParamsIn<Rest>
  : never;

/** The filters of an endpoint. */
export type QueryOf<E> = E extends { readonly query: Schema<infer Query> } ? Query : Record<never, never>;

/** The body of an endpoint; undefined if it has none. */
export type BodyOf<E> = E extends { readonly body: (dialect: ResolvedDialect) => infer S }
  ? S extends ReturnType<Schema<infer Body>>
    ? Body
    : never
  : E extends { readonly body: Schema<infer Body> }
    ? Body
    : undefined;

/**
 * All fields of a request to an endpoint: the ids in its path, the filters of its query, and the fields of its body.
 */
export type RequestFields<Name extends EndpointName> = {
  readonly [Parameter in ParamsIn<EndpointOf<Name>['path']>]: string;
} & QueryOf<EndpointOf<Name>> &
  (BodyOf<EndpointOf<Name>> extends object ? BodyOf<EndpointOf<Name>> : unknown);

/** Returns all fields of a received request: its query as it was sent, if the contract does not have the request. */
export function receivedFields({
  endpoint,
  params,
  query,
  filters,
  body,
}: Pick<RecordedRequest, 'endpoint' | 'params' | 'query' | 'filters' | 'body'>): Readonly<Record<string, unknown>> {
  const fields = typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {};
  return { ...params, ...(endpoint === undefined ? query : filters), ...fields };
}

const credentialHeaders = ['authorization', 'proxy-authorization', 'cookie', 'x-api-key'];

/** Returns the headers of a request for the log. */
export function recordedHeaders({ headers }: MockHttpRequest): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !credentialHeaders.includes(name)));
}
