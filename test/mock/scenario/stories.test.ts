import { Corridor } from 'corridor-sdk';
import { createMockPlatform, mockScenarios, type MockPlatform, type MockScenarioName } from 'corridor-sdk/mock';
import 'corridor-sdk/mock/vitest';
import { expect, test } from 'vitest';

function loaded(name: MockScenarioName): { platform: MockPlatform; corridor: Corridor } {
  const platform = createMockPlatform({ seed: name });
  platform.scenarios.load(name);
  return { platform, corridor: new Corridor(platform.clientOptions()) };
}

test('first-payment: a payment is created, and completes within three minutes', async () => {
  const { platform, corridor } = loaded('first-payment');
  const { id, status } = await corridor.payments.create({
    customerId: 'cus_1',
    beneficiaryId: 'ben_1',
    paymentQuoteId: 'quo_1',
    amount: '1250.00',
    currencyCode: 'USD',
    purposeOfPayment: 'Invoice 1',
    documentIds: ['doc_1'],
  });
  const statuses = [status];
  for (let minute = 0; minute < 3; minute += 1) {
    platform.clock.advance({ minutes: 1 });
    statuses.push((await corridor.payments.list().toArray()).find((payment) => payment.id === id)?.status ?? '');
  }
  expect(statuses).toEqual(['PENDING_REVIEW', 'APPROVED', 'PROCESSING', 'COMPLETED']);
});

test('screening-hold: a payment waits until the match of a director is cleared', async () => {
  const { platform, corridor } = loaded('screening-hold');
  platform.clock.advance({ days: 30 });
  const [payment] = await corridor.payments.list().toArray();
  expect(payment).toMatchObject({ id: 'pay_held', status: 'PENDING_REVIEW' });
  const result = await corridor.screening.get('cus_held', 'per_held');
  const [match] = platform.persons.get('per_held')?.screening.openMatches ?? [];
  expect(result).toMatchObject({ openMatches: [expect.anything()] });
  platform.persons.clearMatch('per_held', match?.matchId ?? '');
  expect(platform.persons.get('per_held')?.screening.openMatches).toEqual([]);
  expect(platform.payments.transition('pay_held', 'APPROVED').status).toBe('APPROVED');
});

test('returned-payout: the bank returns a payment after an hour, and a ticket asks about it', async () => {
  const { platform, corridor } = loaded('returned-payout');
  const statusNow = async (): Promise<string | undefined> => (await corridor.payments.list().toArray())[0]?.status;
  expect(await statusNow()).toBe('PROCESSING');
  platform.clock.advance({ hours: 1 });
  expect(await statusNow()).toBe('RETURNED');
  const reply = await corridor.support.reply('tic_returned', { bodyText: 'The new account follows.' });
  expect(reply).toBeDefined();
});

test('outage: the first create is made although its response is lost, and all other requests fail', async () => {
  const { platform, corridor } = loaded('outage');
  const order = platform.payments.createParams();
  await expect(corridor.payments.create(order, { maxRetries: 0 })).rejects.toMatchObject({ outcome: 'unknown' });
  expect(platform).toHaveCreatedExactly(1, 'payments');
  await expect(corridor.payments.list()).rejects.toMatchObject({ status: 503 });
  platform.faults.clear();
  const { payment } = await corridor.payments.createOnce(order);
  expect((await corridor.payments.list().toArray()).map(({ id }) => id)).toContain(payment.id);
  expect(platform).toHaveCreatedExactly(1, 'payments');
});

test('month-end: 5,000 payments complete after an hour', async () => {
  const { platform, corridor } = loaded('month-end');
  const countByStatus = async (): Promise<Record<string, number>> => {
    const counts: Record<string, number> = {};
    for await (const { status } of corridor.payments.list({ limit: 100 })) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  };
  expect(await countByStatus()).toEqual({ PROCESSING: 5000 });
  platform.clock.advance({ hours: 1 });
  expect(await countByStatus()).toEqual({ COMPLETED: 5000 });
});

test.each(Object.keys(mockScenarios) as MockScenarioName[])(
  '%s has a description and can be loaded after a reset',
  (name) => {
    const { platform } = loaded(name);
    platform.reset();
    platform.scenarios.load(name);
    expect(platform.customers.all()).not.toEqual([]);
    expect(mockScenarios[name].description).toMatch(/\.$/);
  },
);
