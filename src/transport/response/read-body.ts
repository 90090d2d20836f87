/** Thrown if a body cannot be used. */
export class BodyError extends Error {
  /** Whether another attempt may succeed. */
  readonly isRetryable: boolean;

  constructor(message: string, isRetryable: boolean) {
    super(message);
    this.isRetryable = isRetryable;
  }
}

/** Reads a response body as a string, with a size limit after decompression. */
export async function readText(response: Response, maxBytes: number, signal: AbortSignal): Promise<string> {
  if (response.body === null) return '';
  const declared = Number(response.headers.get('content-length') ?? 0);
  const reader = response.body.getReader();
  // Not awaited, because canceling some bodies never resolves.
  const cancel = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', cancel, { once: true });
  const tooLarge = (): BodyError => new BodyError(`is larger than ${maxBytes} bytes (maxResponseBytes)`, false);
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    if (declared > maxBytes) throw tooLarge();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      length += value.byteLength;
      if (length > maxBytes) throw tooLarge();
      chunks.push(value);
    }
  } catch (error) {
    cancel();
    throw error;
  }
  return decode(chunks.length === 1 ? (chunks[0] as Uint8Array) : concatBytes(chunks, length));
}

/** Discards a response body, which frees its socket. */
export function discard(response: Response): void {
  void response.body?.cancel().catch(() => {});
}

function concatBytes(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

// Fatal, because an invalid byte sequence in an id or an amount must not be replaced by another character.
const decoder = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new BodyError('is not valid UTF-8', false);
  }
}
