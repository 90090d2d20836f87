import { endpointNames, endpoints, type EndpointName } from '../../contract/endpoints.js';

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

/** Returns the methods of the endpoints that have a path. */
export function methodsOf(path: string): string[] {
  return paths.flatMap(({ method, path: pattern }) => (paramsOf(pattern, path) === undefined ? [] : method));
}

const patterns = new Map<string, RegExp>();

/**
 * Returns the ids in a path by their names in a pattern such as `/api/v1/customers/{id}`; undefined if the path does
 * not match, or an id is not percent-encoded.
 */
export function paramsOf(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const names = [...pattern.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const expression = patterns.get(pattern) ?? expressionOf(pattern);
  patterns.set(pattern, expression);
  const [match, ...ids] = expression.exec(path) ?? [];
  if (match === undefined) return undefined;
  try {
    return Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(ids[index] ?? '')]));
  } catch {
    return undefined;
  }
}

/** Everything but the ids is literal. */
function expressionOf(pattern: string): RegExp {
  const literals = pattern.split(/\{\w+\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${literals.join('([^/]+)')}$`);
}
