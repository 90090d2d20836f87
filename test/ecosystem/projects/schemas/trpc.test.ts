import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initTRPC, TRPCError } from '@trpc/server';
import * as z from 'zod';
import { createShop, invalid, orderSchema } from './orders.ts';

test('a procedure of tRPC takes a schema', async () => {
  const { pay, order } = createShop();
  const { procedure, router } = initTRPC.create();
  const caller = router({
    pay: procedure
      .input(z.object({ orderId: z.string(), order: orderSchema }))
      .mutation(({ input }) => pay(input.orderId, input.order)),
  }).createCaller({});

  assert.equal(await caller.pay({ orderId: '1', order }), '1250.00');
  await assert.rejects(caller.pay({ orderId: '2', order: { ...order, ...invalid.change } }), (error) => {
    assert.ok(error instanceof TRPCError && error.code === 'BAD_REQUEST' && error.cause instanceof z.ZodError);
    const [{ path, message }] = error.cause.issues as [z.core.$ZodIssue];
    assert.deepEqual({ path, message }, { path: ['order', ...invalid.path], message: invalid.message });
    return true;
  });
});
