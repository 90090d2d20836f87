import 'corridor-sdk/mock/vitest';
import { Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { expect, test } from 'vitest';

test('a lost response does not create a second payment', async () => {
  const platform = createMockPlatform({ seed: 1 });
  platform.faults.next('payments.create', { kind: 'reset-after-commit' });

  const params = platform.payments.createParams({ amount: '1250.00', currencyCode: 'MXN' });
  await new Corridor(platform.clientOptions()).payments.createOnce(params);

  expect(platform).toHaveCreatedExactly(1, 'payments');
  expect(platform).toHaveReceivedTimes(1, 'payments.create', { amount: '1250.00' });
});
