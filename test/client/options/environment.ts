import { afterEach, beforeEach, vi } from 'vitest';

/** Hides the environment of the machine from the tests of a file, and restores what they replace. */
export function hideEnvironment(): void {
  beforeEach(() => {
    for (const name of ['CORRIDOR_BASE_URL', 'CORRIDOR_API_KEY', 'CORRIDOR_PRIVATE_KEY']) vi.stubEnv(name, undefined);
  });

  afterEach(() => {
    vi.unstubAllEnvs();
    vi.unstubAllGlobals();
  });
}
