import { answer } from './handle.js';
import { delivered } from './delivery.js';
import { arrivalOf } from './exchange.js';
import type { PlatformState } from './state.js';

/** Answers a `Request` with a `Response`; rejects as `fetch` does where a fault breaks the connection. */
export async function handle(platform: PlatformState, request: Request): Promise<Response> {
  return delivered(await answer(platform, await arrivalOf(request, platform.options.maxRequestBytes)), request.signal);
}

/** A `fetch` that reaches the platform and nothing else. */
export async function mockFetch(platform: PlatformState, input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  requireOwn(platform, request.url);
  request.signal.throwIfAborted();
  return unlessAborted(handle(platform, request), request.signal);
}

function requireOwn(platform: PlatformState, url: string): void {
  const { baseUrl } = platform.options;
  if (url === baseUrl || url.startsWith(`${baseUrl}/`) || url.startsWith(`${baseUrl}?`)) return;
  throw new TypeError(`the fetch of this mock platform only reaches ${baseUrl}, not ${new URL(url).origin}`);
}

/** As a real `fetch`: an abort rejects at once, while the platform goes on with what it received. */
function unlessAborted(response: Promise<Response>, signal: AbortSignal): Promise<Response> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    response.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
