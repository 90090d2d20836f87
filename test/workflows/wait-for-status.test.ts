import { describe, expect, test } from 'vitest';
import { Corridor, InvalidRequestError, NotFoundError, WaitTimeoutError, type Customer, type CustomerStatus, type WaitOptions } from 'corridor-sdk';
import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import { virtualOptions, VirtualTime } from '../simulation/virtual-time.ts';

const seconds = 1_000;
const minutes = 60 * seconds;

interface World {
  readonly time: VirtualTime;
  readonly platform: MockPlatform;
  readonly customerId: string;
}

function worldWith(status: CustomerStatus): World {
  const time = new VirtualTime();
  const platform = createMockPlatform({ now: time.now });
  return { time, platform, customerId: platform.customers.add({ status }).id };
}

/** Waits in virtual time, while the customer moves at these seconds. */
async function wait({ time, platform, customerId }: World, options: WaitOptions<CustomerStatus>, moves: readonly (readonly [number, CustomerStatus])[] = []): Promise<Customer> {
  const fetch: typeof globalThis.fetch = (input, init) => time.busy(() => platform.fetch(input, init));
  const corridor = new Corridor({ ...platform.clientOptions(), ...virtualOptions(time, fetch), retries: 0 });
  return time.run(async () => {
    for (const [at, status] of moves) void time.wait(at * seconds).then(() => platform.customers.transition(customerId, status));
    return corridor.customers.waitForStatus(customerId, options);
  });
}

describe('customers.waitForStatus', () => {
  test('resolves to the customer once it is in one of the statuses', async () => {
    const customer = await wait(worldWith('PENDING_REVIEW'), { until: ['APPROVED', 'REJECTED'], within: 60 * minutes }, [[600, 'APPROVED']]);
    expect(customer.status).toBe('APPROVED');
  });

  test('resolves at once, by one request, where it is there already', async () => {
    const world = worldWith('APPROVED');
    await wait(world, { until: ['APPROVED'], within: 1 * minutes });
    expect(world.platform.requests.map(({ endpoint }) => endpoint)).toEqual(['customers.get']);
  });

  test('lists in its error what the looks saw, and what came and went between two of them, which the activity tells', async () => {
    const world = worldWith('PENDING_REVIEW');
    world.platform.customers.transition(world.customerId, 'CORRECTION_REQUESTED');
    await world.time.run(() => world.time.wait(10 * minutes));
    const error = await wait(world, { until: ['SUSPENDED'], within: 30 * minutes, interval: 30 * seconds }, [[65, 'PENDING_REVIEW'], [70, 'CORRECTION_REQUESTED'], [75, 'PENDING_REVIEW'], [80, 'APPROVED']]).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(WaitTimeoutError);
    expect(error).toMatchObject({ seen: ['CORRECTION_REQUESTED', 'PENDING_REVIEW', 'CORRECTION_REQUESTED', 'PENDING_REVIEW', 'APPROVED'], final: false, endpoint: 'customers.waitForStatus' });
    expect(world.platform.requests.of('customers.activity')).toHaveLength(1);
  });

  test('lists what the looks saw, where the activity cannot be read', async () => {
    const world = worldWith('PENDING_REVIEW');
    const fetch: typeof globalThis.fetch = (input, init) => (String(input).endsWith('/activity') ? Promise.resolve(new Response(null, { status: 503 })) : world.time.busy(() => world.platform.fetch(input, init)));
    const corridor = new Corridor({ ...world.platform.clientOptions(), ...virtualOptions(world.time, fetch), retries: 0 });
    const error = await world.time.run(async () => {
      void world.time.wait(1 * minutes).then(() => world.platform.customers.transition(world.customerId, 'APPROVED'));
      return corridor.customers.waitForStatus(world.customerId, { until: ['SUSPENDED'], within: 5 * minutes }).catch((reason: unknown) => reason);
    });
    expect(error).toMatchObject({ code: 'wait-timeout', seen: ['PENDING_REVIEW', 'APPROVED'] });
  });

  test('waits for the activity no longer than two seconds beyond its time', async () => {
    const world = worldWith('PENDING_REVIEW');
    const fetch: typeof globalThis.fetch = (input, init) => (String(input).endsWith('/activity') ? new Promise(() => {}) : world.time.busy(() => world.platform.fetch(input, init)));
    const corridor = new Corridor({ ...world.platform.clientOptions(), ...virtualOptions(world.time, fetch) });
    const began = world.time.now();
    const error = await world.time.run(() => corridor.customers.waitForStatus(world.customerId, { until: ['APPROVED'], within: 500 }).catch((reason: unknown) => reason));
    expect(error).toMatchObject({ code: 'wait-timeout', seen: ['PENDING_REVIEW'] });
    expect(world.time.now() - began).toBe(2_500);
  });

  test('ends at once where the organization has no such customer', async () => {
    const world = { ...worldWith('APPROVED'), customerId: 'cus_0' };
    await expect(wait(world, { until: ['APPROVED'], within: 60 * minutes })).rejects.toThrow(NotFoundError);
    expect(world.platform.requests).toHaveLength(1);
  });

  test.each([[{ until: [], within: 1_000 }], [{ until: ['APPROVED'], within: -1 }], [undefined], [null]] as const)('refuses %o before anything is sent', async (options) => {
    const world = worldWith('APPROVED');
    await expect(wait(world, options as WaitOptions<CustomerStatus>)).rejects.toThrow(InvalidRequestError);
    expect(world.platform.requests).toHaveLength(0);
  });
});
