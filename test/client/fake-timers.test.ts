import { Corridor, type CorridorOptions, type ListedPayment } from 'corridor-sdk';
import { SqliteJournal } from 'corridor-sdk/journal/sqlite';
import { SqliteMirror } from 'corridor-sdk/mirror/sqlite';
import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';

const start = '2026-02-01T09:00:00.000Z';

afterEach(() => void vi.useRealTimers());

interface Fixture {
  readonly platform: MockPlatform;
  readonly corridor: Corridor;
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** Every workflow, with a failure that makes it wait where one can, and what it resolves to. */
const workflows: Readonly<Record<string, (fixture: Fixture) => Promise<unknown>>> = {
  'a create': async ({ platform, corridor }) =>
    (await corridor.payments.create(platform.payments.createParams())).status === 'PENDING_REVIEW',
  'a create whose response is lost': async ({ platform, corridor }) => {
    platform.faults.next('payments.create', { kind: 'reset-after-commit' });
    const { recovered } = await corridor.payments.createOnce(platform.payments.createParams());
    return recovered && platform.payments.all().length === 4;
  },
  'a list with a retry': async ({ platform, corridor }) => {
    platform.faults.next('payments.list', { kind: 'rate-limit', retryAfterSeconds: 20 });
    return (await corridor.payments.list().toArray()).length === 3;
  },
  changes: async ({ corridor }) =>
    (await collect(corridor.payments.changes({ once: true, since: start }))).length === 3,
  'an export': async ({ corridor, platform }) => {
    platform.faults.next('payments.list', { kind: 'status', status: 503 });
    const exported: ListedPayment[] = await collect(corridor.payments.export({ createdFrom: '2026-01-01T00:00:00Z' }));
    return exported.length === 3;
  },
  'a wait': async ({ platform, corridor }) => {
    const { id } = platform.payments.add();
    platform.payments.scheduleTransitions(id, ['APPROVED', 'PROCESSING'], { every: { seconds: 10 } });
    return (
      (await corridor.payments.waitForStatus(id, { until: ['PROCESSING'], maxWait: 60_000 })).status === 'PROCESSING'
    );
  },
  'a sync': async ({ corridor }) => {
    const mirror = new SqliteMirror(':memory:');
    onTestFinished(() => mirror.close());
    return (await corridor.sync(mirror, { once: true })).filled;
  },
};

function journalOf(): CorridorOptions {
  const journal = new SqliteJournal(':memory:');
  onTestFinished(() => journal.close());
  return { journal };
}

const names = Object.keys(workflows);
const run = (name: string, fixture: Fixture): Promise<unknown> => (workflows[name] ?? expect.unreachable())(fixture);

describe('with fake timers that nobody advances, a client of clientOptions() runs', () => {
  beforeEach(() => void vi.useFakeTimers({ now: new Date('2026-03-01T09:00:00Z') }));

  test.each(names)('%s', async (name) => {
    const platform = createMockPlatform();
    platform.payments.addMany(3, () => ({ createdAt: start }));
    const corridor = new Corridor({ ...platform.clientOptions(), ...journalOf() });
    expect(await run(name, { platform, corridor })).toBe(true);
  });
});

describe('running all fake timers while a call is in flight', () => {
  test('ends no call of a client of clientOptions()', async () => {
    vi.useFakeTimers();
    const platform = createMockPlatform();
    const corridor = new Corridor(platform.clientOptions());
    const payment = corridor.payments.createOnce(platform.payments.createParams());
    await vi.runAllTimersAsync();
    expect(await payment).toMatchObject({ created: true });
  });
});
