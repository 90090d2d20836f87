import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { Corridor, SigningError, type CorridorError } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { failureOf } from '../../support/failure-of.ts';
import { scripted } from '../../support/scripted-fetch.ts';

const keys = ['first-key-of-the-tests', 'second-key-of-the-tests'];

/** A client whose API key is another one at each request, of a platform that echoes it in its errors. */
function rotating() {
  let index = 0;
  return scripted(
    ({ headers }) =>
      Response.json({ message: `the key ${headers.get('x-api-key')} is wrong, ${keys[0]} was right` }, { status: 400 }),
    { apiKey: async () => keys[index++ % keys.length] as string, maxRetries: 0 },
  );
}

describe('an apiKey function', () => {
  test('is called for each request', async () => {
    const { corridor, sent } = rotating();
    for (const _ of keys) await failureOf(corridor.crypto.networks());
    expect(sent.map(({ headers }) => headers.get('x-api-key'))).toEqual(keys);
  });

  test('returns keys that are masked like a fixed one, also the earlier ones', async () => {
    const { corridor } = rotating();
    for (const key of keys) {
      const text = inspect(await failureOf(corridor.crypto.networks()), { showHidden: true, depth: null });
      expect(text).toContain('the key [secret] is wrong, [secret] was right');
      expect(text).not.toContain(key);
    }
  });

  test('returns many keys at once: each is masked in the errors of its request, whenever they are read', async () => {
    const count = 30;
    const all: (() => void)[] = [];
    const { corridor } = scripted(
      async ({ headers, method }) => {
        const body = { message: `the key ${headers.get('x-api-key')} is wrong`, networks: headers.get('x-api-key') };
        await new Promise<void>((resolve) => {
          if (all.push(resolve) === count) for (const end of all) end();
        });
        return Response.json(body, { status: method === 'GET' ? 200 : 400 });
      },
      { apiKey: () => `key-number-${(issued += 1)}-of-the-tests`, maxRetries: 0 },
    );
    let issued = 0;
    const errors = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        failureOf<CorridorError & { readonly body?: unknown }>(
          index % 2 === 0 ? corridor.crypto.networks() : corridor.request({ method: 'POST', path: '/api/v1/x' }),
        ),
      ),
    );
    for (const error of errors)
      expect(inspect(error, { showHidden: true, depth: null }) + JSON.stringify(error.body)).not.toContain(
        'key-number',
      );
  });

  test('can be asynchronous, and is called by ready()', async () => {
    const platform = createMockPlatform();
    const { apiKey, ...options } = platform.clientOptions();
    let calls = 0;
    const corridor = new Corridor({ ...options, apiKey: () => ((calls += 1), Promise.resolve(apiKey)) });
    await corridor.ready();
    expect(calls).toBe(1);
    expect((await corridor.payments.list()).items).toEqual([]);
  });

  test.each([
    ['', 'received an empty string'],
    ['a key', 'received string'],
    [undefined, 'received undefined'],
  ])('that returns %j is a SigningError, and nothing is sent', async (key, message) => {
    const { corridor, sent } = scripted(() => ({}), { apiKey: () => key as string });
    const error = await failureOf(corridor.crypto.networks());
    expect(error).toBeInstanceOf(SigningError);
    expect(error.message).toContain(message);
    expect(sent).toEqual([]);
  });

  test('that throws is a SigningError that does not show its message', async () => {
    const apiKey = (): string => {
      throw new Error(`vault: ${keys[0]}`);
    };
    const error = await failureOf(scripted(() => ({}), { apiKey }).corridor.crypto.networks());
    expect(error).toBeInstanceOf(SigningError);
    expect(error.message).toContain('apiKey threw Error');
    expect(error.message).not.toContain(keys[0]);
  });

  test('may return as many keys as it likes: the last ten different ones are masked', async () => {
    const numbered = Array.from({ length: 11 }, (_, index) => `key-number-${index}-of-the-tests`);
    const returned = [...numbered, ...Array.from({ length: 20 }, () => numbered[10])];
    const { corridor } = scripted(
      () => Response.json({ message: `not ${numbered[0]}, ${numbered[1]} or ${numbered[10]}` }, { status: 400 }),
      { apiKey: () => returned.shift() as string, maxRetries: 0 },
    );
    let error = new Error('no call yet');
    while (returned.length > 0) error = await failureOf(corridor.crypto.networks());
    expect(error.message).toContain(`not ${numbered[0]}, [secret] or [secret]`);
  });
});

test('an API key that is the subject travels in the token, as some platforms require', async () => {
  const [apiKey] = keys as [string];
  const { corridor, sent } = scripted(() => ({ networks: [] }), { apiKey, subject: apiKey });
  await corridor.crypto.networks();
  const [, claims = ''] = (sent[0]?.headers.get('authorization') ?? '').split('.');
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ sub: apiKey });
});

test('an API key that is the subject travels also if it is the later one of two', async () => {
  const returned = [...keys];
  const { corridor, sent } = scripted(() => ({ networks: [] }), {
    apiKey: () => returned.shift() as string,
    subject: keys[1] as string,
  });
  for (const _ of keys) await corridor.crypto.networks();
  expect(sent.map(({ headers }) => headers.get('x-api-key'))).toEqual(keys);
});

test.each([
  ['of seven characters may be in a claim', 'tenant1', true],
  ['of eight characters must not', 'tenant-1', false],
])('an API key %s, because only a short one appears by chance', async (_, apiKey, isSent) => {
  const { corridor, sent } = scripted(() => ({ networks: [] }), { apiKey, issuer: `issuer of ${apiKey}` });
  await corridor.crypto.networks().catch(() => undefined);
  expect(sent).toHaveLength(isSent ? 1 : 0);
});

test.each([
  ['another claim', { issuer: keys[0] as string }],
  ['a part of the subject', { subject: `key ${keys[0]}` }],
  ['a claim within a claim', { claims: () => ({ more: { sub: keys[0] } }) }],
  ['another claim, if it is the subject too', { issuer: keys[0] as string, subject: keys[0] as string }],
  ['a part of another subject', { subject: keys[0] as string, claims: () => ({ sub: `key ${keys[0]}` }) }],
])('the API key in %s is still rejected', async (_, options) => {
  const [apiKey] = keys as [string];
  const { corridor, sent } = scripted(() => ({}), { apiKey, ...options });
  await expect(corridor.crypto.networks()).rejects.toThrow('claims and keyId must not contain the API key');
  expect(sent).toEqual([]);
});

test('the API key in a query is rejected, because the token contains the query', async () => {
  const [apiKey] = keys as [string];
  const { corridor, sent } = scripted(() => ({}), { apiKey });
  const call = corridor.request({ method: 'GET', path: '/api/v1/reports', query: { apiKey } });
  await expect(call).rejects.toThrow('must not contain the API key');
  expect(sent).toEqual([]);
});
