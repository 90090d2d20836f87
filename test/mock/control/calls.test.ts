import { request as httpRequest } from 'node:http';
import { Corridor } from 'corridor-sdk';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { payablePayment, start } from '../fixture.js';

let served: MockPlatformServer;
beforeAll(async () => {
  served = await serveMockPlatform({ control: true, now: () => Date.parse(start) });
});
beforeEach(() => served.platform.reset());
afterAll(() => served.close());

interface ControlResponse {
  readonly status: number;
  readonly result: unknown;
}

async function control(call: string, args?: unknown, organization?: string): Promise<ControlResponse> {
  const query = organization === undefined ? '' : `?organization=${organization}`;
  const response = await fetch(`${served.url}/__mock/${call}${query}`, {
    method: 'POST',
    ...(args !== undefined && { body: JSON.stringify(args) }),
  });
  expect(response.headers.get('content-type')).toBe('application/json');
  return { status: response.status, result: await response.json() };
}

async function done<T = unknown>(call: string, args?: unknown, organization?: string): Promise<T> {
  const { status, result } = await control(call, args, organization);
  expect({ status, ...(status !== 200 && { result }) }).toEqual({ status: 200 });
  return result as T;
}

describe('the control API', () => {
  test('creates an organization with keys, for a test in any language', async () => {
    const partner = await done<{ id: string; name: string; baseUrl: string; apiKey: string; privateKey: string }>(
      'organization',
      [{ name: 'Acme' }],
    );
    expect(partner).toEqual({
      id: expect.any(String),
      name: 'Acme',
      baseUrl: served.url,
      apiKey: expect.any(String),
      privateKey: expect.stringMatching(/^-----BEGIN PRIVATE KEY-----/),
      publicKey: expect.stringMatching(/^-----BEGIN PUBLIC KEY-----/),
    });
    await done('customers.add', [{ companyName: 'Partner of Acme' }], partner.id);
    const { baseUrl, apiKey, privateKey } = partner;
    const page = await new Corridor({
      baseUrl,
      apiKey,
      privateKey,
      now: served.platform.clientOptions().now,
    }).customers.list();
    expect(page.items.map(({ companyName }) => companyName)).toEqual(['Partner of Acme']);
    expect(served.platform.customers.all()).toEqual([]);
  });

  test('returns no private key for an organization with a public key only', async () => {
    const { publicKey } = await served.credentials();
    const organization = await done('organization', [{ publicKey }]);
    expect(organization).toMatchObject({ baseUrl: served.url, apiKey: expect.any(String), publicKey });
    expect(organization).not.toHaveProperty('privateKey');
  });

  test('removes an organization', async () => {
    const { id } = await done<{ id: string }>('organization');
    await done('removeOrganization', [id]);
    expect(served.platform.organizations.map((organization) => organization.id)).not.toContain(id);
  });

  test('changes the crypto networks and payment methods', async () => {
    await done('crypto.remove', ['TRON']);
    await done('crypto.remove', ['POLYGON', 'USDT']);
    await done('crypto.update', [{ networks: [] }]);
    expect(await done('crypto.networks')).toEqual([]);
    expect(await done('crypto.paymentMethods')).toEqual(served.platform.crypto.paymentMethods());
  });

  test('lists organizations without their keys', async () => {
    const listed = await done<object[]>('organizations');
    expect(listed[0]).toEqual({
      id: served.platform.id,
      name: served.platform.name,
      apiKey: served.platform.clientOptions().apiKey,
    });
  });

  test.each(['customers', 'beneficiaries', 'persons', 'documents', 'quotes', 'payments', 'tickets'] as const)(
    'adds, finds and lists %s',
    async (kind) => {
      const added = await done<{ id: string }>(`${kind}.add`);
      expect(await done(`${kind}.get`, [added.id])).toEqual(added);
      await done(`${kind}.addMany`, [2, {}]);
      const withBase64 = (_: string, value: unknown): unknown =>
        value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value;
      expect(await done(`${kind}.all`)).toEqual(JSON.parse(JSON.stringify(served.platform[kind].all(), withBase64)));
      expect(served.platform[kind].all().length).toBeGreaterThanOrEqual(3);
    },
  );

  test('returns null for a record that does not exist', async () => {
    expect(await done('payments.get', ['pay_0'])).toBeNull();
  });

  test('changes the status of records, immediately and by schedule', async () => {
    const { id } = await done<{ id: string }>('payments.add');
    expect(await done('payments.transition', [id, 'APPROVED'])).toMatchObject({ id, status: 'APPROVED' });
    expect(
      await done('payments.scheduleTransitions', [id, ['PROCESSING', 'COMPLETED'], { every: { hours: 1 } }]),
    ).toBeNull();
    await done('clock.advance', [{ hours: 2 }]);
    expect(await done('payments.get', [id])).toMatchObject({ status: 'COMPLETED' });
    await done('payments.scheduleTransitionsOnCreate', [['APPROVED'], { reads: 1 }]);
    const customer = await done<{ id: string }>('customers.add', { status: 'PENDING_REVIEW' });
    await done('customers.transition', [customer.id, 'REJECTED']);
    expect(await done('customers.activity', [customer.id])).toMatchObject([{ toStatus: 'REJECTED' }]);
  });

  test('plans, lists and clears faults', async () => {
    await done('faults.next', ['payments.list', { kind: 'reset' }, 2]);
    await done('faults.sequence', ['payments.list', ['ok', { kind: 'html' }]]);
    await done('faults.always', ['*', { kind: 'slow', delay: 1 }]);
    await done('faults.rate', ['customers.list', 0.5, { kind: 'hang' }]);
    const id = await done('faults.next', ['payments.create', { kind: 'hang' }, { when: { amount: '5.00' } }]);
    expect(await done('faults.list')).toEqual(JSON.parse(JSON.stringify(served.platform.faults.list())));
    await done('faults.remove', [id]);
    await done('faults.clear', ['customers.list']);
    expect(served.platform.faults.list().map(({ endpoint }) => endpoint)).toEqual([
      'payments.list',
      'payments.list',
      'payments.list',
      '*',
    ]);
    await done('faults.clear');
    expect(served.platform.faults.list()).toEqual([]);
  });

  test('marks conditions that are functions, which JSON cannot represent', async () => {
    served.platform.faults.always('payments.list', { kind: 'hang' }, { when: () => false });
    expect(await done('faults.list')).toMatchObject([{ id: 'fault_1', when: 'a function' }]);
    expect(await control('snapshot')).toMatchObject({
      status: 400,
      result: { message: expect.stringContaining('snapshot: the condition of fault_1 is a function') },
    });
  });

  test('sets, advances, freezes and resumes the clock', async () => {
    expect(await done('clock.now')).toEqual({ now: start, running: true });
    expect(await done('clock.set', ['2026-05-01T00:00:00Z'])).toEqual({
      now: '2026-05-01T00:00:00.000Z',
      running: false,
    });
    expect(await done('clock.advance', { minutes: 15 })).toEqual({ now: '2026-05-01T00:15:00.000Z', running: false });
    expect(await done('clock.freeze')).toEqual({ now: '2026-05-01T00:15:00.000Z', running: false });
    expect(await done('clock.freeze', [0])).toEqual({ now: '1970-01-01T00:00:00.000Z', running: false });
    expect(await done('clock.resume')).toEqual({ now: '1970-01-01T00:00:00.000Z', running: true });
  });

  test('returns the requests without those of the control API', async () => {
    const corridor = new Corridor(served.clientOptions());
    await corridor.payments.create(payablePayment(served.platform));
    await corridor.crypto.networks();
    expect(await done('requests')).toMatchObject([
      { endpoint: 'payments.create', status: 201 },
      { endpoint: 'crypto.networks', status: 200 },
    ]);
    expect(await done('requests', ['crypto.networks'])).toHaveLength(1);
  });

  test('resets the first organization by default, and returns the requests of all', async () => {
    const partner = served.platform.organization();
    for (const organization of [served.platform, partner]) {
      organization.customers.add();
      await new Corridor(served.clientOptions(organization)).crypto.networks();
    }
    await fetch(`${served.url}/api/v1/payment`);
    await done('clock.set', ['2026-05-01T00:00:00Z']);
    await done('configure', [{ quotes: 'reusable' }]);
    const organizationsOf = async (id?: string): Promise<unknown> =>
      (await done<{ organization?: string }[]>('requests', [], id)).map(({ organization }) => organization);
    expect(await organizationsOf()).toEqual([served.platform.id, partner.id, undefined]);
    expect(await organizationsOf(served.platform.id)).toEqual([served.platform.id]);
    await done('reset');
    expect([served.platform.customers.all(), await organizationsOf(served.platform.id)]).toEqual([[], []]);
    expect([partner.customers.all(), await organizationsOf(partner.id)]).toEqual([[expect.anything()], [partner.id]]);
    expect(await done('clock.now')).toEqual({ now: '2026-05-01T00:00:00.000Z', running: false });
    expect(served.platform.assumptions()).toContainEqual(
      expect.objectContaining({ option: 'quotes', value: 'reusable' }),
    );
  });

  test('creates and restores a snapshot', async () => {
    await done('populate', [{ customers: 2, payments: 3 }]);
    const snapshot = await done('snapshot');
    await done('reset');
    expect(served.platform.payments.all()).toEqual([]);
    await done('restore', [snapshot]);
    expect(served.platform.payments.all()).toHaveLength(3);
    await done('resetAll');
    expect(served.platform.customers.all()).toEqual([]);
  });

  test('accepts GET for calls that only read', async () => {
    served.platform.customers.addMany(2);
    const response = await fetch(`${served.url}/__mock/customers.all`);
    expect(await response.json()).toHaveLength(2);
  });

  test('lists every call with its arguments', async () => {
    const { calls, platformCalls } = (await (await fetch(`${served.url}/__mock`)).json()) as {
      calls: string[];
      platformCalls: string[];
    };
    expect(platformCalls).toEqual(
      expect.arrayContaining(['organization', 'clock.set', 'configure', 'snapshot', 'restore', 'resetAll']),
    );
    expect(platformCalls).not.toContain('reset');
    expect(calls).toContain('payments.transition(id: string, status: string)');
    expect(calls).toContain('faults.next(endpoint: string, fault: object, options?: number or object)');
  });
});

describe('the control API rejects', () => {
  test.each([
    ['payments.pay', [], 404, 'unknown call "payments.pay". Send GET /__mock for a list of all calls.'],
    ['constructor', [], 404, 'unknown call "constructor"'],
    [
      'payments.transition',
      ['pay_0'],
      400,
      'payments.transition(id: string, status: string): status is required: it must be a string',
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
    expect(await control(call, given)).toMatchObject({ status, result: { message: expect.stringContaining(message) } });
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
    expect(await control('payments.all', [], 'org_0')).toMatchObject({
      status: 404,
      result: { code: 'unknown_organization' },
    });
  });

  test.each<[given: object, message: string]>([
    [{ nmae: 'Acme' }, 'organization: nmae is not a known field (known: id, name, apiKey, publicKey, privateKey)'],
    [{ seed: 1 }, 'organization: seed is not a known field'],
    [{ apiKey: '' }, 'organization: apiKey must be a non-empty string. Omit it to use the generated default'],
    [{ apiKey: 5 }, 'apiKey must be a non-empty string'],
    [{ id: '' }, 'id must be a non-empty string'],
    [{ name: {} }, 'name must be a non-empty string'],
    [{ name: null }, 'name must be a non-empty string'],
    [{ name: JSON.parse('['.repeat(10_000) + ']'.repeat(10_000)) as unknown }, 'name must be a non-empty string'],
  ])('an organization with an invalid option, and does not add it: %j', async (given, message) => {
    const before = served.platform.organizations.length;
    expect(await control('organization', [given])).toMatchObject({
      status: 400,
      result: { message: expect.stringContaining(message) },
    });
    expect(served.platform.organizations).toHaveLength(before);
  });

  test.each([{ publicKey: 'no key' }, { privateKey: 'no key' }, { privateKey: null }])(
    'an organization with %j, and does not add it',
    async (keys) => {
      const before = served.platform.organizations.length;
      expect(await control('organization', [{ ...keys, id: 'org_mine' }])).toMatchObject({
        status: 400,
        result: { message: expect.stringContaining('publicKey or privateKey is not a valid RSA key') },
      });
      expect(served.platform.organizations).toHaveLength(before);
    },
  );

  test.each(['', 'customers.add', 'customers.all', 'organizations'])(
    'an unknown query parameter, and makes no call: %s',
    async (call) => {
      const { status, result } = await control(`${call}?organisation=${served.platform.id}`);
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
    expect(await control('customers.add?organization=a&organization=b')).toMatchObject({
      status: 400,
      result: { message: 'organization is set more than once. Send it once.' },
    });
  });

  test.each([
    ['organization'],
    ['organizations'],
    ['clock.now'],
    ['clock.set', 0],
    ['clock.advance', { days: 1 }],
    ['clock.freeze'],
    ['clock.resume'],
    ['assumptions'],
    ['configure', { quotes: 'reusable' }],
    ['snapshot'],
    ['restore', {}],
    ['resetAll'],
  ])('an organization for %s, which affects the whole platform', async (call, ...given) => {
    served.platform.customers.add();
    expect(await control(call, given, served.platform.id)).toEqual({
      status: 400,
      result: { code: 'invalid_query', message: `${call} affects the whole platform. Omit ?organization=.` },
    });
    expect(served.platform.customers.all()).toHaveLength(1);
  });

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
  expect([response.status, await response.json()]).toMatchObject([401, { code: 'missing_api_key' }]);
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
