import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { Corridor, JournalError, LeaseLostError, type ChangesOptions, type CheckpointStore } from 'corridor-sdk';
import { SqliteCheckpointStore } from 'corridor-sdk/journal/sqlite';
import { createMockPlatform } from 'corridor-sdk/mock';
import { virtualOptions, VirtualTime } from '../../simulation/virtual-time.ts';

/** A platform, and processes that follow its payments with stores in one database. */
function setUp() {
  const time = new VirtualTime();
  const platform = createMockPlatform({ now: time.now });
  const database = new DatabaseSync(':memory:');
  const newProcess = (
    wrap: (store: CheckpointStore) => CheckpointStore = (store) => store,
    more: ChangesOptions = {},
  ) => {
    const corridor = new Corridor({
      ...platform.clientOptions(),
      ...virtualOptions(time, (input, init) => time.busy(() => platform.fetch(input, init))),
    });
    const store = new SqliteCheckpointStore(database);
    const options = { store: wrap(store), pollInterval: 1_000, maxPollInterval: 1_000 };
    return { store, changes: corridor.payments.changes({ ...options, ...more }) };
  };
  const expire = () => database.exec('update corridor_checkpoints set expires_at = 0');
  return { time, platform, newProcess, expire };
}

type Process = ReturnType<ReturnType<typeof setUp>['newProcess']>;
const next = async ({ changes }: Process): Promise<string | undefined> => (await changes.next()).value?.payment.id;
/** Waits for the next change, and stores its checkpoint. */
async function process({ changes, store }: Process): Promise<string | undefined> {
  const change = (await changes.next()).value;
  if (change !== undefined) await store.save(change.checkpoint);
  return change?.payment.id;
}

test('of two processes one follows, and when it ends the other continues after the last stored checkpoint', async () => {
  const { time, platform, newProcess } = setUp();
  const [first, second] = [newProcess(), newProcess()];

  await time.run(async () => {
    const reported = process(first);
    const waiting = process(second);
    await time.wait(20_000);
    const stored = platform.payments.add();
    expect(await reported).toBe(stored.id);
    const interrupted = platform.payments.add();
    expect(await next(first)).toBe(interrupted.id);
    await first.changes.return();

    expect(await waiting).toBe(interrupted.id);
    const later = platform.payments.add();
    expect(await next(second)).toBe(later.id);
    await second.changes.return();
  });
});

test('a process that was paused while another took over stores nothing and reports nothing more', async () => {
  const { time, platform, newProcess, expire } = setUp();
  const [paused, other] = [newProcess(), newProcess()];

  await time.run(async () => {
    const reported = paused.changes.next();
    await time.wait(20_000);
    const payment = platform.payments.add();
    const change = (await reported).value;
    expect(change?.payment.id).toBe(payment.id);

    expire();
    const takenOver = process(other);
    await time.wait(20_000);
    expect(await takenOver).toBe(payment.id);

    if (change !== undefined) await expect(paused.store.save(change.checkpoint)).rejects.toThrow(LeaseLostError);
    const silent = next(paused);
    const later = platform.payments.add();
    expect(await process(other)).toBe(later.id);
    expect(await Promise.race([silent, time.wait(60_000).then(() => 'nothing')])).toBe('nothing');
    await other.changes.return();
    const last = platform.payments.add();
    expect(await silent).toBe(last.id);
    await paused.changes.return();
  });
});

test('a process that takes over before the first poll has ended starts where the first started', async () => {
  const { time, platform, newProcess, expire } = setUp();
  const [first, second] = [newProcess(), newProcess()];

  await time.run(async () => {
    void first.changes.next();
    await time.wait(500);
    expire();
    const payment = platform.payments.add();
    const reported = next(second);
    expect(await reported).toBe(payment.id);
    await second.changes.return();
  });
});

describe('changes with once and a store', () => {
  const runJob = async (newProcess: ReturnType<typeof setUp>['newProcess'], limit = Infinity): Promise<string[]> => {
    const ids: string[] = [];
    for await (const { payment } of newProcess(undefined, { once: true, since: '2026-01-01T00:00Z' }).changes) {
      ids.push(payment.id);
      if (ids.length === limit) break;
    }
    return ids;
  };

  test('report everything up to their start, and the next job continues after it at once', async () => {
    const { time, platform, newProcess } = setUp();
    const first = platform.payments.addMany(120).map(({ id }) => id);
    await time.run(async () => {
      expect((await runJob(newProcess)).toSorted()).toEqual(first.toSorted());
      const ended = time.now();
      expect(await runJob(newProcess)).toEqual([]);
      const { id } = platform.payments.add();
      platform.payments.transition(first[0] ?? '', 'APPROVED');
      expect((await runJob(newProcess)).toSorted()).toEqual([id, first[0]].toSorted());
      expect(time.now() - ended).toBeLessThan(1_000);
    });
  });

  test('of two jobs at once, the second waits for the first and has nothing left to report', async () => {
    const { time, platform, newProcess } = setUp();
    const ids = platform.payments.addMany(3).map(({ id }) => id);
    const reported = await time.run(() => Promise.all([runJob(newProcess), runJob(newProcess)]));
    expect(reported.map((each) => each.toSorted())).toEqual([ids.toSorted(), []]);
  });

  test('a job that ends before it stored a checkpoint is repeated by the next one', async () => {
    const { time, platform, newProcess } = setUp();
    const ids = platform.payments.addMany(3).map(({ id }) => id);
    await time.run(async () => {
      expect(await runJob(newProcess, 2)).toHaveLength(2);
      expect((await runJob(newProcess)).toSorted()).toEqual(ids.toSorted());
    });
  });
});

/** Replaces functions of a store. */
const replace =
  (functions: Partial<CheckpointStore>) =>
  (store: CheckpointStore): CheckpointStore => ({
    leaseDuration: store.leaseDuration,
    acquire: () => store.acquire(),
    renew: () => store.renew(),
    save: (checkpoint) => store.save(checkpoint),
    release: () => store.release(),
    ...functions,
  });

test.each(['acquire', 'save', 'release'] as const)(
  'a signal ends the loop while %s of the store does not respond',
  async (hanging) => {
    const { time, newProcess } = setUp();
    const controller = new AbortController();
    const hang = () => new Promise<never>(() => {});
    const { changes } = newProcess(replace({ [hanging]: hang }), { signal: controller.signal });
    const error = await time.run(() => {
      const ended = changes.next().catch((reason: unknown) => reason);
      void time.wait(60_000).then(() => controller.abort());
      return ended;
    });
    expect(error).toMatchObject({ code: 'aborted' });
  },
);

test('leaving the loop does not wait for a store that does not respond', async () => {
  const { time, platform, newProcess } = setUp();
  const { changes } = newProcess(replace({ release: () => new Promise(() => {}) }), { since: '2026-01-01T00:00Z' });
  const { id } = platform.payments.add();
  await time.run(async () => {
    expect((await changes.next()).value?.payment.id).toBe(id);
    await changes.return();
  });
});

test.each(['acquire', 'save'] as const)(
  'if %s of the store fails, the loop ends with a JournalError that does not show the message of the database',
  async (failing) => {
    const failure = Object.assign(new Error('password of shop@10.0.0.7 was rejected'), { code: '28P01' });
    const { time, newProcess } = setUp();
    const { changes } = newProcess(replace({ [failing]: () => Promise.reject(failure) }));
    const error = await time.run(() => changes.next().catch((reason: unknown) => reason));
    expect(error).toBeInstanceOf(JournalError);
    expect(error).toMatchObject({
      outcome: 'not-sent',
      endpoint: 'payments.changes',
      message:
        'payments.changes: the checkpoint store failed (28P01). Start again when its database is available: the changes continue after the last stored checkpoint',
    });
    expect((error as JournalError).original()).toBe(failure);
  },
);
