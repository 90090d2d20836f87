/** Why a body could not be read to its end. */
export class BodyError extends Error {
  /** Whether reading it once more may help. */
  readonly passing: boolean;

  constructor(message: string, passing: boolean) {
    super(message);
    this.passing = passing;
  }
}

/** Reads a body as text, never more than so many bytes of it, however small it was when compressed. */
export async function readText(response: Response, most: number, signal: AbortSignal): Promise<string> {
  if (response.body === null) return '';
  const declared = Number(response.headers.get('content-length') ?? 0);
  const reader = response.body.getReader();
  // Not awaited: some bodies never answer to being cancelled.
  const giveUp = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', giveUp, { once: true });
  const tooLarge = (): BodyError => new BodyError(`is larger than ${most} bytes (maxResponseBytes)`, false);
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    if (declared > most) throw tooLarge();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      length += value.byteLength;
      if (length > most) throw tooLarge();
      chunks.push(value);
    }
  } catch (error) {
    giveUp();
    throw error;
  }
  return decode(chunks.length === 1 ? (chunks[0] as Uint8Array) : joined(chunks, length));
}

/** Gives a body up, so that its socket is free. */
export function discard(response: Response): void {
  void response.body?.cancel().catch(() => {});
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

// Fatal: a broken character in an id or an amount must not pass as another one.
const decoder = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new BodyError('is not valid UTF-8', false);
  }
}
