import { Corridor, type ConnectionError } from 'corridor-sdk';
import { createMockPlatform, MockPlatformError, type MockFault, type MockPlatform } from 'corridor-sdk/mock';
import { SqliteMirror } from 'corridor-sdk/mirror/sqlite';
import { describe, expect, test } from 'vitest';
import { clientOf, payablePayment } from '../fixture.ts';
import { call } from '../sign.ts';
import { busy } from './busy.ts';

/** Returns the message of a request whose fault does not fit the response. */
async function mistake(platform: MockPlatform, path: string): Promise<string> {
  return call(platform.clientOptions(), { path }).then(
    ({ status, body }) => (status === 501 ? (body as Error).message : String(status)),
    (error: Error) => error.message,
  );
}

describe('an invalid fault throws when it is planned', () => {
  const circle: Record<string, unknown> = {};
  circle['circle'] = circle;
  test.each<[string, MockFault, string]>([
    ['a circular body', { kind: 'status', status: 500, body: circle }, 'fault.body must be JSON'],
    ['a body that is a function', { kind: 'status', status: 500, body: () => 1 }, 'fault.body must be JSON'],
    ['a body that is a bigint', { kind: 'status', status: 500, body: 1n }, 'fault.body must be JSON'],
    [
      'a location that is not a valid header value',
      { kind: 'response', status: 307, headers: { location: 'https://a.example/\r\nx: 1' } },
      'fault.headers must be an object of header values in ASCII',
    ],
    [
      'fractional seconds',
      { kind: 'rate-limit', retryAfterSeconds: 1.5 },
      'fault.retryAfterSeconds must be an integer of seconds from 0 to 1000000000',
    ],
    [
      'a delay beyond the range of dates',
      { kind: 'rate-limit', retryAfterSeconds: 1e21 },
      'fault.retryAfterSeconds must be an integer of seconds from 0 to 1000000000',
    ],
    [
      'a clock beyond the range of dates',
      { kind: 'clock-skew', seconds: -1e300 },
      'fault.seconds must be a number of seconds from -1000000000 to 1000000000',
    ],
  ])('%s', (_, fault, message) => {
    const { faults } = createMockPlatform();
    expect(() => faults.next('*', fault)).toThrow(MockPlatformError);
    expect(() => faults.next('*', fault)).toThrow(message);
  });

  test('null instead of options plans one', () => {
    const { faults } = createMockPlatform();
    faults.next('*', busy, null as never);
    expect(faults.list()).toMatchObject([{ remaining: 1 }]);
  });

  test('a large number of times or steps is planned at once', () => {
    const { faults } = createMockPlatform();
    faults.next('*', busy, Number.MAX_SAFE_INTEGER);
    faults.sequence(
      '*',
      Array.from({ length: 200_000 }, () => 'ok' as const),
    );
    expect(faults.list()).toHaveLength(200_001);
  });
});

describe('omit removes only fields of the response', () => {
  test.each(['__proto__.toString', 'networks.length', 'constructor.name', 'networks.99.id', 'networks.0.id.x'])(
    '%s',
    async (path) => {
      const platform = createMockPlatform();
      platform.faults.next('crypto.networks', { kind: 'response', omit: [path] });
      expect(await mistake(platform, '/api/v1/crypto/networks')).toContain(
        `respond: the response has no ${path} to change`,
      );
      expect(typeof {}.toString).toBe('function');
    },
  );
});

describe('a fault that does not fit the response', () => {
  test('stays planned, so that no retry gets past it, and the log has the reason', async () => {
    const platform = createMockPlatform();
    platform.payments.add();
    platform.faults.next('payments.list', { kind: 'response', omit: ['item.0.amount'] });

    await expect(clientOf(platform).payments.list()).rejects.toThrow();
    await expect(clientOf(platform).payments.list()).rejects.toThrow();

    expect(platform.faults.list()).toMatchObject([
      { fault: { kind: 'response', omit: ['item.0.amount'] }, remaining: 1, hits: 0 },
    ]);
    expect(platform.requests[0]).toMatchObject({
      status: 501,
      fault: undefined,
      error: { status: 501, code: 'mock_failure' },
    });
    expect(platform.requests[0]?.error?.message).toContain('respond: the response has no item.0.amount to change');
  });

  test('reaches the test as an error with its reason, and is not retried', async () => {
    const platform = createMockPlatform();
    platform.payments.add();
    platform.faults.next('payments.list', { kind: 'response', omit: ['item.0.amount'] });
    const reason = 'respond: the response has no item.0.amount to change';

    const read = new Corridor(platform.clientOptions()).payments.list();
    await expect(read).rejects.toMatchObject({ status: 501, platformCode: 'mock_failure' });
    await expect(read).rejects.toThrow(reason);
    expect(platform.requests).toHaveLength(1);

    platform.faults.next('payments.create', { kind: 'response', omit: ['amuont'] });
    const create = new Corridor(platform.clientOptions()).payments.create(payablePayment(platform));
    await expect(create).rejects.toThrow('respond: the response has no amuont to change');
    expect(platform.requests.to('payments.create')).toHaveLength(1);
  });

  test('is the cause of the error of createOnce', async () => {
    const platform = createMockPlatform();
    platform.faults.next('payments.create', { kind: 'response', omit: ['amuont'] });

    const thrown: unknown = await clientOf(platform)
      .payments.createOnce(payablePayment(platform))
      .catch((error: unknown) => error);

    expect(thrown).toMatchObject({
      code: 'payment-outcome-unknown',
      cause: { status: 501, message: expect.stringContaining('the response has no amuont') },
    });
  });

  test('shows no secret that the error of a custom fetch contains', async () => {
    const options = createMockPlatform().clientOptions();
    const error = Object.assign(new Error(`sent with ${options.apiKey}`), {
      [Symbol.for('corridor-sdk.mock-error')]: true,
    });
    const corridor = new Corridor({ ...options, fetch: () => Promise.reject(error) });
    const thrown = await corridor.crypto.networks().catch((reason: unknown) => reason as ConnectionError);
    expect(String((thrown as ConnectionError).message)).toContain('sent with');
    expect(String((thrown as ConnectionError).message)).not.toContain(options.apiKey);
  });

  test('stays planned if it applies to a share of the requests', async () => {
    const platform = createMockPlatform();
    platform.faults.rate('payments.list', 0.5, { kind: 'response', omit: ['nothing'] });
    const seen: boolean[] = [];
    for (let number = 0; number < 20; number += 1)
      seen.push(
        await clientOf(platform)
          .payments.list()
          .then(
            () => true,
            () => false,
          ),
      );
    expect(seen.slice(seen.indexOf(false))).not.toContain(true);
  });

  test('rolls the request back, so that its changes cannot be found', async () => {
    const platform = createMockPlatform();
    platform.faults.next('payments.create', { kind: 'response', omit: ['amuont'] });
    await expect(clientOf(platform).payments.create(payablePayment(platform))).rejects.toThrow();
    expect(platform.payments.all()).toEqual([]);
  });

  test('is a problem in the report of a sync', async () => {
    const platform = createMockPlatform();
    platform.respond('payments.list', { patch: { items: { 0: { tier: 'gold' } } } });
    const { problems } = await new Corridor(platform.clientOptions()).sync(new SqliteMirror(':memory:'), {
      once: true,
    });
    const message = expect.stringContaining('respond: the response has no items.0 to change') as unknown;
    expect(problems).toContainEqual(expect.objectContaining({ part: 'new', message }));
  });

  test('is none if it changes all records, and there are none', async () => {
    const platform = createMockPlatform();
    platform.respond('payments.list', { patch: { items: { '*': { tier: 'gold' } } }, times: 1 });
    platform.respond('payments.list', { omit: ['items.*.memo'], times: 1 });
    expect((await clientOf(platform).payments.list()).items).toEqual([]);
    expect((await clientOf(platform).payments.list()).items).toEqual([]);
  });
});
