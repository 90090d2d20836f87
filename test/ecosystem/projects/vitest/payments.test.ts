import { Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { expect, test } from 'vitest';

test('a completed payment is listed', async () => {
  const platform = createMockPlatform({ seed: 1 });
  const { id } = platform.payments.add({ status: 'COMPLETED' });
  platform.payments.addMany(20);
  const corridor = new Corridor(platform.clientOptions());

  const completed = await corridor.payments.list({ status: 'COMPLETED' }).toArray();

  expect(completed.map((payment) => payment.id)).toEqual([id]);
});
