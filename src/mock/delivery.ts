import { bytesOf } from './bytes.js';
import { responseOf, type Delivery, type Reply } from './exchange.js';

/** In how many pieces a body drips. */
const pieces = 16;

/** The whole body as bytes. */
export function bodyBytes({ body }: Reply): Uint8Array<ArrayBuffer> {
  return typeof body === 'string' ? bytesOf(body) : (body ?? new Uint8Array(0));
}

/** What of a body is sent, in the pieces in which it is sent. */
export function piecesOf(reply: Reply): Uint8Array<ArrayBuffer>[] {
  const bytes = bodyBytes(reply);
  if (reply.delivery?.kind !== 'drip') return [bytes.subarray(0, Math.floor(bytes.length / 2))];
  const length = Math.max(1, Math.ceil(bytes.length / pieces));
  return Array.from({ length: Math.ceil(bytes.length / length) }, (_, index) => bytes.subarray(index * length, (index + 1) * length));
}

/** Hands over a reply as a `fetch` with a real connection under it would; rejects, breaks or waits where the delivery says so. */
export async function delivered(reply: Reply, signal: AbortSignal): Promise<Response> {
  const { delivery } = reply;
  if (delivery === undefined) return responseOf(reply);
  if (delivery.kind === 'reset') throw broken('fetch failed', 'ECONNRESET', 'read ECONNRESET');
  if (delivery.kind === 'hang') return never(signal);
  if (delivery.kind === 'slow') {
    await pause(delivery.delay, signal);
    return responseOf(reply);
  }
  const headers = { ...reply.headers, 'content-length': String(bodyBytes(reply).length) };
  return new Response(streamOf(reply, delivery, signal), { status: reply.status, headers });
}

function streamOf(reply: Reply, delivery: Delivery, signal: AbortSignal): ReadableStream<Uint8Array> {
  const left = piecesOf(reply);
  // Ends with the request, or when nobody reads any more: what waits on would keep the process alive.
  const gone = new AbortController();
  const abort = (): void => gone.abort(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  return new ReadableStream({
    async pull(controller) {
      if (delivery.kind === 'drip') await pause(delivery.pause, gone.signal);
      const piece = left.shift();
      if (piece !== undefined) return controller.enqueue(piece);
      if (delivery.kind === 'drip') return controller.close();
      if (delivery.kind === 'cut') throw broken('terminated', 'UND_ERR_SOCKET', 'other side closed');
      await never(gone.signal);
    },
    cancel(reason: unknown) {
      signal.removeEventListener('abort', abort);
      gone.abort(reason);
    },
  });
}

/** The error of undici's `fetch`, on which clients tell connection faults apart. */
function broken(message: string, code: string, reason: string): TypeError {
  const cause = Object.assign(new Error(reason), { code, ...(code === 'ECONNRESET' && { errno: -104, syscall: 'read' }) });
  return new TypeError(message, { cause });
}

/** What is longer, `setTimeout` takes for nothing. */
const longest = 2 ** 31 - 1;

/** Resolves after some milliseconds of `setTimeout`, a test's fake one included; rejects as soon as the signal aborts. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, Math.min(milliseconds, longest));
    signal.addEventListener('abort', abort, { once: true });
  });
}

/** Ends by an abort only. Keeps the process alive, as an open connection does. */
async function never(signal: AbortSignal): Promise<never> {
  for (;;) await pause(longest, signal);
}
