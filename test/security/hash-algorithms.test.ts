import { Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { afterEach, expect, test, vi } from 'vitest';
import { typescriptIn } from '../../scripts/repository/tree.ts';

afterEach(() => vi.restoreAllMocks());

test('no file of the package names MD5, SHA-1 or another broken algorithm', () => {
  const broken = /(['"`])(?:rsa-)?(?:md[245]|sha-?1|ripemd\w*|rc4|des(?:-\w+)?|hs256)\1/i;
  expect(
    typescriptIn('src').flatMap(({ path, text }) => (cryptographic(text) && broken.test(text) ? [path] : [])),
  ).toEqual([]);
});

test('a signed payment and its verification use only SHA-256 and RSASSA-PKCS1-v1_5', async () => {
  const used = new Set<string>();
  const record = (algorithm: unknown): void => {
    const { name = algorithm, hash } = algorithm as { readonly name?: unknown; readonly hash?: unknown };
    for (const each of [name, (hash as { readonly name?: unknown } | undefined)?.name ?? hash])
      if (each !== undefined) used.add(String(each));
  };
  const { subtle } = crypto;
  const { digest, sign, verify, importKey } = {
    digest: subtle.digest.bind(subtle),
    sign: subtle.sign.bind(subtle),
    verify: subtle.verify.bind(subtle),
    importKey: subtle.importKey.bind(subtle),
  };
  vi.spyOn(subtle, 'digest').mockImplementation(
    (algorithm, ...rest) => (record(algorithm), digest(algorithm, ...rest)),
  );
  vi.spyOn(subtle, 'sign').mockImplementation((algorithm, ...rest) => (record(algorithm), sign(algorithm, ...rest)));
  vi.spyOn(subtle, 'verify').mockImplementation(
    (algorithm, ...rest) => (record(algorithm), verify(algorithm, ...rest)),
  );
  vi.spyOn(subtle, 'importKey').mockImplementation(((...values: Parameters<typeof importKey>) => {
    record(values[2]);
    return importKey(...values);
  }) as typeof subtle.importKey);

  const platform = createMockPlatform();
  const corridor = new Corridor(platform.clientOptions());
  await corridor.payments.createOnce(platform.payments.createParams());

  expect(used).toEqual(new Set(['SHA-256', 'RSASSA-PKCS1-v1_5']));
});

const cryptographic = (text: string): boolean => /node:crypto|subtle|from 'jose'/.test(text);
