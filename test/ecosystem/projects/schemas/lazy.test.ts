import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queryObjects } from 'node:v8';
import * as z from 'zod';
import * as mini from 'zod/mini';

/** Returns how many schemas of fields there are in this process. */
const countFields = (): number =>
  [z.ZodString, z.ZodEnum, z.ZodNullable, mini.ZodMiniString, mini.ZodMiniEnum].reduce(
    (sum, schema) => sum + Number(queryObjects(schema as never, { format: 'count' })),
    0,
  );

test('importing the schemas builds no field', async () => {
  const { payment } = await import('corridor-sdk/schemas');
  assert.equal(countFields(), 0);
  assert.equal(payment.shape.id.safeParse(5).success, false);
  assert.ok(countFields() > 0);
});
