import { setImmediate } from 'node:timers/promises';
import { Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { expect, test } from 'vitest';
import { sqliteDatabase } from './mirrored.ts';

test('a process waits while the one that works is alive, and continues within two seconds of its last sign', async () => {
  const platform = createMockPlatform();
  platform.payments.add({ id: 'pay_1', status: 'PROCESSING' });
  const database = await sqliteDatabase();
  const start = platform.clock.now();
  const stop = new AbortController();
  let now = start;
  let killedAt: number | undefined;
  let continuedAt: number | undefined;

  // The first works on a response that does not come, and shows that it is alive until it is killed.
  const signs: (() => void)[] = [];
  let hasBegun = (): void => {};
  const isWorking = new Promise<void>((resolve) => (hasBegun = resolve));
  const first = new Corridor({
    ...platform.clientOptions(),
    now: () => now,
    sleep: (milliseconds) => new Promise((resolve) => milliseconds < 1_000 && signs.push(resolve)),
    fetch: () => {
      hasBegun();
      return new Promise(() => {});
    },
  }).sync(database.open(), { signal: stop.signal });
  await isWorking;

  const second = new Corridor({
    ...platform.clientOptions(),
    now: () => now,
    async sleep(milliseconds, _, purpose) {
      if (purpose === 'timeout') return new Promise(() => {});
      if (continuedAt !== undefined) stop.abort();
      now += milliseconds;
      if (now >= start + 10_000) killedAt ??= now;
      else for (const show of signs.splice(0)) show();
      await setImmediate();
    },
    fetch: (input, init) => {
      continuedAt ??= now;
      return platform.fetch(input, init);
    },
  });
  expect(await second.sync(database.open(), { signal: stop.signal })).toMatchObject({ filled: true });
  expect(continuedAt).toBeGreaterThan(Number(killedAt));
  expect(continuedAt).toBeLessThanOrEqual(Number(killedAt) + 2_000);
  await first;
});
