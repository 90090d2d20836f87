import { describe, expect, test } from 'vitest';
import { ConfigurationError, Corridor, RateLimitError, type CorridorOptions } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { scripted } from '../../support/scripted-fetch.ts';

const networks = { networks: [] };

describe('withOptions', () => {
  test('replaces options for a part of the program, and leaves the client as it is', async () => {
    const { corridor, sent } = scripted(() => networks, { defaultHeaders: { 'x-team': 'a', 'x-app': 'app' } });
    const other = corridor.withOptions({ defaultHeaders: { 'X-Team': 'b' } });
    await other.crypto.networks();
    await corridor.crypto.networks();
    expect(sent.map(({ headers }) => [headers.get('x-team'), headers.get('x-app')])).toEqual([
      ['b', null],
      ['a', 'app'],
    ]);
  });

  test('keeps the options that are not given, or undefined', async () => {
    const { corridor, sent } = scripted(() => Response.json({}, { status: 503 }), { maxRetries: 0 });
    const other = corridor.withOptions({ maxRetries: undefined }).withOptions({ validation: 'strict' });
    await expect(other.crypto.networks()).rejects.toMatchObject({ status: 503 });
    expect(sent).toHaveLength(1);
  });

  test('replaces hooks', async () => {
    const calls: string[] = [];
    const hook = (name: string) => ({ onRequest: () => void calls.push(name) });
    const { corridor } = scripted(() => networks, { hooks: hook('first') });
    await corridor.withOptions({ hooks: [hook('second'), hook('third')] }).crypto.networks();
    expect(calls).toEqual(['second', 'third']);
  });

  test('applies limits of time', async () => {
    const platform = createMockPlatform();
    platform.faults.next('crypto.networks', { kind: 'rate-limit', retryAfterSeconds: 60 });
    const corridor = new Corridor(platform.clientOptions()).withOptions({ maxRetryAfter: 1_000 });
    await expect(corridor.crypto.networks()).rejects.toBeInstanceOf(RateLimitError);
  });

  test('shares payments in flight and the journal', async () => {
    const platform = createMockPlatform();
    const corridor = new Corridor(platform.clientOptions());
    const order = platform.payments.createParams();
    const results = await Promise.all(
      [corridor, corridor.withOptions({ timeout: 5_000 })].map(({ payments }) => payments.createOnce(order)),
    );
    expect(new Set(results.map(({ payment }) => payment.id)).size).toBe(1);
    expect(platform.requests.to('payments.create')).toHaveLength(1);
    const later = await corridor.withOptions({}).payments.createOnce(order);
    expect(later.created).toBe(false);
    expect(platform.requests.to('payments.create')).toHaveLength(1);
  });

  test('shares the limit of concurrent requests', async () => {
    let [running, most] = [0, 0];
    const respond = async (): Promise<unknown> => {
      most = Math.max(most, (running += 1));
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return networks;
    };
    const { corridor } = scripted(respond, { concurrency: 1 });
    const other = corridor.withOptions({ timeout: 5_000 });
    await Promise.all([corridor, other, corridor, other].map(({ crypto }) => crypto.networks()));
    expect(most).toBe(1);
  });

  test.each(['apiKey', 'baseUrl', 'journal', 'concurrency', 'fetch', 'now', 'userAgent'] as const)(
    'rejects %s, which the clients share',
    (name) => {
      const values: CorridorOptions = {
        apiKey: 'another-key-of-the-tests',
        baseUrl: 'https://other.example',
        journal: { claim: async () => true, resolve: async () => {}, listPending: async () => [] },
        concurrency: 5,
        fetch: globalThis.fetch,
        now: Date.now,
        userAgent: 'acme',
      };
      const { corridor } = scripted(() => networks);
      expect(() => corridor.withOptions({ [name]: values[name] })).toThrow(
        `withOptions cannot replace ${name}, because both clients share it. Create another client with new Corridor()`,
      );
    },
  );

  test.each([
    [{ timeout: 0 }, 'timeout must be a number of milliseconds'],
    [{ timout: 5 }, 'timout is not a known field'],
    [{ defaultHeaders: { Host: 'x' } }, 'defaultHeaders.host is set by the SDK'],
    [null, 'must be an object'],
  ])('rejects %j', (options, message) => {
    const { corridor } = scripted(() => networks);
    const replace = (): Corridor => corridor.withOptions(options as object);
    expect(replace).toThrow(ConfigurationError);
    expect(replace).toThrow(message);
  });
});
