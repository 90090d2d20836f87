import { Corridor } from 'corridor-sdk';
import { createMockPlatform, MockPlatformError, type MockFault, type MockPlatform } from 'corridor-sdk/mock';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { payablePayment, platformAtStart } from './fixture.js';
import { call, send } from './sign.js';

const clientOf = (platform: MockPlatform): Corridor => new Corridor({ ...platform.clientOptions(), retries: 0 });
const busy: MockFault = { kind: 'status', status: 503 };

/** What the mock says of a request that it cannot answer as planned. */
async function mistake(platform: MockPlatform, path: string): Promise<string> {
  return call(platform.clientOptions(), { path }).then(({ status }) => String(status), (error: Error) => error.message);
}

describe('a fault that makes no sense is refused when it is planned', () => {
  const circle: Record<string, unknown> = {};
  circle['circle'] = circle;
  test.each<[string, MockFault, string]>([
    ['a body in a circle', { kind: 'status', status: 500, body: circle }, 'body of a fault of the kind status must be plain JSON'],
    ['a body that is a function', { kind: 'status', status: 500, body: () => 1 }, 'body of a fault of the kind status must be plain JSON'],
    ['a body that is a big integer', { kind: 'status', status: 500, body: 1n }, 'body of a fault of the kind status must be plain JSON'],
    ['a location that breaks the header', { kind: 'redirect', location: 'https://a.example/\r\nx: 1' }, 'location of a fault of the kind redirect must be a URL'],
    ['seconds that no header says', { kind: 'rate-limit', retryAfter: 1.5 }, 'retryAfter of a fault of the kind rate-limit must be a whole number of seconds, from 0 to 1e9'],
    ['a wait beyond all dates', { kind: 'rate-limit', retryAfter: 1e21 }, 'retryAfter of a fault of the kind rate-limit must be a whole number of seconds, from 0 to 1e9'],
    ['a clock beyond all dates', { kind: 'clock-skew', seconds: -1e300 }, 'seconds of a fault of the kind clock-skew must be a number of seconds, of 1e9 at most'],
  ])('%s', (_, fault, message) => {
    const { faults } = createMockPlatform();
    expect(() => faults.next('*', fault)).toThrow(MockPlatformError);
    expect(() => faults.next('*', fault)).toThrow(message);
  });

  test('more times than a snapshot should hold', () => {
    const { faults } = createMockPlatform();
    expect(() => faults.next('*', busy, 100_001)).toThrow('times must be a whole number from 1 to 100000; for all requests there is faults.always');
    faults.next('*', busy, 100_000);
    faults.sequence('*', Array.from({ length: 200_000 }, () => 'ok' as const));
    expect(faults.planned[0]?.queue).toHaveLength(300_000);
  });

  test('what was planned stays as it was, whatever becomes of the object', () => {
    const { faults } = createMockPlatform();
    const body = { code: 'limit' };
    faults.next('*', { kind: 'status', status: 500, body });
    body.code = 'changed';
    expect(faults.planned[0]?.queue).toEqual([{ kind: 'status', status: 500, body: { code: 'limit' } }]);
  });
});

describe('wrong-type reaches fields of the answer only', () => {
  test.each(['__proto__.toString', 'networks.length', 'constructor.name', 'networks[99].id', 'networks[0].id.x'])('%s', async (path) => {
    const platform = createMockPlatform();
    platform.faults.next('crypto.networks', { kind: 'wrong-type', path });
    expect(await mistake(platform, '/api/v1/crypto/networks')).toContain(`faults: the answer has no field ${path} that could have the wrong type`);
    expect(typeof {}.toString).toBe('function');
  });
});

test('unknown-status of an answer without a status is the mistake of the test, and said', async () => {
  const platform = createMockPlatform();
  platform.faults.next('crypto.networks', { kind: 'unknown-status' });
  expect(await mistake(platform, '/api/v1/crypto/networks')).toContain('faults: unknown-status is for answers whose records have a status; this one has none');
});

describe('a fault that does not fit the answer', () => {
  test('stays planned, so that no retry gets past it, and the log says why', async () => {
    const platform = createMockPlatform();
    platform.payments.add();
    platform.faults.next('payments.list', { kind: 'wrong-type', path: 'item[0].amount' });

    await expect(clientOf(platform).payments.list()).rejects.toThrow();
    await expect(clientOf(platform).payments.list()).rejects.toThrow();

    expect(platform.faults.planned[0]?.queue).toEqual([{ kind: 'wrong-type', path: 'item[0].amount' }]);
    expect(platform.requests[0]).toMatchObject({ status: 500, fault: undefined, refusal: { status: 500, code: 'mock_failure' } });
    expect(platform.requests[0]?.refusal?.message).toContain('faults: the answer has no field item[0].amount that could have the wrong type');
  });

  test('stays planned, too, where it happens to a share of the requests', async () => {
    const platform = createMockPlatform();
    platform.faults.rate('payments.list', 0.5, { kind: 'wrong-type', path: 'nothing' });
    const seen: boolean[] = [];
    for (let number = 0; number < 20; number += 1) seen.push(await clientOf(platform).payments.list().then(() => true, () => false));
    expect(seen.slice(seen.indexOf(false))).not.toContain(true);
  });

  test('lets nothing be done, so that nothing is there to be found in place of the answer', async () => {
    const platform = createMockPlatform();
    platform.faults.next('payments.create', { kind: 'wrong-type', path: 'amuont' });
    await expect(clientOf(platform).payments.create(payablePayment(platform))).rejects.toThrow();
    expect(platform.payments.all()).toEqual([]);
  });

  test.each(['unknown-status', 'unknown-field'] as const)('%s of an answer without a record is one', async (kind) => {
    const platform = createMockPlatform();
    const document = platform.documents.add();
    platform.faults.next('documents.delete', { kind });
    platform.faults.next('payments.list', { kind });
    const said = `faults: ${kind} is for answers with records; this one has none`;

    await expect(call(platform.clientOptions(), { method: 'DELETE', path: `/api/v1/documents/${document.id}` })).rejects.toThrow(said);
    expect(await mistake(platform, '/api/v1/payment')).toContain(said);

    expect(platform.documents.get(document.id)).toBeDefined();
    expect(platform.requests.map(({ fault }) => fault)).toEqual([undefined, undefined]);
  });
});

test.each<MockFault>([{ kind: 'stall-body' }, { kind: 'drip', pause: 1_000_000 }])('%o: nothing waits any more when the body is cancelled', async (fault) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const platform = createMockPlatform();
  platform.faults.next('crypto.networks', fault);
  const { body } = await send(platform.clientOptions(), { path: '/api/v1/crypto/networks' });
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  if (fault.kind === 'stall-body') await reader.read();
  const pending = reader.read();
  await reader.cancel();
  expect(await pending).toEqual({ done: true, value: undefined });
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe('slow', () => {
  afterEach(() => void vi.useRealTimers());

  test('is slow, too, where the delay is longer than setTimeout takes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    const platform = createMockPlatform();
    platform.faults.next('crypto.networks', { kind: 'slow', delay: 3_000_000_000 });
    const isAnswered = vi.fn();
    const answer = call(platform.clientOptions(), { path: '/api/v1/crypto/networks' }).then(isAnswered);
    await vi.waitFor(() => expect(platform.requests[0]?.status).toBe(200));
    await vi.advanceTimersByTimeAsync(2_000_000_000);
    expect(isAnswered).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(200_000_000);
    await answer;
    expect(isAnswered).toHaveBeenCalledOnce();
  });
});

describe('acked-but-lost', () => {
  test('of a list takes no step of a plan', async () => {
    const platform = createMockPlatform();
    platform.payments.plan(platform.payments.add().id, ['APPROVED', 'PROCESSING'], { reads: 1 });
    platform.faults.next('payments.list', { kind: 'acked-but-lost' });
    const seen: unknown[] = [];
    for (let read = 0; read < 4; read += 1) seen.push((await clientOf(platform).payments.list()).items[0]?.status);
    expect(seen).toEqual(['PENDING_REVIEW', 'PENDING_REVIEW', 'APPROVED', 'PROCESSING']);
  });

  test('of a payment leaves no plan of it behind', async () => {
    const platform = platformAtStart();
    platform.payments.planCreated(['APPROVED'], { every: { minutes: 1 } });
    platform.faults.next('payments.create', { kind: 'acked-but-lost' });
    await clientOf(platform).payments.create(payablePayment(platform));
    expect(platform.snapshot().organizations[0]?.agenda.plans).toEqual([]);
  });
});

describe('late-commit', () => {
  test('of a deletion and of a reply, each at its time', async () => {
    const platform = platformAtStart();
    const [document, ticket] = [platform.documents.add(), platform.tickets.add()];
    platform.faults.next('*', { kind: 'late-commit', after: 60_000 }, 2);
    await clientOf(platform).support.reply(ticket.id, { bodyText: 'Hello' }).catch(() => undefined);
    await clientOf(platform).documents.delete(document.id).catch(() => undefined);
    const kept = (): unknown[] => [platform.documents.get(document.id)?.id, platform.tickets.get(ticket.id)?.replies.length];
    const before = kept();
    platform.clock.advance({ minutes: 1 });
    expect([before, kept()]).toEqual([[document.id, ticket.replies.length], [undefined, ticket.replies.length + 1]]);
  });

  test('waits while the clock stands, and stays undone when a snapshot of before is restored', async () => {
    const platform = platformAtStart();
    const payment = payablePayment(platform);
    const before = platform.snapshot();
    platform.faults.next('payments.create', { kind: 'late-commit', after: 1 });
    await clientOf(platform).payments.create(payment).catch(() => undefined);
    expect(platform.payments.all()).toEqual([]);
    platform.restore(before);
    platform.clock.advance({ minutes: 1 });
    expect(platform.payments.all()).toEqual([]);
  });
});

test('a restore in the middle of a hang leaves nothing of the request', async () => {
  const platform = platformAtStart();
  const payment = payablePayment(platform);
  const before = platform.snapshot();
  platform.faults.next('payments.create', { kind: 'hang-after-commit' });
  const leaving = new AbortController();
  const hanging = clientOf(platform).payments.create(payment, { signal: leaving.signal }).catch((error: { code: string }) => error.code);
  await vi.waitFor(() => expect(platform.payments.all()).toHaveLength(1));
  platform.restore(before);
  leaving.abort();
  expect(await hanging).toBe('aborted');
  expect(platform.payments.all()).toEqual([]);
  await expect(clientOf(platform).payments.create(payment)).resolves.toMatchObject({ paymentQuoteId: payment.paymentQuoteId });
});

test('requests at once never meet a clock that is off after their token was taken', async () => {
  const platform = createMockPlatform();
  platform.faults.sequence('crypto.networks', [busy, { kind: 'clock-skew', seconds: 900 }]);
  await Promise.allSettled(Array.from({ length: 5 }, () => clientOf(platform).crypto.networks()));
  expect(platform.requests.filter(({ fault, status }) => fault === 'clock-skew' && status === 200)).toEqual([]);
  expect(platform.requests.filter(({ fault }) => fault === 'status')).toHaveLength(1);
});

test('thousands of plans take years of steps, in the order in which they are due', () => {
  const platform = platformAtStart();
  const ids = platform.customers.addMany(2000, () => ({ status: 'DRAFT' })).map(({ id }) => id);
  for (const [index, id] of ids.entries()) platform.customers.plan(id, ['PENDING_REVIEW', 'APPROVED'], { every: { minutes: 1 + (index * 7) % 13 } });
  platform.clock.advance({ days: 3650 });
  const entries = ids.flatMap((id) => platform.customers.activity(id));
  expect(entries).toHaveLength(4000);
  expect(new Set(platform.customers.all().map(({ status }) => status))).toEqual(new Set(['APPROVED']));
});

test.each([{ kind: 'wrong-type', path: 'amount' }, { kind: 'unknown-field' }, { kind: 'unknown-status' }] as const)('%o waits where the platform refuses the request: there is no record to spoil', async (fault) => {
  const platform = platformAtStart();
  const corridor = clientOf(platform);
  const payment = payablePayment(platform);
  platform.faults.next('payments.create', fault);
  await expect(corridor.payments.create({ ...payment, customerId: 'cus_nobody' })).rejects.toMatchObject({ platformCode: 'customer_not_found' });
  expect(platform.faults.planned).toHaveLength(1);
  await corridor.payments.create(payment).catch(() => {});
  expect(platform.requests.map((request) => request.fault)).toEqual([undefined, fault.kind]);
  expect(platform.faults.planned).toEqual([]);
});
