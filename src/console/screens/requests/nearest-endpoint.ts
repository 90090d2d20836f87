import type { Schemas } from '../../control/records.js';

type Endpoint = Schemas['endpoints'][number];

/** Returns the endpoint whose method and path differ least from those of a request. */
export function nearestEndpoint(endpoints: readonly Endpoint[], method: string, path: string): Endpoint | undefined {
  const [nearest] = endpoints
    .map((endpoint) => ({
      endpoint,
      distance: pathDistance(endpoint.path, path) + (endpoint.method === method ? 0 : 0.5),
    }))
    .toSorted((left, right) => left.distance - right.distance);
  return nearest?.endpoint;
}

/** Counts the segments that differ; similar segments count less. */
function pathDistance(template: string, path: string): number {
  const [expected, received] = [template.split('/'), path.split('/')];
  let distance = Math.abs(expected.length - received.length);
  for (const [index, segment] of expected.entries()) {
    const other = received[index];
    if (other === undefined || segment === other || segment.startsWith('{')) continue;
    distance += segment.startsWith(other.slice(0, 3)) ? 0.4 : 1;
  }
  return distance;
}
