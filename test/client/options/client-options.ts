import { afterEach, beforeEach, expect, vi } from 'vitest';
import { ConfigurationError, Corridor, type CorridorOptions } from 'corridor-sdk';

export const secret = 'a-secret-value-of-the-tests';

/** Returns the error of a client with these options, which must be a ConfigurationError. */
export function configurationErrorOf(options: unknown): ConfigurationError {
  try {
    new Corridor(options as CorridorOptions);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ code: 'configuration', outcome: 'not-sent', attempts: [] });
    return error as ConfigurationError;
  }
  throw new Error('these options should have been rejected');
}

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
