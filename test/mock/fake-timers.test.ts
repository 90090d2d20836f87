import { Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { payablePayment, start } from './fixture.js';

afterEach(() => void vi.useRealTimers());

const realTimeout = setTimeout;

/** Lets signing and verifying go on, which take place outside of all timers, until something holds. */
async function until(holds: () => boolean, meanwhile: () => unknown = () => undefined): Promise<void> {
  while (!holds()) {
    await meanwhile();
    await new Promise((resolve) => realTimeout(resolve, 1));
  }
}

// Jest's fake timers are the same library, @sinonjs/fake-timers: what is replaced is Date and the timers of the global object.
describe.each([
  ["with the runner's fake timers", () => vi.useFakeTimers({ now: new Date(start) })],
  ['with a fake Date alone', () => vi.useFakeTimers({ now: new Date(start), toFake: ['Date'] })],
  ['with all that jest replaces by default but what promises need', () => vi.useFakeTimers({
    now: new Date(start),
    toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate', 'performance', 'requestAnimationFrame', 'cancelAnimationFrame', 'requestIdleCallback', 'cancelIdleCallback'].filter((name) => name in globalThis) as never,
  })],
])('%s', (_, fake) => {
  beforeEach(() => void fake());

  test('the platform and its client live in the fake time', async () => {
    const platform = createMockPlatform();
    const payment = await new Corridor(platform.clientOptions()).payments.create(payablePayment(platform));
    expect(platform.clock.now()).toBe(Date.parse(start));
    expect(payment.createdAt).toBe(start);
    expect(platform.requests[0]).toMatchObject({ at: Date.parse(start), claims: { iat: Date.parse(start) / 1000 } });
  });

  test('a quote expires when the fake time has passed it', async () => {
    const platform = createMockPlatform();
    const order = payablePayment(platform);
    vi.setSystemTime(Date.parse(start) + 15 * 60_000);
    const payment = new Corridor(platform.clientOptions()).payments.create(order);
    await expect(payment).rejects.toMatchObject({ status: 422, platformCode: 'quote_expired' });
  });

  test('signed links, lags and quotas read it, too', async () => {
    const platform = createMockPlatform({ listLag: { seconds: 30 }, rateLimit: { requests: 4, per: { minutes: 10 } } });
    const corridor = new Corridor({ ...platform.clientOptions(), retries: 0 });
    const { url } = await corridor.documents.downloadUrl(platform.documents.add().id);
    const order = payablePayment(platform);
    await corridor.payments.create(order);
    expect((await corridor.payments.list()).items).toHaveLength(0);
    vi.setSystemTime(Date.parse(start) + 5 * 60_000);
    expect((await platform.fetch(url)).status).toBe(403);
    expect((await corridor.payments.list()).items).toHaveLength(1);
    await expect(corridor.payments.list()).rejects.toMatchObject({ status: 429, retryAfter: 300 });
    vi.setSystemTime(Date.parse(start) + 10 * 60_000);
    await corridor.payments.list();
  });

  test('what is planned on the clock happens in it', async () => {
    const platform = createMockPlatform();
    const { id } = platform.payments.add();
    platform.payments.plan(id, ['APPROVED', 'PROCESSING'], { every: { minutes: 5 } });
    vi.setSystemTime(Date.parse(start) + 5 * 60_000);
    expect(platform.payments.get(id)).toMatchObject({ status: 'APPROVED', updatedAt: '2026-03-01T09:05:00.000Z' });
  });

  test('the clock of the platform can be moved by itself', async () => {
    const platform = createMockPlatform();
    const corridor = new Corridor(platform.clientOptions());
    platform.clock.advance({ days: 1 });
    await corridor.crypto.networks();
    expect(platform.requests[0]).toMatchObject({ at: Date.parse(start) + 86_400_000, refusal: undefined });
    vi.setSystemTime(Date.parse(start) + 1000);
    expect(platform.clock.now()).toBe(Date.parse(start) + 86_400_000);
    platform.clock.resume();
    vi.setSystemTime(Date.parse(start) + 2000);
    expect(platform.clock.now()).toBe(Date.parse(start) + 86_400_000 + 1000);
  });
});

describe('fake timers that are put in later', () => {
  test('take effect on a platform and a client that were there before', async () => {
    const platform = createMockPlatform();
    const corridor = new Corridor(platform.clientOptions());
    await corridor.crypto.networks();
    vi.useFakeTimers({ now: new Date('2031-01-01T00:00:00Z') });
    await corridor.crypto.networks();
    expect(platform.requests.map(({ at, refusal }) => [new Date(at).getUTCFullYear() >= 2031, refusal])).toEqual([[false, undefined], [true, undefined]]);
  });

  test('let a client wait for as long as it is told, in no time', async () => {
    vi.useFakeTimers({ now: new Date(start) });
    const platform = createMockPlatform();
    platform.faults.next('crypto.networks', { kind: 'rate-limit', retryAfter: 20 });
    const corridor = new Corridor({ ...platform.clientOptions(), timeout: 3_600_000, deadline: 3_600_000 });
    const networks = corridor.crypto.networks().then(({ length }) => length);
    await until(() => platform.requests.length === 2, () => vi.advanceTimersByTimeAsync(1000));
    expect(await networks).toBeGreaterThan(0);
    expect(platform.requests.map(({ status, at }) => [status, at - Date.parse(start) >= 20_000])).toEqual([[429, false], [200, true]]);
  });

  test('make a slow answer slow', async () => {
    vi.useFakeTimers({ now: new Date(start) });
    const platform = createMockPlatform();
    platform.faults.next('crypto.networks', { kind: 'slow', delay: 10_000 });
    let answered = false;
    const networks = new Corridor(platform.clientOptions()).crypto.networks().then(() => (answered = true));
    await until(() => platform.requests[0]?.status === 200);
    await vi.advanceTimersByTimeAsync(9_000);
    expect(answered).toBe(false);
    await vi.advanceTimersByTimeAsync(2_000);
    await networks;
    expect(answered).toBe(true);
  });
});
