import type { MockHttpRequest, MockHttpResponse, MockNoResponse } from '../wire/message.js';
import { handleRequest } from './exchange.js';
import type { MockClock } from '../state/clock.js';
import type { PlatformState } from '../state/platform-state.js';

/** Returns the whole body as bytes. */
export function bodyBytes({ body }: MockHttpResponse): Uint8Array<ArrayBuffer> {
  return typeof body === 'string' ? new TextEncoder().encode(body) : (body ?? new Uint8Array(0));
}

/** Returns the first half of a body. */
export function firstHalf(response: MockHttpResponse): Uint8Array<ArrayBuffer> {
  const bytes = bodyBytes(response);
  return bytes.subarray(0, Math.floor(bytes.length / 2));
}

/** Converts a response to a `Response`. */
export function toResponse({ status, headers, body }: MockHttpResponse): Response {
  return new Response(body, { status, headers });
}

/** Resolves after a number of milliseconds; rejects when the signal aborts. */
export type Wait = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** Delivers a response as `fetch` over a real connection would: rejects, breaks off or waits as the delivery says. */
export async function deliver(
  response: MockHttpResponse | MockNoResponse,
  signal: AbortSignal,
  wait: Wait = delay,
): Promise<Response> {
  const { delivery } = response;
  if (delivery?.kind === 'reset') throw connectionError('fetch failed', 'ECONNRESET', 'read ECONNRESET');
  if (delivery?.kind === 'hang' || !('status' in response)) return hang(signal, wait);
  if (delivery?.kind === 'slow') await wait(delivery.delay, signal);
  if (delivery === undefined || delivery.kind === 'slow') return toResponse(response);
  const headers = { ...response.headers, 'content-length': String(bodyBytes(response).length) };
  return new Response(brokenBody(response, delivery.kind, signal, wait), { status: response.status, headers });
}

/** Returns a body that ends in the middle: it breaks, or stalls until the request is aborted or the reader cancels. */
function brokenBody(
  response: MockHttpResponse,
  kind: 'cut' | 'stall',
  signal: AbortSignal,
  wait: Wait,
): ReadableStream<Uint8Array> {
  // A pending timer would keep the process alive.
  const canceled = new AbortController();
  return new ReadableStream({
    start: (controller) => controller.enqueue(firstHalf(response)),
    async pull() {
      if (kind === 'cut') throw connectionError('terminated', 'UND_ERR_SOCKET', 'other side closed');
      await hang(AbortSignal.any([signal, canceled.signal]), wait);
    },
    cancel: (reason: unknown) => canceled.abort(reason),
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

/** Handles a `Request` and returns a `Response`; rejects as `fetch` does if a fault breaks the connection. */
export async function handle(platform: PlatformState, request: Request): Promise<Response> {
  const { time, options } = platform;
  let clock: MockClock | undefined;
  const response = await time.process(async () => {
    const received = await toMockRequest(request, options.maxRequestBytes);
    clock = platform.clockOf(received);
    return handleRequest(platform, received);
  });
  return deliver(response, request.signal, time.waitOn(clock ?? platform.clock));
}

/** Returns a `fetch` for the URLs of the platform, which rejects with a `TypeError` for any other URL. */
export function fetchOf(
  platform: PlatformState,
): (input: string | URL | Request, init?: RequestInit) => Promise<Response> {
  return async (input, init) => {
    const request = new Request(input, init);
    requireBaseUrl(platform, request.url);
    request.signal.throwIfAborted();
    return rejectOnAbort(handle(platform, request), request.signal);
  };
}

function requireBaseUrl(platform: PlatformState, url: string): void {
  const { baseUrl } = platform.options;
  if (url === baseUrl || url.startsWith(`${baseUrl}/`) || url.startsWith(`${baseUrl}?`)) return;
  throw new TypeError(
    `the fetch of this mock platform only reaches ${baseUrl} (received a URL ` +
      `of ${new URL(url).origin}). Use the platform's baseUrl.`,
  );
}

/** Rejects at once on an abort, as a real `fetch` does, while the platform continues with the request. */
function rejectOnAbort(response: Promise<Response>, signal: AbortSignal): Promise<Response> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    response.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

const emptyBody = new Uint8Array(0);

/** Converts a `Request`. Reads its body only until it is larger than the limit, which is enough to reject it. */
export async function toMockRequest(request: Request, limit: number): Promise<MockHttpRequest> {
  const { pathname, search, origin } = new URL(request.url);
  return {
    method: request.method,
    path: pathname,
    search,
    target: `${pathname}${search}`,
    origin,
    headers: Object.fromEntries(request.headers),
    body: await bytesUpTo(request, limit),
  };
}

/** Reads a body up to the chunk that exceeds the limit. */
async function bytesUpTo({ body }: Request, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  if (body === null) return emptyBody;
  const reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> = body.getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let length = 0; length <= limit;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    length += value.length;
  }
  await reader.cancel();
  const [first = emptyBody] = parts;
  // Most bodies arrive at once, and a `Blob` is read on another thread.
  return parts.length <= 1 ? first : new Uint8Array(await new Blob(parts).arrayBuffer());
}
