import { bytesOf } from '../data/bytes.js';
import type { MockResponseDelivery, MockHttpResponse } from '../http/message.js';

/** The number of chunks of a body that drips. */
const chunkCount = 16;

/** Returns the whole body as bytes. */
export function bodyBytes({ body }: MockHttpResponse): Uint8Array<ArrayBuffer> {
  return typeof body === 'string' ? bytesOf(body) : (body ?? new Uint8Array(0));
}

/** Returns the chunks of a body that are sent: all of it if it drips, otherwise its first half. */
export function chunksOf(response: MockHttpResponse): Uint8Array<ArrayBuffer>[] {
  const bytes = bodyBytes(response);
  if (response.delivery?.kind !== 'drip') return [bytes.subarray(0, Math.floor(bytes.length / 2))];
  const length = Math.max(1, Math.ceil(bytes.length / chunkCount));
  return Array.from({ length: Math.ceil(bytes.length / length) }, (_, index) =>
    bytes.subarray(index * length, (index + 1) * length),
  );
}

/** Converts a response to a `Response`. */
export function toResponse({ status, headers, body }: MockHttpResponse): Response {
  return new Response(body, { status, headers });
}

/** Resolves after a number of milliseconds; rejects when the signal aborts. */
export type Wait = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** Delivers a response as `fetch` over a real connection would: rejects, breaks off or waits as the delivery says. */
export async function deliver(response: MockHttpResponse, signal: AbortSignal, wait: Wait = delay): Promise<Response> {
  const { delivery } = response;
  if (delivery === undefined) return toResponse(response);
  if (delivery.kind === 'reset') throw connectionError('fetch failed', 'ECONNRESET', 'read ECONNRESET');
  if (delivery.kind === 'hang') return hang(signal, wait);
  if (delivery.kind === 'slow') {
    await wait(delivery.delay, signal);
    return toResponse(response);
  }
  const headers = { ...response.headers, 'content-length': String(bodyBytes(response).length) };
  return new Response(streamOf(response, delivery, signal, wait), { status: response.status, headers });
}

function streamOf(
  response: MockHttpResponse,
  delivery: MockResponseDelivery,
  signal: AbortSignal,
  wait: Wait,
): ReadableStream<Uint8Array> {
  const remaining = chunksOf(response);
  // A pending timer would keep the process alive: stop when the request is aborted or the reader cancels.
  const stopped = new AbortController();
  const abort = (): void => stopped.abort(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  return new ReadableStream({
    async pull(controller) {
      if (delivery.kind === 'drip') await wait(delivery.pause, stopped.signal);
      const chunk = remaining.shift();
      if (chunk !== undefined) return controller.enqueue(chunk);
      if (delivery.kind === 'drip') return controller.close();
      if (delivery.kind === 'cut') throw connectionError('terminated', 'UND_ERR_SOCKET', 'other side closed');
      await hang(stopped.signal, wait);
    },
    cancel(reason: unknown) {
      signal.removeEventListener('abort', abort);
      stopped.abort(reason);
    },
  });
}

/** Creates an error as undici's `fetch` throws it: clients read the code of its cause. */
function connectionError(message: string, code: string, reason: string): TypeError {
  const cause = Object.assign(new Error(reason), {
    code,
    ...(code === 'ECONNRESET' && { errno: -104, syscall: 'read' }),
  });
  return new TypeError(message, { cause });
}

/** The longest delay of `setTimeout`: it runs longer ones at once. */
const maxDelay = 2 ** 31 - 1;

/** Resolves after a delay by `setTimeout`, so that fake timers work; rejects when the signal aborts. */
export function delay(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(
      () => {
        signal.removeEventListener('abort', abort);
        resolve();
      },
      Math.min(milliseconds, maxDelay),
    );
    signal.addEventListener('abort', abort, { once: true });
  });
}

/** Waits until the signal aborts. Keeps the process alive, as an open connection does. */
async function hang(signal: AbortSignal, wait: Wait): Promise<never> {
  for (;;) await wait(Infinity, signal);
}
