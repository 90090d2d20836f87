import { endpointNames, endpoints, type EndpointName } from '../../contract/endpoints.js';

/** The endpoint of a path, with the ids in the path. */
export interface Route {
  readonly endpoint: EndpointName;
  readonly params: Readonly<Record<string, string>>;
}

// A named group for each id.
const patterns = endpointNames.map((endpoint) => {
  const { method, path } = endpoints[endpoint];
  return { endpoint, method, pattern: new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`) };
});

/** Returns the endpoint of a path; undefined if no endpoint matches, or an id is not percent-encoded. */
export function routeOf(method: string, path: string): Route | undefined {
  for (const { endpoint, method: expected, pattern } of patterns) {
    const match = method === expected ? pattern.exec(path) : null;
    if (match === null) continue;
    try {
      const ids = Object.entries(match.groups ?? {}).map(([name, id]) => [name, decodeURIComponent(id)]);
      return { endpoint, params: Object.fromEntries(ids) as Route['params'] };
    } catch {
      return undefined;
    }
  }
  return undefined;
}
