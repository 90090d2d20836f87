import { Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { payablePayment, start } from '../fixture.ts';

afterEach(() => void vi.useRealTimers());

const realTimeout = setTimeout;

/** Waits until a condition is true. Signing and verifying run outside all timers. */
async function until(holds: () => boolean, meanwhile: () => unknown = () => undefined): Promise<void> {
  while (!holds()) {
    await meanwhile();
    await new Promise((resolve) => realTimeout(resolve, 1));
  }
}

// Jest's fake timers are the same library, @sinonjs/fake-timers: it replaces Date and the timers of the global
// object.
describe.each([
  ["with the runner's fake timers", () => vi.useFakeTimers({ now: new Date(start) })],
  ['with a fake Date alone', () => vi.useFakeTimers({ now: new Date(start), toFake: ['Date'] })],
  [
    'with the default fake timers of jest, except those that promises need',
    () =>
      vi.useFakeTimers({
        now: new Date(start),
        toFake: [
          'Date',
          'setTimeout',
          'clearTimeout',
          'setInterval',
          'clearInterval',
          'setImmediate',
          'clearImmediate',
          'performance',
          'requestAnimationFrame',
          'cancelAnimationFrame',
          'requestIdleCallback',
          'cancelIdleCallback',
        ].filter((name) => name in globalThis) as never,
      }),
  ],
])('%s', (_, fake) => {
  beforeEach(() => void fake());

  test('the platform and its client use the fake time', async () => {
    const platform = createMockPlatform();
    const payment = await new Corridor(platform.clientOptions()).payments.create(payablePayment(platform));
    expect(platform.clock.now()).toBe(Date.parse(start));
    expect(payment.createdAt).toBe(start);
    expect(platform.requests[0]).toMatchObject({
      receivedAt: Date.parse(start),
      claims: { iat: Date.parse(start) / 1000 - 5 },
    });
  });

  test('a quote expires in the fake time', async () => {
    const platform = createMockPlatform();
    const order = payablePayment(platform);
    vi.setSystemTime(Date.parse(start) + 15 * 60_000);
    const payment = new Corridor(platform.clientOptions()).payments.create(order);
    await expect(payment).rejects.toMatchObject({ status: 422, platformCode: 'quote_expired' });
  });

  test('signed URLs, list lag and rate limits use it', async () => {
    const platform = createMockPlatform({ listLag: { seconds: 30 }, rateLimit: { requests: 4, per: { minutes: 10 } } });
    const corridor = new Corridor({ ...platform.clientOptions(), maxRetries: 0 });
    const { url } = await corridor.documents.downloadUrl(platform.documents.add().id);
    const order = payablePayment(platform);
    await corridor.payments.create(order);
    expect((await corridor.payments.list()).items).toHaveLength(0);
    vi.setSystemTime(Date.parse(start) + 5 * 60_000);
    expect((await platform.fetch(url)).status).toBe(403);
    expect((await corridor.payments.list()).items).toHaveLength(1);
    await expect(corridor.payments.list()).rejects.toMatchObject({ status: 429, retryAfterMs: 300_000 });
    vi.setSystemTime(Date.parse(start) + 10 * 60_000);
    await corridor.payments.list();
  });

  test('scheduled transitions follow it', async () => {
    const platform = createMockPlatform();
    const { id } = platform.payments.add();
    platform.payments.scheduleTransitions(id, ['APPROVED', 'PROCESSING'], { every: { minutes: 5 } });
    vi.setSystemTime(Date.parse(start) + 5 * 60_000);
    expect(platform.payments.get(id)).toMatchObject({ status: 'APPROVED', updatedAt: '2026-03-01T09:05:00.000Z' });
  });

  test('the clock of the platform can be set separately', async () => {
    const platform = createMockPlatform();
    const corridor = new Corridor(platform.clientOptions());
    platform.clock.freeze(Date.parse(start) + 86_400_000);
    await corridor.crypto.networks();
    expect(platform.requests[0]).toMatchObject({ receivedAt: Date.parse(start) + 86_400_000, error: undefined });
    vi.setSystemTime(Date.parse(start) + 1000);
    expect(platform.clock.now()).toBe(Date.parse(start) + 86_400_000);
    platform.clock.resume();
    vi.setSystemTime(Date.parse(start) + 2000);
    expect(platform.clock.now()).toBe(Date.parse(start) + 86_400_000 + 1000);
  });
});

describe('fake timers that are installed later', () => {
  test('affect a platform and a client that were created before', async () => {
    const platform = createMockPlatform();
    const corridor = new Corridor(platform.clientOptions());
    await corridor.crypto.networks();
    vi.useFakeTimers({ now: new Date('2031-01-01T00:00:00Z') });
    await corridor.crypto.networks();
    expect(
      platform.requests.map(({ receivedAt, error }) => [new Date(receivedAt).getUTCFullYear() >= 2031, error]),
    ).toEqual([
      [false, undefined],
      [true, undefined],
    ]);
  });

  test('let a client wait for its retry delay in no time', async () => {
    vi.useFakeTimers({ now: new Date(start) });
    const platform = createMockPlatform();
    platform.faults.next('crypto.networks', { kind: 'rate-limit', retryAfterSeconds: 20 });
    const corridor = new Corridor({
      ...platform.clientOptions({ time: 'real' }),
      timeout: 3_600_000,
      totalTimeout: 3_600_000,
    });
    const networks = corridor.crypto.networks().then(({ length }) => length);
    await until(() => platform.requests[0]?.status === 429);
    // Slowly once the delay is over, so that the token does not expire while it is signed.
    await until(
      () => platform.requests.length === 2,
      () => vi.advanceTimersByTimeAsync(Date.now() < Date.parse(start) + 25_000 ? 1_000 : 1),
    );
    expect(await networks).toBeGreaterThan(0);
    expect(
      platform.requests.map(({ status, receivedAt }) => [status, receivedAt - Date.parse(start) >= 20_000]),
    ).toEqual([
      [429, false],
      [200, true],
    ]);
  });

  test('delay a slow response', async () => {
    vi.useFakeTimers({ now: new Date(start) });
    const platform = createMockPlatform();
    platform.faults.next('crypto.networks', { kind: 'slow', delay: 10_000 });
    let responded = false;
    const corridor = new Corridor(platform.clientOptions({ time: 'real' }));
    const networks = corridor.crypto.networks().then(() => (responded = true));
    await until(() => platform.requests[0]?.status === 200);
    await vi.advanceTimersByTimeAsync(9_000);
    expect(responded).toBe(false);
    await vi.advanceTimersByTimeAsync(2_000);
    await networks;
    expect(responded).toBe(true);
  });
});
