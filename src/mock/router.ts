import { endpointNames, endpoints, type EndpointName } from '../contract/endpoints.js';

/** The endpoint a path belongs to, with the ids that stand in it. */
export interface Route {
  readonly endpoint: EndpointName;
  readonly parameters: Readonly<Record<string, string>>;
}

interface Pattern {
  readonly endpoint: EndpointName;
  /** The name of an id where one stands, the text elsewhere. */
  readonly segments: readonly { readonly text: string; readonly isId: boolean }[];
}

const segmentsOf = (path: string): Pattern['segments'] =>
  path.split('/').map((segment) =>
    segment.startsWith('{') ? { text: segment.slice(1, -1), isId: true } : { text: segment, isId: false },
  );

// By method and number of segments, which leaves at most a few patterns to look at.
const patterns = new Map<string, Pattern[]>();
for (const endpoint of endpointNames) {
  const { method, path } = endpoints[endpoint];
  const segments = segmentsOf(path);
  const key = `${method} ${segments.length}`;
  patterns.set(key, [...(patterns.get(key) ?? []), { endpoint, segments }]);
}

/** Finds the endpoint of a path; undefined where it is none's. */
export function routeOf(method: string, path: string): Route | undefined {
  const segments = path.split('/');
  for (const pattern of patterns.get(`${method} ${segments.length}`) ?? []) {
    const parameters = match(pattern, segments);
    if (parameters !== undefined) return { endpoint: pattern.endpoint, parameters };
  }
  return undefined;
}

function match(pattern: Pattern, segments: readonly string[]): Record<string, string> | undefined {
  const parameters: Record<string, string> = {};
  for (const [index, { text, isId }] of pattern.segments.entries()) {
    const segment = segments[index] ?? '';
    if (!isId) {
      if (segment !== text) return undefined;
      continue;
    }
    const id = decoded(segment);
    if (id === undefined || id === '') return undefined;
    parameters[text] = id;
  }
  return parameters;
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
