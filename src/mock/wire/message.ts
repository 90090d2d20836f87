// Public types write `Uint8Array<ArrayBuffer>` as `ReturnType<typeof Uint8Array.of>`, because TypeScript before 5.7 has
// no generic `Uint8Array`.

/** The media type of the lines of a snapshot in the control API. */
export const linesType = 'application/x-ndjson';

/** A request, as an adapter passes it to the platform. */
export interface MockHttpRequest {
  /** The HTTP method, in upper case. */
  readonly method: string;
  /** The path, percent-encoded. */
  readonly path: string;
  /** The query with its question mark, percent-encoded; empty if there is no query. */
  readonly search: string;
  /** The path and query exactly as they were sent: the token's `uri` claim must equal them. */
  readonly target: string;
  /** The origin of the URL that the request was sent to. */
  readonly origin: string;
  /** The headers, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes of the body; empty if there was no body. */
  readonly body: ReturnType<typeof Uint8Array.of>;
}

/** What an adapter does with the connection, if it does not simply send the response. */
export type MockResponseDelivery =
  /** The connection breaks before any part of the response is sent. */
  | { readonly kind: 'reset' }
  /** Nothing is sent, and the connection stays open. */
  | { readonly kind: 'hang' }
  /** The response is sent after a delay in milliseconds. */
  | { readonly kind: 'slow'; readonly delay: number }
  /** Half of the body is sent, then the connection breaks. */
  | { readonly kind: 'cut' }
  /** Half of the body is sent, then nothing more, and the connection stays open. */
  | { readonly kind: 'stall' };

/** A response, before an adapter sends it. */
export interface MockHttpResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The headers, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body; null if there is none. */
  readonly body: string | ReturnType<typeof Uint8Array.of> | null;
  /** How a planned fault disturbs the delivery; absent if the response is simply sent. */
  readonly delivery?: MockResponseDelivery;
}

/** What a request gets if a fault or a reset withholds the response. */
export interface MockNoResponse {
  /** Whether the connection breaks or stays open. */
  readonly delivery: Extract<MockResponseDelivery, { readonly kind: 'reset' | 'hang' }>;
}
