import { http, type HttpHandler } from 'msw';
import { endpointNames, endpoints } from '../contract/endpoints.js';
import { pathParameters } from '../contract/endpoint.js';
import { delivered, piecesOf } from './delivery.js';
import { arrivalOf, responseOf, type Reply } from './exchange.js';
import type { MockPlatform } from './platform.js';

/**
 * The platform as msw handlers: one for each endpoint, and one for every other path below the base URL, which gets the platform's
 * 404. Give them to `setupServer` or `setupWorker` rather than to `server.use`, which `resetHandlers` undoes.
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
