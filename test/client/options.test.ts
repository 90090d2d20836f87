import { setImmediate, setTimeout } from 'node:timers/promises';
import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ConfigurationError, Corridor, CorridorError, type CorridorOptions } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { rejection, scripted, unchecked } from './scripted.js';

const secret = 'a-secret-value-of-the-tests';
const platform = createMockPlatform();

/** What making a client with these options throws; it must be ours. */
function refusalOf(options: unknown): ConfigurationError {
  try {
    new Corridor(options as CorridorOptions);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ code: 'configuration', outcome: 'not-sent', attempts: [] });
    return error as ConfigurationError;
  }
  throw new Error('these options should have been refused');
}

beforeEach(() => {
  for (const name of ['CORRIDOR_BASE_URL', 'CORRIDOR_API_KEY', 'CORRIDOR_PRIVATE_KEY']) vi.stubEnv(name, undefined);
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

describe('the environment', () => {
  test('gives base URL, API key and private key', async () => {
    const { baseUrl, apiKey, privateKey } = await platform.credentials();
    vi.stubEnv('CORRIDOR_BASE_URL', baseUrl);
    vi.stubEnv('CORRIDOR_API_KEY', apiKey);
    vi.stubEnv('CORRIDOR_PRIVATE_KEY', privateKey.replaceAll('\n', '\\n'));
    vi.stubGlobal('fetch', platform.fetch);
    expect(await new Corridor().crypto.networks()).not.toEqual([]);
  });

  test('yields to what is given', async () => {
    vi.stubEnv('CORRIDOR_BASE_URL', 'https://elsewhere.example');
    vi.stubEnv('CORRIDOR_API_KEY', 'another-key');
    vi.stubEnv('CORRIDOR_PRIVATE_KEY', 'no key at all');
    expect(await new Corridor(platform.clientOptions()).crypto.networks()).not.toEqual([]);
  });

  test('needs no private key beside a signer', async () => {
    vi.stubEnv('CORRIDOR_PRIVATE_KEY', 'no key at all');
    const { corridor } = scripted(() => ({ networks: [] }));
    expect(await corridor.crypto.networks()).toEqual([]);
  });

  test.each([
    ['CORRIDOR_BASE_URL', 'baseUrl is missing: give it as an option or set CORRIDOR_BASE_URL'],
    ['CORRIDOR_API_KEY', 'apiKey is missing: give it as an option or set CORRIDOR_API_KEY'],
    ['CORRIDOR_PRIVATE_KEY', 'privateKey is missing: give it as an option or set CORRIDOR_PRIVATE_KEY (or give a signer, for a key in a KMS)'],
  ])('without %s is told by name, empty or absent', (missing, message) => {
    vi.stubEnv('CORRIDOR_BASE_URL', 'https://platform.example');
    vi.stubEnv('CORRIDOR_API_KEY', secret);
    vi.stubEnv('CORRIDOR_PRIVATE_KEY', secret);
    for (const value of ['', undefined]) {
      vi.stubEnv(missing, value);
      expect(refusalOf({}).message).toBe(message);
      expect(refusalOf(undefined).message).toBe(message);
    }
  });

  test('may be absent altogether, as where there is no process', () => {
    vi.stubGlobal('process', undefined);
    const error = refusalOf({});
    vi.unstubAllGlobals();
    expect(error.message).toContain('baseUrl is missing');
  });
});

describe('an option that is wrong is refused by its name', () => {
  test.each([
    ['baseUrl', '', 'is missing'], ['baseUrl', 'platform.example', 'must be an absolute URL'], ['baseUrl', 'https://', 'must be an absolute URL'], ['baseUrl', 5, 'must be a string (got number)'],
    ['baseUrl', 'ftp://platform.example', 'must be https'], ['baseUrl', `https://user:${secret}@platform.example`, 'must not hold credentials'], ['baseUrl', 'https://platform.example/?x=1', 'must not have a query or a fragment'],
    ['baseUrl', 'https://platform.example/?', 'must not have a query or a fragment'], ['baseUrl', 'https://platform.example/#', 'must not have a query or a fragment'],
    ['apiKey', '', 'is missing'], ['apiKey', `${secret}\n`, 'must be printable ASCII without white space'], ['apiKey', `${secret} `, 'must be printable ASCII without white space'], ['apiKey', `${secret}é`, 'must be printable ASCII without white space'], ['apiKey', { key: secret }, 'must be a string (got object)'], ['apiKey', null, 'must be a string (got null)'],
    ['signer', secret, 'must be a function (got string)'], ['keyId', 5, 'must be a string (got number)'], ['issuer', 5, 'must be a string'], ['subject', 5, 'must be a string'], ['audience', ['a'], 'must be a string (got object)'], ['claims', {}, 'must be a function (got object)'],
    ['tokenLifetime', 0, 'must be a whole number of seconds, at least 1'], ['tokenLifetime', 1.5, 'must be a whole number of seconds, at least 1'], ['tokenLifetime', '60', 'must be a number (got string)'],
    ['timeout', 0, 'must be a number of milliseconds from 1 to 2147483647'], ['timeout', 0.5, 'must be a number of milliseconds from 1'], ['timeout', Number.NaN, 'must be a number of milliseconds from 1'], ['timeout', Number.POSITIVE_INFINITY, 'must be a number of milliseconds from 1'], ['timeout', '30s', 'must be a number (got string)'],
    ['deadline', -1, 'must be a number of milliseconds from 1'], ['deadline', 2_147_483_648, 'must be a number of milliseconds from 1'],
    ['retries', -1, 'must be a whole number from 0 to 100'], ['retries', 1.5, 'must be a whole number from 0 to 100'], ['retries', 101, 'must be a whole number from 0 to 100'], ['retries', Number.POSITIVE_INFINITY, 'must be a whole number from 0 to 100'],
    ['validation', 'loose', "must be 'standard', 'strict' or 'observe'"], ['validation', true, 'must be a string (got boolean)'], ['onDrift', console, 'must be a function (got object)'],
    ['maxResponseBytes', 0, 'must be a whole number of bytes, at least 1'], ['maxResponseBytes', 1.5, 'must be a whole number of bytes, at least 1'], ['maxResponseBytes', Number.POSITIVE_INFINITY, 'must be a whole number of bytes, at least 1'],
    ['prefetch', 'yes', 'must be a boolean (got string)'], ['prefetch', 0, 'must be a boolean (got number)'], ['concurrency', 0, 'must be a whole number, at least 1'], ['concurrency', 1.5, 'must be a whole number, at least 1'],
    ['now', 5, 'must be a function (got number)'], ['wait', 5, 'must be a function (got number)'], ['allowBrowser', 1, 'must be a boolean (got number)'], ['fetch', null, 'must be a function (got null)'],
    ['userAgent', '', 'must be printable ASCII'], ['userAgent', 'acmé', 'must be printable ASCII'], ['userAgent', 'a\r\nb', 'must be printable ASCII'],
    ['logger', null, 'must be an object (got null)'], ['logger', {}, 'must have a function "debug"'], ['hooks', null, 'must be an object (got null)'], ['hooks', { onRequest: () => {} }, 'onRequest is not a hook (hooks: request, response, retry, error, cancel)'], ['hooks', { request: 5 }, 'request must be a function (got number)'],
    ['journal', {}, 'must have a function "claim"'],
    ['dialect', null, 'must be an object (got null)'], ['dialect', { filter: {} }, 'filter is not known (known: filters, rejects, amount, requestIdHeaders)'],
    ['dialect', { filters: null }, 'filters must be an object of names'], ['dialect', { filters: { from: 'x' } }, 'filters.from is not a filter (filters: status, createdFrom, createdTo, limit, cursor)'], ['dialect', { filters: { status: '' } }, 'filters.status must be a non-empty string'], ['dialect', { filters: { status: 5 } }, 'filters.status must be a non-empty string'],
    ['dialect', { filters: { status: 'limit' } }, 'filters must have different names'], ['dialect', { filters: { createdFrom: 'at', createdTo: 'at' } }, 'filters must have different names'],
    ['dialect', { rejects: 422 }, 'rejects must be a list of statuses from 400 to 599'], ['dialect', { rejects: ['422'] }, 'rejects must be a list of statuses from 400 to 599'], ['dialect', { rejects: [200] }, 'rejects must be a list of statuses from 400 to 599'],
    ['dialect', { amount: '^\\d+$' }, 'amount must be a RegExp'], ['dialect', { requestIdHeaders: 'x-id' }, 'requestIdHeaders must be a list of header names'], ['dialect', { requestIdHeaders: ['x id'] }, 'requestIdHeaders must be a list of header names'],
  ])('%s: %o: %s', (name, value, message) => {
    const error = refusalOf({ ...unchecked, [name]: value });
    expect(error.message).toMatch(new RegExp(`^${name}[ .]`));
    expect(error.message).toContain(message);
    expect(`${error.message} ${JSON.stringify(error)} ${error.stack}`).not.toContain(secret);
  });

  test('unknown options too, and all there are stand in the message', () => {
    const { message } = refusalOf({ ...unchecked, apikey: secret });
    expect(message).toMatch(/^apikey is not an option \(options: baseUrl, apiKey, privateKey, signer, .*userAgent\)$/);
    expect(message).not.toContain(secret);
  });

  test.each([[null], ['https://platform.example'], [5], [[[]]], [() => {}]])('options must be an object, not %j', (options) => {
    expect(refusalOf(options).message).toBe('the options of a client must be an object, such as { baseUrl, apiKey, privateKey }');
  });

  test('a private key and a signer are one too many, none is one too few', () => {
    expect(refusalOf({ ...unchecked, privateKey: secret }).message).toBe('give privateKey or signer, not both');
    expect(refusalOf({ ...unchecked, signer: undefined }).message).toContain('privateKey is missing');
  });
});

describe('an option that is right is taken', () => {
  test.each([
    { timeout: 1 }, { deadline: 2_147_483_647 }, { retries: 0 }, { retries: 100 }, { concurrency: Number.POSITIVE_INFINITY }, { concurrency: 1 }, { tokenLifetime: 1 }, { maxResponseBytes: 1 }, { userAgent: 'acme/1.0' },
    { dialect: {} }, { dialect: { filters: {}, rejects: [], amount: /x/, requestIdHeaders: [] } }, { dialect: { rejects: [400, 599] } }, { hooks: {} }, { hooks: { request: undefined } }, { logger: console },
  ] as const)('%o', (options) => {
    expect(new Corridor({ ...unchecked, ...options })).toBeInstanceOf(Corridor);
  });

  test('undefined is as good as absent, for every option', () => {
    const names = /\(options: (.*)\)/.exec(refusalOf({ ...unchecked, nothing: 1 }).message)?.[1]?.split(', ') ?? [];
    const nothing = Object.fromEntries(names.map((name) => [name, undefined]));
    expect(names.length).toBeGreaterThan(20);
    expect(new Corridor({ ...nothing, ...unchecked })).toBeInstanceOf(Corridor);
  });

  test('a user agent stands behind ours', async () => {
    const { corridor, sent } = scripted(() => ({ networks: [] }), { userAgent: 'acme/1.0' });
    await corridor.crypto.networks();
    expect(sent[0]?.headers.get('user-agent')).toMatch(/^corridor-sdk\/\d+\.\d+\.\d+ acme\/1\.0$/);
  });
});

describe('the base URL', () => {
  test.each(['https://platform.example', 'http://localhost:4010', 'http://127.0.0.1:4010', 'http://127.8.9.1', 'http://[::1]:4010', 'http://api.localhost', 'HTTPS://PLATFORM.EXAMPLE'])('may be %s', (baseUrl) => {
    expect(new Corridor({ ...unchecked, baseUrl })).toBeInstanceOf(Corridor);
  });

  test.each(['http://platform.example', 'http://10.0.0.1', 'http://192.168.0.1', 'http://localhost.evil.example', 'http://127.0.0.1.evil.example', 'http://0.0.0.0', 'http://[::2]', 'http://xlocalhost', 'ws://localhost', 'file:///etc'])('must be https, other than %s', (baseUrl) => {
    expect(refusalOf({ ...unchecked, baseUrl }).message).toBe('baseUrl must be https (http is allowed on loopback addresses only): the API key would travel in the clear');
  });

  test.each([['https://platform.example/', ''], ['https://platform.example/gateway', '/gateway'], ['https://platform.example/gateway//', '/gateway'], ['https://platform.example/a/b/', '/a/b']])('%s has its path kept, but for slashes at its end', async (baseUrl, prefix) => {
    const { corridor, sent } = scripted(() => ({ networks: [] }), { baseUrl });
    await corridor.crypto.networks();
    expect(sent[0]?.url.href).toBe(`https://platform.example${prefix}/api/v1/crypto/networks`);
  });
});

describe('a browser', () => {
  test.each(['window', 'document'])('is no place for a private key: %s', (name) => {
    vi.stubGlobal(name, {});
    const error = refusalOf(unchecked);
    expect(error.message).toContain('allowBrowser: true');
    expect(new Corridor({ ...unchecked, allowBrowser: true })).toBeInstanceOf(Corridor);
  });
});

describe('ready', () => {
  test('imports the key once, before the first request', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048, publicKeyEncoding: { type: 'spki', format: 'pem' }, privateKeyEncoding: { type: 'pkcs8', format: 'pem' } });
    const { corridor } = scripted(() => ({ networks: [] }), { signer: undefined, privateKey });
    const calls = vi.spyOn(crypto.subtle, 'importKey');
    await corridor.ready();
    const imported = calls.mock.calls.length;
    expect(imported).toBeGreaterThan(0);
    await corridor.ready();
    await corridor.crypto.networks();
    const afterwards = calls.mock.calls.length;
    calls.mockRestore();
    expect(afterwards).toBe(imported);
  });

  test('says what is wrong with the key, and never shows it', async () => {
    const corridor = new Corridor({ ...unchecked, signer: undefined, privateKey: secret });
    const error = await rejection(corridor.ready());
    expect(error).toBeInstanceOf(ConfigurationError);
    expect((error as Error).message).toContain('privateKey is not a PEM text: it must begin with "-----BEGIN PRIVATE KEY-----"');
    expect(`${String(error)} ${JSON.stringify(error)} ${(error as Error).stack}`).not.toContain(secret);
  });

  test('is content with a signer', async () => {
    await expect(scripted(() => ({})).corridor.ready()).resolves.toBeUndefined();
  });

  test('is no error of its own where it is not called: the first request tells', async () => {
    const { corridor, sent } = scripted(() => ({}), { signer: undefined, privateKey: secret });
    const error = await rejection(corridor.crypto.networks());
    expect(error).toBeInstanceOf(CorridorError);
    expect(error).toMatchObject({ code: 'configuration', outcome: 'not-sent', endpoint: 'crypto.networks' });
    expect(sent).toEqual([]);
  });
});

describe('a client', () => {
  test('shows none of its secrets', async () => {
    const { inspect } = await import('node:util');
    const corridor = new Corridor({ ...unchecked, apiKey: secret });
    for (const text of [inspect(corridor, { depth: 20, showHidden: true }), JSON.stringify(corridor), String(corridor)]) expect(text).not.toContain(secret);
  });
});

test('a wait that rejects where it is aborted, as that of node:timers/promises does, ends no process', async () => {
  const platform = createMockPlatform();
  const corridor = new Corridor({ ...platform.clientOptions(), wait: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }) });
  expect(await corridor.crypto.networks()).not.toEqual([]);
  // A rejection that nobody handles fails the run.
  await setImmediate();
});
