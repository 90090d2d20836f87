import { ConnectionError, RateLimitError, ServerError } from 'corridor-sdk';
import { expect, test } from 'vitest';
import { inFrontOfMock } from './fixture.ts';

test('a response that is lost after the platform created the payment does not pay twice', async () => {
  const { corridor, real, proxy } = await inFrontOfMock();
  proxy.platform.faults.next('payments.create', { kind: 'reset-after-commit' });

  const order = real.payments.createParams();
  const { recovered } = await corridor.payments.createOnce(order, { idempotencyKey: 'order-4711' });

  expect(recovered).toBe(true);
  expect(real.payments.all()).toHaveLength(1);
  expect(proxy.platform.requests.to('payments.create')).toMatchObject([{ status: 201, fault: 'reset-after-commit' }]);
});

test('a request that the platform rejects does not use up the loss of a response', async () => {
  const { corridor, real, proxy } = await inFrontOfMock();
  proxy.platform.faults.next('payments.create', { kind: 'reset-after-commit' });
  const order = real.payments.createParams();

  await expect(corridor.payments.create({ ...order, paymentQuoteId: 'quo_unknown' })).rejects.toThrow('422');
  await expect(corridor.payments.create(order)).rejects.toThrow(ConnectionError);

  expect(real.payments.all()).toHaveLength(1);
});

test('a fault for one response takes one of several that arrive at once', async () => {
  const { corridor, proxy } = await inFrontOfMock();
  proxy.platform.faults.next('customers.list', { kind: 'cut-body' });

  const results = await Promise.allSettled(Array.from({ length: 5 }, () => corridor.customers.list()));

  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1);
});

test.each([
  [{ kind: 'rate-limit', retryAfterSeconds: 7 }, RateLimitError, 429],
  [{ kind: 'status', status: 503, body: { code: 'down', message: 'planned' } }, ServerError, 503],
] as const)('%j takes the place of the platform, which does not get the request', async (fault, type, status) => {
  const { corridor, real, proxy } = await inFrontOfMock();
  proxy.platform.faults.next('payments.create', fault);

  const error: unknown = await corridor.payments
    .create(real.payments.createParams())
    .catch((thrown: unknown) => thrown);

  expect(error).toBeInstanceOf(type);
  expect(error).toMatchObject({ status });
  expect(real.requests).toHaveLength(0);
});

test('a delay comes after the platform has responded', async () => {
  const { client, real, proxy } = await inFrontOfMock();
  proxy.platform.faults.next('payments.create', { kind: 'slow', delay: 60_000 });

  const slow = client({ timeout: 300, consistencyWindow: 0 });
  const order = real.payments.createParams();
  const { recovered } = await slow.payments.createOnce(order, { idempotencyKey: 'order-4711' });

  expect(recovered).toBe(true);
  expect(real.payments.all()).toHaveLength(1);
});

test('a body is cut in the middle, also one that the platform compressed', async () => {
  const { proxy, real, lastExchange } = await inFrontOfMock({ control: true });
  real.customers.addMany(50);
  proxy.platform.faults.next('GET /__mock/customers.all', { kind: 'cut-body' });
  const response = await fetch(`${proxy.url}/api/v1/customers?limit=50`);
  expect(response.status).toBe(401);

  proxy.platform.faults.next('customers.list', { kind: 'cut-body' });
  const cut = await fetch(`${proxy.url}/api/v1/customers`);
  await expect(cut.text()).rejects.toThrow('terminated');
  expect((await lastExchange()).response).toMatchObject({ status: 401, delivery: { kind: 'cut' } });
});

test.each(['late-commit', 'acked-but-lost', 'clock-skew', 'response'] as const)(
  'a fault of the kind %s, which only a mock can have, sends nothing',
  async (kind) => {
    const { corridor, real, proxy } = await inFrontOfMock();
    const fields = {
      'late-commit': { after: 1 },
      'acked-but-lost': {},
      'clock-skew': { seconds: 1 },
      response: { patch: { memo: '' } },
    }[kind];
    proxy.platform.faults.next('payments.create', { kind, ...fields } as { kind: 'acked-but-lost' });

    await expect(corridor.payments.create(real.payments.createParams())).rejects.toThrow(
      `a fault of the kind ${kind} needs the mock: nothing was sent to the platform`,
    );

    expect(real.requests).toHaveLength(0);
  },
);
