import { ApiError, Corridor, CorridorError, type PaymentCreateParams } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { inspect } from 'node:util';

const platform = createMockPlatform({ seed: 1 });
const corridor = new Corridor(platform.clientOptions());

beforeEach(() => platform.reset());

function order(): PaymentCreateParams {
  return platform.payments.createParams({ amount: '1250.00', currencyCode: 'MXN' });
}

test('a payment is created and listed', async () => {
  const { payment, created } = await corridor.payments.createOnce(order());

  expect(created).toBe(true);
  expect(platform.payments.get(payment.id)?.status).toBe('PENDING_REVIEW');
  expect((await corridor.payments.list({ limit: 1 })).items.map(({ id }) => id)).toEqual([payment.id]);
});

test('an error response is a CorridorError with the outcome rejected', async () => {
  const error: unknown = await corridor.payments
    .create({ ...order(), paymentQuoteId: 'quo_unknown' })
    .catch((reason: unknown) => reason);

  expect(error).toBeInstanceOf(ApiError);
  expect(error).toBeInstanceOf(CorridorError);
  expect(error).toMatchObject({ outcome: 'rejected', endpoint: 'payments.create' });
  expect(platform).toHaveRejected('payments.create');
  expect(platform).toHaveCreatedExactly(0, 'payments');
});

test('iteration reads every page', async () => {
  platform.payments.addMany(60);

  const seen: string[] = [];
  for await (const { id } of corridor.payments.list({ limit: 25 })) seen.push(id);

  expect(new Set(seen).size).toBe(60);
});

test('a failing test that prints the client shows no key', async () => {
  const { apiKey, privateKey } = await platform.credentials();

  const printed = inspect(corridor, { depth: Number.POSITIVE_INFINITY, showHidden: true });

  expect(printed).toContain('Corridor');
  expect(printed).not.toContain(apiKey);
  expect(printed).not.toContain(privateKey.split('\n')[1]);
});
