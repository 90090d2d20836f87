import type { Corridor, CorridorOptions } from '../index.js';
import type { Secrets } from './secrets.js';

/** Creates a client with the settings of the environment. Its user agent has the name of the command. */
export async function createClient(
  command: string,
  secrets: Secrets,
  options: CorridorOptions = {},
): Promise<Corridor> {
  const { Corridor: Client } = await import('../index.js');
  return new Client({ fetch: redactingFetch(secrets), userAgent: `corridor-${command}`, ...options });
}

/**
 * Creates a fetch that masks the tokens it sends and reports the responses; `startedAt` is in milliseconds since the
 * epoch.
 */
export function redactingFetch(
  secrets: Secrets,
  onResponse: (response: Response, startedAt: number) => void = () => {},
): typeof globalThis.fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    secrets.addToken(headers.get('authorization'));
    const startedAt = Date.now();
    const response = await fetch(input, init);
    onResponse(response, startedAt);
    return response;
  };
}
