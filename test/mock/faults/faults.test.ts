import { Corridor, type CorridorOptions } from 'corridor-sdk';
import {
  createMockPlatform,
  MockPlatformError,
  type FaultTarget,
  type MockFault,
  type MockPlatform,
} from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { VirtualTime } from '../../reliability/virtual-time.js';
import { payablePayment, platformAtStart, start } from '../fixture.js';

const busy: MockFault = { kind: 'status', status: 503 };

function clientOf(platform: MockPlatform, options: CorridorOptions = {}): Corridor {
  return new Corridor({ ...platform.clientOptions(), maxRetries: 0, ...options });
}

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

  test('is listed as plain JSON with the hits of each fault, those that have happened included', async () => {
    const platform = createMockPlatform();
    platform.faults.sequence('crypto.networks', ['ok', busy]);
    platform.faults.rate('*', 0.5, { kind: 'slow', delay: 1 });
    await statuses(platform, 1);
    expect(platform.faults.list()).toEqual([
      { id: 'fault_1', endpoint: 'crypto.networks', fault: 'ok', remaining: 0, probability: 1, hits: 1 },
      { id: 'fault_2', endpoint: 'crypto.networks', fault: busy, remaining: 1, probability: 1, hits: 0 },
      { id: 'fault_3', endpoint: '*', fault: { kind: 'slow', delay: 1 }, remaining: null, probability: 0.5, hits: 0 },
    ]);
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

describe('a fault', () => {
  test('status responds with the body that was passed', async () => {
    const platform = createMockPlatform();
    platform.faults.next('crypto.networks', {
      kind: 'status',
      status: 422,
      body: { error: { code: 'limit', message: 'too much' } },
    });
    await expect(clientOf(platform).crypto.networks()).rejects.toMatchObject({ status: 422, platformCode: 'limit' });
  });

  test('rate-limit sets retry-after, and the client retries after that delay', async () => {
    const platform = createMockPlatform();
    platform.faults.next('crypto.networks', { kind: 'rate-limit', retryAfter: 7 });
    await expect(clientOf(platform).crypto.networks()).rejects.toMatchObject({ status: 429, retryAfter: 7 });
  });

  test('acked-but-lost: the payment is returned but does not exist, its quote is unused, and its id is not reused', async () => {
    const platform = createMockPlatform();
    const payment = payablePayment(platform);
    platform.faults.next('payments.create', { kind: 'acked-but-lost' });
    const lost = await clientOf(platform).payments.create(payment);
    expect(platform.payments.all()).toEqual([]);
    expect(platform.quotes.get(payment.paymentQuoteId)?.usedAt).toBeNull();
    const made = await clientOf(platform).payments.create(payment);
    expect(made.id).not.toBe(lost.id);
    expect(platform.payments.all()).toHaveLength(1);
  });

  test('late-commit: the payment appears after the delay, with the time of then', async () => {
    const platform = platformAtStart();
    const payment = payablePayment(platform);
    platform.faults.next('payments.create', { kind: 'late-commit', after: 90_000 });
    await expect(clientOf(platform).payments.create(payment)).rejects.toMatchObject({ outcome: 'unknown' });
    expect(platform.payments.all()).toEqual([]);
    platform.clock.advance({ minutes: 5 });
    expect(platform.payments.all()).toMatchObject([
      { paymentQuoteId: payment.paymentQuoteId, createdAt: new Date(Date.parse(start) + 90_000).toISOString() },
    ]);
  });

  test('late-commit: a request that is invalid by then has no effect', async () => {
    const platform = platformAtStart();
    const payment = payablePayment(platform);
    platform.faults.next('payments.create', { kind: 'late-commit', after: 3_600_000 });
    await expect(clientOf(platform).payments.create(payment)).rejects.toMatchObject({ outcome: 'unknown' });
    expect(platform.requests.at(-1)).toMatchObject({ fault: 'late-commit', error: undefined });
    platform.clock.advance({ hours: 2 });
    expect(platform.payments.all()).toEqual([]);
    expect(platform.requests.at(-1)).toMatchObject({
      fault: 'late-commit',
      status: undefined,
      error: { code: 'quote_expired', message: expect.stringContaining('expired') as unknown },
    });
  });

  test('late-commit survives a snapshot', async () => {
    const platform = platformAtStart();
    platform.faults.next('payments.create', { kind: 'late-commit', after: 60_000 });
    await clientOf(platform)
      .payments.create(payablePayment(platform))
      .catch(() => undefined);
    const snapshot = platform.snapshot();
    platform.reset();
    platform.restore(snapshot);
    platform.clock.advance({ minutes: 2 });
    expect(platform.payments.all()).toHaveLength(1);
  });

  test('clock-skew: a client corrects its clock, signs again and succeeds', async () => {
    const platform = createMockPlatform();
    platform.faults.always('crypto.networks', { kind: 'clock-skew', seconds: 900 });
    await expect(clientOf(platform).crypto.networks()).resolves.not.toEqual([]);
    expect(platform.requests.map(({ error }) => error?.code)).toEqual(['token_expired', undefined]);
  });

  test.each(['amount', 'customer.companyName', 'status', 'paymentQuote.id'])('wrong-type: %s', async (path) => {
    const platform = createMockPlatform();
    platform.faults.next('payments.create', { kind: 'wrong-type', path });
    await expect(clientOf(platform).payments.create(payablePayment(platform))).rejects.toMatchObject({
      code: 'invalid-response',
      outcome: 'applied',
      issues: [{ path }],
    });
  });

  test.each(['items[0].amount', 'items.0.amount', 'hasMore'])('wrong-type in a page: %s', async (path) => {
    const platform = createMockPlatform();
    platform.payments.add();
    platform.faults.next('payments.list', { kind: 'wrong-type', path });
    await expect(clientOf(platform).payments.list()).rejects.toMatchObject({ code: 'invalid-response' });
  });

  test('wrong-type of a field that the response does not have is reported as a mistake of the test', async () => {
    const platform = createMockPlatform();
    platform.faults.next('payments.list', { kind: 'wrong-type', path: 'items[0].amount' });
    const failed = clientOf(platform, {
      fetch: (input, init) =>
        platform
          .fetch(input as string, init)
          .catch((error: Error) => Response.json({ message: error.message }, { status: 400 })),
    });
    await expect(failed.payments.list()).rejects.toThrow(
      'faults: the response has no field items[0].amount to change the type of',
    );
  });

  test('unknown-field and unknown-status are reported as drift, and the call succeeds', async () => {
    const platform = createMockPlatform();
    platform.payments.addMany(2);
    platform.faults.sequence('payments.list', [{ kind: 'unknown-field' }, { kind: 'unknown-status' }]);
    const drift: string[] = [];
    const corridor = clientOf(platform, { onDrift: ({ path, kind }) => drift.push(`${kind} ${path}`) });
    await corridor.payments.list();
    const [payment] = (await corridor.payments.list()).items;
    expect(payment?.status).toBe('STATUS_OF_TOMORROW');
    expect(drift).toEqual([
      'unknown-field items[0].addedByThePlatform',
      'unknown-field items[1].addedByThePlatform',
      'unknown-value items[0].status',
      'unknown-value items[1].status',
    ]);
  });

  test('after a deletion whose response is lost, the retry finds no document, which is a success', async () => {
    const platform = createMockPlatform();
    const { id } = platform.documents.add();
    platform.faults.next('documents.delete', { kind: 'reset-after-commit' });
    await clientOf(platform, {
      maxRetries: 1,
      ...new VirtualTime().options,
      now: () => platform.clock.now(),
    }).documents.delete(id);
    expect(platform.requests.to('documents.delete').map(({ status }) => status)).toEqual([204, 404]);
  });
});

describe('a plan rejects', () => {
  const plan = (act: (platform: MockPlatform) => void) => () => act(createMockPlatform());
  test.each<[string, (platform: MockPlatform) => void, string]>([
    [
      'an unknown endpoint',
      ({ faults }) => faults.next('payments.pay' as FaultTarget, busy),
      'faults.next: endpoint must be one of payments.create, ',
    ],
    [
      'an unknown kind',
      ({ faults }) => faults.next('*', { kind: 'fire' } as never),
      'faults.next: fault.kind must be one of status, rate-limit',
    ],
    [
      'no fault at all',
      ({ faults }) => faults.always('*', undefined as never),
      'faults.always: fault is required: it must be an object',
    ],
    [
      'a field that a kind does not have',
      ({ faults }) => faults.always('*', { kind: 'reset', after: 5 } as never),
      'faults.always: fault.after is not a known field (known: kind)',
    ],
    [
      'a status that is not an error',
      ({ faults }) => faults.next('*', { kind: 'status', status: 200 }),
      'fault.status must be an integer from 400 to 599 (received 200)',
    ],
    [
      'a field that is missing',
      ({ faults }) => faults.sequence('*', [{ kind: 'slow' } as never]),
      'faults.sequence: steps[0].delay is required: it must be a number of milliseconds, at least 0',
    ],
    [
      'a negative duration',
      ({ faults }) => faults.next('*', { kind: 'late-commit', after: -1 }),
      'fault.after must be a number of milliseconds from 0 to 1000000000000 (received -1)',
    ],
    [
      'an invalid retryAfter',
      ({ faults }) => faults.next('*', { kind: 'rate-limit', retryAfter: Number.NaN }),
      'fault.retryAfter must be an integer of seconds from 0 to 1000000000 (received NaN)',
    ],
    [
      'an invalid pause',
      ({ faults }) => faults.next('*', { kind: 'drip', pause: '5' } as never),
      'fault.pause must be a number of milliseconds, at least 0 (received "5")',
    ],
    [
      'an empty path',
      ({ faults }) => faults.next('*', { kind: 'wrong-type', path: '' }),
      'fault.path must be the path of a field',
    ],
    [
      'a missing location',
      ({ faults }) => faults.next('*', { kind: 'redirect' } as never),
      'fault.location is required: it must be a URL',
    ],
    [
      'invalid seconds',
      ({ faults }) => faults.next('*', { kind: 'clock-skew', seconds: Infinity }),
      'fault.seconds must be a number of seconds from -1000000000 to 1000000000 (received Infinity)',
    ],
    [
      'invalid times',
      ({ faults }) => faults.next('*', busy, 0),
      'faults.next: times must be an integer of at least 1 (received 0)',
    ],
    [
      'steps that are not an array',
      ({ faults }) => faults.sequence('*', 'ok' as never),
      "faults.sequence: steps must be an array of faults and 'ok', in the order of the requests",
    ],
    [
      'a probability above 1',
      ({ faults }) => faults.rate('*', 20, busy),
      'faults.rate: probability must be a number from 0 to 1',
    ],
    [
      'an invalid probability',
      ({ faults }) => faults.rate('*', Number.NaN, busy),
      'faults.rate: probability must be a number from 0 to 1',
    ],
    [
      'clearing an unknown endpoint',
      ({ faults }) => faults.clear('payments' as FaultTarget),
      'faults.clear: endpoint must be one of payments.create',
    ],
  ])('%s', (_, act, message) => {
    expect(plan(act)).toThrow(MockPlatformError);
    expect(plan(act)).toThrow(message);
  });

  test('all steps of a plan if one is invalid', () => {
    const platform = createMockPlatform();
    expect(() => platform.faults.sequence('*', [busy, { kind: 'fire' } as never])).toThrow(MockPlatformError);
    expect(platform.faults.list()).toEqual([]);
  });
});
