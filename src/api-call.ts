import { masked } from './contract/sensitive.js';
import { InvalidResponseError } from './errors.js';
import type { Answer, AnswerInfo } from './transport/answer.js';

/** What a call gives, together with what its answer tells: status, headers, request id, attempts. */
export interface WithResponse<T> extends AnswerInfo {
  /** What the call itself resolves to. */
  readonly data: T;
}

/**
 * A call under way: a promise of its result, from which the answer's status, headers, request id and attempts can be had too.
 *
 * @example
 * ```ts
 * import { Corridor } from 'corridor-sdk';
 * const corridor = new Corridor();
 * const { data, status, requestId, attempts } = await corridor.crypto.networks().withResponse();
 * console.log(data.length, status, requestId, attempts.length);
 * ```
 */
export interface ApiCall<T> extends Promise<T> {
  /** The result together with status, headers, request id and attempts. */
  withResponse(): Promise<WithResponse<T>>;
}

class AnswerOnItsWay<T> implements ApiCall<T> {
  readonly #answer: Promise<WithResponse<T>>;

  constructor(answer: Promise<WithResponse<T>>) {
    this.#answer = answer;
  }

  get [Symbol.toStringTag](): string {
    return 'ApiCall';
  }

  then<A = T, B = never>(onFulfilled?: ((value: T) => A | PromiseLike<A>) | null, onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<A | B> {
    return this.#answer.then(({ data }) => data).then(onFulfilled, onRejected);
  }

  catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(undefined, onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<T> {
    return this.then().finally(onFinally);
  }

  withResponse(): Promise<WithResponse<T>> {
    return this.#answer;
  }
}

/** A call under way, given its answer on its way. */
export function apiCall<T>(answer: Promise<WithResponse<T>>): ApiCall<T> {
  return new AnswerOnItsWay(answer);
}

/** A call whose result is read out of its answer's data. */
export function callOf<W, T>(answer: Promise<Answer<W>>, read: (data: W, info: AnswerInfo) => T | Promise<T>): ApiCall<T> {
  return apiCall(answer.then(async (given) => ({ ...given, data: await read(given.data, given) })));
}

/** The list that an answer holds under a key: checked answers have one, but where validation only observes, anything can come. */
export function listIn<K extends string, T>(endpoint: string, data: { readonly [P in K]: readonly T[] }, key: K, info: AnswerInfo): readonly T[] {
  const list = (data as { readonly [P in K]?: readonly T[] } | null)?.[key];
  if (Array.isArray(list)) return list as readonly T[];
  const { attempts, requestId } = info;
  const message = 'must be a list';
  throw new InvalidResponseError(`${endpoint}: the answer cannot be used: ${key} ${message}`, { outcome: 'applied', endpoint, attempts, requestId, issues: [{ path: key, message }], body: masked(data) });
}
