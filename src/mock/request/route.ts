import { endpointNames, endpoints, type EndpointName } from '../../contract/endpoints.js';
import { paramsOf } from '../wire/path.js';

/** The endpoint of a path, with the ids in the path. */
export interface Route {
  readonly endpoint: EndpointName;
  readonly params: Readonly<Record<string, string>>;
}

const paths = endpointNames.map((endpoint) => ({ endpoint, ...endpoints[endpoint] }));

/** Returns the endpoint of a path; undefined if no endpoint matches, or an id is not percent-encoded. */
export function routeOf(method: string, path: string): Route | undefined {
  for (const { endpoint, method: expected, path: pattern } of paths) {
    const params = method === expected ? paramsOf(pattern, path) : undefined;
    if (params !== undefined) return { endpoint, params };
  }
  return undefined;
}
