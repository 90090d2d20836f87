import { http, type HttpHandler } from 'msw';
import { endpointNames, endpoints } from '../contract/endpoints.js';
import { pathParameters } from '../contract/endpoint.js';
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
  const answer = ({ request }: { readonly request: Request }): Promise<Response> => platform.handle(request);
  const own = endpointNames.map((name) => {
    const { method, path } = endpoints[name];
    const pattern = pathParameters(path).reduce((text, parameter) => text.replace(`{${parameter}}`, `:${parameter}`), path);
    const register = { GET: http.get, POST: http.post, DELETE: http.delete }[method];
    return register(`${platform.baseUrl}${pattern}`, answer);
  });
  return [...own, http.all(`${platform.baseUrl}/*`, answer)];
}
