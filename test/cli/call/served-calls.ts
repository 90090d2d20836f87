import type { MockPlatform } from 'corridor-sdk/mock';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { addSnippetRecords } from '../../docs/fixture.js';
import { corridor, environmentOf, type Run, type Surroundings } from '../corridor.js';

export interface ServedCalls {
  readonly platform: () => MockPlatform;
  /** Runs `corridor call` with these arguments. */
  readonly call: (words: readonly string[], surroundings?: Surroundings) => Promise<Run>;
  readonly requested: () => string[];
}

/** Serves a platform to the tests of a file, with the same records at the start of each test. */
export function serveForCalls(): ServedCalls {
  let served: MockPlatformServer;
  let environment: Readonly<Record<string, string>>;

  beforeAll(async () => {
    served = await serveMockPlatform();
    environment = await environmentOf(served);
  });

  beforeEach(() => {
    served.platform.reset();
    addSnippetRecords(served.platform);
  });

  afterAll(() => served.close());

  return {
    platform: () => served.platform,
    call: (words, surroundings = {}) =>
      corridor(['call', ...words], { ...surroundings, environment: { ...environment, ...surroundings.environment } }),
    requested: () => served.platform.requests.map(({ method, path }) => `${method} ${path}`),
  };
}
