import assert from 'node:assert/strict';
import { test } from 'node:test';
import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { zodResolver } from '@hookform/resolvers/zod';
import * as z from 'zod';
import { createShop, invalid, orderSchema } from './orders.ts';

const form = orderSchema.extend({ approvedBy: z.string().min(1) });
const options = { fields: {}, shouldUseNativeValidation: false };

for (const [name, resolver] of [
  ['Standard Schema', standardSchemaResolver(form)],
  ['zod', zodResolver(form)],
] as const)
  test(`React Hook Form shows the messages at their fields, with the resolver of ${name}`, async () => {
    const values = { ...createShop().order, approvedBy: 'ann' };
    assert.deepEqual(await resolver(values, undefined, options), { errors: {}, values });

    const { errors } = await resolver({ ...values, ...invalid.change, documentIds: [''] }, undefined, options);
    assert.equal(errors.documentIds?.[0]?.message, 'must be a non-empty string');
    const again = await resolver({ ...values, ...invalid.change }, undefined, options);
    assert.equal(again.errors.amount?.message, invalid.message);
  });
