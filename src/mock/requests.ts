import type { Issue } from '../contract/check.js';
import type { EndpointName } from '../contract/endpoints.js';
import { requireEndpoint } from './endpoint-name.js';

/** Why a request was refused. */
export interface MockRefusal {
  /** The status it was answered with. */
  readonly status: number;
  /** The reason for programs, such as `token_expired` or `quote_used`. */
  readonly code: string;
  /** The reason in words. */
  readonly message: string;
}

/** One request the mock platform received. */
export interface MockRequest {
  /** The endpoint; undefined where the path is none's. */
  readonly endpoint: EndpointName | undefined;
  /** The id of the organization; undefined where the API key is unknown. */
  readonly organization: string | undefined;
  /** The HTTP method. */
  readonly method: string;
  /** The path, without the base URL's. */
  readonly path: string;
  /** The ids in the path, by their names in the endpoint's path; empty where the path is none's. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The query as it was sent. */
  readonly query: Readonly<Record<string, string>>;
  /** The filters of the query by the names that the client takes, whatever the dialect calls them; `limit` as a number. */
  readonly filters: Readonly<Record<string, unknown>>;
  /**
   * The body, parsed where it is JSON, as text where it is not or is nested deeper than 100 levels. Where the API key is unknown, its
   * first 1000 bytes as text. Undefined where there was none, or one beyond the limit.
   */
  readonly body: unknown;
  /** The claims of the token, where it was accepted. */
  readonly claims: Readonly<Record<string, unknown>> | undefined;
  /** Why it was refused; undefined where it was not. */
  readonly refusal: MockRefusal | undefined;
  /** What breaks the contract in the request; empty where nothing does. */
  readonly issues: readonly Issue[];
  /** The fault that was injected; undefined where none was. */
  readonly fault: string | undefined;
  /** The status it was answered with; undefined while it has no answer. */
  readonly status: number | undefined;
  /** The id of the request, which its answer carries as `x-request-id`. */
  readonly requestId: string;
  /** When it arrived, in milliseconds since the epoch on the mock's clock. */
  readonly at: number;
}

/** A request in the making: the pipeline fills it in as it learns more. */
export type OpenRequest = { -readonly [K in keyof MockRequest]: MockRequest[K] };

/**
 * The requests a platform or an organization received, oldest first: an array. It keeps as many as the option `logSize` says, with
 * bodies and URLs of 32 MiB at most: beyond either the oldest are dropped.
 *
 * @example
 * ```ts
 * import { createMockPlatform } from 'corridor-sdk/mock';
 * const platform = createMockPlatform();
 * const creates = platform.requests.of('payments.create');
 * const refused = platform.requests.filter((request) => request.refusal !== undefined);
 * ```
 */
export class MockRequestLog extends Array<MockRequest> {
  /** What `filter` and `map` give are plain arrays. @internal */
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  /** The requests to one endpoint. Throws `MockPlatformError` where there is no such endpoint. */
  of(endpoint: EndpointName): MockRequest[] {
    requireEndpoint('requests.of', endpoint);
    return this.filter((request) => request.endpoint === endpoint);
  }

  /** Forgets all requests. */
  clear(): void {
    this.length = 0;
  }
}

/** The most bytes of bodies and URLs in a log: parsed, they take up to twenty times as much. */
const mostBytes = 32 * 1024 * 1024;
const bytesOf = new WeakMap<MockRequest, number>();
const bytesIn = new WeakMap<MockRequestLog, number>();

/** Adds a request; beyond the size the oldest tenth is dropped at once, because shifting one by one is slow. */
export function logRequest(log: MockRequestLog, request: MockRequest, size: number): void {
  log.push(request);
  if (log.length > size) log.splice(0, Math.max(1, Math.ceil(size / 10)));
  addBytes(log, bytesOf.get(request) ?? 0);
}

/** Tells that a request of a log has taken so many bytes more; the oldest are dropped where they are too many. */
export function logBytes(log: MockRequestLog, request: MockRequest, bytes: number): void {
  bytesOf.set(request, (bytesOf.get(request) ?? 0) + bytes);
  addBytes(log, bytes);
}

function addBytes(log: MockRequestLog, bytes: number): void {
  const sum = (bytesIn.get(log) ?? 0) + bytes;
  bytesIn.set(log, sum > mostBytes ? fit(log) : sum);
}

/** Drops the oldest until a log is a tenth below its limit, and gives its bytes. They are counted anew: tests clear and cut the array. */
function fit(log: MockRequestLog): number {
  const each = log.map((request) => bytesOf.get(request) ?? 0);
  let sum = each.reduce((left, right) => left + right, 0);
  if (sum <= mostBytes) return sum;
  const kept = each.findIndex((bytes, index) => {
    if (sum <= mostBytes * 0.9 || index === each.length - 1) return true;
    sum -= bytes;
    return false;
  });
  log.splice(0, kept);
  return sum;
}
