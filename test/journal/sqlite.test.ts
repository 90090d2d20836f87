import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ConfigurationError, Corridor, type Journal } from 'corridor-sdk';
import { SqliteJournal } from 'corridor-sdk/journal/sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { payablePayment, platformAtStart } from '../mock/fixture.js';
import { contract, intentFor } from './contract.ts';

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

describe('a journal in a SQLite file', () => {
  test.each(contract)('%s', async (_rule, shows) => shows(open(newFile())));

  test('two journals that share a file see the same entries', async () => {
    const path = newFile();
    const [one, other] = [open(path), open(path)];
    const intent = intentFor('quo_1');
    expect(await one.claim(intent)).toBe(true);
    expect(await other.claim(intentFor('quo_1'))).toEqual({ intent });
    await other.resolve(intent, { outcome: 'created', paymentId: 'pay_1' });
    expect(await one.claim(intentFor('quo_1'))).toMatchObject({ resolution: { paymentId: 'pay_1' } });
  });

  test('entries survive reopening the file', async () => {
    const path = newFile();
    const first = open(path);
    const intent = intentFor('quo_1');
    await first.claim(intent);
    first.close();
    expect(await open(path).listPending()).toEqual([intent]);
  });

  test('opening waits while another process writes to the file', async () => {
    const path = newFile();
    const writer = new Worker(
      `
      const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
      const { parentPort, workerData } = require('node:worker_threads');
      const database = new DatabaseSync(workerData);
      database.exec('create table other (id integer); begin immediate; insert into other values (1)');
      parentPort.postMessage('writing');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
      database.exec('commit');
      database.close();
    `,
      { eval: true, workerData: path },
    );
    await once(writer, 'message');
    const journal = new SqliteJournal(path);
    expect(await journal.claim(intentFor('quo_1'))).toBe(true);
    journal.close();
  });

  test('a file that stays locked causes an error after busyTimeout', () => {
    const path = newFile();
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
    const other = new DatabaseSync(path);
    other.exec('create table other (id integer); begin exclusive');
    expect(() => open(path)).toThrow('database is locked');
    other.close();
  });

  test('a claim waits while another process writes, and then fails', async () => {
    const path = newFile();
    const journal = open(path);
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
    const other = new DatabaseSync(path);
    other.exec('begin immediate');
    await expect(journal.claim(intentFor('quo_1'))).rejects.toThrow('locked');
    other.exec('rollback');
    other.close();
    expect(await journal.claim(intentFor('quo_1'))).toBe(true);
  });

  test('a claim that fails halfway is rolled back, and the journal stays usable', async () => {
    const path = newFile();
    const journal = open(path);
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
    const other = new DatabaseSync(path);
    other.exec(
      "create trigger full before insert on corridor_journal begin select raise(abort, 'the disk is full'); end",
    );
    await expect(journal.claim(intentFor('quo_1'))).rejects.toThrow('the disk is full');
    other.exec('drop trigger full');
    other.close();
    expect(await journal.claim(intentFor('quo_2'))).toBe(true);
  });

  test('uses WAL mode and full synchronization', async () => {
    const path = newFile();
    await open(path).claim(intentFor('quo_1'));
    expect((await readFile(`${path}-wal`)).length).toBeGreaterThan(0);
  });
});

describe('access to the file', () => {
  const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);
  const modes = (path: string): Promise<string[]> =>
    Promise.all(['', '-wal', '-shm'].map((suffix) => modeOf(`${path}${suffix}`)));

  test('a new file, its -wal and its -shm are readable and writable only by the owner', async () => {
    const path = newFile();
    await open(path).claim(intentFor('quo_1'));
    expect(await modes(path)).toEqual(['600', '600', '600']);
  });

  test('an existing file and folder keep their modes', async () => {
    const below = join(folder, 'shared');
    await mkdir(below);
    await chmod(below, 0o750);
    const path = join(below, 'journal.sqlite');
    await writeFile(path, '');
    await chmod(path, 0o640);
    await open(path).claim(intentFor('quo_1'));
    expect(await modes(path)).toEqual(['640', '640', '640']);
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
    const error = failure(() => new SqliteJournal(at));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({
      outcome: 'not-sent',
      message: `the journal ${at} could not be opened (${reason}). Check that its folder exists and is writable, and that an existing file is a SQLite database`,
    });
  });

  test('with a different table is reported too', async () => {
    const path = newFile();
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
    const other = new DatabaseSync(path);
    other.exec('create table corridor_journal (id integer)');
    other.close();
    expect(failure(() => new SqliteJournal(path))).toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('no such column') as unknown,
    });
  });

  test.each([[''], [undefined], [7]])('rejects %j as a path', (path) => {
    expect(failure(() => new SqliteJournal(path as string))).toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('the path of a SQLite journal must be a non-empty string (received ') as unknown,
    });
  });

  test.each([0.5, -1, 2 ** 31])('rejects a busyTimeout of %d milliseconds', (busyTimeout) => {
    expect(failure(() => new SqliteJournal(':memory:', { busyTimeout }))).toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('busyTimeout') as unknown,
    });
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
  await expect(call).rejects.toThrow('the journal could not be reached');
  expect(platform.requests).toHaveLength(0);
});

test('a read-only file prevents a payment before anything is sent', async () => {
  const platform = platformAtStart();
  const path = newFile();
  const journal = open(path);
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const other = new DatabaseSync(path);
  other.exec('drop table corridor_journal');
  other.close();
  await expect(
    new Corridor({ ...platform.clientOptions(), journal }).payments.createOnce(payablePayment(platform)),
  ).rejects.toMatchObject({ code: 'journal', outcome: 'not-sent' });
  expect(platform.requests).toHaveLength(0);
});
