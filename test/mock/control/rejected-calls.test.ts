import { request as httpRequest } from 'node:http';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { start } from '../fixture.ts';
import { control } from './control-calls.ts';

let served: MockPlatformServer;
beforeAll(async () => {
  served = await serveMockPlatform({ control: true, now: () => Date.parse(start) });
});
beforeEach(() => served.platform.reset());
afterAll(() => served.close());

describe('the control API rejects', () => {
  test.each([
    ['payments.pay', [], 404, 'unknown call "payments.pay" (known: payments.add, '],
    ['constructor', [], 404, 'unknown call "constructor"'],
    [
      'payments.transition',
      ['pay_0'],
      400,
      'payments.transition(id: string, status: string or object): status is required: it must be a string or an object',
    ],
    [
      'payments.transition',
      ['pay_0', 'APPROVED'],
      400,
      'payments.transition: id "pay_0" does not exist in this organization',
    ],
    ['payments.get', ['pay_0', 1], 400, 'argument 2 is not a known field (known: id)'],
    ['payments.add', [[]], 400, 'record must be an object'],
    ['payments.add', [{ amount: 5 }], 400, 'payments.add: amount must be'],
    ['payments.add', [{ colour: 'red' }], 400, 'payments.add: colour'],
    ['payments.addMany', [-1], 400, 'count must be an integer from 0 to 100000'],
    ['payments.addMany', [1e9], 400, 'count must be an integer from 0 to 100000'],
    ['faults.next', ['payments.lost', { kind: 'reset' }], 400, 'faults.next: endpoint must be one of payments.create'],
    [
      'faults.next',
      ['payments.list', { kind: 'fire' }],
      400,
      'faults.next: fault.kind must be one of status, rate-limit',
    ],
    [
      'faults.always',
      ['payments.create', { kind: 'hang' }, { when: '(request) => true' }],
      400,
      "faults.always: when must be an object of fields of the request, such as { amount: '1250.00' }, or in process a function",
    ],
    ['requests', ['payments.lost'], 400, 'requests.to: endpoint must be one of payments.create'],
    ['clock.set', ['soon'], 400, 'clock.set: "soon" is not a valid time'],
    ['restore', [{ version: 1 }], 400, 'restore: this is not a snapshot'],
    [
      'restore',
      [{ version: 1, clock: {}, responseed: 0, organizations: [{}] }],
      400,
      'restore: this is not a snapshot',
    ],
  ])('%s %j', async (call, given, status, message) => {
    expect(await control(served, call, given)).toMatchObject({
      status,
      result: { message: expect.stringContaining(message) },
    });
  });

  test('a body that is not JSON in UTF-8', async () => {
    for (const body of ['{', Uint8Array.of(0xff)]) {
      const response = await fetch(`${served.url}/__mock/payments.add`, { method: 'POST', body });
      expect([response.status, await response.json()]).toEqual([
        400,
        { code: 'invalid_json', message: 'the body must be JSON in UTF-8. Send an array of the arguments.' },
      ]);
    }
  });

  test('an organization that does not exist', async () => {
    expect(await control(served, 'payments.all', [], 'org_0')).toMatchObject({
      status: 404,
      result: { code: 'unknown_organization' },
    });
  });

  test.each<[given: object, message: string]>([
    [
      { nmae: 'Acme' },
      'organization: nmae is not a known field (known: id, name, apiKey, publicKey, privateKey, createdStatus,',
    ],
    [{ seed: 1 }, 'organization: seed is not a known field'],
    [{ apiKey: '' }, 'organization: apiKey must be a non-empty string. Omit it to use the generated default'],
    [{ apiKey: 5 }, 'apiKey must be a non-empty string'],
    [{ id: '' }, 'id must be a non-empty string'],
    [{ name: {} }, 'name must be a non-empty string'],
    [{ name: null }, 'name must be a non-empty string'],
    [{ name: JSON.parse('['.repeat(10_000) + ']'.repeat(10_000)) as unknown }, 'name must be a non-empty string'],
  ])('an organization with an invalid option, and does not add it: %j', async (given, message) => {
    const before = served.platform.organizations.length;
    expect(await control(served, 'organization', [given])).toMatchObject({
      status: 400,
      result: { message: expect.stringContaining(message) },
    });
    expect(served.platform.organizations).toHaveLength(before);
  });

  test.each([{ publicKey: 'no key' }, { privateKey: 'no key' }, { privateKey: null }])(
    'an organization with %j, and does not add it',
    async (keys) => {
      const before = served.platform.organizations.length;
      expect(await control(served, 'organization', [{ ...keys, id: 'org_mine' }])).toMatchObject({
        status: 400,
        result: { message: expect.stringContaining('publicKey or privateKey is not a valid RSA key') },
      });
      expect(served.platform.organizations).toHaveLength(before);
    },
  );

  test.each(['', 'customers.add', 'customers.all', 'organizations'])(
    'an unknown query parameter, and makes no call: %s',
    async (call) => {
      const { status, result } = await control(served, `${call}?organisation=${served.platform.id}`);
      expect({ status, result }).toEqual({
        status: 400,
        result: {
          code: 'invalid_query',
          message:
            'unknown query parameter "organisation" (expected: organization). Send arguments as a JSON array in the body.',
        },
      });
      expect(served.platform.customers.all()).toEqual([]);
    },
  );

  test('two organizations at once', async () => {
    expect(await control(served, 'customers.add?organization=a&organization=b')).toMatchObject({
      status: 400,
      result: { message: 'organization is set more than once. Send it once.' },
    });
  });

  test.each([['organization'], ['organizations'], ['assumptions'], ['snapshot'], ['restore', {}], ['resetAll']])(
    'an organization for %s, which affects the whole platform',
    async (call, ...given) => {
      served.platform.customers.add();
      expect(await control(served, call, given, served.platform.id)).toEqual({
        status: 400,
        result: { code: 'invalid_query', message: `${call} affects the whole platform. Omit ?organization=.` },
      });
      expect(served.platform.customers.all()).toHaveLength(1);
    },
  );

  test.each([
    ['GET', 'payments.add'],
    ['DELETE', 'payments.all'],
    ['PUT', 'reset'],
  ])('%s %s', async (method, call) => {
    expect((await fetch(`${served.url}/__mock/${call}`, { method })).status).toBe(405);
  });

  test.each([
    ['host', 'mock.evil.example', 'host_not_allowed'],
    ['host', '127.0.0.1.evil.example', 'host_not_allowed'],
    ['origin', 'https://evil.example', 'origin_not_allowed'],
    ['origin', 'null', 'origin_not_allowed'],
    ['origin', 'http://localhost:1', 'origin_not_allowed'],
    ['sec-fetch-site', 'cross-site', 'origin_not_allowed'],
  ])('a request with the header %s: %s', async (name, value, code) => {
    served.platform.customers.add();
    const response = await sent({ [name]: value });
    expect([response.status, JSON.parse(response.body)]).toMatchObject([403, { code }]);
    expect(served.platform.customers.all()).toHaveLength(1);
  });

  test('no request of a page of its own origin', async () => {
    expect((await sent({ origin: served.url, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  });
});

test('the control API is off by default', async () => {
  await using plain = await stoppable();
  const response = await fetch(`${plain.url}/__mock/reset`, { method: 'POST' });
  expect([response.status, await response.json()]).toMatchObject([404, { code: 'control_not_served' }]);
});

async function stoppable(): Promise<MockPlatformServer & AsyncDisposable> {
  const plain = await serveMockPlatform();
  return { ...plain, [Symbol.asyncDispose]: () => plain.close() };
}

/** Sends a request with a custom `Host` header, which `fetch` does not allow. */
function sent(
  headers: Record<string, string>,
): Promise<{ readonly status: number | undefined; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${served.url}/__mock/customers.all`, { headers }, (response) => {
      let body = '';
      response
        .setEncoding('utf8')
        .on('data', (part: string) => (body += part))
        .on('end', () => resolve({ status: response.statusCode, body }));
    });
    request.on('error', reject).end();
  });
}
