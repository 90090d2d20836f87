import { readFileSync } from 'node:fs';
import { createLogger } from '@stoplight/prism-core';
import { getHttpOperationsFromSpec } from '@stoplight/prism-http';
import { createServer } from '@stoplight/prism-http-server';

/** Prism between a client and a platform: it holds every request and every answer against openapi.json. */
export interface Proxy {
  /** Where it answers. */
  readonly url: string;
  /** What it found wrong since it was last asked: `request …` and `response …`. */
  violations(): string[];
  /** A `fetch` that keeps what Prism says of each exchange. */
  readonly fetch: typeof fetch;
  close(): Promise<void>;
}

interface Violation {
  readonly location: readonly string[];
  readonly message: string;
}

/** Starts Prism as `prism proxy openapi.json <upstream> --errors` does. */
export async function startProxy(upstream: string): Promise<Proxy> {
  const document = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8')) as object;
  const server = createServer(await getHttpOperationsFromSpec(document), {
    cors: false,
    config: { isProxy: true, upstream: new URL(upstream), upstreamProxy: undefined, validateRequest: true, validateResponse: true, checkSecurity: true, errors: true, mock: { dynamic: false } },
    components: { logger: createLogger('prism', { level: 'silent' }) },
  });
  const url = await server.listen(0, '127.0.0.1');
  let found: string[] = [];
  return {
    url,
    violations: () => {
      const reported = found;
      found = [];
      return reported;
    },
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      const told = response.headers.get('sl-violations');
      if (told !== null) found.push(...(JSON.parse(told) as Violation[]).map(({ location, message }) => `${location.join('.')} ${message}`));
      return response;
    },
    close: () => server.close(),
  };
}
