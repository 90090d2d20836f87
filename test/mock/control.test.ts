import { request as httpRequest } from 'node:http';
import { Corridor } from 'corridor-sdk';
import { serveMockPlatform, type ServedMockPlatform } from 'corridor-sdk/mock/node';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { payablePayment, start } from './fixture.js';

let served: ServedMockPlatform;
beforeAll(async () => {
  served = await serveMockPlatform({ control: true, now: () => Date.parse(start) });
});
beforeEach(() => served.platform.reset());
afterAll(() => served.close());

interface Answer {
  readonly status: number;
  readonly result: unknown;
}

async function control(call: string, given?: unknown, organization?: string): Promise<Answer> {
  const query = organization === undefined ? '' : `?organization=${organization}`;
  const answer = await fetch(`${served.url}/__mock/${call}${query}`, { method: 'POST', ...(given !== undefined && { body: JSON.stringify(given) }) });
  expect(answer.headers.get('content-type')).toBe('application/json');
  return { status: answer.status, result: await answer.json() };
}

async function done<T = unknown>(call: string, given?: unknown, organization?: string): Promise<T> {
  const { status, result } = await control(call, given, organization);
  expect({ status, ...(status !== 200 && { result }) }).toEqual({ status: 200 });
  return result as T;
}

describe('over the control API', () => {
  test('a test in another language gets an organization of its own, with keys to sign by', async () => {
    const partner = await done<{ id: string; name: string; baseUrl: string; apiKey: string; privateKey: string }>('organization', [{ name: 'Acme' }]);
    expect(partner).toEqual({
      id: expect.any(String), name: 'Acme', baseUrl: served.url, apiKey: expect.any(String),
      privateKey: expect.stringMatching(/^-----BEGIN PRIVATE KEY-----/), publicKey: expect.stringMatching(/^-----BEGIN PUBLIC KEY-----/),
    });
    await done('customers.add', [{ companyName: 'Partner of Acme' }], partner.id);
    const { baseUrl, apiKey, privateKey } = partner;
    const page = await new Corridor({ baseUrl, apiKey, privateKey, now: served.platform.clientOptions().now }).customers.list();
    expect(page.items.map(({ companyName }) => companyName)).toEqual(['Partner of Acme']);
    expect(served.platform.customers.all()).toEqual([]);
  });

  test('of a partner who gives a public key, no private one is told', async () => {
    const { publicKey } = await served.credentials();
    const organization = await done('organization', [{ publicKey }]);
    expect(organization).toMatchObject({ baseUrl: served.url, apiKey: expect.any(String), publicKey });
    expect(organization).not.toHaveProperty('privateKey');
  });

  test('organizations are listed without their keys', async () => {
    const listed = await done<object[]>('organizations');
    expect(listed[0]).toEqual({ id: served.platform.id, name: served.platform.name, apiKey: served.platform.clientOptions().apiKey });
  });

  test.each(['customers', 'beneficiaries', 'persons', 'documents', 'quotes', 'payments', 'tickets'] as const)('%s are added, found and listed', async (kind) => {
    const added = await done<{ id: string }>(`${kind}.add`);
    expect(await done(`${kind}.get`, [added.id])).toEqual(added);
    await done(`${kind}.addMany`, [2, {}]);
    expect(await done(`${kind}.all`)).toEqual(JSON.parse(JSON.stringify(served.platform[kind].all())));
    expect(served.platform[kind].all().length).toBeGreaterThanOrEqual(3);
  });

  test('a record that is not there is null', async () => {
    expect(await done('payments.get', ['pay_0'])).toBeNull();
  });

  test('records move, by hand and by plan', async () => {
    const { id } = await done<{ id: string }>('payments.add');
    expect(await done('payments.transition', [id, 'APPROVED'])).toMatchObject({ id, status: 'APPROVED' });
    expect(await done('payments.plan', [id, ['PROCESSING', 'COMPLETED'], { every: { hours: 1 } }])).toBeNull();
    await done('clock.advance', [{ hours: 2 }]);
    expect(await done('payments.get', [id])).toMatchObject({ status: 'COMPLETED' });
    await done('payments.planCreated', [['APPROVED'], { reads: 1 }]);
    const customer = await done<{ id: string }>('customers.add', { status: 'PENDING_REVIEW' });
    await done('customers.transition', [customer.id, 'REJECTED']);
    expect(await done('customers.activity', [customer.id])).toMatchObject([{ toStatus: 'REJECTED' }]);
  });

  test('faults are planned, told and taken back', async () => {
    await done('faults.next', ['payments.list', { kind: 'reset' }, 2]);
    await done('faults.sequence', ['payments.list', ['ok', { kind: 'html' }]]);
    await done('faults.always', ['*', { kind: 'slow', delay: 1 }]);
    await done('faults.rate', ['customers.list', 0.5, { kind: 'hang' }]);
    expect(await done('faults.planned')).toEqual(JSON.parse(JSON.stringify(served.platform.faults.planned)));
    await done('faults.clear', ['customers.list']);
    expect(served.platform.faults.planned.map(({ endpoint }) => endpoint)).toEqual(['payments.list', '*']);
    await done('faults.clear');
    expect(served.platform.faults.planned).toEqual([]);
  });

  test('the clock is set, moved, stopped and let run', async () => {
    expect(await done('clock.now')).toEqual({ now: start });
    expect(await done('clock.set', ['2026-05-01T00:00:00Z'])).toEqual({ now: '2026-05-01T00:00:00.000Z' });
    expect(await done('clock.advance', { minutes: 15 })).toEqual({ now: '2026-05-01T00:15:00.000Z' });
    expect(await done('clock.freeze')).toEqual({ now: '2026-05-01T00:15:00.000Z' });
    expect(await done('clock.freeze', [0])).toEqual({ now: '1970-01-01T00:00:00.000Z' });
    expect(await done('clock.resume')).toEqual({ now: '1970-01-01T00:00:00.000Z' });
  });

  test('the requests are told, and those of the control API are not among them', async () => {
    const corridor = new Corridor(served.clientOptions());
    await corridor.payments.create(payablePayment(served.platform));
    await corridor.crypto.networks();
    expect(await done('requests')).toMatchObject([{ endpoint: 'payments.create', status: 201 }, { endpoint: 'crypto.networks', status: 200 }]);
    expect(await done('requests', ['crypto.networks'])).toHaveLength(1);
  });

  test('without an organization, reset is about the first one only, and requests are those of all', async () => {
    const partner = served.platform.organization();
    for (const organization of [served.platform, partner]) {
      organization.customers.add();
      await new Corridor(served.clientOptions(organization)).crypto.networks();
    }
    await fetch(`${served.url}/api/v1/payment`);
    await done('clock.set', ['2026-05-01T00:00:00Z']);
    await done('assume', [{ quotes: 'reusable' }]);
    const organizationsOf = async (id?: string): Promise<unknown> => (await done<{ organization?: string }[]>('requests', [], id)).map(({ organization }) => organization);
    expect(await organizationsOf()).toEqual([served.platform.id, partner.id, undefined]);
    expect(await organizationsOf(served.platform.id)).toEqual([served.platform.id]);
    await done('reset');
    expect([served.platform.customers.all(), await organizationsOf(served.platform.id)]).toEqual([[], []]);
    expect([partner.customers.all(), await organizationsOf(partner.id)]).toEqual([[expect.anything()], [partner.id]]);
    expect(await done('clock.now')).toEqual({ now: '2026-05-01T00:00:00.000Z' });
    expect(served.platform.assumptions()).toContainEqual(expect.objectContaining({ option: 'quotes', value: 'reusable' }));
  });

  test('a state is kept and brought back', async () => {
    await done('populate', [{ customers: 2, payments: 3 }]);
    const snapshot = await done('snapshot');
    await done('reset');
    expect(served.platform.payments.all()).toEqual([]);
    await done('restore', [snapshot]);
    expect(served.platform.payments.all()).toHaveLength(3);
    await done('resetAll');
    expect(served.platform.customers.all()).toEqual([]);
  });

  test('what only reads answers GET', async () => {
    served.platform.customers.addMany(2);
    const answer = await fetch(`${served.url}/__mock/customers.all`);
    expect(await answer.json()).toHaveLength(2);
  });

  test('the index names every call with its arguments', async () => {
    const { calls, ofThePlatform } = (await (await fetch(`${served.url}/__mock`)).json()) as { calls: string[]; ofThePlatform: string[] };
    expect(ofThePlatform).toEqual(expect.arrayContaining(['organization', 'clock.set', 'assume', 'snapshot', 'restore', 'resetAll']));
    expect(ofThePlatform).not.toContain('reset');
    expect(calls).toContain('payments.transition(id: string, status: string)');
    expect(calls).toContain('faults.next(endpoint: string, fault: object, times?: number)');
  });
});

describe('the control API refuses', () => {
  test.each([
    ['payments.pay', [], 404, 'there is no call payments.pay; GET /__mock lists them all'],
    ['constructor', [], 404, 'there is no call constructor'],
    ['payments.transition', ['pay_0'], 400, 'payments.transition(id: string, status: string): status must be a string'],
    ['payments.transition', ['pay_0', 'APPROVED'], 400, 'payments.transition: id "pay_0" is no record of this organization'],
    ['payments.get', ['pay_0', 1], 400, 'takes no more than 1 arguments'],
    ['payments.add', [[]], 400, 'record must be an object'],
    ['payments.add', [{ amount: 5 }], 400, 'payments.add: amount must be'],
    ['payments.add', [{ colour: 'red' }], 400, 'payments.add: colour'],
    ['payments.addMany', [-1], 400, 'count must be a whole number from 0 to 100000'],
    ['payments.addMany', [1e9], 400, 'count must be a whole number from 0 to 100000'],
    ['faults.next', ['payments.lost', { kind: 'reset' }], 400, '"payments.lost" is not an endpoint'],
    ['faults.next', ['payments.list', { kind: 'fire' }], 400, '"fire" is not a kind of fault'],
    ['requests', ['payments.lost'], 400, 'requests.of: "payments.lost" is not an endpoint'],
    ['clock.set', ['soon'], 400, 'clock.set: "soon" is not a time'],
    ['restore', [{ version: 1 }], 400, 'restore: this is not a snapshot'],
    ['restore', [{ version: 1, clock: {}, answered: 0, organizations: [{}] }], 400, 'restore: this is not a snapshot'],
  ])('%s %j', async (call, given, status, message) => {
    expect(await control(call, given)).toMatchObject({ status, result: { message: expect.stringContaining(message) } });
  });

  test('what is no JSON, or no UTF-8', async () => {
    for (const body of ['{', Uint8Array.of(0xff)]) {
      const answer = await fetch(`${served.url}/__mock/payments.add`, { method: 'POST', body });
      expect([answer.status, await answer.json()]).toEqual([400, { code: 'not_json', message: 'the body must be JSON: an array of the arguments' }]);
    }
  });

  test('an organization that is not there', async () => {
    expect(await control('payments.all', [], 'org_0')).toMatchObject({ status: 404, result: { code: 'unknown_organization' } });
  });

  test.each<[given: object, message: string]>([
    [{ nmae: 'Acme' }, 'organization: nmae is not an option; there are id, name, apiKey, publicKey, privateKey'],
    [{ seed: 1 }, 'organization: seed is not an option'],
    [{ apiKey: '' }, "apiKey: must be a string that is not empty; leave it out for the mock's own"],
    [{ apiKey: 5 }, 'apiKey: must be a string'],
    [{ id: '' }, 'id: must be a string'],
    [{ name: {} }, 'name: must be a string'],
    [{ name: null }, 'name: must be a string'],
    [{ name: JSON.parse('['.repeat(10_000) + ']'.repeat(10_000)) as unknown }, 'name: must be a string'],
  ])('an organization with what is no option, or no text, and does not add it: %j', async (given, message) => {
    const before = served.platform.organizations.length;
    expect(await control('organization', [given])).toMatchObject({ status: 400, result: { message: expect.stringContaining(message) } });
    expect(served.platform.organizations).toHaveLength(before);
  });

  test.each([{ publicKey: 'no key' }, { privateKey: 'no key' }, { privateKey: null }])('an organization with %j, and does not add it', async (keys) => {
    const before = served.platform.organizations.length;
    expect(await control('organization', [{ ...keys, id: 'org_mine' }])).toMatchObject({ status: 400, result: { message: expect.stringContaining('PEM texts of an RSA key') } });
    expect(served.platform.organizations).toHaveLength(before);
  });

  test.each(['', 'customers.add', 'customers.all', 'organizations'])('a query parameter that is none, and calls nothing: %s', async (call) => {
    const { status, result } = await control(`${call}?organisation=${served.platform.id}`);
    expect({ status, result }).toEqual({ status: 400, result: { code: 'wrong_query', message: '"organisation" is not a query parameter: the only one is organization, and arguments are sent as a JSON array in the body' } });
    expect(served.platform.customers.all()).toEqual([]);
  });

  test('two organizations at once', async () => {
    expect(await control('customers.add?organization=a&organization=b')).toMatchObject({ status: 400, result: { message: 'organization is given more than once' } });
  });

  test.each([
    ['organization'], ['organizations'], ['clock.now'], ['clock.set', 0], ['clock.advance', { days: 1 }], ['clock.freeze'], ['clock.resume'], ['assumptions'],
    ['assume', { quotes: 'reusable' }], ['snapshot'], ['restore', {}], ['resetAll'],
  ])('an organization for %s, which is about the whole platform', async (call, ...given) => {
    served.platform.customers.add();
    expect(await control(call, given, served.platform.id)).toEqual({ status: 400, result: { code: 'wrong_query', message: `${call} is about the whole platform: leave ?organization= away` } });
    expect(served.platform.customers.all()).toHaveLength(1);
  });

  test.each([['GET', 'payments.add'], ['DELETE', 'payments.all'], ['PUT', 'reset']])('%s %s', async (method, call) => {
    expect((await fetch(`${served.url}/__mock/${call}`, { method })).status).toBe(405);
  });

  test.each([
    ['host', 'mock.evil.example', 'foreign_host'],
    ['host', '127.0.0.1.evil.example', 'foreign_host'],
    ['origin', 'https://evil.example', 'foreign_origin'],
    ['origin', 'null', 'foreign_origin'],
    ['origin', 'http://localhost:1', 'foreign_origin'],
    ['sec-fetch-site', 'cross-site', 'foreign_origin'],
  ])('a request with the header %s: %s', async (name, value, code) => {
    served.platform.customers.add();
    const answer = await sent({ [name]: value });
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([403, { code }]);
    expect(served.platform.customers.all()).toHaveLength(1);
  });

  test('nothing of a page of its own origin', async () => {
    expect((await sent({ origin: served.url, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  });
});

test('without the option there is no control API', async () => {
  await using plain = await stoppable();
  const answer = await fetch(`${plain.url}/__mock/reset`, { method: 'POST' });
  expect([answer.status, await answer.json()]).toMatchObject([401, { code: 'missing_api_key' }]);
});

async function stoppable(): Promise<ServedMockPlatform & AsyncDisposable> {
  const plain = await serveMockPlatform();
  return { ...plain, [Symbol.asyncDispose]: () => plain.close() };
}

/** Sends what `fetch` does not let one send: a `Host` of one's own. */
function sent(headers: Record<string, string>): Promise<{ readonly status: number | undefined; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${served.url}/__mock/customers.all`, { headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (part: string) => (body += part)).on('end', () => resolve({ status: response.statusCode, body }));
    });
    request.on('error', reject).end();
  });
}
