import { createMockPlatform, type MockFault } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { clientOf, payablePayment, platformAtStart } from '../fixture.ts';
import { send } from '../sign.ts';

const path = '/api/v1/crypto/networks';

describe('an error status', () => {
  async function responseTo(fault: MockFault): Promise<[status: number, type: string | null, body: string]> {
    const platform = createMockPlatform();
    platform.faults.next('crypto.networks', fault);
    const response = await send(platform.clientOptions(), { path });
    return [response.status, response.headers.get('content-type'), await response.text()];
  }

  test('carries a text as it is, and JSON serialized', async () => {
    expect(await responseTo({ kind: 'status', status: 502, body: 'upstream gone' })).toEqual([
      502,
      'text/plain; charset=utf-8',
      'upstream gone',
    ]);
    expect(await responseTo({ kind: 'status', status: 502, body: ['a', null] })).toEqual([
      502,
      'application/json',
      '["a",null]',
    ]);
    expect(await responseTo({ kind: 'status', status: 502, body: '' })).toEqual([502, null, '']);
  });

  test('carries headers, which replace those of the mock', async () => {
    const headers = { 'Retry-After': '30', 'content-type': 'text/html' };
    const platform = createMockPlatform();
    platform.faults.next('crypto.networks', { kind: 'status', status: 503, body: '<h1>Closed</h1>', headers });
    const response = await send(platform.clientOptions(), { path });
    expect([response.headers.get('retry-after'), response.headers.get('content-type')]).toEqual(['30', 'text/html']);
  });

  test('with a retry-after delays the retry of a client', async () => {
    const platform = platformAtStart();
    platform.faults.next('crypto.networks', { kind: 'status', status: 503, headers: { 'retry-after': '30' } });
    await clientOf(platform, { maxRetries: 1 }).crypto.networks();
    const [first, second] = platform.requests.map(({ receivedAt }) => receivedAt);
    expect(second! - first!).toBeGreaterThanOrEqual(30_000);
  });

  test.each([
    { 'content-length': '5' },
    { 'Transfer-Encoding': 'chunked' },
    { 'a b': '1' },
    { a: 'b\r\nc: d' },
    { a: 1 },
    [],
  ])('rejects the headers %j', (headers) => {
    const fault = { kind: 'status', status: 503, headers } as never;
    expect(() => createMockPlatform().faults.next('*', fault)).toThrow(
      'faults.next: fault.headers must be an object of header values in ASCII',
    );
  });
});

describe('a field of the response', () => {
  test.each<[field: string, patch: object]>([
    ['customer.companyName', { customer: { companyName: null } }],
    ['purposeOfPayment', { purposeOfPayment: null }],
  ])('%s is null, which is drift', async (field, patch) => {
    const platform = platformAtStart();
    platform.faults.next('payments.create', { kind: 'response', patch });
    const drift: string[] = [];
    const corridor = clientOf(platform, { onDrift: ({ path: at, kind }) => drift.push(`${kind} ${at}`) });
    await corridor.payments.create(payablePayment(platform));
    expect(drift).toEqual([`unexpected-null ${field}`]);
  });

  test('is absent, which is an error of a payment that exists', async () => {
    const platform = platformAtStart();
    platform.faults.next('payments.create', { kind: 'response', omit: ['customer.companyName'] });
    await expect(clientOf(platform).payments.create(payablePayment(platform))).rejects.toMatchObject({
      code: 'invalid-response',
      outcome: 'applied',
      issues: [{ path: 'customer.companyName', message: 'is missing' }],
    });
    expect(platform.payments.all()).toHaveLength(1);
  });

  test('is an element of a list', async () => {
    const platform = platformAtStart();
    platform.payments.addMany(3);
    platform.faults.next('payments.list', { kind: 'response', omit: ['items.1'] });
    expect((await clientOf(platform).payments.list()).items).toHaveLength(2);
  });

  test.each([{ patch: { items: { 5: { iban: null } } } }, { omit: ['items.0.iban'] }])(
    'that does not exist is reported to the test: %j',
    async (change) => {
      const platform = platformAtStart();
      platform.faults.next('payments.list', { kind: 'response', ...change });
      await expect(clientOf(platform).payments.list()).rejects.toThrow(
        /respond: the response has no items\.[05]\S* to change\. Use the path of an existing field/,
      );
      expect(platform.faults.list()).toMatchObject([{ remaining: 1, hits: 0 }]);
    },
  );
});

describe('a fault of the connection', () => {
  test('also affects downloads', async () => {
    const platform = platformAtStart();
    const { url } = await clientOf(platform).documents.downloadUrl(platform.documents.add().id);
    platform.faults.always('*', { kind: 'cut-body' });
    const response = await platform.fetch(url);
    await expect(response.arrayBuffer()).rejects.toThrow('terminated');
    expect(platform.requests.at(-1)).toMatchObject({ fault: 'cut-body', status: 200 });
  });

  test('is slow for a time in a range, which the seed determines', async () => {
    const delays = async (seed: number): Promise<number[]> => {
      const platform = createMockPlatform({ seed });
      platform.clock.set('2026-03-01T09:00:00Z');
      platform.faults.always('crypto.networks', { kind: 'slow', delay: { min: 1000, max: 9000 } });
      const seen: number[] = [];
      for (let count = 0; count < 4; count += 1) {
        const before = platform.clock.now();
        await clientOf(platform).crypto.networks();
        seen.push(platform.clock.now() - before);
      }
      return seen;
    };
    const seen = await delays(1);
    expect(await delays(1)).toEqual(seen);
    expect(new Set(seen).size).toBe(4);
    expect(seen.every((delay) => delay >= 1000 && delay <= 9000)).toBe(true);
  });

  test('after the commit waits for a request that the platform accepts', async () => {
    const platform = platformAtStart();
    platform.faults.next('payments.create', { kind: 'reset-after-commit' });
    const { payments } = clientOf(platform);
    const payment = payablePayment(platform);
    await expect(payments.create({ ...payment, customerId: 'cus_0' })).rejects.toMatchObject({ status: 422 });
    await expect(payments.create(payment)).rejects.toMatchObject({ code: 'connection' });
  });
});
