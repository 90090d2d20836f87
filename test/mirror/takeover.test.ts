import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { Corridor, MirrorError, type SyncProgress } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { expect, test } from 'vitest';
import { assertUnbrokenChains, mirroredRecords, recordsOf, sqliteDatabase } from './mirrored.ts';

/** Lets time pass by the clock of the database. */
function passTime(path: string, milliseconds: number): void {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  database.exec(`update corridor_sync set lease = lease - ${milliseconds}`);
  database.close();
}

test('a process waits while the one that works renews its lease, and continues when the lease has ended', async () => {
  const platform = createMockPlatform();
  platform.payments.add({ id: 'pay_1', status: 'PROCESSING' });
  const database = await sqliteDatabase();
  const start = platform.clock.now();
  const stop = new AbortController();
  let now = start;
  let killedAt: number | undefined;
  let continuedAt: number | undefined;

  await new Corridor({ ...platform.clientOptions(), now: () => now }).sync(database.open(), { once: true });

  // The first works on a response that does not come, and renews its lease until it is killed.
  const renewals: { readonly at: number; readonly resolve: () => void }[] = [];
  let hasBegun = (): void => {};
  const isWorking = new Promise<void>((resolve) => (hasBegun = resolve));
  const first = new Corridor({
    ...platform.clientOptions(),
    now: () => now,
    sleep: (milliseconds) =>
      new Promise((resolve) => void (milliseconds < 10_000 && renewals.push({ at: now + milliseconds, resolve }))),
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
      passTime(database.path, milliseconds);
      if (now >= start + 30_000) killedAt ??= now;
      else for (const due of renewals.filter(({ at }) => at <= now)) due.resolve();
      // The first renews its lease.
      await delay(20);
    },
    fetch: (input, init) => {
      continuedAt ??= now;
      return platform.fetch(input, init);
    },
  });
  expect(await second.sync(database.open(), { signal: stop.signal })).toMatchObject({ filled: true });
  expect(continuedAt).toBeGreaterThan(Number(killedAt));
  expect(continuedAt).toBeLessThanOrEqual(Number(killedAt) + 11_000);
  await first;
});

test('a process that follows polls at once, then when no other one has, sooner after a change, and when its clock is set back', async () => {
  const platform = createMockPlatform();
  platform.payments.add({ id: 'pay_1', status: 'PROCESSING' });
  const database = await sqliteDatabase();
  const start = platform.clock.now();
  let now = start;
  const client = { ...platform.clientOptions(), now: () => now };
  const runOnce = () => new Corridor(client).sync(database.open(), { once: true, pollInterval: 18_000 });
  await runOnce();
  const stop = new AbortController();
  const [delays, polls]: [number[], number[]] = [[], []];
  const corridor = new Corridor({
    ...client,
    async sleep(milliseconds, _, purpose) {
      if (purpose === 'timeout' || milliseconds < 1_000) return new Promise(() => {});
      delays.push(milliseconds);
      if (delays.length === 1) {
        now += 5_000;
        await runOnce();
        now -= 5_000;
      }
      if (delays.length === 3) platform.payments.update('pay_1', { memo: 'corrected' });
      now += delays.length === 4 ? -600_000 : milliseconds;
      if (delays.length === 5) stop.abort();
    },
    fetch(input, init) {
      if (new URL(new Request(input, init).url).searchParams.get('status') === 'PROCESSING') polls.push(now - start);
      return platform.fetch(input, init);
    },
  });
  const options = { signal: stop.signal, pollInterval: 10_000, maxPollInterval: 60_000, consistencyWindow: 0 };
  expect(await corridor.sync(database.open(), options)).toMatchObject({ filled: true, changes: 1 });
  expect(delays).toEqual([10_000, 13_000, 20_000, 10_000, 20_000]);
  expect(polls).toEqual([0, 23_000, 43_000, -557_000]);
});

test('a process renews its lease while it works, also after a renewal has failed, and not when its poll has ended', async () => {
  const platform = createMockPlatform();
  platform.payments.add({ id: 'pay_1', status: 'PROCESSING' });
  const mirror = (await sqliteDatabase()).open();
  let renewals = 0;
  Object.defineProperty(mirror, 'renewInterval', { value: 1 });
  Object.defineProperty(mirror, 'renew', {
    value: async () => {
      renewals += 1;
      await delay(10);
      if (renewals === 1) throw new MirrorError('the database is busy', { retryable: true });
    },
  });
  const corridor = new Corridor({
    ...platform.clientOptions(),
    async fetch(input, init) {
      while (renewals < 3) await delay(1);
      return platform.fetch(input, init);
    },
  });
  expect(await corridor.sync(mirror, { once: true })).toMatchObject({ filled: true });
  const atEnd = renewals;
  await delay(60);
  expect(renewals).toBe(atEnd);
});

test('a process that is aborted while it reads gives the mirror to the next one', async () => {
  const platform = createMockPlatform();
  const database = await sqliteDatabase();
  const stop = new AbortController();
  const corridor = new Corridor({
    ...platform.clientOptions(),
    fetch(input, init) {
      stop.abort();
      return platform.fetch(input, init);
    },
  });
  await corridor.sync(database.open(), { signal: stop.signal });
  expect(await database.select('select owner from corridor_sync')).toEqual([{ owner: null }]);
});

test('a process that follows and is aborted before it begins has filled nothing', async () => {
  const corridor = new Corridor(createMockPlatform().clientOptions());
  const following = corridor.sync((await sqliteDatabase()).open(), { signal: AbortSignal.abort() });
  expect(await following).toMatchObject({ filled: false, changes: 0, differences: [] });
});

test('a batch has at most two pages of a list, and what was stored survives a takeover, also if times cannot be read', async () => {
  const platform = createMockPlatform();
  const [customer] = platform.customers.addMany(450, () => ({ status: 'APPROVED' }));
  const { id: customerId = '' } = customer ?? {};
  const { id: beneficiaryId } = platform.beneficiaries.add({ customerId, status: 'APPROVED' });
  platform.payments.addMany(950, () => ({ status: 'COMPLETED', customerId, beneficiaryId }));
  const database = await sqliteDatabase();
  let isHanging = true;
  let hasHung = (): void => {};
  const hangs = new Promise<void>((resolve) => (hasHung = resolve));
  let pages = 0;
  const client = (hang: boolean) => ({
    ...platform.clientOptions(),
    async fetch(input: RequestInfo | URL, init?: RequestInit) {
      const response = await platform.fetch(input, init);
      const page = (await response.json()) as { items: Record<string, unknown>[] };
      const isPayments = new URL(new Request(input, init).url).pathname.endsWith('/payment');
      // No range of creation times can be read, only the whole list.
      if (isPayments) for (const item of page.items) item['createdAt'] = 'yesterday';
      if (hang && isPayments && (pages += 1) === 7 && isHanging) {
        hasHung();
        return new Promise<never>(() => {});
      }
      return Response.json(page, { status: response.status, headers: response.headers });
    },
  });
  const batches: number[] = [];
  const countBatches = (): ((progress: SyncProgress) => void) => {
    let last = 0;
    return ({ read }) => {
      const total = Object.values(read).reduce((sum, count) => sum + count);
      batches.push(total - last);
      last = total;
    };
  };
  const stop = new AbortController();
  const first = new Corridor(client(true)).sync(database.open(), { signal: stop.signal, onProgress: countBatches() });
  await hangs;
  const stored = async (): Promise<number> =>
    (await database.select('select id from corridor_payments where missing_since is null')).length;
  const before = await stored();
  expect(before).toBeGreaterThanOrEqual(300);
  // The first no longer renews its lease.
  passTime(database.path, 11_000);
  isHanging = false;
  const { filled } = await new Corridor(client(false)).sync(database.open(), {
    once: true,
    onProgress: countBatches(),
  });
  expect(filled).toBe(true);
  expect(await stored()).toBe(950);
  expect(Math.max(...batches)).toBe(200);
  // What was stored before is not a second change.
  await assertUnbrokenChains(database);
  expect(await database.select('select count(*) as count from corridor_changes')).toEqual([{ count: 950 + 450 + 1 }]);
  stop.abort();
  await first;
});

test('a full run after a first fill that did not end finds what it stored and is gone', async () => {
  const platform = createMockPlatform();
  platform.payments.addMany(250, () => ({ status: 'COMPLETED' }));
  platform.clock.advance({ days: 60 });
  const database = await sqliteDatabase();
  const stop = new AbortController();
  const corridor = new Corridor(platform.clientOptions());
  await corridor.sync(database.open(), {
    signal: stop.signal,
    onProgress: ({ read, filled }) => {
      if (read.payment > 0 && !filled) stop.abort();
    },
  });
  const [gone = ''] = Object.keys((await mirroredRecords(database))['corridor_payments'] ?? {});
  platform.payments.remove(gone);
  expect(await corridor.sync(database.open(), { once: true, full: true })).toMatchObject({ filled: true });
  expect(await mirroredRecords(database)).toEqual(await recordsOf(corridor));
});
