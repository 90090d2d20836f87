import { Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { afterEach, describe, expect, test, vi } from 'vitest';

afterEach(() => void vi.restoreAllMocks());

const platform = createMockPlatform();
const { baseUrl, apiKey, privateKey } = await platform.credentials();

/** A client of its own; the same key differs as text by empty lines at its end. */
const client = (lines = 0, key = privateKey): Corridor => new Corridor({ baseUrl, apiKey, privateKey: `${key}${'\n'.repeat(lines)}`, fetch: platform.fetch });

async function importsOf(corridor: Corridor): Promise<number> {
  const imports = vi.spyOn(crypto.subtle, 'importKey');
  await corridor.ready();
  const count = imports.mock.calls.length;
  imports.mockRestore();
  return count;
}

describe('a key that several clients are given as text', () => {
  test('is imported and checked once, and signs for all of them', async () => {
    const first = client();
    expect(await importsOf(first)).toBeGreaterThan(0);
    const second = client();
    expect(await importsOf(second)).toBe(0);
    await Promise.all([first.crypto.networks(), second.crypto.networks()]);
    expect(platform.requests.map(({ status }) => status)).toEqual([200, 200]);
  });

  test('is imported once where all begin at the same time', async () => {
    const imports = vi.spyOn(crypto.subtle, 'importKey');
    const clients = Array.from({ length: 10 }, () => client(1));
    await Promise.all(clients.map((corridor) => corridor.ready()));
    const together = imports.mock.calls.length;
    imports.mockRestore();
    expect(together).toBe(await importsOf(client(2)));
  });

  test('is refused to each of them where it is damaged', async () => {
    const damaged = privateKey.replace(/[A-Za-z]{4}(?=\n-----END)/, 'AAAA').replace('MII', 'MIJ');
    for (const corridor of [client(0, damaged), client(0, damaged)]) await expect(corridor.ready()).rejects.toMatchObject({ code: 'configuration' });
  });

  test('is kept for no more than a few texts', async () => {
    const kept = client(3);
    await kept.ready();
    const others = Array.from({ length: 16 }, (_, index) => client(4 + index));
    for (const corridor of others) await corridor.ready();
    expect(await importsOf(client(3))).toBeGreaterThan(0);
    expect(await importsOf(kept)).toBe(0);
  });
});
