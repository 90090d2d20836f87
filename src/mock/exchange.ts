// In public types bytes are `ReturnType<typeof Uint8Array.of>`: `Uint8Array<ArrayBuffer>`, in words that TypeScript before 5.7 knows, too.

/** A request as a carrier hands it over. */
export interface Arrival {
  /** The HTTP method, in capitals. */
  readonly method: string;
  /** The path, encoded as URLs are. */
  readonly path: string;
  /** The query with its question mark, encoded as URLs are; empty where there is none. */
  readonly search: string;
  /** Path and query exactly as they were sent, which is what the token's `uri` claims. */
  readonly target: string;
  /** What stood before the path: the origin under which the platform was reached. */
  readonly origin: string;
  /** A header; null where it was not sent. */
  readonly header: (name: string) => string | null;
  /** The bytes of the body; none where there was no body. */
  readonly body: ReturnType<typeof Uint8Array.of>;
}

/** How an answer is delivered where it is not simply sent: what a carrier does with its connection. */
export type Delivery =
  /** The connection breaks; nothing of the answer is sent. */
  | { readonly kind: 'reset' }
  /** Nothing is sent, and the connection stays open. */
  | { readonly kind: 'hang' }
  /** The answer is sent after a delay in milliseconds. */
  | { readonly kind: 'slow'; readonly delay: number }
  /** The body is sent in pieces, with a pause in milliseconds before each. */
  | { readonly kind: 'drip'; readonly pause: number }
  /** Half of the body is sent, then the connection breaks. */
  | { readonly kind: 'cut' }
  /** Half of the body is sent, then nothing, and the connection stays open. */
  | { readonly kind: 'stall' };

/** An answer, before a carrier makes a response of it. */
export interface Reply {
  /** The HTTP status. */
  readonly status: number;
  /** The headers, by their names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body; null where there is none. */
  readonly body: string | ReturnType<typeof Uint8Array.of> | null;
  /** What goes wrong on the way, by a fault that was planned; absent where the answer is simply sent. */
  readonly delivery?: Delivery;
}

/** What a request is, by its `Request`. Reads no more than one byte beyond the limit, which is enough to refuse it. */
export async function arrivalOf(request: Request, limit: number): Promise<Arrival> {
  const { pathname, search, origin } = new URL(request.url);
  return {
    method: request.method,
    path: pathname,
    search,
    target: `${pathname}${search}`,
    origin,
    header: (name) => request.headers.get(name),
    body: await bytesUpTo(request, limit + 1),
  };
}

const nothing = new Uint8Array(0);

async function bytesUpTo(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  if (request.body === null) return nothing;
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  while (length < limit) {
    const { done, value } = await reader.read();
    if (done) return joined(parts, length);
    parts.push(value);
    length += value.length;
  }
  await reader.cancel();
  return joined(parts, length).subarray(0, limit);
}

/** Several pieces as one. */
export function joined(parts: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

/** An answer as a `Response`. */
export function responseOf({ status, headers, body }: Reply): Response {
  return new Response(body, { status, headers });
}
