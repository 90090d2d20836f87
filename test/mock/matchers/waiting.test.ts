import 'corridor-sdk/mock/vitest';
import { createMockPlatform } from 'corridor-sdk/mock';
import { describe, expect, test, vi } from 'vitest';
import { clientOf } from '../fixture.ts';
import { send } from '../sign.ts';

describe('waitForRequest', () => {
  test('resolves with a request that was received, or with the next one', async () => {
    const platform = createMockPlatform();
    const { customers } = clientOf(platform);
    await customers.list({ limit: 1 });
    expect(await platform.waitForRequest('customers.list')).toBe(platform.requests[0]);
    const next = platform.waitForRequest('customers.list', { when: { limit: 2 } });
    await customers.list({ limit: 3 });
    await customers.list({ limit: 2 });
    expect(await next).toMatchObject({ filters: { limit: 2 }, status: 200 });
  });

  test('resolves with a request that is being handled once its status is known', async () => {
    const platform = createMockPlatform();
    const statuses: Promise<unknown>[] = [];
    const fetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
      const { origin, pathname: path } = new URL(url);
      const headers = Object.fromEntries(new Headers(init.headers));
      const raw = { method: 'GET', path, search: '', target: path, origin, headers, body: new Uint8Array() };
      const handled = platform.handleRaw(raw);
      statuses.push(platform.waitForRequest('customers.list').then(({ status, claims }) => [status, claims?.['uri']]));
      await handled;
      return new Response();
    };
    await send({ ...platform.clientOptions(), fetch }, { path: '/api/v1/customers' });
    expect(await Promise.all(statuses)).toEqual([[200, '/api/v1/customers']]);
  });

  test('rejects if there is none, and for a field that no request has', async () => {
    const platform = createMockPlatform();
    const acme = platform.organization();
    const rejected = expect(acme.waitForRequest('crypto.networks', { timeout: 20 })).rejects.toThrow(
      'waitForRequest: no such request to crypto.networks was received in 20 ms.',
    );
    await clientOf(platform).crypto.networks();
    await rejected;
    expect(() => platform.waitForRequest('crypto.networks', { when: { amount: '5' } as never })).toThrow(
      'waitForRequest: when.amount is not a known field',
    );
  });
});

test('onRequest reports the requests of its organization until it is stopped', async () => {
  const platform = createMockPlatform();
  const acme = platform.organization();
  const [all, own] = [vi.fn(), vi.fn()];
  const stop = platform.onRequest(all);
  acme.onRequest(own);
  await clientOf(platform).crypto.networks();
  await clientOf(acme as never).crypto.networks();
  stop();
  await clientOf(platform).crypto.networks();
  expect(all.mock.calls).toEqual([[platform.requests[0]], [platform.requests[1]]]);
  expect(own.mock.calls).toEqual([[platform.requests[1]]]);
});

describe('matchers', () => {
  test('compare headers', async () => {
    const platform = createMockPlatform();
    await clientOf(platform, { defaultHeaders: { 'x-trace': 'abc' } }).crypto.networks();
    expect(platform).toHaveReceived('crypto.networks', { headers: { 'X-Trace': 'abc' } });
    expect(platform).not.toHaveReceived('crypto.networks', { headers: { 'x-trace': expect.stringMatching(/^x/) } });
    expect(() => expect(platform).toHaveReceived('crypto.networks', { headers: { 'x-a': '1' } })).toThrow(
      /headers\.x-a: expected .*1.*, received nothing/,
    );
  });

  test('toHaveReceivedOnly finds other requests', async () => {
    const platform = createMockPlatform();
    const corridor = clientOf(platform);
    await corridor.crypto.networks();
    await corridor.customers.list({ limit: 5 });
    expect(platform).toHaveReceivedOnly(['crypto.networks', ['customers.list', { limit: 5 }]]);
    expect(platform).not.toHaveReceivedOnly(['crypto.networks', ['customers.list', { limit: 6 }]]);
    expect(() => expect(platform).toHaveReceivedOnly(['crypto.networks'])).toThrow(
      /Received 1 other request:\n {2}#2 GET \/api\/v1\/customers -> 200/,
    );
  });
});
