import type { EndpointName } from '../contract/endpoints.js';
import { PageRequest, type RawPage } from '../pages.js';
import type { Answer } from '../transport/answer.js';
import type { RequestOptions } from '../transport/request.js';
import { inheritedGetter } from '../transport/snapshot.js';
import type { Send } from '../transport/send.js';

/** What resources are built on. */
export interface ResourceOptions {
  /** The one door to the network. */
  readonly send: Send;
  /** Whether iteration fetches the next page while the caller works on this one. */
  readonly prefetch: boolean;
}

/** A list as a request for pages; `fetch` calls its endpoint. */
export function listOf<T, Q extends { readonly cursor?: string | undefined }>(
  resource: ResourceOptions,
  endpoint: EndpointName,
  query: Q | undefined,
  options: RequestOptions,
  fetch: (query: Q, options: RequestOptions) => Promise<Answer<RawPage<T>>>,
): PageRequest<T> {
  const filters = taken(query);
  const from = filters?.cursor;
  return new PageRequest<T>({
    endpoint,
    cursor: from,
    signal: signalOf(options),
    prefetch: resource.prefetch,
    fetch: (cursor, signal) => fetch((cursor === from ? (filters ?? {}) : { ...filters, cursor }) as Q, signal === signalOf(options) ? options : { ...options, signal }),
  });
}

// Options that are none are refused on use, as those of any other call.
function signalOf(options: RequestOptions | null): AbortSignal | undefined {
  return options?.signal;
}

// As it is now: what the caller does to the object later, or to a Date in it, has no say in a walk under way. What cannot be taken is refused on use.
function taken<Q>(query: Q): Q {
  if (Object.prototype.toString.call(query) !== '[object Object]' || inheritedGetter(query as object) !== undefined) return query;
  const fields = Object.entries(query as object).map(([name, value]: [string, unknown]) => [name, value instanceof Date ? new Date(value.getTime()) : value]);
  return Object.fromEntries(fields) as Q;
}
