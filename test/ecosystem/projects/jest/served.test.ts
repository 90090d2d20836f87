import { Corridor, RateLimitError } from 'corridor-sdk';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';

let served: MockPlatformServer;

beforeAll(async () => {
  served = await serveMockPlatform({ seed: 1 });
});
afterAll(() => served.close());

test('a served mock accepts a client over HTTP with a PEM key', async () => {
  const customer = served.platform.customers.add({ status: 'APPROVED' });
  const { baseUrl, apiKey, privateKey } = await served.credentials();
  const corridor = new Corridor({ baseUrl, apiKey, privateKey, maxRetries: 0 });

  expect(await corridor.customers.get(customer.id)).toEqual(customer);

  served.platform.faults.next('customers.get', { kind: 'rate-limit', retryAfterSeconds: 2 });
  await expect(corridor.customers.get(customer.id)).rejects.toThrow(RateLimitError);
});
