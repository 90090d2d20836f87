import type { Issue } from '../../contract/issue.js';
import type { EndpointName } from '../../contract/endpoints.js';
import { requireEndpoint } from '../require-valid.js';

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
  /** The ids in the path, by their names in the endpoint's path; empty if the path belongs to no endpoint. */
  readonly params: Readonly<Record<string, string>>;
  /** The query as it was sent. */
  readonly query: Readonly<Record<string, string>>;
  /** The filters in the query by the client's names for them, independent of the dialect; `limit` as a number. */
  readonly filters: Readonly<Record<string, unknown>>;
  /**
   * The body: parsed if it is JSON, as a string if it is not JSON or is nested deeper than 100 levels. If the API key
   * is unknown, the first 1000 bytes as a string. Undefined if there was no body or it was larger than the limit.
   */
  readonly body: unknown;
  /** The claims of the token; undefined if the token was not accepted. */
  readonly claims: Readonly<Record<string, unknown>> | undefined;
  /**
   * The error response; undefined if the request succeeded. If a `late-commit` fault could not commit, the error that
   * the platform would have returned at that time.
   */
  readonly error: RecordedErrorResponse | undefined;
  /** The violations of the contract in the request; empty if there are none. */
  readonly issues: readonly Issue[];
  /** The kind of the injected fault; undefined if there was none. */
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
 * Adds a request. A full log drops its oldest tenth at once, because removing single elements from the front of an
 * array is slow.
 */
export function logRequest(log: WritableRequestLog, request: RecordedRequest, size: number): void {
  log.push(request);
  if (log.length > size) log.splice(0, Math.max(1, Math.ceil(size / 10)));
}
