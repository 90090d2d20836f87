import { Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';

const platform = createMockPlatform({ seed: 1 });
const corridor = new Corridor(platform.clientOptions());

beforeEach(() => jest.useFakeTimers({ now: new Date('2026-03-01T09:00:00Z') }));
afterEach(() => jest.useRealTimers());

test('a call is answered while time stands still', async () => {
  const { id } = platform.customers.add();

  expect(await corridor.customers.get(id)).toMatchObject({ id, createdAt: expect.stringMatching(/^2026-03-01T09:00:00/) });
});

test('a read that failed is sent again when the timers move on', async () => {
  platform.faults.next('crypto.networks', { kind: 'rate-limit', retryAfter: 30 });
  // Signing takes real time, which fake timers do not pass: the pause begins when the client says so.
  let pause = (): void => {};
  const paused = new Promise<void>((resolve) => (pause = resolve));
  const patient = new Corridor({ ...platform.clientOptions(), hooks: { retry: () => pause() } });

  const networks = patient.crypto.networks();
  await paused;
  await jest.advanceTimersByTimeAsync(29_000);
  expect(platform.requests.of('crypto.networks')).toHaveLength(1);
  await jest.advanceTimersByTimeAsync(2_000);

  expect((await networks).length).toBeGreaterThan(0);
  expect(platform.requests.of('crypto.networks')).toHaveLength(2);
});

test('a quote expires when the clock is set on', async () => {
  const customer = platform.customers.add();
  const quote = platform.quotes.add({ customerId: customer.id });
  jest.setSystemTime(new Date('2026-03-01T09:16:00Z'));

  const payment = corridor.payments.create({
    customerId: customer.id,
    beneficiaryId: platform.beneficiaries.add({ customerId: customer.id }).id,
    documentIds: [platform.documents.add({ customerId: customer.id }).id],
    paymentQuoteId: quote.id,
    amount: '1250.00',
    currencyCode: 'USD',
    purposeOfPayment: 'Goods',
  });

  await expect(payment).rejects.toMatchObject({ status: 422, platformCode: 'quote_expired', outcome: 'rejected' });
});
