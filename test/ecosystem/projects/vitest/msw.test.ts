import { AuthenticationError, Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { mockHandlers } from 'corridor-sdk/mock/msw';
import { http, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

const platform = createMockPlatform({ seed: 1 });
const server = setupServer(
  http.get('https://rates.example/today', () => HttpResponse.json({ rate: '17.10' })),
  ...mockHandlers(platform),
);

beforeAll(() => server.listen());
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

test('a client without mock options receives responses, next to other handlers', async () => {
  const customer = platform.customers.add();
  const { baseUrl, apiKey, privateKey } = await platform.credentials();

  const corridor = new Corridor({ baseUrl, apiKey, privateKey });
  const rates: unknown = await (await fetch('https://rates.example/today')).json();

  expect(await corridor.customers.get(customer.id)).toEqual(customer);
  expect(rates).toEqual({ rate: '17.10' });
});

test('credentials are verified', async () => {
  const { baseUrl, privateKey } = await platform.credentials();
  const stranger = new Corridor({ baseUrl, apiKey: 'not-a-real-key', privateKey });

  await expect(stranger.crypto.networks()).rejects.toThrow(AuthenticationError);
});
