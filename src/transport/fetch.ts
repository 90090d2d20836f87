/** What the client passes to the option `fetch`: it fits the `RequestInit` of the DOM, Node, Bun, Deno and undici. */
export interface FetchInit {
  /** The HTTP method. */
  readonly method: string;
  /** The headers, with lowercase names; absent for a file. */
  readonly headers?: Record<string, string>;
  /** Whether redirects are followed: only those of a file. */
  readonly redirect: 'manual' | 'follow';
  /** Aborts the request. */
  readonly signal: AbortSignal;
  /**
   * The body of a write: a stream that can be read once, and whose `toString()` returns its text. Typed as both,
   * because the types of streams of runtimes and libraries differ.
   */
  readonly body?: (string & ReadableStream) | null;
  /** Set if `body` is a stream. */
  readonly duplex?: 'half';
  /** Keeps responses out of caches. */
  readonly cache?: 'no-store';
}

/** What the client reads of a response: a `Response` of the web standard, of any library. */
export interface FetchResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The headers. */
  readonly headers: { get(name: string): string | null };
  /** The body, as a web stream. */
  readonly body: { getReader(): unknown; cancel(): Promise<unknown> } | null;
}

/** Sends a request, as `fetch` of the runtime or of undici does. */
export type FetchFunction = (url: string, init: FetchInit) => Promise<FetchResponse>;
