import { http, type HttpHandler } from 'msw';
import { endpointNames, endpoints } from '../contract/endpoints.js';
import { pathParameters } from '../contract/endpoint.js';
import { MockPlatformError } from './error.js';
import { delivered, piecesOf } from './delivery.js';
import { arrivalOf, responseOf, type Reply } from './exchange.js';
import type { MockPlatform } from './platform.js';

/**
 * The platform as msw handlers: one for each endpoint, and one for every other path below the base URL, which gets the platform's
 * 404. Give them to `setupServer` or `setupWorker` rather than to `server.use`, which `resetHandlers` undoes. Where a fault breaks or
 * stalls a body, msw cannot do as a real connection does: a body that is cut ends as if it were whole, one that stalls does not begin.
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
  const answer = async ({ request }: { readonly request: Request }): Promise<Response> => {
    if (request.headers.has(probeHeader)) return new Response(null, { status: 204, headers: { [probeHeader]: markOf(platform) } });
    const reply = await platform.receive(await arrivalOf(request, platform.maxRequestBytes));
    return deliveredByMsw(reply, request.signal);
  };
  const own = endpointNames.map((name) => {
    const { method, path } = endpoints[name];
    const pattern = pathParameters(path).reduce((text, parameter) => text.replace(`{${parameter}}`, `:${parameter}`), path);
    const register = { GET: http.get, POST: http.post, DELETE: http.delete }[method];
    return register(`${platform.baseUrl}${pattern}`, answer);
  });
  return [...own, http.all(`${platform.baseUrl}/*`, answer)];
}

/** As much of msw's `setupServer` as is used here; msw 2 and 3 both have it. */
export interface MswServer {
  /** Starts to intercept. */
  listen(options?: object): void;
  /** Stops that. */
  close(): void;
}

/** How a server intercepts. */
export interface InterceptOptions {
  /** What happens to a request that no handler is for. @default 'error' */
  readonly unhandled?: 'error' | 'warn' | 'bypass' | undefined;
}

const probeHeader = 'x-corridor-mock-probe';

// Platforms of one seed have the same ids: what tells them apart is drawn here.
const marks = new WeakMap<MockPlatform, string>();

function markOf(platform: MockPlatform): string {
  const mark = marks.get(platform) ?? crypto.randomUUID();
  marks.set(platform, mark);
  return mark;
}

/**
 * Starts msw's server, by the option names of msw 2 and 3 alike (msw 3 ignores `onUnhandledRequest` and lets such requests out to the
 * network), and makes sure that `fetch` reaches the platform. Rejects with `MockPlatformError` where it does not.
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
export async function intercept(server: MswServer, platform: MockPlatform, { unhandled = 'error' }: InterceptOptions = {}): Promise<void> {
  server.listen({ onUnhandledRequest: unhandled, onUnhandledFrame: unhandled });
  try {
    await requireInterception(platform);
  } catch (error) {
    server.close();
    throw error;
  }
}

/**
 * Makes sure that `fetch` reaches the platform through msw, on a page as in Node. Rejects with `MockPlatformError` where it does not:
 * msw intercepts once in a process, and a second server that begins to listen silently takes over from the first.
 */
export async function requireInterception(platform: MockPlatform): Promise<void> {
  let reached: string | null;
  try {
    reached = (await fetch(`${platform.baseUrl}/`, { headers: { [probeHeader]: '1' } })).headers.get(probeHeader);
  } catch {
    reached = null;
  }
  if (reached === markOf(platform)) return;
  const cause = reached === null
    ? 'either msw does not listen, or another msw server of this process took over when it began to: have one server only, with the handlers of all'
    : 'the handlers of another platform stand before those of this one: give one of the two a baseUrl of its own';
  throw new MockPlatformError(`fetch does not reach the mock platform at ${platform.baseUrl}: ${cause}`);
}

/**
 * msw hands over whole answers and breaks connections only before one begins: a body that is cut ends as if it were whole, a body that
 * stalls does not begin, and a broken connection has no error code.
 */
async function deliveredByMsw(reply: Reply, signal: AbortSignal): Promise<Response> {
  if (reply.delivery?.kind === 'cut') return responseOf({ ...reply, body: piecesOf(reply)[0] ?? null });
  const possible: Reply = reply.delivery?.kind === 'stall' ? { ...reply, delivery: { kind: 'hang' } } : reply;
  // What a handler throws, msw prints, and answers with a 500.
  return delivered(possible, signal).catch(() => Response.error());
}
