import { Corridor } from 'corridor-sdk';
import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { clientOf, payablePayment } from '../fixture.ts';
import { busy } from './busy.ts';

/** Returns the statuses of several list requests, in order. */
async function statuses(platform: MockPlatform, count: number): Promise<(number | string)[]> {
  const corridor = clientOf(platform);
  const seen: (number | string)[] = [];
  for (let number = 0; number < count; number += 1) {
    seen.push(
      await corridor.crypto.networks().then(
        () => 200,
        (error: { status?: number; code: string }) => error.status ?? error.code,
      ),
    );
  }
  return seen;
}

describe('a plan of faults', () => {
  test('next applies once, to the next request of its endpoint', async () => {
    const platform = createMockPlatform();
    platform.faults.next('payments.list', busy);
    expect(await statuses(platform, 1)).toEqual([200]);
    await expect(clientOf(platform).payments.list()).rejects.toMatchObject({ status: 503 });
    await expect(clientOf(platform).payments.list()).resolves.toMatchObject({ items: [] });
  });

  test('next applies as many times as requested', async () => {
    const platform = createMockPlatform();
    platform.faults.next('crypto.networks', busy, 2);
    expect(await statuses(platform, 3)).toEqual([503, 503, 200]);
  });

  test('sequence applies its steps in order, and leaves the request undisturbed for ok', async () => {
    const platform = createMockPlatform();
    platform.faults.sequence('crypto.networks', [busy, 'ok', { kind: 'rate-limit' }]);
    expect(await statuses(platform, 4)).toEqual([503, 200, 429, 200]);
  });

  test('faults apply in the order in which they were planned', async () => {
    const platform = createMockPlatform();
    platform.faults.next('crypto.networks', busy);
    platform.faults.sequence('crypto.networks', ['ok', { kind: 'reset' }]);
    platform.faults.next('crypto.networks', { kind: 'status', status: 500 });
    expect(await statuses(platform, 5)).toEqual([503, 200, 'connection', 500, 200]);
  });

  test('always applies to all requests after those planned one by one, until it is cleared', async () => {
    const platform = createMockPlatform();
    platform.faults.always('crypto.networks', { kind: 'status', status: 500 });
    platform.faults.sequence('crypto.networks', ['ok', busy]);
    expect(await statuses(platform, 4)).toEqual([200, 503, 500, 500]);
    platform.faults.clear('crypto.networks');
    expect(await statuses(platform, 1)).toEqual([200]);
  });

  test('the star means every endpoint; faults of the endpoint itself come first', async () => {
    const platform = createMockPlatform();
    platform.faults.always('*', { kind: 'status', status: 500 });
    platform.faults.next('crypto.networks', busy);
    expect(await statuses(platform, 2)).toEqual([503, 500]);
    await expect(clientOf(platform).customers.list()).rejects.toMatchObject({ status: 500 });
    platform.faults.clear();
    await expect(clientOf(platform).customers.list()).resolves.toMatchObject({ items: [] });
  });

  test('rate applies to its share of the requests, and to the same ones for the same seed', async () => {
    const drawn = async (seed: number): Promise<string> => {
      const platform = createMockPlatform({ seed });
      platform.faults.rate('crypto.networks', 0.3, busy);
      return (await statuses(platform, 100)).join(' ');
    };
    const [one, again, other] = [await drawn(1), await drawn(1), await drawn(2)];
    expect(again).toBe(one);
    expect(other).not.toBe(one);
    const share = one.split(' ').filter((status) => status === '503').length;
    expect(share).toBeGreaterThan(15);
    expect(share).toBeLessThan(45);
  });

  test.each([
    [0, 200],
    [1, 503],
  ])('a rate of %d is exact', async (rate, status) => {
    const platform = createMockPlatform();
    platform.faults.rate('crypto.networks', rate, busy);
    expect(new Set(await statuses(platform, 20))).toEqual(new Set([status]));
  });

  test('is listed as plain JSON with the requests of each fault, those that have happened included', async () => {
    const platform = createMockPlatform();
    platform.faults.sequence('crypto.networks', ['ok', busy]);
    platform.faults.rate('*', 0.5, { kind: 'slow', delay: 1 });
    await statuses(platform, 1);
    const hit = { hits: 1, requestIds: [platform.requests[0]?.requestId] };
    const none = { hits: 0, requestIds: [] };
    expect(platform.faults.list()).toEqual([
      { id: 'fault_1', endpoint: 'crypto.networks', fault: 'ok', remaining: 0, probability: 1, ...hit },
      { id: 'fault_2', endpoint: 'crypto.networks', fault: busy, remaining: 1, probability: 1, ...none },
      { id: 'fault_3', endpoint: '*', fault: { kind: 'slow', delay: 1 }, remaining: null, probability: 0.5, ...none },
    ]);
  });

  test('is listed with the latest 100 requests that it was injected into', async () => {
    const platform = createMockPlatform();
    platform.faults.always('crypto.networks', busy);
    await statuses(platform, 101);
    const [fault] = platform.faults.list();
    expect(fault?.requestIds).toEqual(platform.requests.slice(1).map(({ requestId }) => requestId));
  });

  test('keeps the latest 1000 faults that have happened, until it is cleared', async () => {
    const platform = createMockPlatform();
    platform.faults.sequence('crypto.networks', [busy, ...Array.from({ length: 1000 }, () => 'ok' as const)]);
    const corridor = clientOf(platform);
    await corridor.crypto.networks().catch(() => {});
    for (let request = 0; request < 1000; request += 1) await corridor.crypto.networks();
    expect(platform.faults.list()).toHaveLength(1000);
    expect(platform.faults.list().map(({ fault }) => fault)).not.toContainEqual(busy);
    platform.faults.clear('crypto.networks');
    expect(platform.faults.list()).toEqual([]);
  });

  test('loses single faults with remove, by the ids that planning returns', async () => {
    const platform = createMockPlatform();
    const first = platform.faults.next('crypto.networks', busy);
    const [, second = ''] = platform.faults.sequence('crypto.networks', ['ok', { kind: 'status', status: 500 }]);
    const [third, fourth] = [
      platform.faults.always('*', { kind: 'status', status: 502 }),
      platform.faults.rate('*', 1, { kind: 'status', status: 504 }),
    ];
    expect([first, second, third, fourth]).toEqual(['fault_1', 'fault_3', 'fault_4', 'fault_5']);
    platform.faults.remove(first);
    platform.faults.remove(second);
    platform.faults.remove(third);
    expect(await statuses(platform, 2)).toEqual([200, 504]);
    expect(() => platform.faults.remove(third)).toThrow(
      'faults.remove: id "fault_4" does not exist. Call faults.list for the ids of all faults.',
    );
  });

  test('belongs to its organization', async () => {
    const platform = createMockPlatform();
    const acme = platform.organization();
    acme.faults.always('*', busy);
    expect(await statuses(platform, 1)).toEqual([200]);
    await expect(new Corridor({ ...acme.clientOptions(), maxRetries: 0 }).crypto.networks()).rejects.toMatchObject({
      status: 503,
    });
  });

  test('is saved by snapshot, restored by restore and removed by reset', async () => {
    const platform = createMockPlatform();
    platform.faults.next('crypto.networks', busy, 2);
    await statuses(platform, 1);
    const snapshot = JSON.parse(JSON.stringify(platform.snapshot())) as ReturnType<MockPlatform['snapshot']>;
    await statuses(platform, 1);
    expect(await statuses(platform, 1)).toEqual([200]);
    platform.restore(snapshot);
    expect(await statuses(platform, 2)).toEqual([503, 200]);
    platform.restore(snapshot);
    platform.reset();
    expect(await statuses(platform, 1)).toEqual([200]);
  });

  test('a request that fails authentication or validation does not consume a fault', async () => {
    const platform = createMockPlatform();
    platform.faults.next('payments.create', { kind: 'reset' });
    const foreign = new Corridor({
      ...platform.clientOptions(),
      privateKey: platform.organization().clientOptions().privateKey,
      maxRetries: 0,
    });
    await expect(foreign.payments.create(payablePayment(platform))).rejects.toMatchObject({ status: 401 });
    const { baseUrl, apiKey } = await platform.credentials();
    expect(
      (await platform.fetch(`${baseUrl}/api/v1/payment`, { method: 'POST', headers: { 'x-api-key': apiKey } })).status,
    ).toBe(401);
    await expect(
      clientOf(platform).request({ method: 'POST', path: '/api/v1/payment', body: {} }),
    ).rejects.toMatchObject({ status: 400 });
    await expect(clientOf(platform).payments.create(payablePayment(platform))).rejects.toMatchObject({
      code: 'connection',
    });
  });

  test('each of several concurrent requests consumes one fault', async () => {
    const platform = createMockPlatform();
    platform.faults.next('crypto.networks', busy, 3);
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => clientOf(platform).crypto.networks()));
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(3);
  });

  test('the log has the fault of each request', async () => {
    const platform = createMockPlatform();
    platform.faults.sequence('crypto.networks', [busy, 'ok', { kind: 'reset' }]);
    await statuses(platform, 3);
    expect(platform.requests.map(({ fault, status }) => [fault, status])).toEqual([
      ['status', 503],
      [undefined, 200],
      ['reset', undefined],
    ]);
  });
});
