import { describe, expect, test } from 'vitest';
import {
  Corridor,
  NotFoundError,
  WaitTimeoutError,
  type Customer,
  type CustomerStatus,
  type WaitOptions,
} from 'corridor-sdk';
import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import { virtualOptions, VirtualTime } from '../../support/virtual-time.ts';

const seconds = 1_000;
const minutes = 60 * seconds;

interface Scenario {
  readonly time: VirtualTime;
  readonly platform: MockPlatform;
  readonly customerId: string;
}

function scenarioWith(status: CustomerStatus): Scenario {
  const time = new VirtualTime();
  const platform = createMockPlatform({ now: time.now });
  return { time, platform, customerId: platform.customers.add({ status }).id };
}

/** Waits in virtual time, while the customer's status changes at these seconds. */
async function wait(
  { time, platform, customerId }: Scenario,
  options: WaitOptions<CustomerStatus>,
  moves: readonly (readonly [number, CustomerStatus])[] = [],
): Promise<Customer> {
  const fetch: typeof globalThis.fetch = (input, init) => time.busy(() => platform.fetch(input, init));
  const corridor = new Corridor({ ...platform.clientOptions(), ...virtualOptions(time, fetch), maxRetries: 0 });
  return time.run(async () => {
    for (const [at, status] of moves)
      void time.wait(at * seconds).then(() => platform.customers.transition(customerId, status));
    return corridor.customers.waitForStatus(customerId, options);
  });
}

describe('customers.waitForStatus', () => {
  test('resolves to the customer when it has one of the statuses', async () => {
    const customer = await wait(
      scenarioWith('PENDING_REVIEW'),
      { until: ['APPROVED', 'REJECTED'], maxWait: 60 * minutes },
      [[600, 'APPROVED']],
    );
    expect(customer.status).toBe('APPROVED');
  });

  test('resolves immediately, with one request, if it has the status already', async () => {
    const scenario = scenarioWith('APPROVED');
    await wait(scenario, { until: ['APPROVED'], maxWait: 1 * minutes });
    expect(scenario.platform.requests.map(({ endpoint }) => endpoint)).toEqual(['customers.get']);
  });

  test('lists in its error the observed statuses', async () => {
    const scenario = scenarioWith('PENDING_REVIEW');
    scenario.platform.customers.transition(scenario.customerId, 'CORRECTION_REQUESTED');
    await scenario.time.run(() => scenario.time.wait(10 * minutes));
    const error = await wait(scenario, { until: ['SUSPENDED'], maxWait: 30 * minutes, pollInterval: 30 * seconds }, [
      [65, 'PENDING_REVIEW'],
      [70, 'CORRECTION_REQUESTED'],
      [75, 'PENDING_REVIEW'],
      [80, 'APPROVED'],
    ]).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(WaitTimeoutError);
    expect(error).toMatchObject({
      statusHistory: ['CORRECTION_REQUESTED', 'APPROVED'],
      unreachable: false,
      endpoint: 'customers.waitForStatus',
    });
  });

  test('throws immediately if the organization has no such customer', async () => {
    const scenario = { ...scenarioWith('APPROVED'), customerId: 'cus_0' };
    await expect(wait(scenario, { until: ['APPROVED'], maxWait: 60 * minutes })).rejects.toThrow(NotFoundError);
    expect(scenario.platform.requests).toHaveLength(1);
  });

  test('throws immediately if the customer can no longer reach any of the statuses', async () => {
    const scenario = scenarioWith('PENDING_REVIEW');
    const began = scenario.time.now();
    const error = await wait(scenario, { until: ['APPROVED', 'SUSPENDED'], maxWait: 60 * minutes }, [
      [3, 'REJECTED'],
    ]).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(WaitTimeoutError);
    expect(error).toMatchObject({
      unreachable: true,
      statusHistory: ['PENDING_REVIEW', 'REJECTED'],
      message: `customer ${scenario.customerId} can no longer become APPROVED or SUSPENDED: its status was PENDING_REVIEW, then REJECTED`,
      endpoint: 'customers.waitForStatus',
    });
    expect(scenario.time.now() - began).toBe(6_000);
  });

  test.each(['DRAFT', 'PENDING_REVIEW', 'CORRECTION_REQUESTED', 'APPROVED', 'SUSPENDED'] as const)(
    'waits for a customer that is %s, because any status can follow',
    async (status) => {
      const error = await wait(scenarioWith(status), { until: ['REJECTED'], maxWait: 1 * minutes }).catch(
        (reason: unknown) => reason,
      );
      expect(error).toMatchObject({ unreachable: false });
    },
  );

  test.each([
    [{ until: [], maxWait: 1_000 }, 'invalid-request'],
    [{ until: ['APPROVED'], maxWait: -1 }, 'configuration'],
    [undefined, 'configuration'],
    [null, 'configuration'],
  ] as const)('rejects %o before anything is sent', async (options, code) => {
    const scenario = scenarioWith('APPROVED');
    await expect(wait(scenario, options as WaitOptions<CustomerStatus>)).rejects.toMatchObject({ code });
    expect(scenario.platform.requests).toHaveLength(0);
  });
});

test('a misspelled status of a customer is rejected, and the statuses of a payment are not those of a customer', async () => {
  const corridor = new Corridor(createMockPlatform().clientOptions());
  for (const status of ['APROVED', 'COMPLETED'])
    await expect(
      corridor.customers.waitForStatus('cus_1', { until: [status as never], maxWait: 1_000 }),
    ).rejects.toMatchObject({
      code: 'invalid-request',
      outcome: 'not-sent',
      issues: [
        { path: 'until[0]', message: expect.stringContaining('must be one of DRAFT, PENDING_REVIEW') as unknown },
      ],
    });
});
