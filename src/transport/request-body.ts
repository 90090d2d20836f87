/** The body of one attempt of a write. */
export interface RequestBody {
  readonly stream: ReadableStream;
  /** Its length in bytes. */
  readonly length: number;
  /** Ends the attempt: returns whether nothing has read the body, and nothing can read it from now on. */
  close(): boolean;
}

interface Runtime {
  readonly FixedLengthStream?: new (length: number) => ReadableWritablePair<Uint8Array, Uint8Array>;
}

/**
 * Creates a body that can be read once: if fetch could read it again, it might send it again, as it does after a 421,
 * and in Deno also when the connection breaks. Sending a request reads its body, so that an unread one proves that
 * the platform cannot have processed the request, whatever has happened in between: dispatchers and wrappers of fetch may
 * connect several times, and only report the last error.
 */
export function createRequestBody(text: string): RequestBody {
  const bytes = new TextEncoder().encode(text);
  const { length } = bytes;
  // An empty body is never read, so that it proves nothing.
  let isRead = length === 0;
  let isClosed = false;
  const read = (): void => {
    if (isClosed) throw new Error('the attempt that this body belongs to has ended');
    isRead = true;
  };
  // A stream of bytes, because the copies of it that fetch and its wrappers make read nothing in advance.
  const source = new ReadableStream({
    type: 'bytes',
    pull(controller) {
      read();
      if (length > 0) controller.enqueue(bytes);
      controller.close();
      controller.byobRequest?.respond(0);
    },
  });
  // workerd sends other streams without a content-length.
  const { FixedLengthStream } = globalThis as Runtime;
  const stream = FixedLengthStream === undefined ? source : source.pipeThrough(new FixedLengthStream(length));
  // For a fetch option that cannot send web streams.
  const toString = (): string => {
    read();
    return text;
  };
  return {
    stream: Object.assign(stream, { toString }),
    length,
    close() {
      isClosed = !isRead;
      return isClosed;
    },
  };
}
