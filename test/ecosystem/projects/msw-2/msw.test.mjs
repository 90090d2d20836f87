import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { AuthenticationError, Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { mockHandlers } from 'corridor-sdk/mock/msw';
import { setupServer } from 'msw/node';

const platform = createMockPlatform({ seed: 1 });
const server = setupServer(...mockHandlers(platform));

before(() => server.listen({ onUnhandledRequest: 'error' }));
after(() => server.close());

test('a client without mock options receives responses', async () => {
  const customer = platform.customers.add();
  const { baseUrl, apiKey, privateKey } = await platform.credentials();

  assert.deepEqual(await new Corridor({ baseUrl, apiKey, privateKey }).customers.get(customer.id), customer);
});

test('credentials are verified', async () => {
  const { baseUrl, privateKey } = await platform.credentials();

  await assert.rejects(
    new Corridor({ baseUrl, apiKey: 'not-a-real-key', privateKey }).crypto.networks(),
    AuthenticationError,
  );
});
