import { MemoryJournal } from 'corridor-sdk';
import { describe, expect, test } from 'vitest';
import {
  connectionError,
  type CreateHandler,
  errorResponse,
  failureOf,
  FaultyPlatform,
  intentOf,
  notProcessed,
  processed,
} from '../../support/faulty-platform.ts';

const hour = 3_600_000;

/** A client that knows the platform's time, and a list with so many payments of the last hour. */
async function busy(perHour: number, handlers: readonly CreateHandler[]) {
  const faulty = new FaultyPlatform();
  const corridor = faulty.client({ journal: new MemoryJournal() });
  await faulty.run(() => corridor.payments.list({ limit: 1 }));
  const existing = faulty.payable();
  for (let count = 0; count < perHour; count += 1)
    faulty.add(existing, { createdAt: new Date(faulty.time.now() - (hour * count) / perHour).toISOString() });
  faulty.onCreate(...handlers);
  faulty.pagesRequested = 0;
  faulty.changePage = async (page) => (await faulty.time.wait(50), page);
  return { faulty, corridor };
}

describe('payments whose responses are lost at the same time', () => {
  const count = 20;
  const createAll = ({ faulty, corridor }: Awaited<ReturnType<typeof busy>>) => {
    const orders = Array.from({ length: count }, () => faulty.payable());
    return faulty.run(() => Promise.allSettled(orders.map((order) => corridor.payments.createOnce(order))));
  };
  const times = (handler: CreateHandler): CreateHandler[] => Array.from({ length: count }, () => handler);

  test('are found by reading the list once or twice', async () => {
    const arranged = await busy(1_000, times(processed(connectionError('ECONNRESET'))));
    const results = await createAll(arranged);
    expect(results.every((result) => result.status === 'fulfilled' && result.value.recovered)).toBe(true);
    expect(arranged.faulty.pagesRequested).toBeLessThanOrEqual(4);
  });

  test('and were not created share every search', async () => {
    const arranged = await busy(1_000, times(notProcessed(connectionError('ECONNRESET'))));
    for (const result of await createAll(arranged))
      expect(result).toMatchObject({ reason: { code: 'payment-outcome-unknown' } });
    // 7 searches of at most two reads, the last one of the whole hour.
    expect(arranged.faulty.pagesRequested).toBeLessThanOrEqual(12 + 2 * 11);
  });
});

test('a search does not share a read that began before it', async () => {
  const { faulty, corridor } = await busy(0, []);
  const [first, second] = [faulty.payable(), faulty.payable()];
  faulty.changePage = async (page) => (await faulty.time.wait(1_500), page);
  const reconcile = (payment: typeof first) =>
    corridor.payments.reconcile(intentOf(payment, faulty.time.now()), { consistencyWindow: 0 });
  const early = reconcile(first);
  await faulty.pass(500);
  const { id } = faulty.add(second);
  const late = reconcile(second);
  expect(await faulty.run(() => Promise.all([early, late]))).toMatchObject([
    { status: 'not-found' },
    { status: 'created', payment: { id } },
  ]);
});

test('a call that is aborted, and one whose time has passed, do not end the search that others share', async () => {
  const { faulty, corridor } = await busy(0, []);
  const { payments } = corridor;
  const [one, two, three] = [faulty.payable(), faulty.payable(), faulty.payable()];
  const { id } = faulty.add(three);
  const controller = new AbortController();
  const now = faulty.time.now();
  faulty.changePage = async (page) => (await faulty.time.wait(5_000), page);
  const calls = [
    failureOf(payments.reconcile(intentOf(one, now), { consistencyWindow: 0, signal: controller.signal })),
    failureOf(payments.reconcile(intentOf(two, now), { consistencyWindow: 0, totalTimeout: 2_000 })),
    payments.reconcile(intentOf(three, now), { consistencyWindow: 0 }),
  ] as const;
  await faulty.pass(1_000);
  controller.abort();
  await faulty.pass(1_000);
  expect(await calls[0]).toMatchObject({ code: 'aborted' });
  expect(await calls[1]).toMatchObject({ code: 'timeout' });
  expect(await faulty.run(() => calls[2])).toMatchObject({ status: 'created', payment: { id } });
  expect(faulty.pagesRequested).toBeLessThanOrEqual(2);
});

test('a search does not share a read with other headers', async () => {
  const { faulty, corridor } = await busy(0, []);
  const now = faulty.time.now();
  const reconcile = (trace: string) =>
    corridor.payments.reconcile(intentOf(faulty.payable(), now), { consistencyWindow: 0, headers: { trace } });
  await faulty.run(() => Promise.all([reconcile('a'), reconcile('a'), reconcile('b')]));
  expect(faulty.pagesRequested).toBe(2);
});

test('a search does not share the read of a much older one', async () => {
  const { faulty, corridor } = await busy(0, []);
  const now = faulty.time.now();
  const reconcile = (age: number) =>
    corridor.payments.reconcile(intentOf(faulty.payable(), now - age), { consistencyWindow: 0 });
  await faulty.run(() => Promise.all([reconcile(0), reconcile(hour)]));
  const [, ...reads] = faulty.platform.requests.to('payments.list');
  const hours = reads.map(({ query }) => (now - Date.parse(String(query['createdFrom']))) / hour);
  expect(hours.toSorted()).toEqual([1, 3]);
});

test('a search is repeated only as far as the retry budget allows, and once at the end', async () => {
  const { faulty, corridor } = await busy(0, [notProcessed(connectionError('ECONNRESET'))]);
  faulty.changePage = () => errorResponse(503);
  for (let count = 0; count < 30; count += 1) await failureOf(faulty.run(() => corridor.payments.list()));
  faulty.changePage = (page) => page;
  faulty.pagesRequested = 0;
  expect(await failureOf(faulty.run(() => corridor.payments.createOnce(faulty.payable())))).toMatchObject({
    code: 'payment-outcome-unknown',
  });
  expect(faulty.pagesRequested).toBe(2);
});
