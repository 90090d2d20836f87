import { Corridor, type CorridorOptions } from 'corridor-sdk';
import { createMockPlatform, MockPlatformError, type FaultTarget, type MockFault, type MockPlatform } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { VirtualTime } from '../reliability/virtual-time.js';
import { payablePayment, platformAtStart, start } from './fixture.js';

const busy: MockFault = { kind: 'status', status: 503 };

function clientOf(platform: MockPlatform, options: CorridorOptions = {}): Corridor {
  return new Corridor({ ...platform.clientOptions(), retries: 0, ...options });
}

/** The statuses of some lists, one after another. */
async function statuses(platform: MockPlatform, count: number): Promise<(number | string)[]> {
  const corridor = clientOf(platform);
  const seen: (number | string)[] = [];
  for (let number = 0; number < count; number += 1) {
    seen.push(await corridor.crypto.networks().then(() => 200, (error: { status?: number; code: string }) => error.status ?? error.code));
  }
  return seen;
}

describe('a plan of faults', () => {
  test('next happens once, to the next request of its endpoint', async () => {
    const platform = createMockPlatform();
    platform.faults.next('payments.list', busy);
    expect(await statuses(platform, 1)).toEqual([200]);
    await expect(clientOf(platform).payments.list()).rejects.toMatchObject({ status: 503 });
    await expect(clientOf(platform).payments.list()).resolves.toMatchObject({ items: [] });
  });

  test('next happens several times where that is said', async () => {
    const platform = createMockPlatform();
    platform.faults.next('crypto.networks', busy, 2);
    expect(await statuses(platform, 3)).toEqual([503, 503, 200]);
  });

  test('sequence goes through its steps, and lets pass where it says ok', async () => {
    const platform = createMockPlatform();
    platform.faults.sequence('crypto.networks', [busy, 'ok', { kind: 'rate-limit' }]);
    expect(await statuses(platform, 4)).toEqual([503, 200, 429, 200]);
  });

  test('what is planned one after another happens one after another', async () => {
    const platform = createMockPlatform();
    platform.faults.next('crypto.networks', busy);
    platform.faults.sequence('crypto.networks', ['ok', { kind: 'reset' }]);
    platform.faults.next('crypto.networks', { kind: 'status', status: 500 });
    expect(await statuses(platform, 5)).toEqual([503, 200, 'connection', 500, 200]);
  });

  test('always happens to all requests after those that are planned one by one, until it is cleared', async () => {
    const platform = createMockPlatform();
    platform.faults.always('crypto.networks', { kind: 'status', status: 500 });
    platform.faults.sequence('crypto.networks', ['ok', busy]);
    expect(await statuses(platform, 4)).toEqual([200, 503, 500, 500]);
    platform.faults.clear('crypto.networks');
    expect(await statuses(platform, 1)).toEqual([200]);
  });

  test('the star stands for every endpoint; what is planned for the endpoint itself comes first', async () => {
    const platform = createMockPlatform();
    platform.faults.always('*', { kind: 'status', status: 500 });
    platform.faults.next('crypto.networks', busy);
    expect(await statuses(platform, 2)).toEqual([503, 500]);
    await expect(clientOf(platform).customers.list()).rejects.toMatchObject({ status: 500 });
    platform.faults.clear();
    await expect(clientOf(platform).customers.list()).resolves.toMatchObject({ items: [] });
  });

  test('rate happens to its share of the requests, and to the same ones for the same seed', async () => {
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

  test.each([[0, 200], [1, 503]])('a rate of %d is exact', async (rate, status) => {
    const platform = createMockPlatform();
    platform.faults.rate('crypto.networks', rate, busy);
    expect(new Set(await statuses(platform, 20))).toEqual(new Set([status]));
  });

  test('is told as plain JSON, without what has happened', async () => {
    const platform = createMockPlatform();
    platform.faults.sequence('crypto.networks', ['ok', busy]);
    platform.faults.rate('*', 0.5, { kind: 'slow', delay: 1 });
    await statuses(platform, 1);
    expect(platform.faults.planned).toEqual([
      { endpoint: 'crypto.networks', queue: [busy], standing: [], drawn: 0 },
      { endpoint: '*', queue: [], standing: [{ fault: { kind: 'slow', delay: 1 }, probability: 0.5 }], drawn: 0 },
    ]);
  });

  test('is empty when everything has happened', async () => {
    const platform = createMockPlatform();
    platform.faults.next('crypto.networks', busy);
    platform.faults.sequence('payments.list', []);
    await statuses(platform, 1);
    expect(platform.faults.planned).toEqual([]);
  });

  test('belongs to its organization', async () => {
    const platform = createMockPlatform();
    const acme = platform.organization();
    acme.faults.always('*', busy);
    expect(await statuses(platform, 1)).toEqual([200]);
    await expect(new Corridor({ ...acme.clientOptions(), retries: 0 }).crypto.networks()).rejects.toMatchObject({ status: 503 });
  });

  test('is kept by a snapshot, put back by restore and gone after reset', async () => {
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

  test('a request that is refused for its credentials or its body uses nothing of it up', async () => {
    const platform = createMockPlatform();
    platform.faults.next('payments.create', { kind: 'reset' });
    const foreign = new Corridor({ ...platform.clientOptions(), privateKey: platform.organization().clientOptions().privateKey, retries: 0 });
    await expect(foreign.payments.create(payablePayment(platform))).rejects.toMatchObject({ status: 401 });
    const { baseUrl, apiKey } = await platform.credentials();
    expect((await platform.fetch(`${baseUrl}/api/v1/payment`, { method: 'POST', headers: { 'x-api-key': apiKey } })).status).toBe(401);
    await expect(clientOf(platform).request({ method: 'POST', path: '/api/v1/payment', body: {} })).rejects.toMatchObject({ status: 400 });
    await expect(clientOf(platform).payments.create(payablePayment(platform))).rejects.toMatchObject({ code: 'connection' });
  });

  test('of requests at once, each uses up one', async () => {
    const platform = createMockPlatform();
    platform.faults.next('crypto.networks', busy, 3);
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => clientOf(platform).crypto.networks()));
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(3);
  });

  test('the log says which fault a request met', async () => {
    const platform = createMockPlatform();
    platform.faults.sequence('crypto.networks', [busy, 'ok', { kind: 'reset' }]);
    await statuses(platform, 3);
    expect(platform.requests.map(({ fault, status }) => [fault, status])).toEqual([['status', 503], [undefined, 200], ['reset', undefined]]);
  });
});

describe('a fault', () => {
  test('status carries the body that is given', async () => {
    const platform = createMockPlatform();
    platform.faults.next('crypto.networks', { kind: 'status', status: 422, body: { error: { code: 'limit', message: 'too much' } } });
    await expect(clientOf(platform).crypto.networks()).rejects.toMatchObject({ status: 422, platformCode: 'limit' });
  });

  test('rate-limit says when to come back, and the client comes back then', async () => {
    const platform = createMockPlatform();
    platform.faults.next('crypto.networks', { kind: 'rate-limit', retryAfter: 7 });
    await expect(clientOf(platform).crypto.networks()).rejects.toMatchObject({ status: 429, retryAfter: 7 });
  });

  test('acked-but-lost: the payment is told and is not there, its quote is unused, and its id is not given again', async () => {
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

  test('late-commit: the payment appears when the clock has passed, as of then', async () => {
    const platform = platformAtStart();
    const payment = payablePayment(platform);
    platform.faults.next('payments.create', { kind: 'late-commit', after: 90_000 });
    await expect(clientOf(platform).payments.create(payment)).rejects.toMatchObject({ outcome: 'unknown' });
    expect(platform.payments.all()).toEqual([]);
    platform.clock.advance({ minutes: 5 });
    expect(platform.payments.all()).toMatchObject([{ paymentQuoteId: payment.paymentQuoteId, createdAt: new Date(Date.parse(start) + 90_000).toISOString() }]);
  });

  test('late-commit: what is refused by then is not done', async () => {
    const platform = platformAtStart();
    const payment = payablePayment(platform);
    platform.faults.next('payments.create', { kind: 'late-commit', after: 3_600_000 });
    await expect(clientOf(platform).payments.create(payment)).rejects.toMatchObject({ outcome: 'unknown' });
    platform.clock.advance({ hours: 2 });
    expect(platform.payments.all()).toEqual([]);
  });

  test('late-commit survives a snapshot', async () => {
    const platform = platformAtStart();
    platform.faults.next('payments.create', { kind: 'late-commit', after: 60_000 });
    await clientOf(platform).payments.create(payablePayment(platform)).catch(() => undefined);
    const snapshot = platform.snapshot();
    platform.reset();
    platform.restore(snapshot);
    platform.clock.advance({ minutes: 2 });
    expect(platform.payments.all()).toHaveLength(1);
  });

  test('clock-skew: a client learns that its clock is off, signs once more and gets its answer', async () => {
    const platform = createMockPlatform();
    platform.faults.always('crypto.networks', { kind: 'clock-skew', seconds: 900 });
    await expect(clientOf(platform).crypto.networks()).resolves.not.toEqual([]);
    expect(platform.requests.map(({ refusal }) => refusal?.code)).toEqual(['token_expired', undefined]);
  });

  test.each(['amount', 'customer.companyName', 'status', 'paymentQuote.id'])('wrong-type: %s', async (path) => {
    const platform = createMockPlatform();
    platform.faults.next('payments.create', { kind: 'wrong-type', path });
    await expect(clientOf(platform).payments.create(payablePayment(platform))).rejects.toMatchObject({ code: 'invalid-response', outcome: 'applied', issues: [{ path }] });
  });

  test.each(['items[0].amount', 'items.0.amount', 'hasMore'])('wrong-type in a page: %s', async (path) => {
    const platform = createMockPlatform();
    platform.payments.add();
    platform.faults.next('payments.list', { kind: 'wrong-type', path });
    await expect(clientOf(platform).payments.list()).rejects.toMatchObject({ code: 'invalid-response' });
  });

  test('wrong-type of a field that the answer does not have is the mistake of the test, and said', async () => {
    const platform = createMockPlatform();
    platform.faults.next('payments.list', { kind: 'wrong-type', path: 'items[0].amount' });
    const failed = clientOf(platform, { fetch: (input, init) => platform.fetch(input as string, init).catch((error: Error) => Response.json({ message: error.message }, { status: 400 })) });
    await expect(failed.payments.list()).rejects.toThrow('faults: the answer has no field items[0].amount that could have the wrong type');
  });

  test('unknown-field and unknown-status are drift, and break nothing', async () => {
    const platform = createMockPlatform();
    platform.payments.addMany(2);
    platform.faults.sequence('payments.list', [{ kind: 'unknown-field' }, { kind: 'unknown-status' }]);
    const drift: string[] = [];
    const corridor = clientOf(platform, { onDrift: ({ path, kind }) => drift.push(`${kind} ${path}`) });
    await corridor.payments.list();
    const [payment] = (await corridor.payments.list()).items;
    expect(payment?.status).toBe('STATUS_OF_TOMORROW');
    expect(drift).toEqual(['unknown-field items[0].addedByThePlatform', 'unknown-field items[1].addedByThePlatform', 'unknown-value items[0].status', 'unknown-value items[1].status']);
  });

  test('of a deletion that is lost on the way back, the second try finds nothing left, which is success', async () => {
    const platform = createMockPlatform();
    const { id } = platform.documents.add();
    platform.faults.next('documents.delete', { kind: 'reset-after-commit' });
    await clientOf(platform, { retries: 1, ...new VirtualTime().options, now: () => platform.clock.now() }).documents.delete(id);
    expect(platform.requests.of('documents.delete').map(({ status }) => status)).toEqual([204, 404]);
  });
});

describe('a plan refuses', () => {
  const plan = (act: (platform: MockPlatform) => void) => () => act(createMockPlatform());
  test.each<[string, (platform: MockPlatform) => void, string]>([
    ['an endpoint that is none', ({ faults }) => faults.next('payments.pay' as FaultTarget, busy), 'faults.next: "payments.pay" is not an endpoint; there are payments.create'],
    ['a kind that is none', ({ faults }) => faults.next('*', { kind: 'fire' } as never), 'faults.next: "fire" is not a kind of fault; there are status, rate-limit'],
    ['no fault at all', ({ faults }) => faults.always('*', undefined as never), 'faults.always: undefined is not a kind of fault'],
    ['a field that a kind does not have', ({ faults }) => faults.always('*', { kind: 'reset', after: 5 } as never), 'faults.always: a fault of the kind reset has no field after'],
    ['a status that is no error', ({ faults }) => faults.next('*', { kind: 'status', status: 200 }), 'status of a fault of the kind status must be a whole number from 400 to 599'],
    ['a field that is missing', ({ faults }) => faults.sequence('*', [{ kind: 'slow' } as never]), 'faults.sequence: delay of a fault of the kind slow must be a number of milliseconds, 0 or more'],
    ['a negative span', ({ faults }) => faults.next('*', { kind: 'late-commit', after: -1 }), 'after of a fault of the kind late-commit must be a number of milliseconds, 0 or more'],
    ['a retryAfter that is none', ({ faults }) => faults.next('*', { kind: 'rate-limit', retryAfter: Number.NaN }), 'retryAfter of a fault of the kind rate-limit must be a whole number of seconds'],
    ['a pause that is none', ({ faults }) => faults.next('*', { kind: 'drip', pause: '5' } as never), 'pause of a fault of the kind drip must be a number of milliseconds'],
    ['a path that is empty', ({ faults }) => faults.next('*', { kind: 'wrong-type', path: '' }), 'path of a fault of the kind wrong-type must be the path of a field'],
    ['a location that is none', ({ faults }) => faults.next('*', { kind: 'redirect' } as never), 'location of a fault of the kind redirect must be a URL'],
    ['seconds that are none', ({ faults }) => faults.next('*', { kind: 'clock-skew', seconds: Infinity }), 'seconds of a fault of the kind clock-skew must be a number of seconds'],
    ['times that are none', ({ faults }) => faults.next('*', busy, 0), 'faults.next: times must be a whole number from 1 to 100000'],
    ['steps that are no list', ({ faults }) => faults.sequence('*', 'ok' as never), "faults.sequence: give a list of faults and 'ok'"],
    ['a probability above 1', ({ faults }) => faults.rate('*', 20, busy), 'faults.rate: the probability must be a number from 0 to 1'],
    ['a probability that is none', ({ faults }) => faults.rate('*', Number.NaN, busy), 'faults.rate: the probability must be a number from 0 to 1'],
    ['to clear an endpoint that is none', ({ faults }) => faults.clear('payments' as FaultTarget), 'faults.clear: "payments" is not an endpoint'],
  ])('%s', (_, act, message) => {
    expect(plan(act)).toThrow(MockPlatformError);
    expect(plan(act)).toThrow(message);
  });

  test('nothing of a plan that is refused', () => {
    const platform = createMockPlatform();
    expect(() => platform.faults.sequence('*', [busy, { kind: 'fire' } as never])).toThrow(MockPlatformError);
    expect(platform.faults.planned).toEqual([]);
  });
});
