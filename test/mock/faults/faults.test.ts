import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { InstantDelays } from '../../support/instant-delays.ts';
import { clientOf, payablePayment, platformAtStart, start } from '../fixture.ts';

describe('a fault', () => {
  test('status responds with the body that was passed', async () => {
    const platform = createMockPlatform();
    platform.faults.next('crypto.networks', {
      kind: 'status',
      status: 422,
      body: { error: { code: 'limit', message: 'too much' } },
    });
    await expect(clientOf(platform).crypto.networks()).rejects.toMatchObject({ status: 422, platformCode: 'limit' });
  });

  test('rate-limit sets retry-after, and the client retries after that delay', async () => {
    const platform = createMockPlatform();
    platform.faults.next('crypto.networks', { kind: 'rate-limit', retryAfterSeconds: 7 });
    await expect(clientOf(platform).crypto.networks()).rejects.toMatchObject({ status: 429, retryAfterMs: 7_000 });
  });

  test('acked-but-lost: the payment is returned but does not exist, its quote is unused, and its id is not reused', async () => {
    const platform = createMockPlatform();
    const payment = payablePayment(platform);
    platform.faults.next('payments.create', { kind: 'acked-but-lost' });
    const lost = await clientOf(platform).payments.create(payment);
    expect(platform.payments.all()).toEqual([]);
    expect(platform.quotes.get(payment.paymentQuoteId)?.usedAt).toBeNull();
    const made = await clientOf(platform).payments.create(payment);
    expect(made.id).not.toBe(lost.id);
    expect(platform.payments.all()).toHaveLength(1);
  });

  test('late-commit: the payment appears after the delay, with the time of then', async () => {
    const platform = platformAtStart();
    const payment = payablePayment(platform);
    platform.faults.next('payments.create', { kind: 'late-commit', after: 90_000 });
    await expect(clientOf(platform).payments.create(payment)).rejects.toMatchObject({ outcome: 'unknown' });
    expect(platform.payments.all()).toEqual([]);
    platform.clock.advance({ minutes: 5 });
    expect(platform.payments.all()).toMatchObject([
      { paymentQuoteId: payment.paymentQuoteId, createdAt: new Date(Date.parse(start) + 90_000).toISOString() },
    ]);
  });

  test('late-commit: a request that is invalid by then has no effect', async () => {
    const platform = platformAtStart();
    const payment = payablePayment(platform);
    platform.faults.next('payments.create', { kind: 'late-commit', after: 3_600_000 });
    await expect(clientOf(platform).payments.create(payment)).rejects.toMatchObject({ outcome: 'unknown' });
    expect(platform.requests.at(-1)).toMatchObject({ fault: 'late-commit', error: undefined });
    platform.clock.advance({ hours: 2 });
    expect(platform.payments.all()).toEqual([]);
    expect(platform.requests.at(-1)).toMatchObject({
      fault: 'late-commit',
      status: undefined,
      error: { code: 'quote_expired', message: expect.stringContaining('expired') as unknown },
    });
  });

  /** Plans a late commit that fails, because the quote is used by then. */
  async function failingLater(platform: MockPlatform): Promise<void> {
    const payment = payablePayment(platform);
    platform.faults.next('payments.create', { kind: 'late-commit', after: 60_000 });
    await clientOf(platform)
      .payments.create(payment)
      .catch(() => undefined);
    platform.payments.add({ paymentQuoteId: payment.paymentQuoteId });
  }

  test('late-commit: a failure is in the requests as soon as the test moves the clock', async () => {
    const platform = platformAtStart();
    await failingLater(platform);
    const entry = platform.requests.at(-1);
    platform.clock.advance({ seconds: 59 });
    expect(entry).toMatchObject({ error: undefined });
    platform.clock.advance({ seconds: 1 });
    expect(entry).toMatchObject({ error: { code: 'quote_used' } });
  });

  test.each<[string, (platform: MockPlatform) => void]>([
    ['set', ({ clock }) => clock.set('2026-03-01T09:01:00Z')],
    ['freeze', ({ clock }) => clock.freeze('2026-03-01T09:01:00Z')],
  ])('late-commit: a failure is in the requests after clock.%s', async (_, move) => {
    const platform = platformAtStart();
    await failingLater(platform);
    const entry = platform.requests.at(-1);
    move(platform);
    expect(entry).toMatchObject({ error: { code: 'quote_used' } });
  });

  test.each<[string, (platform: MockPlatform) => readonly unknown[]]>([
    ['the platform', ({ requests }) => requests],
    ['its organization', ({ organizations }) => organizations[0]?.requests ?? []],
  ])('late-commit: a failure while the clock runs is in the requests of %s', async (_, requestsOf) => {
    let now = Date.parse(start);
    const platform = createMockPlatform({ now: () => now });
    await failingLater(platform);
    now += 60_000;
    expect(requestsOf(platform).at(-1)).toMatchObject({ error: { code: 'quote_used' } });
  });

  test('late-commit survives a snapshot', async () => {
    const platform = platformAtStart();
    platform.faults.next('payments.create', { kind: 'late-commit', after: 60_000 });
    await clientOf(platform)
      .payments.create(payablePayment(platform))
      .catch(() => undefined);
    const snapshot = platform.snapshot();
    platform.reset();
    platform.restore(snapshot);
    platform.clock.advance({ minutes: 2 });
    expect(platform.payments.all()).toHaveLength(1);
  });

  test('clock-skew: a client corrects its clock, signs again and succeeds', async () => {
    const platform = createMockPlatform();
    platform.faults.always('crypto.networks', { kind: 'clock-skew', seconds: 900 });
    await expect(clientOf(platform).crypto.networks()).resolves.not.toEqual([]);
    expect(platform.requests.map(({ error }) => error?.code)).toEqual(['token_expired', undefined]);
  });

  test('an unknown field and status are reported as drift, and the call succeeds', async () => {
    const platform = createMockPlatform();
    platform.payments.addMany(2);
    platform.faults.sequence('payments.list', [
      { kind: 'response', patch: { items: { '*': { addedByThePlatform: true } } } },
      { kind: 'response', patch: { items: { 0: { status: 'STATUS_OF_TOMORROW' } } } },
    ]);
    const drift: string[] = [];
    const corridor = clientOf(platform, { onDrift: ({ path, kind }) => drift.push(`${kind} ${path}`) });
    await corridor.payments.list();
    const [payment] = (await corridor.payments.list()).items;
    expect(payment?.status).toBe('STATUS_OF_TOMORROW');
    expect(drift).toEqual([
      'unknown-field items[0].addedByThePlatform',
      'unknown-field items[1].addedByThePlatform',
      'unknown-value items[0].status',
    ]);
  });

  test('after a deletion whose response is lost, the retry finds no document, which is a success', async () => {
    const platform = createMockPlatform();
    const { id } = platform.documents.add();
    platform.faults.next('documents.delete', { kind: 'reset-after-commit' });
    await clientOf(platform, {
      maxRetries: 1,
      ...new InstantDelays().options,
      now: () => platform.clock.now(),
    }).documents.delete(id);
    expect(platform.requests.to('documents.delete').map(({ status }) => status)).toEqual([204, 404]);
  });
});
