import { Corridor } from 'corridor-sdk';
import { createMockPlatform, MockPlatformError, type TransitionTrigger, type MockPlatform } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { InstantDelays } from '../../support/instant-delays.ts';
import { payablePayment, platformAtStart, start } from '../fixture.ts';

const after = (minutes: number): string => new Date(Date.parse(start) + minutes * 60_000).toISOString();
const clientOf = (platform: MockPlatform): Corridor => new Corridor(platform.clientOptions());

describe('a payment with transitions scheduled by the clock', () => {
  test('makes each transition when it is due, with the time of then', () => {
    const platform = platformAtStart();
    const { id } = platform.payments.add();
    platform.payments.scheduleTransitions(id, ['APPROVED', 'PROCESSING', 'COMPLETED'], { every: { minutes: 5 } });
    const seen = [4, 1, 5, 4, 1, 60].map((minutes) => {
      platform.clock.advance({ minutes });
      const { status, updatedAt } = platform.payments.get(id) ?? {};
      return [status, updatedAt];
    });
    expect(seen).toEqual([
      ['PENDING_REVIEW', start],
      ['APPROVED', after(5)],
      ['PROCESSING', after(10)],
      ['PROCESSING', after(10)],
      ['COMPLETED', after(15)],
      ['COMPLETED', after(15)],
    ]);
  });

  test('shows its transitions to a client as they happen', async () => {
    const platform = platformAtStart();
    const { id } = platform.payments.add();
    platform.payments.scheduleTransitions(id, ['APPROVED', 'PROCESSING'], { every: { hours: 1 } });
    platform.clock.advance({ hours: 1 });
    expect((await clientOf(platform).payments.list()).items).toMatchObject([{ id, status: 'APPROVED' }]);
    platform.clock.advance({ hours: 1 });
    expect((await clientOf(platform).payments.list({ status: 'PROCESSING' })).items).toMatchObject([{ id }]);
  });

  test('follows a running clock', () => {
    let now = Date.parse(start);
    const platform = createMockPlatform({ now: () => now });
    const { id } = platform.payments.add();
    platform.payments.scheduleTransitions(id, ['APPROVED'], { every: { seconds: 30 } });
    now += 31_000;
    expect(platform.payments.get(id)?.status).toBe('APPROVED');
  });

  test('makes the transitions of years at once, in order', () => {
    const platform = platformAtStart();
    const ids = platform.payments.addMany(200).map(({ id }) => id);
    for (const id of ids)
      platform.payments.scheduleTransitions(
        id,
        ['CORRECTION_NEEDED', 'PENDING_REVIEW', 'APPROVED', 'PROCESSING', 'COMPLETED', 'RETURNED'],
        { every: { days: 30 } },
      );
    platform.clock.advance({ days: 3650 });
    expect(new Set(platform.payments.all().map(({ status, updatedAt }) => `${status} ${updatedAt}`))).toEqual(
      new Set([`RETURNED ${after(30 * 24 * 60 * 6)}`]),
    );
  });

  test('follows a new schedule instead, or none if it is empty', () => {
    const platform = platformAtStart();
    const { id } = platform.payments.add();
    platform.payments.scheduleTransitions(id, ['REJECTED'], { every: { minutes: 1 } });
    platform.payments.scheduleTransitions(id, ['APPROVED', 'CANCELLED'], { every: { minutes: 1 } });
    platform.clock.advance({ minutes: 1 });
    expect(platform.payments.get(id)?.status).toBe('APPROVED');
    platform.payments.scheduleTransitions(id, [], { every: { minutes: 1 } });
    platform.clock.advance({ minutes: 10 });
    expect(platform.payments.get(id)?.status).toBe('APPROVED');
  });

  test('keeps the status that the test set, if the next transition is not allowed from there', () => {
    const platform = platformAtStart();
    const { id } = platform.payments.add();
    platform.payments.scheduleTransitions(id, ['APPROVED', 'PROCESSING'], { every: { minutes: 1 } });
    platform.payments.transition(id, 'CANCELLED');
    platform.clock.advance({ minutes: 10 });
    expect(platform.payments.get(id)?.status).toBe('CANCELLED');
  });

  test('continues after a snapshot is restored', () => {
    const platform = platformAtStart();
    const { id } = platform.payments.add();
    platform.payments.scheduleTransitions(id, ['APPROVED', 'PROCESSING'], { every: { minutes: 5 } });
    platform.clock.advance({ minutes: 6 });
    const snapshot = JSON.parse(JSON.stringify(platform.snapshot())) as ReturnType<MockPlatform['snapshot']>;
    platform.reset();
    platform.restore(snapshot);
    expect(platform.payments.get(id)?.status).toBe('APPROVED');
    platform.clock.advance({ minutes: 5 });
    expect(platform.payments.get(id)).toMatchObject({ status: 'PROCESSING', updatedAt: after(10) });
  });

  test('makes no more transitions after a reset', () => {
    const platform = platformAtStart();
    platform.payments.scheduleTransitions(platform.payments.add({ id: 'pay_1' }).id, ['APPROVED'], {
      every: { minutes: 5 },
    });
    platform.reset();
    platform.clock.set(start);
    platform.payments.add({ id: 'pay_1' });
    platform.clock.advance({ hours: 1 });
    expect(platform.payments.get('pay_1')?.status).toBe('PENDING_REVIEW');
  });
});

describe('scheduled transitions', () => {
  test('of a customer are listed in its activity, each with its time', () => {
    const platform = platformAtStart();
    const { id } = platform.customers.add({ status: 'DRAFT' });
    platform.customers.scheduleTransitions(id, ['PENDING_REVIEW', 'APPROVED'], { every: { hours: 2 } });
    platform.clock.advance({ days: 1 });
    expect(platform.customers.activity(id)).toMatchObject([
      { fromStatus: 'PENDING_REVIEW', toStatus: 'APPROVED', createdAt: after(240) },
      { fromStatus: 'DRAFT', toStatus: 'PENDING_REVIEW', createdAt: after(120) },
    ]);
  });

  test('of a beneficiary follow the clock', () => {
    const platform = platformAtStart();
    const { id } = platform.beneficiaries.add({ status: 'PENDING_REVIEW' });
    platform.beneficiaries.scheduleTransitions(id, ['REJECTED'], { every: { days: 1 } });
    platform.clock.advance({ days: 1 });
    expect(platform.beneficiaries.get(id)).toMatchObject({
      status: 'REJECTED',
      version: 2,
      updatedAt: after(24 * 60),
    });
  });

  test('apply to every payment that a client creates', async () => {
    const platform = platformAtStart();
    platform.payments.scheduleTransitionsOnCreate(['APPROVED', 'PROCESSING', 'COMPLETED'], { every: { minutes: 10 } });
    const corridor = clientOf(platform);
    const { id } = await corridor.payments.create(payablePayment(platform));
    const added = platform.payments.add();
    platform.clock.advance({ minutes: 30 });
    expect([platform.payments.get(id)?.status, platform.payments.get(added.id)?.status]).toEqual([
      'COMPLETED',
      'PENDING_REVIEW',
    ]);
    platform.payments.scheduleTransitionsOnCreate([], { every: { minutes: 10 } });
    const later = await corridor.payments.create(payablePayment(platform));
    platform.clock.advance({ days: 1 });
    expect(platform.payments.get(later.id)?.status).toBe('PENDING_REVIEW');
  });

  test('let a client wait for a payment to complete', async () => {
    const time = new InstantDelays(40_000);
    const platform = createMockPlatform({ now: () => time.time });
    platform.payments.scheduleTransitionsOnCreate(['APPROVED', 'PROCESSING', 'COMPLETED'], { every: { minutes: 10 } });
    const corridor = new Corridor({ ...platform.clientOptions(), ...time.options, timeout: 50_000 });
    const payment = await corridor.payments.create(payablePayment(platform));
    const done = await corridor.payments.waitForStatus(payment, { until: ['COMPLETED'], maxWait: 3_600_000 });
    expect(done).toMatchObject({ id: payment.id, status: 'COMPLETED' });
  });

  test('of two organizations do not affect each other', () => {
    const platform = platformAtStart();
    const acme = platform.organization();
    const [one, other] = [platform.payments.add({ id: 'pay_1' }), acme.payments.add({ id: 'pay_1' })];
    acme.payments.scheduleTransitions(other.id, ['APPROVED'], { every: { minutes: 1 } });
    platform.clock.advance({ minutes: 1 });
    expect([platform.payments.get(one.id)?.status, acme.payments.get(other.id)?.status]).toEqual([
      'PENDING_REVIEW',
      'APPROVED',
    ]);
  });
});

describe('transitions whose next step becomes impossible', () => {
  const minutely = { every: { minutes: 1 } };
  const canceledNow = (of: string, id: string, statuses: readonly string[]): object => ({
    kind: 'transition',
    state: 'cancelled',
    of,
    id,
    statuses,
    at: start,
  });

  test.each<[string, TransitionTrigger, (platform: MockPlatform, id: string) => unknown]>([
    ['a transition', minutely, ({ payments }, id) => payments.transition(id, 'CANCELLED')],
    ['an update', minutely, ({ payments }, id) => payments.update(id, { status: 'COMPLETED' })],
    [
      'another table',
      minutely,
      (platform) => platform.configure({ transitions: { payments: { PENDING_REVIEW: [] } } }),
    ],
  ])('by %s are canceled at once, stay listed and do not happen', async (_, trigger, change) => {
    const platform = platformAtStart();
    const { id } = platform.payments.add();
    platform.payments.scheduleTransitions(id, ['APPROVED', 'PROCESSING'], trigger);
    change(platform, id);
    const canceled = [canceledNow('payments', id, ['APPROVED', 'PROCESSING'])];
    expect(platform.scheduled()).toEqual(canceled);
    platform.payments.update(id, { status: 'PENDING_REVIEW' });
    platform.configure({ transitions: undefined });
    platform.clock.advance({ hours: 1 });
    await clientOf(platform).payments.list();
    expect(platform.payments.get(id)?.status).toBe('PENDING_REVIEW');
    expect(platform.scheduled()).toEqual(canceled);
  });

  test('are canceled for customers and beneficiaries, too', () => {
    const platform = platformAtStart();
    for (const kind of ['customers', 'beneficiaries'] as const) {
      const { id } = platform[kind].add({ status: 'PENDING_REVIEW' });
      platform[kind].scheduleTransitions(id, ['APPROVED', 'SUSPENDED'], minutely);
      platform[kind].transition(id, 'REJECTED');
      expect(platform.scheduled().at(-1)).toEqual(canceledNow(kind, id, ['APPROVED', 'SUSPENDED']));
    }
  });

  test('are canceled for a created payment whose status does not allow the first step', async () => {
    const platform = platformAtStart();
    platform.payments.scheduleTransitionsOnCreate(['APPROVED'], minutely);
    platform.configure({ createdStatus: 'APPROVED' });
    const { id } = await clientOf(platform).payments.create(payablePayment(platform));
    expect(platform.scheduled()).toEqual([canceledNow('payments', id, ['APPROVED'])]);
  });

  test('stay scheduled after a change that leaves the next step possible', () => {
    const platform = platformAtStart();
    const { id } = platform.payments.add();
    platform.payments.scheduleTransitions(id, ['REJECTED'], minutely);
    platform.payments.transition(id, 'CORRECTION_NEEDED');
    platform.payments.update(id, { memo: 'Checked' });
    expect(platform.scheduled()).toMatchObject([{ state: 'scheduled', at: after(1) }]);
    platform.clock.advance({ minutes: 1 });
    expect([platform.payments.get(id)?.status, platform.scheduled()]).toEqual(['REJECTED', []]);
  });

  test('are forgotten with the record, and replaced by a new schedule or by none', () => {
    const platform = platformAtStart();
    const [removed, replaced, ended] = platform.payments.addMany(3).map(({ id }) => id) as [string, string, string];
    for (const id of [removed, replaced, ended]) {
      platform.payments.scheduleTransitions(id, ['APPROVED'], minutely);
      platform.payments.transition(id, 'CORRECTION_NEEDED');
    }
    expect(platform.scheduled().map((event) => event.kind === 'transition' && event.state)).toEqual(
      Array(3).fill('cancelled'),
    );
    platform.payments.remove(removed);
    platform.payments.scheduleTransitions(replaced, ['PENDING_REVIEW'], minutely);
    platform.payments.scheduleTransitions(ended, [], minutely);
    expect(platform.scheduled()).toMatchObject([{ state: 'scheduled', id: replaced }]);
  });

  test('stay canceled in a snapshot', () => {
    const platform = platformAtStart();
    const { id } = platform.payments.add();
    platform.payments.scheduleTransitions(id, ['APPROVED'], minutely);
    platform.payments.transition(id, 'CORRECTION_NEEDED');
    const snapshot = JSON.parse(JSON.stringify(platform.snapshot())) as ReturnType<MockPlatform['snapshot']>;
    platform.reset();
    platform.restore(snapshot);
    platform.payments.transition(id, 'PENDING_REVIEW');
    platform.clock.advance({ hours: 1 });
    platform.payments.transition(id, 'CANCELLED');
    expect(platform.scheduled()).toEqual([canceledNow('payments', id, ['APPROVED'])]);
  });

  test('are canceled when they are restored on a platform with another table', () => {
    const original = platformAtStart();
    const { id } = original.payments.add();
    original.payments.scheduleTransitions(id, ['APPROVED'], minutely);
    const platform = platformAtStart({ transitions: { payments: { PENDING_REVIEW: ['REJECTED'] } } });
    platform.restore(original.snapshot());
    expect(platform.scheduled()).toEqual([canceledNow('payments', id, ['APPROVED'])]);
    platform.clock.advance({ hours: 1 });
    expect(platform.payments.get(id)?.status).toBe('PENDING_REVIEW');
  });

  test('are listed at the time when they were canceled', () => {
    const platform = platformAtStart();
    const [first, second] = platform.payments.addMany(2).map(({ id }) => id) as [string, string];
    platform.payments.scheduleTransitions(first, ['APPROVED'], minutely);
    platform.payments.scheduleTransitions(second, ['APPROVED'], { every: { hours: 1 } });
    platform.clock.advance({ seconds: 30 });
    platform.payments.transition(second, 'REJECTED');
    expect(platform.scheduled()).toMatchObject([
      { state: 'cancelled', id: second, at: after(0.5) },
      { state: 'scheduled', id: first, at: after(1) },
    ]);
  });
});

describe('scheduling throws for', () => {
  const everyMinute: TransitionTrigger = { every: { minutes: 1 } };
  test.each<[string, (platform: MockPlatform, id: string) => void, string]>([
    [
      'a transition that the table does not allow',
      ({ payments }, id) => payments.scheduleTransitions(id, ['APPROVED', 'COMPLETED'], everyMinute),
      'payments.scheduleTransitions: the transition from APPROVED to COMPLETED is not allowed (allowed: PROCESSING, CANCELLED',
    ],
    [
      'a first transition that the table does not allow',
      ({ payments }, id) => payments.scheduleTransitions(id, ['COMPLETED'], everyMinute),
      'payments.scheduleTransitions: the transition from PENDING_REVIEW to COMPLETED is not allowed',
    ],
    [
      'a transition of created payments that the table does not allow',
      ({ payments }) => payments.scheduleTransitionsOnCreate(['PROCESSING'], everyMinute),
      'payments.scheduleTransitionsOnCreate: the transition from PENDING_REVIEW to PROCESSING is not allowed',
    ],
    [
      'an unknown payment',
      ({ payments }) => payments.scheduleTransitions('pay_0', ['APPROVED'], everyMinute),
      'payments.scheduleTransitions: id "pay_0" does not exist in this organization',
    ],
    [
      'an unknown customer',
      ({ customers }) => customers.scheduleTransitions('cus_0', ['APPROVED'], everyMinute),
      'customers.scheduleTransitions: id "cus_0" does not exist in this organization',
    ],
    [
      'an unknown beneficiary',
      ({ beneficiaries }) => beneficiaries.scheduleTransitions('ben_0', ['APPROVED'], everyMinute),
      'beneficiaries.scheduleTransitions: id "ben_0" does not exist in this organization',
    ],
    [
      'no trigger',
      ({ payments }, id) => payments.scheduleTransitions(id, ['APPROVED'], undefined as never),
      'payments.scheduleTransitions: trigger is required: it must be an object such as { every: { minutes: 5 } }',
    ],
    [
      'another trigger',
      ({ payments }, id) =>
        payments.scheduleTransitions(id, ['APPROVED'], { every: { minutes: 1 }, reads: 1 } as never),
      'payments.scheduleTransitions: trigger.reads is not a known field',
    ],
    [
      'an empty duration',
      ({ payments }, id) => payments.scheduleTransitions(id, ['APPROVED'], { every: {} }),
      'payments.scheduleTransitions: trigger.every must be a duration greater than 0',
    ],
    [
      'a duration beyond the years of timestamps',
      ({ payments }, id) => payments.scheduleTransitions(id, ['APPROVED'], { every: { days: 1e15 } }),
      'payments.scheduleTransitions: trigger.every must be a duration greater than 0 and at most 1e9 seconds',
    ],
    [
      'an unknown unit',
      ({ payments }, id) => payments.scheduleTransitions(id, ['APPROVED'], { every: { weeks: 1 } as never }),
      'payments.scheduleTransitions: trigger.every.weeks is not a known field',
    ],
  ])('%s', (_, act, message) => {
    const platform = platformAtStart();
    const { id } = platform.payments.add();
    expect(() => act(platform, id)).toThrow(MockPlatformError);
    expect(() => act(platform, id)).toThrow(message);
  });
});
