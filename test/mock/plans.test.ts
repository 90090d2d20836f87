import { Corridor } from 'corridor-sdk';
import { createMockPlatform, MockPlatformError, type MockPace, type MockPlatform } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { VirtualTime } from '../reliability/virtual-time.js';
import { payablePayment, platformAtStart, start } from './fixture.js';

const after = (minutes: number): string => new Date(Date.parse(start) + minutes * 60_000).toISOString();
const clientOf = (platform: MockPlatform): Corridor => new Corridor(platform.clientOptions());

describe('a payment that is planned on the clock', () => {
  test('takes each step when it is due, as of then', () => {
    const platform = platformAtStart();
    const { id } = platform.payments.add();
    platform.payments.plan(id, ['APPROVED', 'PROCESSING', 'COMPLETED'], { every: { minutes: 5 } });
    const seen = [4, 1, 5, 4, 1, 60].map((minutes) => {
      platform.clock.advance({ minutes });
      const { status, updatedAt } = platform.payments.get(id) ?? {};
      return [status, updatedAt];
    });
    expect(seen).toEqual([
      ['PENDING_REVIEW', start], ['APPROVED', after(5)], ['PROCESSING', after(10)], ['PROCESSING', after(10)], ['COMPLETED', after(15)], ['COMPLETED', after(15)],
    ]);
  });

  test('shows its steps to a client as they come', async () => {
    const platform = platformAtStart();
    const { id } = platform.payments.add();
    platform.payments.plan(id, ['APPROVED', 'PROCESSING'], { every: { hours: 1 } });
    platform.clock.advance({ hours: 1 });
    expect((await clientOf(platform).payments.list()).items).toMatchObject([{ id, status: 'APPROVED' }]);
    platform.clock.advance({ hours: 1 });
    expect((await clientOf(platform).payments.list({ status: 'PROCESSING' })).items).toMatchObject([{ id }]);
  });

  test('follows a clock that runs', () => {
    let now = Date.parse(start);
    const platform = createMockPlatform({ now: () => now });
    const { id } = platform.payments.add();
    platform.payments.plan(id, ['APPROVED'], { every: { seconds: 30 } });
    now += 31_000;
    expect(platform.payments.get(id)?.status).toBe('APPROVED');
  });

  test('takes all the steps of years at once, in order', () => {
    const platform = platformAtStart();
    const ids = platform.payments.addMany(200).map(({ id }) => id);
    for (const id of ids) platform.payments.plan(id, ['CORRECTION_NEEDED', 'PENDING_REVIEW', 'APPROVED', 'PROCESSING', 'COMPLETED', 'RETURNED'], { every: { days: 30 } });
    platform.clock.advance({ days: 3650 });
    expect(new Set(platform.payments.all().map(({ status, updatedAt }) => `${status} ${updatedAt}`))).toEqual(new Set([`RETURNED ${after(30 * 24 * 60 * 6)}`]));
  });

  test('is moved by a new plan instead, and by none where the plan is empty', () => {
    const platform = platformAtStart();
    const { id } = platform.payments.add();
    platform.payments.plan(id, ['REJECTED'], { every: { minutes: 1 } });
    platform.payments.plan(id, ['APPROVED', 'CANCELLED'], { every: { minutes: 1 } });
    platform.clock.advance({ minutes: 1 });
    expect(platform.payments.get(id)?.status).toBe('APPROVED');
    platform.payments.plan(id, [], { every: { minutes: 1 } });
    platform.clock.advance({ minutes: 10 });
    expect(platform.payments.get(id)?.status).toBe('APPROVED');
  });

  test('stays where it was moved by hand, if the plan does not lead on from there', () => {
    const platform = platformAtStart();
    const { id } = platform.payments.add();
    platform.payments.plan(id, ['APPROVED', 'PROCESSING'], { every: { minutes: 1 } });
    platform.payments.transition(id, 'CANCELLED');
    platform.clock.advance({ minutes: 10 });
    expect(platform.payments.get(id)?.status).toBe('CANCELLED');
  });

  test('goes on after a snapshot was restored', () => {
    const platform = platformAtStart();
    const { id } = platform.payments.add();
    platform.payments.plan(id, ['APPROVED', 'PROCESSING'], { every: { minutes: 5 } });
    platform.clock.advance({ minutes: 6 });
    const snapshot = JSON.parse(JSON.stringify(platform.snapshot())) as ReturnType<MockPlatform['snapshot']>;
    platform.reset();
    platform.restore(snapshot);
    expect(platform.payments.get(id)?.status).toBe('APPROVED');
    platform.clock.advance({ minutes: 5 });
    expect(platform.payments.get(id)).toMatchObject({ status: 'PROCESSING', updatedAt: after(10) });
  });

  test('moves no more after a reset', () => {
    const platform = platformAtStart();
    platform.payments.plan(platform.payments.add({ id: 'pay_1' }).id, ['APPROVED'], { every: { minutes: 5 } });
    platform.reset();
    platform.clock.set(start);
    platform.payments.add({ id: 'pay_1' });
    platform.clock.advance({ hours: 1 });
    expect(platform.payments.get('pay_1')?.status).toBe('PENDING_REVIEW');
  });
});

describe('a record that is planned by reads', () => {
  test('is shown so many times as it is, and then moves', async () => {
    const platform = platformAtStart();
    const { id } = platform.payments.add();
    platform.payments.plan(id, ['APPROVED', 'PROCESSING'], { reads: 2 });
    const seen: unknown[] = [];
    for (let read = 0; read < 6; read += 1) seen.push((await clientOf(platform).payments.list()).items[0]?.status);
    expect(seen).toEqual(['PENDING_REVIEW', 'PENDING_REVIEW', 'APPROVED', 'APPROVED', 'PROCESSING', 'PROCESSING']);
  });

  test('is not read by a list that does not show it, nor by the test', async () => {
    const platform = platformAtStart();
    const { id } = platform.payments.add();
    platform.payments.plan(id, ['APPROVED'], { reads: 1 });
    platform.payments.get(id);
    await clientOf(platform).payments.list({ status: 'COMPLETED' });
    await clientOf(platform).customers.list();
    expect(platform.payments.get(id)?.status).toBe('PENDING_REVIEW');
  });

  test('may be a customer, by get and by list', async () => {
    const platform = platformAtStart();
    const { id } = platform.customers.add({ status: 'PENDING_REVIEW' });
    platform.customers.plan(id, ['APPROVED'], { reads: 2 });
    const corridor = clientOf(platform);
    await corridor.customers.list();
    expect((await corridor.customers.get(id)).status).toBe('PENDING_REVIEW');
    expect((await corridor.customers.get(id)).status).toBe('APPROVED');
  });

  test('may be a beneficiary, whose version grows', async () => {
    const platform = platformAtStart();
    const { id, customerId } = platform.beneficiaries.add({ status: 'PENDING_REVIEW' });
    platform.beneficiaries.plan(id, ['APPROVED'], { reads: 1 });
    await clientOf(platform).customers.beneficiaries(customerId);
    expect(platform.beneficiaries.get(id)).toMatchObject({ status: 'APPROVED', version: 2 });
  });
});

describe('other plans', () => {
  test("a customer's steps stand in its activity, each at its time", () => {
    const platform = platformAtStart();
    const { id } = platform.customers.add({ status: 'DRAFT' });
    platform.customers.plan(id, ['PENDING_REVIEW', 'APPROVED'], { every: { hours: 2 } });
    platform.clock.advance({ days: 1 });
    expect(platform.customers.activity(id)).toMatchObject([
      { fromStatus: 'PENDING_REVIEW', toStatus: 'APPROVED', createdAt: after(240) }, { fromStatus: 'DRAFT', toStatus: 'PENDING_REVIEW', createdAt: after(120) },
    ]);
  });

  test('a beneficiary moves on the clock', () => {
    const platform = platformAtStart();
    const { id } = platform.beneficiaries.add({ status: 'PENDING_REVIEW' });
    platform.beneficiaries.plan(id, ['REJECTED'], { every: { days: 1 } });
    platform.clock.advance({ days: 1 });
    expect(platform.beneficiaries.get(id)).toMatchObject({ status: 'REJECTED', updatedAt: after(24 * 60) });
  });

  test('every payment that a client creates moves by itself', async () => {
    const platform = platformAtStart();
    platform.payments.planCreated(['APPROVED', 'PROCESSING', 'COMPLETED'], { every: { minutes: 10 } });
    const corridor = clientOf(platform);
    const { id } = await corridor.payments.create(payablePayment(platform));
    const added = platform.payments.add();
    platform.clock.advance({ minutes: 30 });
    expect([platform.payments.get(id)?.status, platform.payments.get(added.id)?.status]).toEqual(['COMPLETED', 'PENDING_REVIEW']);
    platform.payments.planCreated([], { reads: 1 });
    const later = await corridor.payments.create(payablePayment(platform));
    platform.clock.advance({ days: 1 });
    expect(platform.payments.get(later.id)?.status).toBe('PENDING_REVIEW');
  });

  test('a client that waits for a payment sees it through', async () => {
    const time = new VirtualTime(40_000);
    const platform = createMockPlatform({ now: () => time.time });
    platform.payments.planCreated(['APPROVED', 'PROCESSING', 'COMPLETED'], { reads: 2 });
    const corridor = new Corridor({ ...platform.clientOptions(), ...time.options, timeout: 50_000 });
    const payment = await corridor.payments.create(payablePayment(platform));
    const done = await corridor.payments.waitFor(payment, { until: ['COMPLETED'], within: 3_600_000 });
    expect(done).toMatchObject({ id: payment.id, status: 'COMPLETED' });
  });

  test('those of two organizations do not touch each other', () => {
    const platform = platformAtStart();
    const acme = platform.organization();
    const [one, other] = [platform.payments.add({ id: 'pay_1' }), acme.payments.add({ id: 'pay_1' })];
    acme.payments.plan(other.id, ['APPROVED'], { every: { minutes: 1 } });
    platform.clock.advance({ minutes: 1 });
    expect([platform.payments.get(one.id)?.status, acme.payments.get(other.id)?.status]).toEqual(['PENDING_REVIEW', 'APPROVED']);
  });
});

describe('a plan refuses', () => {
  const everyMinute: MockPace = { every: { minutes: 1 } };
  test.each<[string, (platform: MockPlatform, id: string) => void, string]>([
    ['a step that the table does not allow', ({ payments }, id) => payments.plan(id, ['APPROVED', 'COMPLETED'], everyMinute), 'payments.plan: APPROVED does not move to COMPLETED; from there it moves to PROCESSING, CANCELLED'],
    ['a first step that the table does not allow', ({ payments }, id) => payments.plan(id, ['COMPLETED'], everyMinute), 'payments.plan: PENDING_REVIEW does not move to COMPLETED'],
    ['a step of all created payments that the table does not allow', ({ payments }) => payments.planCreated(['PROCESSING'], everyMinute), 'payments.planCreated: PENDING_REVIEW does not move to PROCESSING'],
    ['a payment that is not there', ({ payments }) => payments.plan('pay_0', ['APPROVED'], everyMinute), 'payments.plan: id "pay_0" is no record of this organization'],
    ['a customer that is not there', ({ customers }) => customers.plan('cus_0', ['APPROVED'], everyMinute), 'customers.plan: id "cus_0" is no record of this organization'],
    ['a beneficiary that is not there', ({ beneficiaries }) => beneficiaries.plan('ben_0', ['APPROVED'], everyMinute), 'beneficiaries.plan: id "ben_0" is no record of this organization'],
    ['no pace', ({ payments }, id) => payments.plan(id, ['APPROVED'], undefined as never), 'payments.plan: give a pace: { every: { minutes: 5 } } or { reads: 3 }'],
    ['two paces', ({ payments }, id) => payments.plan(id, ['APPROVED'], { every: { minutes: 1 }, reads: 1 } as never), 'payments.plan: give a pace'],
    ['no time', ({ payments }, id) => payments.plan(id, ['APPROVED'], { every: {} }), 'payments.plan: every must be a span above 0'],
    ['a span of another kind', ({ payments }, id) => payments.plan(id, ['APPROVED'], { every: { weeks: 1 } as never }), 'payments.plan: weeks is not a unit'],
    ['no reads', ({ payments }, id) => payments.plan(id, ['APPROVED'], { reads: 0 }), 'payments.plan: reads must be a whole number above 0'],
    ['half a read', ({ payments }, id) => payments.plan(id, ['APPROVED'], { reads: 1.5 }), 'payments.plan: reads must be a whole number above 0'],
  ])('%s', (_, act, message) => {
    const platform = platformAtStart();
    const { id } = platform.payments.add();
    expect(() => act(platform, id)).toThrow(MockPlatformError);
    expect(() => act(platform, id)).toThrow(message);
  });
});
