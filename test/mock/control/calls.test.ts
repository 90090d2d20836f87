import { Corridor } from 'corridor-sdk';
import { snapshotToLines } from 'corridor-sdk/mock';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { payablePayment, start } from '../fixture.ts';
import { control } from './control-calls.ts';

let served: MockPlatformServer;
beforeAll(async () => {
  served = await serveMockPlatform({ control: true, now: () => Date.parse(start) });
});
beforeEach(() => served.platform.reset());
afterAll(() => served.close());

async function done<T = unknown>(call: string, args?: unknown, organization?: string): Promise<T> {
  const { status, result } = await control(served, call, args, organization);
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
      clock: 'shared',
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
      clock: 'shared',
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
      expect(await done(`${kind}.search`, [{ text: added.id }])).toMatchObject({ count: 1, records: [added] });
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
    await done('payments.scheduleTransitionsOnCreate', [['APPROVED'], { every: { hours: 1 } }]);
    const customer = await done<{ id: string }>('customers.add', { status: 'PENDING_REVIEW' });
    await done('customers.transition', [customer.id, 'REJECTED']);
    expect(await done('customers.activity', [customer.id])).toMatchObject([{ toStatus: 'REJECTED' }]);
  });

  test('plans, lists and clears faults', async () => {
    await done('faults.next', ['payments.list', { kind: 'reset' }, 2]);
    await done('faults.sequence', [
      'payments.list',
      ['ok', { kind: 'response', body: '<title>Sign in</title>', headers: { 'content-type': 'text/html' } }],
    ]);
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
    expect(await control(served, 'snapshot')).toMatchObject({
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
    expect(await organizationsOf()).toEqual([partner.id, undefined]);
    expect([partner.customers.all(), await organizationsOf(partner.id)]).toEqual([[expect.anything()], [partner.id]]);
    expect(await done('clock.now')).toEqual({ now: '2026-05-01T00:00:00.000Z', running: false });
    expect(served.platform.assumptions()).toContainEqual(
      expect.objectContaining({ option: 'quotes', value: 'reusable' }),
    );
  });

  test('sends and restores a snapshot as lines, and rejects lines that were cut off', async () => {
    await done('populate', [{ customers: 2, payments: 3 }]);
    const url = `${served.url}/__mock`;
    const type = 'application/x-ndjson';
    const saved = await fetch(`${url}/snapshot`, { headers: { accept: type } });
    expect(saved.headers.get('content-type')).toBe(type);
    const lines = await saved.text();
    expect([...snapshotToLines(served.platform.snapshot())]).toEqual(lines.match(/.*\n/g));
    const restore = async (body: string): Promise<unknown[]> => {
      const response = await fetch(`${url}/restore`, { method: 'POST', headers: { 'content-type': type }, body });
      return [response.status, await response.json()];
    };
    await done('reset');
    expect(await restore(lines.slice(0, -30))).toEqual([
      400,
      { code: 'rejected', message: expect.stringContaining('they are damaged or cut off') },
    ]);
    expect(served.platform.payments.all()).toEqual([]);
    expect(await restore(lines)).toEqual([200, null]);
    expect(served.platform.payments.all()).toHaveLength(3);
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
    expect(platformCalls).toEqual(expect.arrayContaining(['organization', 'snapshot', 'restore', 'resetAll']));
    expect(platformCalls).not.toContain('reset');
    expect(calls).toContain('payments.transition(id: string, status: string or object)');
    expect(calls).toContain('faults.next(endpoint: string, fault: object, options?: number or object)');
  });
});
