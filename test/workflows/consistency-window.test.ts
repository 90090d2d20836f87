import { expect, test } from 'vitest';
import { Corridor, type ChangesCheckpoint, type ChangesOptions } from 'corridor-sdk';
import { SqliteMirror } from 'corridor-sdk/mirror/sqlite';
import { createMockPlatform } from 'corridor-sdk/mock';

const minutes = 60_000;

/** A platform at nine o'clock, and a client with this consistency window. */
function atNine(consistencyWindow?: number) {
  const platform = createMockPlatform();
  platform.clock.set('2026-03-01T09:00:00Z');
  return { platform, payments: new Corridor({ ...platform.clientOptions(), consistencyWindow }).payments };
}

test.each([
  ['five minutes before now by default', undefined, {}, false],
  ['as long before now as the client says', 1 * minutes, {}, true],
  ['as long before now as the call says', 1 * minutes, { consistencyWindow: 5 * minutes }, false],
])('an export ends %s', async (_, window, options, isExported) => {
  const { platform, payments } = atNine(window);
  const { id } = platform.payments.add({ createdAt: '2026-03-01T08:58:00.000Z' });
  const exported: string[] = [];
  for await (const payment of payments.export({ createdFrom: '2026-03-01T08:00Z' }, options)) exported.push(payment.id);
  expect(exported).toEqual(isExported ? [id] : []);
  const [span] = await payments.planExport({ createdFrom: '2026-03-01T08:00Z' }, options);
  expect(span?.createdTo).toBe(isExported ? '2026-03-01T08:59:00.000Z' : '2026-03-01T08:55:00.000Z');
});

test.each([
  ['five minutes by default', undefined, {}, false],
  ['as the client says', 60 * minutes, {}, true],
  ['as the call says', 60 * minutes, { consistencyWindow: 5 * minutes }, false],
])('changes searches as far into the past %s', async (_, window, options, isReported) => {
  const { platform, payments } = atNine(window);
  const run = async (since: ChangesOptions['since']) => {
    const reported: string[] = [];
    let checkpoint: ChangesCheckpoint | undefined;
    const onCheckpoint = (stored: ChangesCheckpoint): void => void (checkpoint = stored);
    for await (const { payment } of payments.changes({ since, once: true, onCheckpoint, ...options }))
      reported.push(payment.id);
    return { reported, checkpoint };
  };
  platform.payments.add({ createdAt: '2026-03-01T08:59:00.000Z' });
  const { checkpoint } = await run('2026-03-01T08:00Z');
  const { id } = platform.payments.add({ status: 'COMPLETED', createdAt: '2026-03-01T08:30:00.000Z' });
  expect((await run(checkpoint)).reported).toEqual(isReported ? [id] : []);
});

test.each([
  ['five minutes by default', undefined, {}, false],
  ['as the client says', 120 * minutes, {}, true],
  ['as the call says', 120 * minutes, { consistencyWindow: 5 * minutes }, false],
])(
  'a sync searches for new payments as far into the past, beside an hour for other clocks, %s',
  async (_, consistencyWindow, options, isFound) => {
    const { platform } = atNine();
    const corridor = new Corridor({ ...platform.clientOptions(), consistencyWindow });
    const mirror = new SqliteMirror(':memory:');
    platform.payments.add({ createdAt: '2026-03-01T08:59:00.000Z' });
    await corridor.sync(mirror, { once: true, ...options });
    const { id } = platform.payments.add({ status: 'COMPLETED', createdAt: '2026-03-01T07:30:00.000Z' });
    const { differences } = await corridor.sync(mirror, { once: true, ...options });
    expect(differences.some((each) => each.id === id)).toBe(isFound);
    mirror.close();
  },
);
