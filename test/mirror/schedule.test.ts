import { setImmediate } from 'node:timers/promises';
import { Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { expect, onTestFinished, test, vi } from 'vitest';
import { sqliteDatabase } from './mirrored.ts';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

const intervals = {
  pollInterval: 15 * minute,
  maxPollInterval: 40 * minute,
  customersInterval: 2 * hour,
  beneficiariesInterval: 4 * hour,
  recentInterval: 3 * hour,
  fullInterval: 5 * hour,
} as const;

test('no part is behind while a process follows without trouble, over several passes', async () => {
  const start = Date.now();
  let passed = 0;
  vi.useFakeTimers({ toFake: ['Date'], now: start });
  onTestFinished(() => void vi.useRealTimers());
  const platform = createMockPlatform();
  for (const id of ['cus_1', 'cus_2', 'cus_3', 'cus_4', 'cus_5', 'cus_6']) {
    platform.customers.add({ id, status: 'APPROVED' });
    platform.beneficiaries.add({ id: `ben_${id}`, customerId: id, status: 'APPROVED' });
  }
  const payer = { customerId: 'cus_1', beneficiaryId: 'ben_cus_1' };
  for (const [count, age] of [
    [1_500, 30],
    [200, 200],
  ] as const)
    platform.payments.addMany(count, (index) => ({
      ...payer,
      status: 'COMPLETED',
      createdAt: new Date(start - age * day - index * minute).toISOString(),
    }));
  const stop = new AbortController();
  const mirror = (await sqliteDatabase()).open();
  const behind: string[] = [];
  const passes = { recent: new Set<unknown>(), lastFullPass: new Set<unknown>() };
  const corridor = new Corridor({
    ...platform.clientOptions(),
    async sleep(milliseconds, _signal, purpose) {
      if (purpose === 'timeout' || milliseconds < 1_000) return new Promise(() => {});
      // Until the next poll has ended, nothing is fresher than before.
      vi.setSystemTime(start + (passed += milliseconds));
      const status = await mirror.status();
      for (const name of ['open', 'recent', 'older', 'customers', 'beneficiaries'] as const)
        if (status[name].behind) behind.push(`${name} after ${passed / minute} minutes`);
      passes.recent.add(status.recent.asOf);
      passes.lastFullPass.add(status.lastFullPass);
      if (passed > 26 * hour) stop.abort();
      await setImmediate();
    },
  });
  await corridor.sync(mirror, {
    signal: stop.signal,
    ...intervals,
  });
  expect(behind).toEqual([]);
  expect(passes.recent.size).toBeGreaterThanOrEqual(8);
  expect(passes.lastFullPass.size).toBeGreaterThanOrEqual(5);
}, 60_000);

test('the first pass over the beneficiaries is spread over its interval, however many payments there are', async () => {
  const platform = createMockPlatform();
  const [customer] = platform.customers.addMany(60, () => ({ status: 'APPROVED' }));
  const { id: customerId = '' } = customer ?? {};
  const { id: beneficiaryId } = platform.beneficiaries.add({ customerId, status: 'APPROVED' });
  platform.payments.addMany(500, () => ({ status: 'COMPLETED', customerId, beneficiaryId }));
  const corridor = new Corridor(platform.clientOptions());
  const mirror = (await sqliteDatabase()).open();
  const run = () => corridor.sync(mirror, { once: true, beneficiariesInterval: 10 * hour });
  await run();
  await run();
  const before = platform.requests.to('customers.beneficiaries').length;
  platform.clock.advance({ hours: 1 });
  await run();
  // The ninth part of them, because a pass is finished in nine tenths of its interval.
  const read = platform.requests.to('customers.beneficiaries').length - before;
  expect(read).toBeGreaterThan(0);
  expect(read).toBeLessThanOrEqual(platform.customers.all().length / 9);
});

test('the delay between two polls doubles until a change is seen, and customers are read once per interval', async () => {
  const platform = createMockPlatform();
  const delays: number[] = [];
  const stop = new AbortController();
  const corridor = new Corridor({
    ...platform.clientOptions(),
    async sleep(milliseconds, _signal, purpose) {
      if (purpose === 'timeout' || milliseconds < 1_000) return new Promise(() => {});
      delays.push(milliseconds / minute);
      platform.clock.advance({ seconds: milliseconds / 1_000 });
      if (delays.length === 10) platform.payments.add({ status: 'PROCESSING' });
      if (delays.length === 20) stop.abort();
      await setImmediate();
    },
  });
  await corridor.sync((await sqliteDatabase()).open(), { signal: stop.signal, ...intervals });
  expect(delays.slice(0, 4)).toEqual([15, 30, 40, 40]);
  expect(delays.slice(8, 13)).toEqual([40, 40, 15, 30, 40]);
  const passed = delays.reduce((sum, delay) => sum + delay * minute, 0);
  expect(platform.requests.to('customers.list').length).toBeLessThanOrEqual(1 + passed / intervals.customersInterval);
});
