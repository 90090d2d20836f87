import { Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { expect, test } from 'vitest';

test('equal seeds produce equal runs, and the default seed is 1', async () => {
  const run = async (seed?: number): Promise<unknown> => {
    const again = createMockPlatform({ now: () => 0, ...(seed !== undefined && { seed }) });
    again.populate({ payments: 5 });
    again.faults.rate('*', 0.5, { kind: 'status', status: 503 });
    const corridor = new Corridor({ ...again.clientOptions(), maxRetries: 0 });
    for (let count = 0; count < 10; count++) await corridor.payments.list().then(undefined, () => undefined);
    return [again.payments.all(), again.requests.map(({ status, requestId }) => [status, requestId])];
  };
  expect(await run()).toEqual(await run(1));
  expect(await run(1)).not.toEqual(await run(2));
});
