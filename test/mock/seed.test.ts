import { Corridor } from 'corridor-sdk';
import { createMockPlatform, MockPlatformError } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';

/** What is thrown. */
function thrown(act: () => unknown): MockPlatformError {
  try {
    act();
  } catch (error) {
    if (error instanceof MockPlatformError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const platform = createMockPlatform({ seed: 'run-7' });
const acme = platform.organization();
const other = createMockPlatform({ seed: 'run-8' }).snapshot();

describe('an error of the mock tells the seed with which it can be repeated,', () => {
  const misuses: readonly (readonly [title: string, act: () => unknown, message: string])[] = [
    ['of a record', () => platform.customers.add({ status: 'DONE' as never }), 'customers.add: status must be one of '],
    ['of several', () => platform.payments.addMany(2, () => ({ amount: 1 as never })), 'payments.add: amount must be '],
    ['of a status', () => platform.payments.transition(platform.payments.add().id, 'COMPLETED'), 'payments.transition: PENDING_REVIEW does not move to COMPLETED'],
    ['of another organization', () => acme.customers.transition('cus_0', 'APPROVED'), 'customers.transition: id "cus_0" is no record of this organization'],
    ['of many records', () => acme.populate({ payments: -1 }), 'populate: payments must be a whole number'],
    ['of an organization that is there', () => platform.organization({ id: acme.id }), `organization: id ${acme.id} is taken`],
    ['of a snapshot of another platform', () => platform.restore(other), 'restore: the snapshot is of another platform'],
  ];

  test.each(misuses)('%s', (_, act, message) => {
    const error = thrown(act);
    expect(error.message.slice(0, message.length)).toBe(message);
    expect(error.message).toMatch(/\(seed run-7\)$/);
    expect(error.stack).toContain(error.message);
    expect(error.seed).toBe('run-7');
  });

  test('of an answer that a fault does not fit', async () => {
    platform.faults.next('crypto.networks', { kind: 'unknown-status' });
    const request = new Corridor({ ...platform.clientOptions(), retries: 0 }).crypto.networks();
    await expect(request).rejects.toBeInstanceOf(Error);
    platform.faults.next('crypto.networks', { kind: 'unknown-status' });
    const options = platform.clientOptions();
    let told: unknown;
    const fetch: typeof globalThis.fetch = (input, init) => options.fetch(input as string, init).catch((error: unknown) => Promise.reject((told = error)));
    await new Corridor({ ...options, fetch, retries: 0 }).crypto.networks().then(undefined, () => undefined);
    expect(told).toMatchObject({ name: 'MockPlatformError', seed: 'run-7', message: expect.stringMatching(/\(seed run-7\)$/) as string });
  });
});

test('an error that no data can have led to tells none', () => {
  const error = thrown(() => createMockPlatform({ quotes: 'many' as never }));
  expect(error.seed).toBeUndefined();
  expect(error.message).not.toContain('seed');
});

test('equal seeds give equal runs, and no seed is the seed 1', async () => {
  const run = async (seed?: number): Promise<unknown> => {
    const again = createMockPlatform({ now: () => 0, ...(seed !== undefined && { seed }) });
    again.populate({ payments: 5 });
    again.faults.rate('*', 0.5, { kind: 'status', status: 503 });
    const corridor = new Corridor({ ...again.clientOptions(), retries: 0 });
    for (let count = 0; count < 10; count++) await corridor.payments.list().then(undefined, () => undefined);
    return [again.payments.all(), again.requests.map(({ status, requestId }) => [status, requestId])];
  };
  expect(await run()).toEqual(await run(1));
  expect(await run(1)).not.toEqual(await run(2));
});
