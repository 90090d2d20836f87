import type { Issue } from '../contract/issue.js';
import { InvalidResponseError } from '../errors/api.js';
import type { ParsedResponse, ResponseMetadata } from '../transport/response.js';

/** The result of a call together with the response's status, headers, request id and attempts. */
export interface ApiResponse<T> extends ResponseMetadata {
  /** The result of the call. */
  readonly data: T;
}

/**
 * A promise of a call's result that also gives access to the response's status, headers, request id and attempts.
 *
 * @example
 * ```ts
 * import { Corridor } from 'corridor-sdk';
 * const corridor = new Corridor();
 * const { data, status, requestId, attempts } = await corridor.crypto.networks().withResponse();
 * console.log(data.length, status, requestId, attempts.length);
 * ```
 */
export interface ApiPromise<T> extends Promise<T> {
  /** Resolves to the result together with status, headers, request id and attempts. */
  withResponse(): Promise<ApiResponse<T>>;
}

class DeferredApiPromise<T> implements ApiPromise<T> {
  readonly #response: Promise<ParsedResponse<T>>;

  constructor(response: Promise<ParsedResponse<T>>) {
    this.#response = response;
  }

  get [Symbol.toStringTag](): string {
    return 'ApiPromise';
  }

  /** @internal */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return 'ApiPromise: the call was started. Await it for its result';
  }

  then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#response.then(({ data }) => data).then(onFulfilled, onRejected);
  }

  catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(undefined, onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<T> {
    return this.then().finally(onFinally);
  }

  withResponse(): Promise<ApiResponse<T>> {
    return this.#response.then(toApiResponse);
  }
}

/** Returns a parsed response as callers get it. */
export function toApiResponse<T>({ data, metadata }: ParsedResponse<T>): ApiResponse<T> {
  const { status, headers, requestId, attempts } = metadata;
  return { data, status, headers, requestId, attempts };
}

/** Wraps a pending response in an `ApiPromise`. */
export function toApiPromise<T>(response: Promise<ParsedResponse<T>>): ApiPromise<T> {
  return new DeferredApiPromise(response);
}

/** Wraps a pending response in an `ApiPromise` whose result `transform` computes from the data. */
export function mapResponse<W, T>(
  response: Promise<ParsedResponse<W>>,
  transform: (data: W, metadata: ResponseMetadata) => T | Promise<T>,
): ApiPromise<T> {
  return toApiPromise(
    response.then(async ({ data, metadata }) => ({ data: await transform(data, metadata), metadata })),
  );
}

/** Creates the error of a response whose request succeeded, but whose body cannot be used. */
export function unusableResponse(
  endpoint: string,
  message: string,
  issues: readonly Issue[],
  { attempts, requestId }: Pick<ResponseMetadata, 'attempts' | 'requestId'>,
  redactedBody: unknown,
): InvalidResponseError {
  const details = { endpoint, outcome: 'applied', attempts, requestId } as const;
  return new InvalidResponseError(`${endpoint}${message}`, { ...details, issues, body: redactedBody });
}

/**
 * Returns the array under a key of a response. Throws if it is not an array, which is possible if `validation` is
 * `observe`.
 */
export function extractArray<K extends string, T>(
  endpoint: string,
  data: { readonly [P in K]: readonly T[] },
  key: K,
  metadata: ResponseMetadata,
  { redactBody }: { readonly redactBody: (body: unknown) => unknown },
): readonly T[] {
  const array = (data as { readonly [P in K]?: readonly T[] } | null)?.[key];
  if (Array.isArray(array)) return array as readonly T[];
  const issues = [{ path: key, message: 'must be an array' }];
  const message = `: the response cannot be used: ${key} must be an array`;
  throw unusableResponse(endpoint, message, issues, metadata, redactBody(data));
}
