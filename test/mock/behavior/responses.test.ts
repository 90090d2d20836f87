import { ApiError, Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { InstantDelays } from '../../support/instant-delays.ts';
import { clientOf, payablePayment, platformAtStart } from '../fixture.ts';
import { failureOf } from '../../support/failure-of.ts';

describe('errorBody', () => {
  const message = 'there is no such customer: cus_0';
  test.each([
    ['plain', 'application/json', { code: 'not_found', message }, 'not_found'],
    ['nested', 'application/json', { error: { code: 'not_found', message } }, 'not_found'],
    [
      'problem+json',
      'application/problem+json',
      { type: 'about:blank', title: 'Not Found', status: 404, detail: message, code: 'not_found' },
      'not_found',
    ],
    ['status-code', 'application/json', { statusCode: 404, message, error: 'Not Found' }, undefined],
  ] as const)('is %s', async (errorBody, type, body, platformCode) => {
    const platform = createMockPlatform({ errorBody });
    const error = await failureOf(clientOf(platform).customers.get('cus_0'), ApiError);
    expect(error.body).toEqual(body);
    expect(error.headers.get('content-type')).toBe(type);
    expect(error).toMatchObject({ code: 'not-found', status: 404 });
    expect(error.platformCode).toBe(platformCode);
    expect(error.message).toContain(message);
    expect(platform.requests[0]?.error).toEqual({ status: 404, code: 'not_found', message });
  });

  test('also applies to faults without a custom body', async () => {
    const platform = createMockPlatform({ errorBody: 'problem+json' });
    platform.faults.sequence('crypto.networks', [
      { kind: 'status', status: 418 },
      { kind: 'status', status: 503, body: { error: 'maintenance' } },
      { kind: 'response', body: '<title>Sign in</title>', headers: { 'content-type': 'text/html' } },
    ]);
    const corridor = clientOf(platform);
    const [generated, custom] = [
      await failureOf(corridor.crypto.networks(), ApiError),
      await failureOf(corridor.crypto.networks(), ApiError),
    ];
    expect(generated.body).toEqual({
      type: 'about:blank',
      title: 'Status 418',
      status: 418,
      detail: 'a planned fault responded with 418',
      code: 'injected_fault',
    });
    expect([custom.body, custom.headers.get('content-type')]).toEqual([{ error: 'maintenance' }, 'application/json']);
  });

  test('lists the invalid fields in every shape', async () => {
    for (const [errorBody, place] of [
      ['plain', []],
      ['nested', ['error']],
      ['problem+json', []],
      ['status-code', []],
    ] as const) {
      const platform = createMockPlatform({ errorBody });
      const error = await failureOf(
        clientOf(platform).request({ method: 'GET', path: '/api/v1/customers', query: { limit: 0 } }),
        ApiError,
      );
      const holder = place.reduce<unknown>((body, key) => (body as Record<string, unknown>)[key], error.body);
      expect(holder).toMatchObject({ issues: [{ path: 'limit', message: 'must be an integer from 1 to 100' }] });
    }
  });
});

describe('rateLimit', () => {
  test('rejects further requests until the window of the mock clock ends', async () => {
    const platform = platformAtStart({ rateLimit: { requests: 2, per: { minutes: 1 } } });
    const corridor = clientOf(platform);
    await corridor.crypto.networks();
    platform.clock.advance({ seconds: 20.5 });
    await corridor.crypto.networks();
    expect(await failureOf(corridor.crypto.networks(), ApiError)).toMatchObject({
      code: 'rate-limit',
      status: 429,
      platformCode: 'rate_limited',
      retryAfterMs: 40_000,
      outcome: 'rejected',
    });
    expect(platform.requests.at(-1)?.error?.message).toBe(
      'the rate limit of 2 requests in 60 s is exceeded; retry after 40 s',
    );
    platform.clock.advance({ seconds: 39.5 });
    await corridor.crypto.networks();
    await corridor.crypto.networks();
    expect(await failureOf(corridor.crypto.networks(), ApiError)).toMatchObject({ status: 429, retryAfterMs: 60_000 });
  });

  test('makes a client wait, and creates no payment for a rejected request', async () => {
    const virtual = new InstantDelays();
    const platform = createMockPlatform({ rateLimit: { requests: 1, per: { seconds: 5 } }, now: virtual.options.now });
    const corridor = new Corridor({ ...platform.clientOptions(), ...virtual.options });
    await corridor.crypto.networks();
    await corridor.payments.create(payablePayment(platform));
    expect(virtual.delays).toHaveLength(1);
    expect(virtual.delays[0]).toBeGreaterThanOrEqual(5000);
    expect(platform.requests.map(({ status }) => status)).toEqual([200, 429, 201]);
    expect(platform.payments.all()).toHaveLength(1);
  });

  test('counts each organization separately, and ignores requests without credentials', async () => {
    const platform = platformAtStart({ rateLimit: { requests: 1, per: { seconds: 1 } } });
    const acme = platform.organization();
    await platform.fetch(`${platform.baseUrl}/api/v1/crypto/networks`, {
      headers: { 'x-api-key': acme.clientOptions().apiKey },
    });
    await clientOf(platform).crypto.networks();
    await new Corridor(acme.clientOptions()).crypto.networks();
    expect(platform.requests.map(({ status }) => status)).toEqual([401, 200, 200]);
  });

  test('is part of a snapshot, and empty after a reset', async () => {
    const platform = platformAtStart({ rateLimit: { requests: 1, per: { seconds: 1 } } });
    const corridor = clientOf(platform);
    const fresh = platform.snapshot();
    await corridor.crypto.networks();
    const used = platform.snapshot();
    platform.restore(fresh);
    await corridor.crypto.networks();
    platform.restore(JSON.parse(JSON.stringify(used)) as typeof used);
    expect(await failureOf(corridor.crypto.networks(), ApiError)).toMatchObject({ status: 429 });
    platform.reset();
    await corridor.crypto.networks();
  });

  test('starts a new window if the clock is set back', async () => {
    const platform = platformAtStart({ rateLimit: { requests: 1, per: { days: 1 } } });
    const corridor = clientOf(platform);
    await corridor.crypto.networks();
    platform.clock.set('2025-01-01T00:00:00Z');
    await corridor.crypto.networks();
    expect(platform.requests.map(({ status }) => status)).toEqual([200, 200]);
  });
});

test('successStatuses changes the statuses of responses by endpoint', async () => {
  const platform = platformAtStart({ successStatuses: { 'payments.create': 299, 'documents.delete': 205 } });
  const corridor = clientOf(platform);
  const { id } = platform.documents.add();
  expect((await corridor.payments.create(payablePayment(platform)).withResponse()).status).toBe(299);
  expect((await corridor.documents.delete(id).withResponse()).status).toBe(205);
  expect((await corridor.crypto.networks().withResponse()).status).toBe(200);
  expect((await corridor.support.reply(platform.tickets.add().id, { bodyText: 'Hello' }).withResponse()).status).toBe(
    201,
  );
});
