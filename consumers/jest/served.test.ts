import { Corridor, RateLimitError } from 'corridor-sdk';
import { serveMockPlatform, type ServedMockPlatform } from 'corridor-sdk/mock/node';

let served: ServedMockPlatform;

beforeAll(async () => {
  served = await serveMockPlatform({ seed: 1 });
});
afterAll(() => served.close());

test('a mock that is served answers over HTTP, to a key given as PEM text', async () => {
  const customer = served.platform.customers.add({ status: 'APPROVED' });
  const { baseUrl, apiKey, privateKey } = await served.credentials();
  const corridor = new Corridor({ baseUrl, apiKey, privateKey, retries: 0 });

  expect(await corridor.customers.get(customer.id)).toEqual(customer);

  served.platform.faults.next('customers.get', { kind: 'rate-limit', retryAfter: 2 });
  await expect(corridor.customers.get(customer.id)).rejects.toThrow(RateLimitError);
});
