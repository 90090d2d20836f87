import { rename, stat } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { Corridor, MirrorError } from 'corridor-sdk';
import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import { SqliteMirror, sqliteMirrorTables } from 'corridor-sdk/mirror/sqlite';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { testMirror } from './contract.ts';
import { select, sqliteDatabase, temporaryFile } from './mirrored.ts';

describe('a mirror in SQLite', () => {
  testMirror(sqliteDatabase);
});

interface Filled {
  readonly platform: MockPlatform;
  readonly corridor: Corridor;
  readonly path: string;
  readonly mirror: SqliteMirror;
}

async function fill(): Promise<Filled> {
  const platform = createMockPlatform();
  platform.payments.add({ id: 'pay_open', status: 'PROCESSING' });
  const corridor = new Corridor(platform.clientOptions());
  const path = await temporaryFile();
  const mirror = new SqliteMirror(path, { busyTimeout: 0 });
  onTestFinished(() => mirror.close());
  await corridor.sync(mirror, { once: true });
  return { platform, corridor, path, mirror };
}

test('a database that is locked ends a run, and a process that follows waits for it', async () => {
  const { platform, corridor, path, mirror } = await fill();
  const { lastPosition: after } = await mirror.status();
  const other = new DatabaseSync(path);
  other.exec('begin immediate');
  await expect(corridor.sync(mirror, { once: true })).rejects.toThrow(
    /the mirror .* was locked by another process .* End its transaction, .* and call again/,
  );
  platform.payments.update('pay_open', { memo: 'newer' });
  const stop = new AbortController();
  const following = corridor.sync(mirror, { signal: stop.signal });
  setTimeout(() => other.exec('rollback'), 50);
  for await (const { id } of mirror.changes({ after, pollInterval: 1 })) {
    expect(id).toBe('pay_open');
    break;
  }
  stop.abort();
  await following;
  other.close();
});

test('a column that another program has renamed is named', async () => {
  const { corridor, path, mirror } = await fill();
  const other = new DatabaseSync(path);
  other.exec('alter table corridor_payments rename column amount to sum');
  other.close();
  await expect(corridor.sync(mirror, { once: true })).rejects.toThrow(
    /another program, created or changed the tables of the mirror .*no such column: amount/,
  );
});

test.each<[string, (corridor: Corridor, mirror: SqliteMirror, signal: AbortSignal) => Promise<unknown>]>([
  ['a sync that follows', (corridor, mirror, signal) => corridor.sync(mirror, { signal })],
  ['a sync that runs once', (corridor, mirror, signal) => corridor.sync(mirror, { signal, once: true })],
  ['a dry run', (corridor, mirror, signal) => corridor.sync(mirror, { signal, once: true, dryRun: true })],
  ['mirror.changes', (_corridor, mirror, signal) => mirror.changes({ signal }).next()],
  ['mirror.status', (_corridor, mirror, signal) => mirror.status({ signal })],
])('%s that waits for a lock ends when its signal aborts, and writes nothing later', async (_name, call) => {
  const { corridor, path, mirror: filled } = await fill();
  filled.close();
  const other = new DatabaseSync(path);
  // In this mode, a lock keeps out those that read, too.
  other.exec('pragma locking_mode = exclusive; begin exclusive');
  const mirror = new SqliteMirror(path, { busyTimeout: 60_000 });
  onTestFinished(() => mirror.close());
  const locked = vi.spyOn(DatabaseSync.prototype, 'exec');
  const stop = new AbortController();
  const calling = call(corridor, mirror, stop.signal).then(
    () => 'ended',
    (error: unknown) => (error as Error).name,
  );
  stop.abort();
  expect(await calling).toMatch(/ended|AbortedError/);
  other.exec('rollback');
  other.close();
  locked.mockClear();
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(locked).not.toHaveBeenCalled();
  locked.mockRestore();
});

test.each([
  ['a full disk', 'pragma max_page_count = 1', 'pragma max_page_count = 100000', 'Free space, and call again'],
  ['a file that cannot be written', 'pragma query_only = 1', 'pragma query_only = 0', 'Change the permissions'],
])('%s ends a run with a clear error, and a later one continues', async (_name, fail, repair, fix) => {
  // SQLite has the limits of a connection, which the first transaction of the mirror shows.
  const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
  const { platform, corridor, path, mirror } = await fill();
  const connection = exec.mock.contexts.at(-1) as DatabaseSync;
  exec.mockRestore();
  platform.payments.addMany(300, () => ({ status: 'PROCESSING' }));
  connection.exec(fail);
  const error = await corridor.sync(mirror, { once: true }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(MirrorError);
  expect(String(error)).toContain(fix);
  connection.exec(repair);
  await corridor.sync(mirror, { once: true });
  expect(select(path, 'select count(*) as count from corridor_payments')).toEqual([{ count: 301 }]);
  const changed = "select count(*) as count, count(distinct id) as ids from corridor_changes where record = 'payment'";
  expect(select(path, changed)).toEqual([{ count: 301, ids: 301 }]);
});

test('a file that was replaced ends a sync, also one that follows', async () => {
  const { corridor, path, mirror } = await fill();
  await rename(path, `${path}.old`);
  await expect(corridor.sync(mirror)).rejects.toThrow(/was replaced, deleted, truncated or damaged/);
  await expect(mirror.status()).rejects.toThrow(MirrorError);
});

test('no failure of a renewal, an aborted sync or a returned iterator is left without a handler', async () => {
  const { platform, corridor, path, mirror } = await fill();
  const unhandled: unknown[] = [];
  const onUnhandled = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', onUnhandled);
  onTestFinished(() => void process.off('unhandledRejection', onUnhandled));

  // Each renewal fails, also the one that is under way when the sync ends.
  const renewing = new SqliteMirror(path);
  Object.defineProperty(renewing, 'renewInterval', { value: 1 });
  const failures: ((error: MirrorError) => void)[] = [];
  renewing.renew = () => new Promise((_resolve, reject) => void failures.push(reject));
  const stop = new AbortController();
  const slow = new Corridor({
    ...platform.clientOptions(),
    async fetch(input, init) {
      await vi.waitUntil(() => failures.length > 0, { interval: 1 });
      stop.abort();
      return platform.fetch(input, init);
    },
  });
  const aborted = slow.sync(renewing, { signal: stop.signal });
  await vi.waitUntil(() => stop.signal.aborted, { interval: 1 });
  // The database fails for all that is under way.
  renewing.close();
  for (const fail of failures) fail(new MirrorError('the renewal failed'));
  expect(await aborted).toMatchObject({ filled: true });

  const { lastPosition: after } = await mirror.status();
  const changes = mirror.changes({ after, pollInterval: 1 });
  const next = changes.next();
  await mirror.status();
  mirror.close();
  await Promise.all([changes.return(), next.catch(() => undefined)]);
  await expect(corridor.sync(mirror, { once: true })).rejects.toThrow('is closed');
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(unhandled).toEqual([]);
});

test('tables of a newer version are not touched', async () => {
  const { corridor, path, mirror } = await fill();
  const other = new DatabaseSync(path);
  other.exec('update corridor_sync set version = 4');
  other.close();
  await expect(corridor.sync(mirror, { once: true })).rejects.toThrow(
    'the tables of the mirror have version 4, and this version of corridor-sdk uses 3. Update the package',
  );
});

test('files can be read by their owner only, and the SQL of the tables creates what the mirror uses', async () => {
  const { path } = await fill();
  for (const suffix of ['', '-wal', '-shm']) expect((await stat(`${path}${suffix}`)).mode & 0o777).toBe(0o600);
  const database = new DatabaseSync(':memory:');
  database.exec(sqliteMirrorTables());
  const names =
    "select name from sqlite_master where name like 'corridor%' and type = 'table' and name not like 'corridor_file%' order by 1";
  expect(
    database
      .prepare(names)
      .all()
      .map((row) => ({ ...row })),
  ).toEqual(select(path, names));
});

test.each([
  [{ retention: 0 }, 'retention must be an integer of milliseconds, at least 1'],
  [{ sensitive: 'yes' }, 'sensitive must be'],
  [{ sensitiv: true }, 'sensitiv is not a known field'],
])('rejects the options %j', (options, message) => {
  expect(() => new SqliteMirror(':memory:', options as never)).toThrow(message);
});
