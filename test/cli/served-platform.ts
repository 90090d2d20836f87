import type { MockPlatform } from 'corridor-sdk/mock';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { afterAll, beforeAll } from 'vitest';
import { environmentOf } from './corridor.ts';

export interface ServedPlatform {
  readonly platform: () => MockPlatform;
  readonly environment: () => Readonly<Record<string, string>>;
}

/** Serves a platform to the tests of a file. */
export function servePlatform(): ServedPlatform {
  let served: MockPlatformServer;
  let environment: Readonly<Record<string, string>>;

  beforeAll(async () => {
    served = await serveMockPlatform();
    environment = await environmentOf(served);
  });

  afterAll(() => served.close());

  return { platform: () => served.platform, environment: () => environment };
}
