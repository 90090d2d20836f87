import * as z from 'zod/mini';
import * as msw from 'msw';
import type { HttpHandler } from 'msw';
import { functionOf, optionsObject } from '../contract/option-schemas.js';
import { enumOf, memoize, withMetadata } from '../contract/schema/schema.js';
import { MockPlatformError, requireValid } from './base/mock-error.js';
import { deliver, firstHalf, toResponse, toMockRequest } from './request/fetch.js';
import type { MockHttpResponse, MockNoResponse } from './wire/message.js';
import type { MockPlatform } from './platform/platform.js';

// An optional peer of any version can be installed, so that it stops no installation.
if (!Object.hasOwn(msw, 'http'))
  throw new MockPlatformError(
    'corridor-sdk/mock/msw needs msw 2.2 or newer (the installed one has no `http`, as msw 1). ' +
      'Run: npm install --save-dev msw@latest',
  );

/**
 * Returns the msw handlers of the platform, which respond to every path below its base URL. Pass them to `setupServer`
 * or `setupWorker`; handlers that are added by `server.use` are removed by `resetHandlers`.
 *
 * msw cannot interrupt a response body. If a fault cuts the body, the part that is left looks complete; if a fault
 * stalls the body, the response never starts.
 *
 * @example
 * ```ts
 * import { setupServer } from 'msw/node';
 * import { createMockPlatform } from 'corridor-sdk/mock';
 * import { mockHandlers } from 'corridor-sdk/mock/msw';
 * const platform = createMockPlatform();
 * const server = setupServer(...mockHandlers(platform));
 * ```
 */
export function mockHandlers(platform: MockPlatform): HttpHandler[] {
  const resolver = async ({ request }: { readonly request: Request }): Promise<Response> => {
    if (request.headers.has(probeHeader))
      return new Response(null, { status: 204, headers: { [probeHeader]: markerOf(platform) } });
    // happy-dom checks CORS as browsers do, by a request that it sends first.
    const isPage = Object.hasOwn(globalThis, 'document');
    if (isPage && request.method === 'OPTIONS') return new Response(null, { status: 204, headers: corsHeaders });
    const received = await toMockRequest(request, platform.maxRequestBytes);
    const response = await deliverByMsw(await platform.handleRaw(received), request.signal, platform.waitFor(received));
    if (isPage && response.type !== 'error') for (const header of corsHeaders) response.headers.set(...header);
    return response;
  };
  return [msw.http.all(`${platform.baseUrl}/*`, resolver)];
}

const corsHeaders: [name: string, value: string][] = ['origin', 'methods', 'headers'].map((what) => [
  `access-control-allow-${what}`,
  '*',
]);

/** The methods of msw's server that `intercept` uses; available in msw 2 and 3. */
export interface MswServer {
  /** Starts intercepting requests. */
  listen(options?: object): void;
  /** Stops intercepting requests. */
  close(): void;
}

/** Decides about a request that no handler matches, as in msw 2. */
export type UnhandledRequestCallback = (
  request: Request,
  print: { readonly warning: () => void; readonly error: () => void },
) => void;

/** The argument of the callback of msw 3. */
interface UnhandledFrame {
  readonly frame: { readonly data: { readonly request: Request } };
  readonly defaults: { readonly warn: () => void; readonly error: () => void };
}

/** Options of `intercept`. */
export interface InterceptOptions {
  /**
   * What msw does with a request that no handler matches: `'bypass'` sends it to the network, for example to the app
   * under test. A function decides for each, and calls `print.warning` or `print.error`, if any. @default 'error'
   */
  readonly onUnhandledRequest?: 'error' | 'warn' | 'bypass' | UnhandledRequestCallback | undefined;
}

const interceptOptions = memoize(() =>
  optionsObject<InterceptOptions>({
    onUnhandledRequest: withMetadata(
      z.union([enumOf(['error', 'warn', 'bypass']), functionOf<UnhandledRequestCallback>()]),
      { rule: "must be 'error', 'warn', 'bypass' or a function" },
    ),
  }),
);

const probeHeader = 'x-corridor-mock-probe';

// A random marker per platform, because platforms with the same seed have the same ids.
const markers = new WeakMap<MockPlatform, string>();

function markerOf(platform: MockPlatform): string {
  const marker = markers.get(platform) ?? crypto.randomUUID();
  markers.set(platform, marker);
  return marker;
}

/**
 * Starts an msw server and verifies that `fetch` reaches the platform. Works with msw 2 and 3. Rejects with
 * `MockPlatformError` if an option is invalid, or if `fetch` does not reach the platform.
 *
 * @example
 * ```ts
 * import { setupServer } from 'msw/node';
 * import { createMockPlatform } from 'corridor-sdk/mock';
 * import { intercept, mockHandlers } from 'corridor-sdk/mock/msw';
 * const platform = createMockPlatform();
 * const server = setupServer(...mockHandlers(platform));
 * await intercept(server, platform);
 * server.close();
 * ```
 */
export async function intercept(
  server: MswServer,
  platform: MockPlatform,
  options: InterceptOptions = {},
): Promise<void> {
  requireValid('intercept', interceptOptions, options, 'the options');
  const { onUnhandledRequest = 'error' } = options;
  const onUnhandledFrame =
    typeof onUnhandledRequest === 'function'
      ? ({ frame, defaults }: UnhandledFrame) =>
          onUnhandledRequest(frame.data.request, { warning: defaults.warn, error: defaults.error })
      : onUnhandledRequest;
  server.listen({ onUnhandledRequest, onUnhandledFrame });
  try {
    await assertInterception(platform);
  } catch (error) {
    server.close();
    throw error;
  }
}

/**
 * Verifies that `fetch` reaches the platform through msw, in browsers and in Node. Rejects with `MockPlatformError` if
 * it does not: msw intercepts once per process, and a second server that starts listening silently replaces the first.
 */
export async function assertInterception(platform: MockPlatform): Promise<void> {
  let reached: string | null;
  try {
    reached = (await fetch(`${platform.baseUrl}/`, { headers: { [probeHeader]: '1' } })).headers.get(probeHeader);
  } catch {
    reached = null;
  }
  if (reached === markerOf(platform)) return;
  const cause =
    reached === null
      ? 'msw is not listening, or another msw server of this process replaced it. ' +
        'Use a single server with the handlers of all platforms.'
      : 'the handlers of another platform with the same baseUrl come first. ' +
        'Pass a different baseUrl to one of the platforms.';
  throw new MockPlatformError(`fetch does not reach the mock platform at ${platform.baseUrl}: ${cause}`);
}

/**
 * Converts a response for msw, which sends complete bodies only and breaks connections only before the response starts.
 * A cut body looks complete, a stalled body never starts, and a broken connection has no error code.
 */
async function deliverByMsw(
  response: MockHttpResponse | MockNoResponse,
  signal: AbortSignal,
  wait: ReturnType<MockPlatform['waitFor']>,
): Promise<Response> {
  const { delivery } = response;
  if (delivery?.kind === 'cut' && 'status' in response) return toResponse({ ...response, body: firstHalf(response) });
  // msw prints errors that a handler throws and responds with a 500.
  return deliver(delivery?.kind === 'stall' ? { delivery: { kind: 'hang' } } : response, signal, wait).catch(() =>
    Response.error(),
  );
}
