import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sValidator } from '@hono/standard-validator';
import { Hono } from 'hono';
import { createShop, invalid, orderSchema } from './orders.ts';

test('the standard validator of Hono takes a schema', async () => {
  const { pay, order } = createShop();
  const app = new Hono().put('/orders/:orderId/payment', sValidator('json', orderSchema), async (context) =>
    context.json({ amount: await pay(context.req.param('orderId'), context.req.valid('json')) }),
  );
  const put = (body: object) =>
    app.request('/orders/1/payment', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  assert.deepEqual(await (await put(order)).json(), { amount: '1250.00' });
  const response = await put({ ...order, ...invalid.change });
  assert.equal(response.status, 400);
  const { error } = (await response.json()) as { readonly error: readonly { path: unknown; message: string }[] };
  assert.deepEqual(
    error.map(({ path, message }) => ({ path, message })),
    [{ path: invalid.path, message: invalid.message }],
  );
});
