import { Corridor } from 'corridor-sdk';
import { connectMockPlatform, MockPlatformError, type MockPlatform, type RemoteMockPlatform } from 'corridor-sdk/mock';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { start } from '../fixture.ts';

const token = 'a-control-token-of-the-team';
let served: MockPlatformServer;
let platform: RemoteMockPlatform;
beforeAll(async () => {
  served = await serveMockPlatform({ control: true, controlToken: token, now: () => Date.parse(start) });
  platform = await connectMockPlatform(served.url, token);
});
beforeEach(() => served.platform.reset());
afterAll(() => served.close());

type Callable = (...args: never[]) => unknown;
type NamesOf<T> = { [Name in keyof T & string]: T[Name] extends Callable ? Name : never }[keyof T & string];
type MethodsOf<T> = {
  [Name in keyof T & string]: T[Name] extends Callable
    ? Name
    : T[Name] extends object
      ? `${Name}.${Exclude<NamesOf<T[Name]>, keyof (readonly unknown[])>}`
      : never;
}[keyof T & string];

/** The methods that `RemoteMockPlatform` lacks. */
const inProcessOnly: Readonly<Record<Exclude<MethodsOf<MockPlatform>, MethodsOf<RemoteMockPlatform>>, true>> = {
  fetch: true,
  handle: true,
  handleRaw: true,
  internals: true,
  waitFor: true,
  callAt: true,
  keyPair: true,
  stored: true,
};
/** The methods of a platform in process that its types do not show. */
const internal = [
  'clock.onMove',
  'options.now',
  'receives',
  'faults.draw',
  'faults.matcherOf',
  'faults.isPublic',
  'faults.paramsOf',
  'faults.respond',
  'faults.restore',
  'faults.savepoint',
  'faults.snapshot',
  // Rejects a name of earlier builds.
];

/** Returns the names of the methods of an object and of its parts, such as `payments.add`. */
function methodsOf(target: object, depth = 1): string[] {
  const names = new Set<string>();
  for (let each = target; each !== Object.prototype && each !== Array.prototype; each = Object.getPrototypeOf(each))
    for (const name of Object.getOwnPropertyNames(each)) names.add(name);
  names.delete('constructor');
  return [...names].flatMap((name) => {
    const value = (target as Readonly<Record<string, unknown>>)[name];
    if (typeof value === 'function') return [name];
    if (typeof value !== 'object' || value === null || depth === 0) return [];
    return methodsOf(value, depth - 1).map((method) => `${name}.${method}`);
  });
}

/** Returns the names of the calls that the server has: each is a method of the remote platform. */
async function callsOfServer(): Promise<string[]> {
  const response = await fetch(`${served.url}/__mock`, { headers: { authorization: `Bearer ${token}` } });
  const { calls } = (await response.json()) as { readonly calls: readonly string[] };
  return calls.map((usage) => usage.replace(/\(.*/s, ''));
}

describe('a remote platform', () => {
  test('returns all records of a large addMany', async () => {
    const added = await platform.documents.addMany(1500);
    expect(added.map(({ id }) => id)).toEqual(served.platform.documents.all().map(({ id }) => id));
  });

  test('adds, reads, changes and removes records', async () => {
    const { id } = await platform.payments.add({ currencyCode: 'MXN', amount: '12.50' });
    expect(await platform.payments.get(id)).toEqual(JSON.parse(JSON.stringify(served.platform.payments.get(id))));
    expect(await platform.payments.transition(id, 'APPROVED')).toMatchObject({ id, status: 'APPROVED' });
    expect(await platform.payments.all()).toHaveLength(1);
    await platform.payments.remove(id);
    expect(await platform.payments.get(id)).toBeUndefined();
  });

  test('adds many records, each by a function of its index', async () => {
    const added = await platform.customers.addMany(3, (index) => ({ companyName: `Company ${index}` }));
    expect(added.map(({ companyName }) => companyName)).toEqual(['Company 0', 'Company 1', 'Company 2']);
    expect(await platform.customers.addMany(2)).toHaveLength(2);
    expect(served.platform.customers.all()).toHaveLength(5);
  });

  test('sends and returns the bytes of files, and lists pages', async () => {
    const content = Uint8Array.of(37, 80, 68, 70, 255, 0);
    const { id } = await platform.documents.add({ content, fileName: 'invoice.pdf' });
    expect((await platform.documents.get(id))?.content).toEqual(content);
    expect(served.platform.documents.get(id)?.content).toEqual(content);
    await platform.customers.addMany(4);
    expect(await platform.customers.all({ limit: 2 })).toHaveLength(2);
  });

  test('serves clients, plans faults and reads the requests', async () => {
    const corridor = new Corridor(await platform.clientOptions());
    await platform.faults.next('payments.list', { kind: 'status', status: 503 });
    await expect(corridor.payments.list({}, { maxRetries: 0 })).rejects.toMatchObject({ status: 503 });
    await corridor.payments.create(await platform.payments.createParams({ currencyCode: 'MXN' }));
    expect((await platform.requests.all()).map(({ endpoint, status }) => [endpoint, status])).toEqual([
      ['payments.list', 503],
      ['payments.create', 201],
    ]);
    expect(await platform.requests.to('payments.create')).toMatchObject([{ body: { currencyCode: 'MXN' } }]);
    expect(await platform.faults.list()).toMatchObject([{ hits: 1, remaining: 0 }]);
  });

  test('plans faults that last for a time of the clock', async () => {
    await platform.clock.freeze(start);
    await platform.faults.always('*', { kind: 'rate-limit' }, { duration: { minutes: 1 } });
    expect(await platform.faults.list()).toMatchObject([{ remaining: null, until: Date.parse(start) + 60_000 }]);
    await platform.clock.advance({ minutes: 1 });
    expect(await platform.faults.list()).toMatchObject([{ remaining: 0, hits: 0 }]);
  });

  test('moves the clock, and its clients follow', async () => {
    const { now } = await platform.clientOptions();
    expect(await platform.clock.now()).toBe(Date.parse(start));
    await platform.clock.set(new Date('2030-05-01T00:00:00Z'));
    await platform.clock.advance({ days: 1 });
    expect(await platform.clock.now()).toBe(Date.parse('2030-05-02T00:00:00Z'));
    expect(new Date(now()).getUTCFullYear()).toBe(2030);
    await platform.clock.freeze();
    await platform.clock.resume();
  });

  test('separates organizations', async () => {
    const acme = await platform.organization({ name: 'Acme' });
    await acme.customers.add();
    expect(acme.name).toBe('Acme');
    expect(await new Corridor(await acme.clientOptions()).customers.list().toArray()).toHaveLength(1);
    expect(await platform.customers.all()).toEqual([]);
    expect(await acme.requests.all()).toHaveLength(1);
    const all = await platform.organizations();
    expect(all.map(({ id }) => id)).toContain(acme.id);
    expect(await acme.credentials()).toMatchObject({ baseUrl: served.url, apiKey: expect.any(String) });
    await acme.reset();
    expect(await acme.customers.all()).toEqual([]);
  });

  test('reads requests that contain what looks like a file', async () => {
    const response = await fetch(`${served.url}/api/v1/payment?base64=%21`);
    expect(response.status).toBe(401);
    expect(await platform.requests.all()).toMatchObject([{ query: { base64: '!' } }]);
  });

  test('has clients whose time stands still while the clock is frozen', async () => {
    await platform.clock.set('2026-02-01T09:00:00Z');
    await platform.clock.freeze();
    const { now } = await platform.clientOptions();
    const later = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 45_000);
    expect(now?.()).toBe(Date.parse('2026-02-01T09:00:00Z'));
    later.mockRestore();
  });

  test('rejects or uses what addMany receives instead of a function', async () => {
    const added = await platform.payments.addMany(2, { currencyCode: 'KES', amount: '77.00' } as never);
    expect(added).toMatchObject([{ amount: '77.00' }, { amount: '77.00' }]);
    await expect(platform.payments.addMany(1, 5 as never)).rejects.toThrow('record must be an object');
  });

  test('rejects what is no snapshot, and restores a copy', async () => {
    const { id } = await platform.customers.add();
    const copy = structuredClone(await platform.snapshot());
    await platform.reset();
    await expect(platform.restore({ ...copy, organizations: [] } as never)).rejects.toThrow('this is not a snapshot');
    expect(await platform.customers.all()).toEqual([]);
    await platform.restore(copy);
    expect(await platform.customers.get(id)).toMatchObject({ id });
  });

  test('saves and restores snapshots, configures the behavior and loads scenarios', async () => {
    await platform.scenarios.load('returned-payout');
    const snapshot = await platform.snapshot();
    await platform.configure({ quotes: 'reusable' });
    expect(await platform.assumptions()).toContainEqual(
      expect.objectContaining({ option: 'quotes', value: 'reusable' }),
    );
    await platform.reset();
    expect(await platform.payments.all()).toEqual([]);
    await platform.restore(snapshot);
    expect(await platform.payments.get('pay_returned')).toMatchObject({ status: 'PROCESSING' });
    await platform.populate({ customers: 2, payments: 1 });
    expect(await platform.payments.all()).toHaveLength(2);
  });

  test('passes each request to a listener, until it is stopped', async () => {
    const acme = await platform.organization();
    const [all, ofAcme] = [[] as unknown[], [] as unknown[]];
    const listening = [
      platform.onRequest(({ path }) => all.push(path)),
      acme.onRequest(({ path }) => ofAcme.push(path)),
    ];
    const [stop, stopAcme] = await Promise.all(listening);
    await new Corridor(await platform.clientOptions()).crypto.networks();
    await new Corridor(await acme.clientOptions()).payments.list();
    await expect.poll(() => [all.length, ofAcme]).toEqual([2, ['/api/v1/payment']]);
    stop?.();
    stopAcme?.();
    await new Corridor(await acme.clientOptions()).payments.list();
    await platform.payments.all();
    expect([all.length, ofAcme.length]).toEqual([2, 1]);
  });

  test('rejects a method that the server does not know, and a call of the platform to an organization', async () => {
    const payments = platform.payments as unknown as { readonly pay: () => Promise<unknown> };
    await expect(payments.pay()).rejects.toThrow('unknown call "payments.pay" (known: payments.add, ');
    const acme = (await platform.organization()) as RemoteMockPlatform;
    await expect(acme.removeOrganization(acme.id)).rejects.toThrow('removeOrganization affects the whole platform.');
    expect(JSON.stringify(acme)).toContain(acme.id);
  });

  test('cannot listen to an organization that was removed', async () => {
    const acme = await platform.organization();
    await platform.removeOrganization(acme.id);
    await expect(acme.onRequest(() => {})).rejects.toThrow(`unknown organization "${acme.id}"`);
  });

  test('has every method of a platform in process, except those that need its objects', async () => {
    const known = [...methodsOf(platform), ...(await callsOfServer())];
    const missing = methodsOf(served.platform).filter((name) => !known.includes(name));
    expect(new Set(missing)).toEqual(new Set([...Object.keys(inProcessOnly), ...internal]));
  });

  test('has organizations with every method of one in process, except those that need its objects', async () => {
    const acme = await platform.organization();
    const inProcess = served.platform.organizations.at(-1) ?? served.platform;
    const known = [...methodsOf(acme), ...(await callsOfServer())];
    const missing = methodsOf(inProcess).filter((name) => !known.includes(name));
    const allowed = [...Object.keys(inProcessOnly), ...internal];
    expect(missing.filter((name) => !allowed.includes(name))).toEqual([]);
    expect(await acme.scenarios.list()).toEqual(await platform.scenarios.list());
  });

  test('clears requests', async () => {
    const acme = await platform.organization();
    const send = async (to: typeof acme): Promise<unknown> => new Corridor(await to.clientOptions()).customers.list();
    await Promise.all([send(platform), send(acme)]);

    await acme.requests.clear();
    expect([await acme.requests.all(), await platform.requests.all()]).toMatchObject([[], [{}]]);
    await platform.requests.clear();
    expect(await platform.requests.all()).toEqual([]);
  });

  test('accepts undefined as a platform in process does', async () => {
    await platform.faults.always('*', { kind: 'hang' }, undefined);
    await platform.faults.clear(undefined);
    await platform.customers.add(undefined);
    await platform.customers.addMany(2, () => undefined as never);
    await platform.populate(undefined);
    expect(await platform.faults.list()).toEqual([]);
    expect((await platform.customers.all()).length).toBeGreaterThan(3);

    const quotes = (): unknown => served.platform.assumptions().find(({ option }) => option === 'quotes')?.value;
    const before = quotes();
    await platform.configure({ quotes: 'reusable' });
    await platform.configure({ quotes: undefined });
    expect(quotes()).toBe(before);
    await expect(platform.configure(undefined as never)).rejects.toThrow('behavior');
  });

  test('rejects functions, which it cannot send, and invalid counts', async () => {
    const when = (): boolean => false;
    await expect(platform.faults.next('payments.create', { kind: 'hang' }, { when })).rejects.toThrow(
      'connectMockPlatform: faults.next cannot send a function (when) to another process.',
    );
    expect(await platform.faults.list()).toEqual([]);
    await expect(platform.customers.addMany(-1, () => ({}))).rejects.toThrow('count');
    expect(await platform.customers.all()).toEqual([]);
  });
});

describe('a connection', () => {
  test.each([
    ['not a URL', undefined, 'connectMockPlatform: url must be an http or https URL such as http://127.0.0.1:4010'],
    ['http://127.0.0.1:1', undefined, 'connectMockPlatform: http://127.0.0.1:1 cannot be reached. Start it with'],
  ])('rejects %j', async (url, secret, message) => {
    const error: unknown = await connectMockPlatform(url, secret).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(MockPlatformError);
    expect((error as Error).message).toContain(message);
  });

  test('rejects a wrong token, and a server without a control API', async () => {
    await expect(connectMockPlatform(served.url, 'x')).rejects.toThrow('the control token is not valid');
    const plain = await serveMockPlatform();
    await expect(connectMockPlatform(plain.url)).rejects.toThrow(MockPlatformError);
    await plain.close();
  });

  test('rejects what the mock rejects, with the same message', async () => {
    await expect(platform.payments.get('')).resolves.toBeUndefined();
    await expect(platform.payments.remove('pay_0')).rejects.toThrow('payments.remove: id "pay_0" does not exist');
    await expect(platform.scenarios.load('nothing')).rejects.toThrow('scenarios.load: unknown scenario "nothing"');
  });
});
