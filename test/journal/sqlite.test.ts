import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ConfigurationError, Corridor, type Journal } from 'corridor-sdk';
import { SqliteJournal } from 'corridor-sdk/journal/sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { payablePayment, platformAtStart } from '../mock/fixture.ts';
import { journalContract } from 'corridor-sdk/journal/testing';
import { intentFor } from './intent-for.ts';

let folder: string;
let files = 0;
const opened: SqliteJournal[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corridor-journal-'));
});

afterEach(() => {
  for (const journal of opened.splice(0)) journal.close();
});

afterAll(() => rm(folder, { recursive: true }));

const newFile = (): string => join(folder, `journal-${(files += 1)}.sqlite`);

function open(path: string): SqliteJournal {
  const journal = new SqliteJournal(path, { busyTimeout: 50 });
  opened.push(journal);
  return journal;
}

/** Locks a file as another process does: its own writes are blocked until `unlock`. */
function lock(path: string, kind: 'immediate' | 'exclusive'): { readonly unlock: () => void } {
  const other = new DatabaseSync(path);
  other.exec(`create table if not exists other (id integer); begin ${kind}; insert into other values (1)`);
  return {
    unlock: () => {
      other.exec('commit');
      other.close();
    },
  };
}

describe('a journal in a SQLite file', () => {
  test.each(journalContract)('$name', async ({ check }) => {
    const file = newFile();
    await check(open(file), open(file));
  });

  test('opening and claiming wait for a lock without blocking the event loop', async () => {
    const path = newFile();
    const { unlock } = lock(path, 'exclusive');
    const journal = new SqliteJournal(path);
    opened.push(journal);
    const intent = intentFor('quo_1');
    const claim = journal.claim(intent);
    await new Promise(setImmediate);
    unlock();
    expect(await claim).toBe(true);
    expect(await open(path).listPending()).toEqual([intent]);
  });

  test.each(['claim', 'resolve'] as const)('%s waits for a writer, and fails after busyTimeout', async (method) => {
    const path = newFile();
    const journal = open(path);
    const intent = intentFor('quo_1');
    const call = () =>
      method === 'claim' ? journal.claim(intent) : journal.resolve(intent, { outcome: 'not-created' });
    const first = lock(path, 'immediate');
    await expect(call()).rejects.toMatchObject({
      code: 'journal',
      message: expect.stringMatching(
        /^the journal .* was locked by another process for longer than its busyTimeout/,
      ) as unknown,
    });
    first.unlock();
    const second = lock(path, 'immediate');
    const waiting = call();
    await new Promise(setImmediate);
    second.unlock();
    expect(await waiting).toBe(true);
  });

  test('the list does not wait for a writer', async () => {
    const path = newFile();
    const journal = open(path);
    const intent = intentFor('quo_1');
    await journal.claim(intent);
    const { unlock } = lock(path, 'immediate');
    expect(await journal.listPending()).toEqual([intent]);
    unlock();
  });

  test('opening waits while another process that created the file has written nothing to it', async () => {
    const path = newFile();
    const other = new DatabaseSync(path);
    other.exec('begin exclusive');
    const journal = open(path);
    const claim = journal.claim(intentFor('quo_1'));
    await new Promise(setImmediate);
    other.exec('commit');
    other.close();
    expect(await claim).toBe(true);
  });

  test('opening waits if another process locks the file before the tables are created', async () => {
    const { exec } = DatabaseSync.prototype;
    let isLocked = true;
    const spy = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql) {
      if (isLocked && sql.includes('corridor_journal')) {
        isLocked = false;
        throw Object.assign(new Error('database is locked'), { errcode: 5 });
      }
      exec.call(this, sql);
    });
    onTestFinished(() => spy.mockRestore());
    expect(await open(newFile()).claim(intentFor('quo_1'))).toBe(true);
    expect(isLocked).toBe(false);
  });

  test.each([
    [112, 8],
    [113, 8],
    [114, 9],
    [163, 9],
  ])(
    'waits longer after each attempt, up to 50 ms, until its busyTimeout of %i has passed',
    async (busyTimeout, count) => {
      // Another process holds the lock, so the time of fake timers, which stands still, does not count.
      vi.useFakeTimers();
      onTestFinished(() => void vi.useRealTimers());
      const journal = new SqliteJournal(newFile(), { busyTimeout });
      opened.push(journal);
      const exec = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(() => {
        throw Object.assign(new Error('database is locked'), { errcode: 5 }); // SQLITE_BUSY
      });
      onTestFinished(() => exec.mockRestore());
      await expect(journal.claim(intentFor('quo_1'))).rejects.toMatchObject({ code: 'journal' });
      expect(exec).toHaveBeenCalledTimes(count);
    },
  );

  test('a claim waits while another process recovers the file after a crash', async () => {
    const journal = open(newFile());
    const recovery = 261; // SQLITE_BUSY_RECOVERY
    const exec = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementationOnce(() => {
      throw Object.assign(new Error('database is locked'), { errcode: recovery });
    });
    onTestFinished(() => exec.mockRestore());
    expect(await journal.claim(intentFor('quo_1'))).toBe(true);
  });

  test('the total timeout ends calls that wait for a lock, and their late claims are released', async () => {
    const platform = platformAtStart();
    const path = newFile();
    const journal = new SqliteJournal(path, { busyTimeout: 600_000 });
    opened.push(journal);
    const corridor = new Corridor({ ...platform.clientOptions(), journal });
    const payments = [payablePayment(platform), payablePayment(platform)];
    const { unlock } = lock(path, 'immediate');
    const calls = payments.map((payment) => corridor.payments.createOnce(payment, { totalTimeout: 20 }));
    const timedOut = { code: 'timeout', outcome: 'not-sent' };
    expect(await Promise.allSettled(calls)).toMatchObject([{ reason: timedOut }, { reason: timedOut }]);
    expect(platform.requests).toHaveLength(0);
    unlock();
    for (const payment of payments)
      await expect.poll(() => journal.claim(intentFor(payment.paymentQuoteId)), { timeout: 60_000 }).toBe(true);
  });

  test('a table of an older version is reported and not changed', async () => {
    const path = newFile();
    const older = new DatabaseSync(path);
    older.exec('create table corridor_journal (key text primary key, intent_id text not null, intent text not null)');
    expect(() => new SqliteJournal(path)).toThrow(
      expect.objectContaining({
        code: 'configuration',
        message: expect.stringMatching(/^an older version.*no such column: .*Rename the file/) as unknown,
        cause: expect.objectContaining({ errcode: 1 }) as unknown,
      }) as Error,
    );
    expect(older.prepare('select name from pragma_table_info(?)').all('corridor_journal')).toHaveLength(3);
    older.close();
  });

  test('a claim that fails halfway is rolled back, and the journal stays usable', async () => {
    const path = newFile();
    const journal = open(path);
    const other = new DatabaseSync(path);
    other.exec("create trigger full before insert on corridor_journal begin select raise(abort, 'secret'); end");
    await expect(journal.claim(intentFor('quo_1'))).rejects.toThrow('failed (SQLite error 1811)');
    other.exec('drop trigger full');
    other.close();
    expect(await journal.claim(intentFor('quo_2'))).toBe(true);
  });

  test('has no numbered parameters, which Node 22.13 does not bind in order', () => {
    const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
    open(newFile());
    const texts = prepare.mock.calls.map(([text]) => text);
    prepare.mockRestore();
    expect(texts.filter((text) => text.includes('corridor_journal')).length).toBeGreaterThan(0);
    expect(texts.filter((text) => /\?\d/.test(text))).toEqual([]);
  });

  test('has no WAL, flushes the folder too, and writes to the file only when it commits', () => {
    const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
    open(newFile());
    const database = exec.mock.contexts.at(-1) as InstanceType<typeof DatabaseSync>;
    exec.mockRestore();
    expect(database.prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'delete' });
    expect(database.prepare('pragma synchronous').get()).toEqual({ synchronous: 3 });
    expect(database.prepare('pragma cache_spill').get()).toEqual({ cache_spill: 0 });
  });
});

describe('access to the file', () => {
  const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

  test('a new file and its -journal are readable and writable only by the owner', async () => {
    const path = newFile();
    open(path);
    const { unlock } = lock(path, 'immediate');
    expect([await modeOf(path), await modeOf(`${path}-journal`)]).toEqual(['600', '600']);
    unlock();
  });

  test('a new file behind as many symbolic links as the system follows, too', async () => {
    const below = await mkdtemp(join(folder, 'links-'));
    const path = (count: number): string => join(below, `${count}.sqlite`);
    for (let count = 1; count <= 40; count += 1) await symlink(path(count - 1), path(count));
    await open(path(40)).claim(intentFor('quo_1'));
    expect(await modeOf(path(0))).toBe('600');
  });

  test('a link whose folder is a link is resolved as the system does', async () => {
    const above = await mkdtemp(join(folder, 'above-'));
    const [below, linked] = [join(above, 'below'), `${above}-linked`];
    await mkdir(below);
    await symlink(below, linked);
    await symlink(join('..', 'journal.sqlite'), join(below, 'link.sqlite'));
    await open(join(linked, 'link.sqlite')).claim(intentFor('quo_1'));
    expect(await modeOf(join(above, 'journal.sqlite'))).toBe('600');
  });

  test('an existing file and folder keep their modes', async () => {
    const below = await mkdtemp(join(folder, 'shared-'));
    await chmod(below, 0o750);
    const path = join(below, 'journal.sqlite');
    await writeFile(path, '');
    await chmod(path, 0o640);
    await open(path).claim(intentFor('quo_1'));
    expect(await modeOf(path)).toBe('640');
    expect(await modeOf(below)).toBe('750');
  });
});

test('rejects a file: URI, because SQLite would read it as a path with options', () => {
  expect(() => new SqliteJournal('file:journal.sqlite?mode=rwc')).toThrow(
    'the path of a SQLite journal must be a file path, not a file: URI',
  );
});

describe('a file that cannot be opened', () => {
  const failure = (open: () => unknown): unknown => {
    try {
      return open();
    } catch (error) {
      return error;
    }
  };

  test.each<[string, () => string | Promise<string>, string]>([
    ['in a folder that is not there', () => join(folder, 'nowhere', 'journal.sqlite'), 'unable to open database file'],
    ['that is a folder', () => folder, 'unable to open database file'],
    [
      'of another kind',
      async () => {
        const path = newFile();
        await writeFile(path, 'not a database, but long enough to be taken for the header of one '.repeat(20));
        return path;
      },
      'file is not a database',
    ],
  ])('%s is reported with the reason and the fix', async (_name, path, reason) => {
    const at = await path();
    const closed = vi.spyOn(DatabaseSync.prototype, 'close');
    const error = failure(() => new SqliteJournal(at));
    expect(closed.mock.calls).toHaveLength(reason === 'file is not a database' ? 2 : 0);
    closed.mockRestore();
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({
      outcome: 'not-sent',
      cause: expect.any(Error) as unknown,
      message: `the journal ${at} could not be opened (${reason}). Check that its folder exists and is writable, and that an existing file is a SQLite database`,
    });
  });

  test('behind a link to itself is reported too', async () => {
    const path = newFile();
    await symlink(path, path);
    expect(failure(() => new SqliteJournal(path))).toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('ELOOP') as unknown,
    });
  });

  test.each([
    ['', 'an empty string'],
    [undefined, 'undefined'],
    [7, 'number'],
  ])('rejects %j as a path', (path, shown) => {
    expect(failure(() => new SqliteJournal(path as string))).toMatchObject({
      code: 'configuration',
      message: expect.stringContaining(
        `the path of a SQLite journal must be a non-empty string (received ${shown})`,
      ) as unknown,
    });
  });

  test.each([
    [0.5, '0.5'],
    [-1, '-1'],
    [Infinity, 'Infinity'],
    [NaN, 'NaN'],
    ['5000', 'string'],
  ])('rejects a busyTimeout of %j', (busyTimeout, shown) => {
    expect(failure(() => new SqliteJournal(':memory:', { busyTimeout: busyTimeout as number }))).toMatchObject({
      code: 'configuration',
      message: expect.stringMatching(`^busyTimeout must be .* \\(received ${shown}\\)`) as unknown,
    });
  });

  test('a busyTimeout of 0 is accepted, and a journal in memory creates no file', async () => {
    const before = process.cwd();
    onTestFinished(() => process.chdir(before));
    process.chdir(await mkdtemp(join(folder, 'empty-')));
    const journal = new SqliteJournal(':memory:', { busyTimeout: 0 });
    opened.push(journal);
    expect(await journal.claim(intentFor('quo_1'))).toBe(true);
    expect(await readdir('.')).toEqual([]);
  });

  test('the error of a runtime without SQLite names the requirement', () => {
    const builtin = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
    const error = failure(() => new SqliteJournal(newFile()));
    builtin.mockRestore();
    expect(error).toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('Node 22.13 or newer') as unknown,
    });
  });
});

test('a closed journal prevents a payment before anything is sent', async () => {
  const platform = platformAtStart();
  const journal: Journal & { close(): void } = open(newFile());
  journal.close();
  journal.close();
  const call = new Corridor({ ...platform.clientOptions(), journal }).payments.createOnce(payablePayment(platform));
  await expect(call).rejects.toMatchObject({
    name: 'JournalError',
    code: 'journal',
    outcome: 'not-sent',
    endpoint: 'payments.create',
  });
  await expect(call).rejects.toThrow('is closed (ERR_INVALID_STATE). Close it after its last call');
  expect(platform.requests).toHaveLength(0);
});
