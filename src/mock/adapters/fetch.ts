import { concatBytes } from '../data/bytes.js';
import { handleRequest } from '../http/handle-request.js';
import type { MockHttpRequest } from '../http/message.js';
import { deliver } from './deliver.js';
import type { PlatformState } from '../store/state.js';

/** Handles a `Request` and returns a `Response`; rejects as `fetch` does if a fault breaks the connection. */
export async function handle(platform: PlatformState, request: Request): Promise<Response> {
  const { time, options } = platform;
  const response = await time.process(async () =>
    handleRequest(platform, await toMockRequest(request, options.maxRequestBytes)),
  );
  return deliver(response, request.signal, time.wait);
}

/** Implements `fetch` for the URLs of the platform; rejects with a `TypeError` for any other URL. */
export async function mockFetch(
  platform: PlatformState,
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  const request = new Request(input, init);
  requireBaseUrl(platform, request.url);
  request.signal.throwIfAborted();
  return rejectOnAbort(handle(platform, request), request.signal);
}

function requireBaseUrl(platform: PlatformState, url: string): void {
  const { baseUrl } = platform.options;
  if (url === baseUrl || url.startsWith(`${baseUrl}/`) || url.startsWith(`${baseUrl}?`)) return;
  throw new TypeError(
    `the fetch of this mock platform only reaches ${baseUrl} (received a URL of ${new URL(url).origin}). Use the platform's baseUrl.`,
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

/** Converts a `Request`. Reads at most one byte more than the limit, which is enough to reject it. */
export async function toMockRequest(request: Request, limit: number): Promise<MockHttpRequest> {
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

const emptyBody = new Uint8Array(0);

async function bytesUpTo(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  if (request.body === null) return emptyBody;
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  while (length < limit) {
    const { done, value } = await reader.read();
    if (done) return concatBytes(parts, length);
    parts.push(value);
    length += value.length;
  }
  await reader.cancel();
  return concatBytes(parts, length).subarray(0, limit);
}
