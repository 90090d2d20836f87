import { runInNewContext } from 'node:vm';
import { Readable } from 'node:stream';
import { ConfigurationError, Corridor, InvalidResponseError, type CorridorOptions } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { paymentRequest } from '../support/fault-server.ts';
import { failureOf } from '../support/failure-of.ts';
import { scripted, unchecked } from '../support/scripted-fetch.ts';

afterEach(() => vi.unstubAllGlobals());

function throwing(): never {
  throw new TypeError('Illegal constructor');
}

function errorOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

describe('an environment that lacks something', () => {
  test.each<readonly [string, string, unknown]>([
    ['TextEncoder, ReadableStream with bytes', 'TextEncoder', undefined],
    ['TextEncoder', 'TextDecoder', throwing],
    ['ReadableStream with bytes', 'ReadableStream', throwing],
    ['Headers', 'Headers', undefined],
    ['AbortSignal.any', 'AbortSignal', {}],
    ['AbortSignal.any', 'AbortController', undefined],
    ['crypto.subtle, crypto.randomUUID', 'crypto', undefined],
    ['crypto.subtle', 'crypto', { randomUUID: () => '0' }],
  ])('a client names %s, if %s does not work', (missing, name, value) => {
    // Without it, the Web Crypto of Node is not at hand.
    vi.stubGlobal('process', undefined);
    vi.stubGlobal(name, value);
    const error = errorOf(() => new Corridor(unchecked));
    vi.unstubAllGlobals();
    expect(error).toBeInstanceOf(ConfigurationError);
    expect((error as Error).message).toContain(`this environment lacks ${missing}. Use a runtime`);
  });

  test.each(['Blob', 'CryptoKey'])('works without %s, as in jsdom', async (name) => {
    const platform = createMockPlatform({ seed: 1 });
    vi.stubGlobal(name, name === 'Blob' ? {} : undefined);
    const corridor = new Corridor(platform.clientOptions());
    const { created } = await corridor.payments.createOnce(platform.payments.createParams(), { idempotencyKey: 'a' });
    expect(created).toBe(true);
  });
});

describe('what fails before fetch is called', () => {
  test.each<readonly [string, (throws: () => never) => CorridorOptions]>([
    ['the clock', (now) => ({ now })],
    [
      'a getter of the result of the signer',
      (get) => ({
        signer: () => Promise.resolve(Object.defineProperty({}, 'signature', { get }) as { signature: Uint8Array }),
      }),
    ],
  ])('%s: a ConfigurationError, and nothing was sent', async (_name, optionsWith) => {
    let isBroken = false;
    const fails = (): never => {
      // Of another realm, as those of Node are in Jest.
      throw runInNewContext("new RangeError('broken, with key-of-the-tests')");
    };
    const options = optionsWith(() => (isBroken ? fails() : (0 as never)));
    const { corridor, sent } = scripted(() => ({}), options);
    isBroken = true;
    const error = await failureOf(corridor.documents.delete('doc_1'));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ outcome: 'not-sent', endpoint: 'documents.delete' });
    expect(error.message).toContain('could not be prepared');
    expect(error.message).toContain('RangeError: broken, with [secret]');
    expect(sent).toEqual([]);
  });

  test('no fetch: nothing was sent', async () => {
    vi.stubGlobal('fetch', undefined);
    const error = await failureOf(new Corridor(unchecked).payments.create(paymentRequest));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ outcome: 'not-sent' });
    expect(error.message).toContain('this environment has no fetch. Pass one as the option fetch');
  });
});

describe('a fetch that returns no Response of the web standard', () => {
  const nodeFetch = (status: number) => ({
    ok: status < 400,
    status,
    headers: new Headers(),
    body: Readable.from([Buffer.from('{}')]),
    json: () => Promise.resolve({}),
  });

  test.each<readonly [string, unknown]>([
    ['a body that is a stream of Node', nodeFetch(201)],
    ['a plain object', { ok: true, json: () => ({}) }],
    ['headers that are an object', { status: 503, headers: {}, body: null }],
    ['nothing', undefined],
  ])('%s: the error says so, and the outcome is unknown', async (_name, response) => {
    const fetch = vi.fn<typeof globalThis.fetch>(async (_input, init) => {
      expect(String(init?.body)).toContain('quo_1');
      return response as Response;
    });
    const error = await failureOf(new Corridor({ ...unchecked, fetch }).payments.create(paymentRequest));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ outcome: 'unknown', endpoint: 'payments.create' });
    expect(error.message).toMatch(/^fetch returned no Response of the web standard \(received \w+\)\. Pass the fetch/);
    expect(fetch).toHaveBeenCalledTimes(1);
  });

  test('a download says so, too', async () => {
    const fetch: typeof globalThis.fetch = (input) =>
      Promise.resolve(
        String(input).includes('files')
          ? (nodeFetch(200) as unknown as Response)
          : Response.json({ url: 'https://files.example/1' }),
      );
    const error = await failureOf(new Corridor({ ...unchecked, fetch }).documents.download('doc_1'));
    expect(error.message).toContain('fetch returned no Response of the web standard');
  });

  test('a Response of another copy of undici, or of another realm, is one', async () => {
    const fetch: typeof globalThis.fetch = () => {
      const { status, headers, body } = Response.json({}, { status: 201 });
      return Promise.resolve({ status, headers, body, redirected: false } as Response);
    };
    expect(await failureOf(new Corridor({ ...unchecked, fetch }).payments.create(paymentRequest))).toBeInstanceOf(
      InvalidResponseError,
    );
  });
});
