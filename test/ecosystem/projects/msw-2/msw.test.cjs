const assert = require('node:assert/strict');
const { after, before, test } = require('node:test');
const { AuthenticationError, Corridor } = require('corridor-sdk');
const { createMockPlatform } = require('corridor-sdk/mock');
const { mockHandlers } = require('corridor-sdk/mock/msw');
const { setupServer } = require('msw/node');

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
