import { Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => void vi.unstubAllGlobals());

/** The `cache` of each request of a read and of a download. */
async function cacheOptions(): Promise<unknown[]> {
  const platform = createMockPlatform();
  const { id } = platform.documents.add();
  const seen: unknown[] = [];
  const corridor = new Corridor({
    ...platform.clientOptions(),
    fetch: (input, init) => {
      seen.push(init?.cache);
      return platform.fetch(input, init);
    },
  });
  await corridor.crypto.networks();
  await corridor.documents.download(id);
  return seen;
}

test('every request asks the runtime not to cache the response', async () => {
  expect(await cacheOptions()).toEqual(['no-store', 'no-store', 'no-store']);
});

test('a runtime that throws for the cache option gets requests without it', async () => {
  const Known = globalThis.Request;
  class Older extends Known {
    constructor(input: RequestInfo | URL, init?: RequestInit) {
      if (init !== undefined && 'cache' in init)
        throw new Error("The 'cache' field on 'RequestInitializerDict' is not implemented.");
      super(input, init);
    }
  }
  vi.stubGlobal('Request', Older);
  expect(await cacheOptions()).toEqual([undefined, undefined, undefined]);
});
