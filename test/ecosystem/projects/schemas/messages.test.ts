import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ListedPayment } from 'corridor-sdk';
import { listedPayment, strict } from 'corridor-sdk/schemas';
import * as z from 'zod';
import * as mini from 'zod/mini';
import { createShop, orderSchema } from './orders.ts';

async function listOne(): Promise<ListedPayment> {
  const { platform, corridor } = createShop();
  platform.payments.add({ status: 'COMPLETED' });
  const [payment] = await corridor.payments.list().toArray({ max: 1 });
  assert.ok(payment !== undefined);
  return payment;
}

test('a message of a queue is a payment again, also one of a newer platform', async () => {
  const payment = await listOne();
  const received: ListedPayment = listedPayment.parse(JSON.parse(JSON.stringify(payment)));
  assert.deepEqual(received, payment);

  const newer = { ...payment, status: 'STATUS_OF_TESTS', riskScore: 7 };
  assert.deepEqual(listedPayment.parse(JSON.parse(JSON.stringify(newer))), newer);
  assert.deepEqual(
    strict(listedPayment)
      .safeParse(newer)
      .error?.issues.map(({ path, message }) => [path.join(), message]),
    [
      ['status', 'is a value not in the contract'],
      ['riskScore', 'is not in the contract'],
    ],
  );
});

test('a list of payments, by zod and by zod/mini', async () => {
  const payment = await listOne();
  for (const schema of [z.array(listedPayment), mini.array(mini.pick(listedPayment, { id: true, amount: true }))]) {
    assert.equal(schema.parse([payment, payment]).length, 2);
    assert.deepEqual(schema.safeParse([payment, { ...payment, amount: 12 }]).error?.issues[0]?.path, [1, 'amount']);
  }
});

test('JSON Schema validates orders and payments in other programs', async () => {
  const ajv = new Ajv2020();
  const isOrder = ajv.compile(z.toJSONSchema(orderSchema));
  const isPayment = ajv.compile(z.toJSONSchema(listedPayment));
  const { order } = createShop();

  assert.ok(isOrder(order) && isPayment(await listOne()));
  for (const change of [
    { amount: 12 },
    { memo: 'x'.repeat(65) },
    { documentIds: [] },
    { currencyCode: 'EUR' },
    { x: 1 },
  ])
    assert.equal(isOrder({ ...order, ...change }), false, JSON.stringify(change));
});
