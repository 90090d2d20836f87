import assert from 'node:assert/strict';
import { test } from 'node:test';
import swagger from '@fastify/swagger';
import { listedPayment, paymentListParams } from 'corridor-sdk/schemas';
import Fastify from 'fastify';
import {
  jsonSchemaTransform,
  serializerCompiler,
  validatorCompiler,
  type ZodTypeProvider,
} from 'fastify-type-provider-zod';
import * as z from 'zod';
import { createShop, invalid, orderSchema } from './orders.ts';

async function startApp() {
  const shop = createShop();
  const app = Fastify().withTypeProvider<ZodTypeProvider>();
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  await app.register(swagger, { openapi: { info: { title: 'Orders', version: '1' } }, transform: jsonSchemaTransform });

  app.put('/orders/:orderId/payment', {
    schema: { params: z.object({ orderId: z.string() }), body: orderSchema },
    handler: async (request) => ({ amount: await shop.pay(request.params.orderId, request.body) }),
  });
  const limit = z.coerce.number().pipe(paymentListParams.shape.limit.unwrap());
  app.get('/payments', {
    schema: { querystring: paymentListParams.extend({ limit }), response: { 200: z.array(listedPayment) } },
    handler: (request) => shop.corridor.payments.list(request.query).toArray({ max: request.query.limit }),
  });
  await app.ready();
  return { ...shop, app };
}

test('a route pays a valid order, and rejects an invalid one with the message of the client', async () => {
  const { app, order } = await startApp();
  const put = (payload: object) => app.inject({ method: 'PUT', url: '/orders/1/payment', payload });

  assert.deepEqual((await put(order)).json(), { amount: '1250.00' });
  const response = await put({ ...order, ...invalid.change });
  assert.equal(response.statusCode, 400);
  assert.match(response.json().message, /amount.* must have no decimals in XAF \(received 1\)/);
});

test('a query and the response of a list have schemas', async () => {
  const { app, platform } = await startApp();
  platform.payments.addMany(3, () => ({ status: 'COMPLETED' }));

  const response = await app.inject('/payments?status=COMPLETED&limit=2');
  assert.deepEqual([response.statusCode, response.json().length], [200, 2]);
  const { statusCode, body } = await app.inject('/payments?status=completed&limit=2');
  assert.equal(statusCode, 400);
  assert.match(body, /must be one of PENDING_REVIEW/);
});

test('the OpenAPI document of the app has the fields and their limits', async () => {
  const { app } = await startApp();
  const text = JSON.stringify(app.swagger());
  for (const part of ['"maxLength":64', '"purposeOfPayment":{"type":"string","minLength":1}', '"authorization"'])
    assert.ok(text.includes(part), part);
});
