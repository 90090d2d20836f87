import { Corridor } from 'corridor-sdk';
import { createMockPlatform, MockPlatformError, type MockPlatform } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { platformAtStart, start } from '../fixture.ts';
import { busy } from './busy.ts';

const minute = { duration: { minutes: 1 } };
interface Seen {
  readonly status?: number;
  readonly retryAfterMs?: number;
}

/** Returns the error of a request, or the status 200. */
const request = (platform: MockPlatform): Promise<Seen> =>
  new Corridor({ ...platform.clientOptions(), maxRetries: 0 }).crypto.networks().then(
    () => ({ status: 200 }),
    (error: Seen) => error,
  );

describe('a fault with a duration', () => {
  test('of a rate limit rejects every request, with the rest of the duration as retry-after', async () => {
    const platform = platformAtStart();
    platform.faults.always('*', { kind: 'rate-limit' }, minute);
    expect(await request(platform)).toMatchObject({ status: 429, retryAfterMs: 60_000 });
    platform.clock.advance({ seconds: 10.5 });
    expect(await request(platform)).toMatchObject({ status: 429, retryAfterMs: 50_000 });
    platform.clock.advance({ seconds: 49.4 });
    expect(await request(platform)).toMatchObject({ status: 429, retryAfterMs: 1_000 });
    platform.clock.advance({ seconds: 0.1 });
    expect(await request(platform)).toEqual({ status: 200 });
  });

  test('of a rate limit is over for a client that waits as long as the response says', async () => {
    const platform = platformAtStart();
    platform.faults.always('*', { kind: 'rate-limit' }, { duration: { seconds: 10 } });
    await new Corridor(platform.clientOptions()).crypto.networks();
    expect(platform.requests.map(({ status }) => status)).toEqual([429, 200]);
    expect(platform.clock.now()).toBeGreaterThanOrEqual(Date.parse(start) + 10_000);
  });

  test('keeps the retry-after of a rate limit that has one', async () => {
    const platform = platformAtStart();
    platform.faults.always('*', { kind: 'rate-limit', retryAfterSeconds: 7 }, minute);
    expect(await request(platform)).toMatchObject({ retryAfterMs: 7_000 });
  });

  test('of any kind and share is listed with its end, then as a fault of the past', async () => {
    const platform = platformAtStart();
    platform.faults.always('crypto.networks', { kind: 'status', status: 500 });
    platform.faults.rate('crypto.networks', 1, busy, minute);
    const until = Date.parse(start) + 60_000;
    expect(await request(platform)).toMatchObject({ status: 503 });
    expect(platform.faults.list()[1]).toMatchObject({ until, remaining: null, hits: 1 });
    platform.clock.advance({ minutes: 1 });
    expect(platform.faults.list()[1]).toMatchObject({ until, remaining: 0, hits: 1 });
    expect(await request(platform)).toMatchObject({ status: 500 });
  });

  test('keeps its end in a snapshot', async () => {
    const platform = platformAtStart();
    platform.faults.always('*', { kind: 'rate-limit' }, minute);
    platform.clock.advance({ seconds: 20 });
    const snapshot = platform.snapshot();
    platform.clock.advance({ days: 1 });
    expect(await request(platform)).toEqual({ status: 200 });
    platform.restore(snapshot);
    expect(await request(platform)).toMatchObject({ status: 429, retryAfterMs: 40_000 });
  });

  test.each<[duration: object, message: string]>([
    [{ minutes: 0 }, 'faults.always: duration must be a duration greater than 0 and at most 1e9 seconds'],
    [{ days: 1e308 }, 'faults.always: duration must be a duration greater than 0 and at most 1e9 seconds'],
    [{ weeks: 1 }, 'faults.always: duration.weeks is not a known field'],
  ])('rejects %j', (duration, message) => {
    const plan = (): string => createMockPlatform().faults.always('*', busy, { duration });
    expect(plan).toThrow(MockPlatformError);
    expect(plan).toThrow(message);
  });

  test('is not for faults of single requests', () => {
    const { faults } = createMockPlatform();
    expect(() => faults.next('*', busy, minute as object)).toThrow('faults.next: duration is not a known field');
    expect(() => faults.sequence('*', [busy], minute as object)).toThrow('duration is not a known field');
  });
});
