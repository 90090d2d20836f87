import { describe, expect, test, vi } from 'vitest';
import { Corridor } from 'corridor-sdk';
import { scripted } from '../scripted-fetch.js';
import { secret, configurationErrorOf, hideEnvironment } from './client-options.js';
import { createMockPlatform } from 'corridor-sdk/mock';

const platform = createMockPlatform();
const whereToGoOn =
  'Run npx corridor doctor to check the environment, or npx corridor mock for a platform without an account';

hideEnvironment();

describe('the environment', () => {
  test('provides the base URL, the API key and the private key', async () => {
    const { baseUrl, apiKey, privateKey } = await platform.credentials();
    vi.stubEnv('CORRIDOR_BASE_URL', baseUrl);
    vi.stubEnv('CORRIDOR_API_KEY', apiKey);
    vi.stubEnv('CORRIDOR_PRIVATE_KEY', privateKey.replaceAll('\n', '\\n'));
    vi.stubGlobal('fetch', platform.fetch);
    expect(await new Corridor().crypto.networks()).not.toEqual([]);
  });

  test('is overridden by options', async () => {
    vi.stubEnv('CORRIDOR_BASE_URL', 'https://elsewhere.example');
    vi.stubEnv('CORRIDOR_API_KEY', 'another-key');
    vi.stubEnv('CORRIDOR_PRIVATE_KEY', 'no key at all');
    expect(await new Corridor(platform.clientOptions()).crypto.networks()).not.toEqual([]);
  });

  test('needs no private key if there is a signer', async () => {
    vi.stubEnv('CORRIDOR_PRIVATE_KEY', 'no key at all');
    const { corridor } = scripted(() => ({ networks: [] }));
    expect(await corridor.crypto.networks()).toEqual([]);
  });

  test.each([
    ['CORRIDOR_BASE_URL', 'baseUrl is missing. Pass it as an option or set CORRIDOR_BASE_URL'],
    ['CORRIDOR_API_KEY', 'apiKey is missing. Pass it as an option or set CORRIDOR_API_KEY'],
    [
      'CORRIDOR_PRIVATE_KEY',
      'privateKey is missing. Pass it as an option or set CORRIDOR_PRIVATE_KEY (or pass a signer, for a key in a KMS)',
    ],
  ])('without %s names it, empty or absent', (missing, message) => {
    vi.stubEnv('CORRIDOR_BASE_URL', 'https://platform.example');
    vi.stubEnv('CORRIDOR_API_KEY', secret);
    vi.stubEnv('CORRIDOR_PRIVATE_KEY', secret);
    for (const value of ['', undefined]) {
      vi.stubEnv(missing, value);
      expect(configurationErrorOf({}).message).toBe(`${message}. ${whereToGoOn}`);
      expect(configurationErrorOf(undefined).message).toBe(`${message}. ${whereToGoOn}`);
    }
  });

  test('without several names all of them at once', () => {
    vi.stubEnv('CORRIDOR_BASE_URL', 'https://platform.example');
    vi.stubEnv('CORRIDOR_API_KEY', undefined);
    vi.stubEnv('CORRIDOR_PRIVATE_KEY', undefined);

    expect(configurationErrorOf({}).message).toBe(
      `apiKey, privateKey are missing. Pass them as options or set CORRIDOR_API_KEY, CORRIDOR_PRIVATE_KEY (or pass a signer, for a key in a KMS). ${whereToGoOn}`,
    );
    expect(configurationErrorOf({ baseUrl: '', apiKey: secret }).message).toMatch(/^baseUrl, privateKey are missing\./);
  });

  test('may be absent, as in runtimes without `process`', () => {
    vi.stubGlobal('process', undefined);
    const error = configurationErrorOf({});
    vi.unstubAllGlobals();
    expect(error.message).toMatch(/^baseUrl, apiKey, privateKey are missing\./);
  });
});
