import { inspect } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { Corridor, type CorridorOptions } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';

function setup() {
  const platform = createMockPlatform();
  const { id } = platform.customers.add();
  platform.payments.addMany(3);
  return { platform, id, corridor: new Corridor(platform.clientOptions()) };
}

/** Every method of a client and its namespaces, by its path. */
const methods = [new Corridor(createMockPlatform().clientOptions())].flatMap((corridor) =>
  [corridor, ...Object.values(corridor)].flatMap((part: object) =>
    Object.getOwnPropertyNames(Object.getPrototypeOf(part))
      .filter((name) => name !== 'constructor')
      .map((name) => [part, name] as const),
  ),
);

describe('methods that are taken off', () => {
  test('a client and its namespaces work', async () => {
    const { corridor, platform, id } = setup();
    const { list, createOnce, find } = corridor.payments;
    const { get } = corridor.customers;
    const { withOptions, ready, request } = corridor;

    await ready();
    expect(await list({ limit: 2 }).toArray()).toHaveLength(3);
    const { payment } = await createOnce(platform.payments.createParams());
    expect((await find({ id: payment.id }))?.id).toBe(payment.id);
    expect(await Promise.all([id].map((each) => get(each)))).toMatchObject([{ id }]);
    expect(await request({ method: 'GET', path: '/api/v1/crypto/networks' })).toHaveProperty('networks');
    expect(await withOptions({ timeout: 5_000 }).crypto.networks()).not.toEqual([]);
  });

  test.each(methods)('%s.%s is bound', (part, name) => {
    expect(Object.getOwnPropertyDescriptor(part, name)).toMatchObject({
      value: expect.objectContaining({ name: `bound ${name}` }),
      enumerable: false,
      writable: true,
      configurable: true,
    });
  });

  test('are not printed with the client', () => {
    expect(inspect(setup().corridor)).not.toContain('bound');
  });

  test('can be spied on', async () => {
    const { corridor } = setup();
    const spy = vi.spyOn(corridor.payments, 'list');
    await corridor.payments.list();
    expect(spy).toHaveBeenCalledOnce();
  });
});

test('a client and its namespaces work behind a Proxy, as those of dependency injection and instrumentation', async () => {
  const { corridor, platform, id } = setup();
  const calls: PropertyKey[] = [];
  const observed = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(object, name, receiver) {
        calls.push(name);
        const value: unknown = Reflect.get(object, name, receiver);
        return typeof value === 'object' && value !== null ? observed(value) : value;
      },
    });
  const proxy = observed(corridor);

  expect(await proxy.customers.get(id)).toMatchObject({ id });
  expect(await proxy.payments.list().toArray()).toHaveLength(3);
  expect((await proxy.payments.createOnce(platform.payments.createParams())).created).toBe(true);
  expect(await proxy.withOptions({ maxRetries: 0 }).crypto.networks()).not.toEqual([]);
  expect(calls).toContain('createOnce');
});

describe('a subclass', () => {
  class TenantClient extends Corridor {
    readonly tenant: string;

    constructor(tenant: string, options: CorridorOptions) {
      super({ ...options, userAgent: tenant });
      this.tenant = tenant;
    }

    countPayments(): Promise<number> {
      return this.payments
        .list()
        .toArray()
        .then(({ length }) => length);
    }

    override request(...parameters: Parameters<Corridor['request']>): ReturnType<Corridor['request']> {
      const [request, options] = parameters;
      return super.request({ ...request, path: `/api/v1${request.path}` }, options);
    }
  }

  test('stays one after withOptions, with its fields and its credentials', async () => {
    const { platform } = setup();
    const client = new TenantClient('acme', platform.clientOptions()).withOptions({ maxRetries: 0 });

    expect(client).toBeInstanceOf(TenantClient);
    expect(client.tenant).toBe('acme');
    expect(await client.countPayments()).toBe(3);
    const { countPayments, request } = client;
    expect(await countPayments()).toBe(3);
    expect(await request({ method: 'GET', path: '/crypto/networks' })).toHaveProperty('networks');
    expect(platform.requests.at(-1)?.headers['user-agent']).toContain('acme');
  });

  test('that is made by withOptions has the options that replace those of the first', async () => {
    const { platform } = setup();
    platform.faults.next('crypto.networks', { kind: 'status', status: 503 });
    const client = new TenantClient('acme', platform.clientOptions()).withOptions({ maxRetries: 0 });
    await expect(client.crypto.networks()).rejects.toMatchObject({ status: 503 });
  });
});
