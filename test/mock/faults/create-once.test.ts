import { Corridor, PaymentOutcomeUnknownError } from 'corridor-sdk';
import { createMockPlatform, type MockFault } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { InstantDelays } from '../../support/instant-delays.ts';
import { payablePayment } from '../fixture.ts';

const faults: readonly MockFault[] = [
  { kind: 'rate-limit', retryAfterSeconds: 1 },
  { kind: 'reset-after-commit' },
  { kind: 'late-commit', after: 3000 },
  { kind: 'slow', delay: 1 },
  { kind: 'cut-body' },
  { kind: 'response', body: '{', headers: { 'content-type': 'application/json' } },
  { kind: 'response', body: '<title>Sign in</title>', headers: { 'content-type': 'text/html' } },
  { kind: 'response', patch: { id: 5 } },
  { kind: 'response', patch: { addedByThePlatform: 1 } },
  { kind: 'response', patch: { status: 'STATUS_OF_TOMORROW' } },
];

test.concurrent.each<MockFault>([
  { kind: 'status', status: 503 },
  { kind: 'reset' },
  { kind: 'response', status: 307, headers: { location: 'https://elsewhere.example/' } },
  { kind: 'hang' },
])('createOnce creates no payment, and reports that its outcome is unknown, after the fault $kind', async (fault) => {
  const platform = createMockPlatform();
  platform.faults.next('payments.create', fault);
  const corridor = new Corridor({ ...platform.clientOptions(), timeout: 1000 });
  const call = corridor.payments.createOnce(payablePayment(platform), { consistencyWindow: 0 });
  await expect(call).rejects.toBeInstanceOf(PaymentOutcomeUnknownError);
  expect(platform.payments.all()).toEqual([]);
  expect(platform.requests.to('payments.create')).toHaveLength(1);
});

describe('createOnce creates exactly one payment despite the fault', () => {
  test.each(faults)('$kind', async (fault) => {
    const time = new InstantDelays();
    const platform = createMockPlatform({ now: () => time.time });
    platform.faults.next('payments.create', fault);
    const corridor = new Corridor({ ...platform.clientOptions(), ...time.options });
    const { payment } = await corridor.payments.createOnce(payablePayment(platform));
    expect(platform.payments.all().map(({ id }) => id)).toEqual([payment.id]);
    expect(platform.faults.list()).toMatchObject([{ fault, remaining: 0, hits: 1 }]);
  });

  // These faults send no response, so each attempt lasts until the client's timeout.
  test.concurrent.each<MockFault>([{ kind: 'hang-after-commit' }, { kind: 'stall-body' }])('$kind', async (fault) => {
    const platform = createMockPlatform();
    platform.faults.next('payments.create', fault);
    const corridor = new Corridor({ ...platform.clientOptions(), timeout: 1000 });
    const { payment } = await corridor.payments.createOnce(payablePayment(platform), {
      consistencyWindow: 0,
    });
    expect(platform.payments.all().map(({ id }) => id)).toEqual([payment.id]);
  });

  test('clock-skew', async () => {
    const platform = createMockPlatform();
    platform.faults.always('*', { kind: 'clock-skew', seconds: -900 });
    const { payment } = await new Corridor(platform.clientOptions()).payments.createOnce(payablePayment(platform));
    expect(platform.payments.all().map(({ id }) => id)).toEqual([payment.id]);
    expect(platform.requests.to('payments.create').map(({ status }) => status)).toEqual([401, 201]);
  });

  test('acked-but-lost looks like a success to the client, but find shows that the payment does not exist', async () => {
    const platform = createMockPlatform();
    platform.faults.next('payments.create', { kind: 'acked-but-lost' });
    const corridor = new Corridor(platform.clientOptions());
    const { payment, created } = await corridor.payments.createOnce(payablePayment(platform));
    expect({ created, kept: platform.payments.all() }).toEqual({ created: true, kept: [] });
    expect(await corridor.payments.find({ id: payment.id })).toBeUndefined();
  });
});

describe('a client that follows payments tolerates', () => {
  test('faults between the polls of changes', async () => {
    const time = new InstantDelays(80_000);
    const platform = createMockPlatform({ now: () => time.time });
    const corridor = new Corridor({ ...platform.clientOptions(), ...time.options, timeout: 85_000 });
    const { id } = platform.payments.add();
    platform.payments.scheduleTransitions(id, ['APPROVED', 'PROCESSING', 'COMPLETED'], { every: { seconds: 60 } });
    platform.faults.sequence('payments.list', [
      'ok',
      { kind: 'cut-body' },
      'ok',
      { kind: 'response', body: '{', headers: { 'content-type': 'application/json' } },
    ]);
    const seen: string[] = [];
    for await (const { payment } of corridor.payments.changes({
      since: new Date(time.time - 1000).toISOString(),
      pollInterval: 20_000,
    })) {
      seen.push(payment.status);
      if (payment.status === 'COMPLETED') break;
    }
    expect(seen).toEqual(['PENDING_REVIEW', 'APPROVED', 'PROCESSING', 'COMPLETED']);
  });
});
