import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addExampleRecords, order } from '../../scripts/specification/specification.ts';
import { corridor, environmentOf, type Run } from './corridor.ts';

let served: MockPlatformServer;
let environment: Readonly<Record<string, string>>;
let folder: string;

beforeAll(async () => {
  served = await serveMockPlatform();
  environment = await environmentOf(served);
  folder = await mkdtemp(join(tmpdir(), 'corridor-workflow-'));
});

beforeEach(() => {
  served.platform.reset();
  addExampleRecords(served.platform);
});

afterAll(async () => {
  await served.close();
  await rm(folder, { recursive: true });
});

const call = (...words: readonly string[]): Promise<Run> => corridor(['call', ...words], { environment, folder });

test('the namespace lists them', async () => {
  expect((await call('payments')).notes).toMatch(
    /^ {7}payments\.preflight <json> +checks a payment and creates nothing$/m,
  );
});

describe('payments.find', () => {
  test('prints the payment', async () => {
    served.platform.payments.add({ id: 'pay_77', customerId: 'cus_1', internalReference: 'order-77' });

    const { code, output } = await call('payments.find', '{"internalReference":"order-77"}');

    expect(code).toBe(0);
    expect(JSON.parse(output)).toMatchObject({ id: 'pay_77' });
  });

  test('has the exit code 1 if there is no such payment', async () => {
    expect(await call('payments.find', '{"id":"pay_0"}')).toEqual({ code: 1, output: '', notes: 'No such payment.\n' });
    expect(await call('payments.find', '{"id":"pay_0"}', '--json')).toMatchObject({ code: 1, output: 'null\n' });
  });

  test.each([
    ['{}', 'the request must be an object with at least one of id, paymentQuoteId, internalReference'],
    ['{"reference":"order-77"}', 'payments.find was not sent'],
  ])('sends nothing for %s', async (json, message) => {
    const { code, notes } = await call('payments.find', json);

    expect(code).toBe(2);
    expect(notes).toContain(message);
    expect(served.platform.requests).toHaveLength(0);
  });
});

describe('payments.preflight', () => {
  test('reports that there are no issues, and creates nothing', async () => {
    expect(await call('payments.preflight', JSON.stringify(order))).toEqual({
      code: 0,
      output: '[]\n',
      notes: '',
    });
    expect(served.platform.requests.map(({ method }) => method)).toEqual(['GET', 'GET']);
  });

  test('prints the issues, with the exit code 1', async () => {
    const { code, output } = await call('payments.preflight', JSON.stringify({ ...order, customerId: 'cus_0' }));

    expect(code).toBe(1);
    expect(JSON.parse(output)).toMatchObject([{ path: 'customerId', code: 'customer-not-found' }]);
  });
});

describe('payments.reconcile', () => {
  const intent = (quote: string): string =>
    JSON.stringify({
      version: 1,
      id: '3f0c6d0e-6a0e-4c2e-9d5e-0a4d4f0d6a11',
      request: { ...order, paymentQuoteId: quote },
      createdAt: new Date(served.platform.clock.now() - 60_000).toISOString(),
      clockOffset: 0,
    });

  test('prints the payment of an intent', async () => {
    const stored = intent('quo_1');
    await call('payments.create', JSON.stringify(order), '--yes');

    const { code, output } = await call('payments.reconcile', stored);

    expect(code).toBe(0);
    expect(JSON.parse(output)).toMatchObject({ payment: { paymentQuoteId: 'quo_1' } });
  });

  test('has the exit code 1 if the list does not show it', async () => {
    const { code, notes } = await call('payments.reconcile', intent('quo_0'));

    expect({ code, notes }).toEqual({
      code: 1,
      notes: 'The list does not show the payment. It may appear later, so do not create it again because of this.\n',
    });
  });
});
