import { Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { clientOf, payablePayment, platformAtStart } from '../fixture.ts';
import { call, send } from '../sign.ts';
import { busy } from './busy.ts';

test('stall-body: no timer remains when the body is cancelled', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const platform = createMockPlatform();
  platform.faults.next('crypto.networks', { kind: 'stall-body' });
  const { body } = await send(platform.clientOptions(), { path: '/api/v1/crypto/networks' });
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  const pending = reader.read();
  await reader.cancel();
  expect(await pending).toEqual({ done: true, value: undefined });
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe('slow', () => {
  afterEach(() => void vi.useRealTimers());

  test('works with a delay longer than the maximum of setTimeout', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    const platform = createMockPlatform();
    platform.faults.next('crypto.networks', { kind: 'slow', delay: 3_000_000_000 });
    const isResolved = vi.fn();
    const response = call(platform.clientOptions(), { path: '/api/v1/crypto/networks' }).then(isResolved);
    await vi.waitFor(() => expect(platform.requests[0]?.status).toBe(200));
    await vi.advanceTimersByTimeAsync(2_000_000_000);
    expect(isResolved).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(200_000_000);
    await response;
    expect(isResolved).toHaveBeenCalledOnce();
  });
});

describe('acked-but-lost', () => {
  test('of a payment leaves no scheduled transitions', async () => {
    const platform = platformAtStart();
    platform.payments.scheduleTransitionsOnCreate(['APPROVED'], { every: { minutes: 1 } });
    platform.faults.next('payments.create', { kind: 'acked-but-lost' });
    await clientOf(platform).payments.create(payablePayment(platform));
    expect(platform.snapshot()).toHaveProperty('organizations.0.schedule.plans', []);
  });
});

describe('late-commit', () => {
  test('applies a deletion and a reply, each at its time', async () => {
    const platform = platformAtStart();
    const [document, ticket] = [platform.documents.add(), platform.tickets.add()];
    platform.faults.next('*', { kind: 'late-commit', after: 60_000 }, 2);
    await clientOf(platform)
      .support.reply(ticket.id, { bodyText: 'Hello' })
      .catch(() => undefined);
    await clientOf(platform)
      .documents.delete(document.id)
      .catch(() => undefined);
    const kept = (): unknown[] => [
      platform.documents.get(document.id)?.id,
      platform.tickets.get(ticket.id)?.replies.length,
    ];
    const before = kept();
    platform.clock.advance({ minutes: 1 });
    expect([before, kept()]).toEqual([
      [document.id, ticket.replies.length],
      [undefined, ticket.replies.length + 1],
    ]);
  });

  test('waits while the clock is stopped, and is discarded when an earlier snapshot is restored', async () => {
    const platform = platformAtStart();
    const payment = payablePayment(platform);
    const before = platform.snapshot();
    platform.faults.next('payments.create', { kind: 'late-commit', after: 1 });
    await clientOf(platform)
      .payments.create(payment)
      .catch(() => undefined);
    expect(platform.payments.all()).toEqual([]);
    platform.restore(before);
    platform.clock.advance({ minutes: 1 });
    expect(platform.payments.all()).toEqual([]);
  });
});

test('a restore during a hang discards the request', async () => {
  const platform = platformAtStart();
  const payment = payablePayment(platform);
  const before = platform.snapshot();
  platform.faults.next('payments.create', { kind: 'hang-after-commit' });
  const leaving = new AbortController();
  const hanging = new Corridor(platform.clientOptions({ time: 'real' })).payments
    .create(payment, { signal: leaving.signal })
    .catch((error: { code: string }) => error.code);
  await vi.waitFor(() => expect(platform.payments.all()).toHaveLength(1));
  platform.restore(before);
  leaving.abort();
  expect(await hanging).toBe('aborted');
  expect(platform.payments.all()).toEqual([]);
  await expect(clientOf(platform).payments.create(payment)).resolves.toMatchObject({
    paymentQuoteId: payment.paymentQuoteId,
  });
});

test('a clock skew never applies to concurrent requests after their authentication', async () => {
  const platform = createMockPlatform();
  platform.faults.sequence('crypto.networks', [busy, { kind: 'clock-skew', seconds: 900 }]);
  await Promise.allSettled(Array.from({ length: 5 }, () => clientOf(platform).crypto.networks()));
  expect(platform.requests.filter(({ fault, status }) => fault === 'clock-skew' && status === 200)).toEqual([]);
  expect(platform.requests.filter(({ fault }) => fault === 'status')).toHaveLength(1);
});
