import { setImmediate } from 'node:timers/promises';
import { Corridor, type MirrorFreshness } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { expect, onTestFinished, test, vi } from 'vitest';
import { allChanges, sqliteDatabase } from './mirrored.ts';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

const intervals = {
  pollInterval: 15 * minute,
  maxPollInterval: 40 * minute,
  customersInterval: 2 * hour,
  beneficiariesInterval: 4 * hour,
  recentInterval: 3 * hour,
  fullInterval: 5 * hour,
} as const;

interface SentRequest {
  readonly at: number;
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Returns the times between neighbors. */
const gapsOf = (times: readonly number[]): number[] => times.slice(1).map((time, index) => time - (times[index] ?? 0));

test('a process that follows reads each part as often as its interval says, and spreads what it reads', async () => {
  const platform = createMockPlatform();
  platform.populate({ customers: 6, beneficiaries: 6, payments: 10 });
  const start = platform.clock.now();
  const [recentWindow, duration] = [90 * day, 12 * hour];
  const add = (id: string, age: number, status: 'COMPLETED' | 'PROCESSING'): void =>
    void platform.payments.add({ id, status, createdAt: new Date(platform.clock.now() - age).toISOString() });
  add('pay_ended', day, 'COMPLETED');
  add('pay_old', recentWindow + day, 'COMPLETED');
  const stop = new AbortController();
  const requests: SentRequest[] = [];
  const delays: number[] = [];
  const corridor = new Corridor({
    ...platform.clientOptions(),
    // Time passes while the process waits for its next poll.
    async sleep(milliseconds, _signal, purpose) {
      if (purpose === 'timeout' || milliseconds < 1_000) return new Promise(() => {});
      delays.push(milliseconds / minute);
      platform.clock.advance({ seconds: milliseconds / 1_000 });
      if (delays.length === 10) add('pay_new', 0, 'PROCESSING');
      if (platform.clock.now() > start + duration) stop.abort();
      await setImmediate();
    },
    fetch: (input, init) => {
      const { pathname: path, searchParams: query } = new URL(new Request(input, init).url);
      requests.push({ at: platform.clock.now(), path, query });
      return platform.fetch(input, init);
    },
  });
  const mirror = (await sqliteDatabase()).open();
  const report = await corridor.sync(mirror, {
    signal: stop.signal,
    concurrency: 2,
    recentWindow,
    ...intervals,
  });
  const timesOf = (filter: (request: SentRequest) => boolean): number[] => requests.filter(filter).map(({ at }) => at);
  const longest = 40 * minute + 10_000;

  // The delay doubles until a change is seen.
  expect(delays.slice(0, 4)).toEqual([15, 30, 40, 40]);
  expect(delays.slice(8, 13)).toEqual([40, 40, 15, 30, 40]);
  expect(report).toMatchObject({ filled: true, differences: [] });
  const changes = await allChanges(mirror);
  expect(changes.filter(({ record }) => record === 'payment')).toMatchObject([
    { id: 'pay_new', previousStatus: null, status: 'PROCESSING' },
  ]);

  const polls = timesOf(({ query }) => query.get('status') === 'PROCESSING');
  expect(polls).toHaveLength(delays.length);
  for (const gap of gapsOf(timesOf(({ path }) => path.endsWith('/customers'))).slice(1)) {
    expect(gap).toBeGreaterThanOrEqual(2 * hour);
    expect(gap).toBeLessThanOrEqual(2 * hour + longest);
  }

  const beneficiaries = requests.filter(({ path }) => path.endsWith('/beneficiaries'));
  for (const { id } of platform.customers.all()) {
    const times = beneficiaries.filter(({ path }) => path.includes(id)).map(({ at }) => at);
    for (const gap of gapsOf([...times, start + duration])) expect(gap).toBeLessThanOrEqual(4 * hour + 2 * longest);
    expect(times.length).toBeLessThanOrEqual(5);
  }
  // After the first fill, a poll reads those of few customers.
  for (const poll of polls.slice(1))
    expect(beneficiaries.filter(({ at }) => Math.abs(at - poll) < minute).length).toBeLessThanOrEqual(4);

  const ranges = requests
    .filter(({ query }) => query.has('createdTo'))
    .map(({ at, query }) => ({
      at,
      from: Date.parse(query.get('createdFrom') ?? '0000-01-01T00:00Z'),
      to: Date.parse(String(query.get('createdTo'))),
    }));
  // Each poll lists the payments that were created since the one before, and an hour and the consistency window earlier.
  const newPayments = ranges.filter(({ at, to }) => Math.abs(to - at - day) < 10_000);
  for (const [index, poll] of polls.slice(1).entries()) {
    const earliest = Number(polls[index]) - hour - 5 * minute - 20_000;
    expect(newPayments.some(({ at, from }) => Math.abs(at - poll) < minute && from >= earliest && from <= poll)).toBe(
      true,
    );
  }
  expect(ranges.filter(({ at, from }) => at > Number(polls[11]) && from < start && from > start - 2 * day)).toEqual([]);

  // Ended payments are read again at their interval: those that were created before the recent window, and the others.
  const recent = ranges.filter(({ at, from }) => Math.abs(from - (at - recentWindow)) < day && from < start - 2 * day);
  const older = ranges.filter(({ to }) => to < start - recentWindow + day);
  for (const [part, interval, least] of [
    [recent, 3 * hour, 3],
    [older, 5 * hour, 2],
  ] as const) {
    expect(part.length).toBeGreaterThanOrEqual(least);
    expect(part.length).toBeLessThanOrEqual(least + 2);
    for (const gap of gapsOf([start, ...part.map(({ at }) => at)])) expect(gap).toBeLessThanOrEqual(interval + longest);
  }
  // Payments leave the recent window while the older ones are read.
  for (const { at, to } of older) expect(to).toBeGreaterThan(at - recentWindow);

  const status = await mirror.status();
  const age = ({ asOf }: MirrorFreshness): number => platform.clock.now() - Date.parse(String(asOf));
  expect(age(status.open)).toBeLessThanOrEqual(longest);
  expect(age(status.customers)).toBeLessThanOrEqual(2 * hour + longest);
  expect(age(status.beneficiaries)).toBeLessThanOrEqual(8 * hour + 2 * longest);
  expect(age(status.recent)).toBeLessThanOrEqual(6 * hour + 2 * longest);
  expect(age(status.older)).toBeLessThanOrEqual(10 * hour + 2 * longest);
  expect(Date.parse(String(status.lastFullPass))).toBeGreaterThan(start + 5 * hour);
});

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
