import type { MockPlatform } from 'corridor-sdk/mock';
import { beforeEach } from 'vitest';
import { addExampleRecords } from '../../../scripts/specification/specification.ts';
import { corridor, type Run, type Surroundings } from '../corridor.ts';
import { servePlatform } from '../served-platform.ts';

interface ServedCalls {
  readonly platform: () => MockPlatform;
  /** Runs `corridor call` with these arguments. */
  readonly call: (words: readonly string[], surroundings?: Surroundings) => Promise<Run>;
  readonly requested: () => string[];
}

/** Serves a platform to the tests of a file, with the same records at the start of each test. */
export function serveForCalls(): ServedCalls {
  const { platform, environment } = servePlatform();

  beforeEach(() => {
    platform().reset();
    addExampleRecords(platform());
  });

  return {
    platform,
    call: (words, surroundings = {}) =>
      corridor(['call', ...words], { ...surroundings, environment: { ...environment(), ...surroundings.environment } }),
    requested: () => platform().requests.map(({ method, path }) => `${method} ${path}`),
  };
}
