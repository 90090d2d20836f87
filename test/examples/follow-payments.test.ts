import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Corridor, type PaymentChange } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { expect, onTestFinished, test } from 'vitest';
import { followPayments } from '../../examples/follow-payments.ts';

test('follow payments: resumes after a stop and after a crash', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-follow-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'checkpoint.json');
  const platform = createMockPlatform();
  const began = Date.now();
  const [first, second] = platform.payments
    .addMany(2, (index) => ({ createdAt: new Date(began - (60 - index) * 60_000).toISOString() }))
    .map(({ id }) => id) as [string, string];
  const reported: string[] = [];
  const note = ({ payment, previousStatus }: PaymentChange): void =>
    void reported.push(`${payment.id}: ${previousStatus ?? 'new'} -> ${payment.status}`);

  /** Follows for a few polls. */
  const follow = (handle: (change: PaymentChange) => void): Promise<void> => {
    const stop = new AbortController();
    let requests = 0;
    const fetch: typeof globalThis.fetch = (input, init) => {
      requests += 1;
      if (requests === 40) stop.abort();
      return platform.fetch(input, init);
    };
    const corridor = new Corridor({ ...platform.clientOptions(), fetch });
    return followPayments(corridor, file, handle, {
      since: new Date(began - 90 * 60_000),
      pollInterval: 1,
      signal: stop.signal,
    });
  };

  await follow(note);
  expect(reported.splice(0)).toEqual([`${first}: new -> PENDING_REVIEW`, `${second}: new -> PENDING_REVIEW`]);
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ version: 1 });

  platform.payments.transition(first, 'APPROVED');
  const crash = new Error('the process died');
  await expect(
    follow(() => {
      throw crash;
    }),
  ).rejects.toThrow(crash);

  await follow(note);
  expect(reported).toEqual([`${first}: PENDING_REVIEW -> APPROVED`]);
});
