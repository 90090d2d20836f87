import { endpointNames, endpoints, type EndpointName } from '../../contract/endpoints.js';

/** The endpoint of a path, with the ids in the path. */
export interface Route {
  readonly endpoint: EndpointName;
  readonly params: Readonly<Record<string, string>>;
}

interface Pattern {
  readonly endpoint: EndpointName;
  /** The name of an id for an id, otherwise the literal text. */
  readonly segments: readonly { readonly text: string; readonly isId: boolean }[];
}

const segmentsOf = (path: string): Pattern['segments'] =>
  path
    .split('/')
    .map((segment) =>
      segment.startsWith('{') ? { text: segment.slice(1, -1), isId: true } : { text: segment, isId: false },
    );

// Indexed by method and number of segments, so that only a few patterns remain to compare.
const patterns = new Map<string, Pattern[]>();
for (const endpoint of endpointNames) {
  const { method, path } = endpoints[endpoint];
  const segments = segmentsOf(path);
  const key = `${method} ${segments.length}`;
  patterns.set(key, [...(patterns.get(key) ?? []), { endpoint, segments }]);
}

/** Returns the endpoint of a path; undefined if no endpoint matches. */
export function routeOf(method: string, path: string): Route | undefined {
  const segments = path.split('/');
  for (const pattern of patterns.get(`${method} ${segments.length}`) ?? []) {
    const params = match(pattern, segments);
    if (params !== undefined) return { endpoint: pattern.endpoint, params };
  }
  return undefined;
}

function match(pattern: Pattern, segments: readonly string[]): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [index, { text, isId }] of pattern.segments.entries()) {
    const segment = segments[index] ?? '';
    if (!isId) {
      if (segment !== text) return undefined;
      continue;
    }
    const id = decoded(segment);
    if (id === undefined || id === '') return undefined;
    params[text] = id;
  }
  return params;
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
