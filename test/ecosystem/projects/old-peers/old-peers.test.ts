import { Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import 'corridor-sdk/mock/vitest';
import { observeAllClients } from 'corridor-sdk/opentelemetry';
import { expect, test } from 'vitest';

test('a payment is created, with telemetry and the matchers', async () => {
  const stop = observeAllClients();
  const platform = createMockPlatform();
  const corridor = new Corridor({ ...platform.clientOptions(), maxRetries: 0 });

  await corridor.payments.createOnce(platform.payments.createParams(), { idempotencyKey: 'order-1' });

  expect(platform).toHavePaidOrdersOnce();
  stop();
});

test('the handlers of msw need a newer version', async () => {
  await expect(import('corridor-sdk/mock/msw')).rejects.toThrow(/needs msw 2\.2 or newer .* npm install/);
});
