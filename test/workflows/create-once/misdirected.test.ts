import { Corridor, MemoryJournal, type ApiError, type CreateOnceResult, type PaymentCreateParams } from 'corridor-sdk';
import { createMockPlatform, type MockPlatform, type MockPlatformOptions } from 'corridor-sdk/mock';
import { expect, test } from 'vitest';
import { virtualOptions, VirtualTime } from '../../support/virtual-time.ts';

/**
 * A client of a platform whose quotes are reusable, so that a second POST makes a second payment, and a function that
 * advances virtual time until a call is done.
 */
function setUp(commits: boolean, options: MockPlatformOptions = {}) {
  const time = new VirtualTime();
  const platform = createMockPlatform({ quotes: 'reusable', now: time.now, ...options });
  const journal = new MemoryJournal();
  const fetch: typeof globalThis.fetch = (input, init) =>
    time.busy(async () => {
      if (init?.method !== 'POST') return platform.fetch(input, init);
      if (commits) await platform.fetch(input, init);
      return new Response('{}', { status: 421, headers: { date: new Date(platform.clock.now()).toUTCString() } });
    });
  const corridor = new Corridor({ ...platform.clientOptions(), ...virtualOptions(time, fetch), journal });
  const createOnce = (
    payment: PaymentCreateParams,
    consistencyWindow = 0,
    totalTimeout = 60_000,
  ): Promise<CreateOnceResult> =>
    time.run(() => corridor.payments.createOnce(payment, { consistencyWindow, totalTimeout }));
  return { time, platform, journal, corridor, createOnce, payment: payable(platform) };
}

function payable(platform: MockPlatform) {
  return platform.payments.createParams({ amount: '12.50', currencyCode: 'MXN' });
}

test('the outcome of a hundred POSTs with the response 421 that create nothing is unknown, until a person releases them', async () => {
  const { time, platform, journal, corridor } = setUp(false);
  const payments = Array.from({ length: 100 }, () => payable(platform));
  const pay = () =>
    time.run(() =>
      Promise.allSettled(payments.map((payment) => corridor.payments.createOnce(payment, { consistencyWindow: 0 }))),
    );

  const errors = (await pay()).map((result) =>
    result.status === 'rejected' ? (result.reason as ApiError) : undefined,
  );
  expect(new Set(errors.map((error) => `${error?.code} ${error?.outcome}`))).toEqual(
    new Set(['payment-outcome-unknown unknown']),
  );
  expect(platform.payments.all()).toEqual([]);
  const pending = await journal.listPending();
  expect(pending).toHaveLength(100);
  await time.run(() => time.wait(60 * 60_000));
  for (const intent of pending)
    expect(await time.run(() => corridor.payments.releaseIntent(intent, { confirmedBy: 'Ada' }))).toEqual({
      status: 'released',
    });
  expect(await journal.listPending()).toEqual([]);
});

test('a payment that was created despite the response 421 is returned', async () => {
  const { platform, journal, createOnce, payment } = setUp(true);

  expect(await createOnce(payment)).toMatchObject({ created: true, recovered: true });
  expect(await createOnce(payment)).toMatchObject({ created: false });
  expect(platform.payments.all()).toHaveLength(1);
  expect(await journal.listPending()).toEqual([]);
});

test('a payment that was created despite the response 421 and appears in the list within the window is returned', async () => {
  const { platform, journal, createOnce, payment } = setUp(true, { listLag: { seconds: 8 } });

  expect(await createOnce(payment, 10_000)).toMatchObject({ created: true, recovered: true });
  expect(await createOnce(payment, 10_000)).toMatchObject({ created: false });
  expect(platform.payments.all()).toHaveLength(1);
  expect(await journal.listPending()).toEqual([]);
});

test('a 421 stays unknown if the list cannot be read', async () => {
  const { platform, journal, createOnce, payment } = setUp(false);
  platform.faults.always('payments.list', { kind: 'status', status: 403 });

  await expect(createOnce(payment)).rejects.toMatchObject({ code: 'payment-outcome-unknown' });
  expect(await journal.listPending()).toHaveLength(1);
});

test('a 421 stays unknown if the total timeout leaves no time for the whole consistency window', async () => {
  const { time, platform, journal, corridor, createOnce, payment } = setUp(true, { listLag: { seconds: 9 } });

  // The last search begins after 8 seconds, because a third of the total timeout is reserved for it.
  await expect(createOnce(payment, 10_000, 12_000)).rejects.toMatchObject({
    code: 'payment-outcome-unknown',
    outcome: 'unknown',
  });
  expect(await journal.listPending()).toHaveLength(1);
  await time.run(() => time.wait(10_000));
  expect(await time.run(() => corridor.payments.reconcilePending())).toMatchObject([{ status: 'created' }]);
  expect(platform.payments.all()).toHaveLength(1);
});
