import { readFileSync } from 'node:fs';
import { createLogger } from '@stoplight/prism-core';
import { getHttpOperationsFromSpec } from '@stoplight/prism-http';
import { createServer } from '@stoplight/prism-http-server';

/** Prism between a client and a platform: it validates every request and response against openapi.json. */
export interface Proxy {
  /** Its address. */
  readonly url: string;
  /** Returns the violations since the last call: `request …` and `response …`. */
  violations(): string[];
  /** A `fetch` that records the violations that Prism reports. */
  readonly fetch: typeof fetch;
  close(): Promise<void>;
}

interface Violation {
  readonly location: readonly string[];
  readonly message: string;
}

/** Starts Prism as `prism proxy openapi.json <upstream> --errors` does. */
export async function startProxy(upstream: string): Promise<Proxy> {
  const document = JSON.parse(readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8')) as object;
  const server = createServer(await getHttpOperationsFromSpec(document), {
    cors: false,
    config: {
      isProxy: true,
      upstream: new URL(upstream),
      upstreamProxy: undefined,
      validateRequest: true,
      validateResponse: true,
      checkSecurity: true,
      errors: true,
      mock: { dynamic: false },
    },
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
      const violations = response.headers.get('sl-violations');
      if (violations !== null)
        found.push(
          ...(JSON.parse(violations) as Violation[]).map(({ location, message }) => `${location.join('.')} ${message}`),
        );
      return response;
    },
    close: () => server.close(),
  };
}
