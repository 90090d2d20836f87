import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
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

  test('two that share a file see the same records', async () => {
    const path = newFile();
    const [one, other] = [open(path), open(path)];
    const intent = intentFor('quo_1');
    expect(await one.claim(intent)).toBe(true);
    expect(await other.claim(intentFor('quo_1'))).toEqual({ intent });
    await other.settle('quo_1', { outcome: 'created', paymentId: 'pay_1' });
    expect(await one.claim(intentFor('quo_1'))).toMatchObject({ settlement: { paymentId: 'pay_1' } });
  });

  test('what was noted is there when the file is opened again', async () => {
    const path = newFile();
    const first = open(path);
    const intent = intentFor('quo_1');
    await first.claim(intent);
    first.close();
    expect(await open(path).open()).toEqual([intent]);
  });

  test('opening waits for another that writes to the file just then', async () => {
    const path = newFile();
    const writer = new Worker(`
      const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
      const { parentPort, workerData } = require('node:worker_threads');
      const database = new DatabaseSync(workerData);
      database.exec('create table other (id integer); begin immediate; insert into other values (1)');
      parentPort.postMessage('writing');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
      database.exec('commit');
      database.close();
    `, { eval: true, workerData: path });
    await once(writer, 'message');
    const journal = new SqliteJournal(path);
    expect(await journal.claim(intentFor('quo_1'))).toBe(true);
    journal.close();
  });

  test('a file that stays locked is not waited for any longer', () => {
    const path = newFile();
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
    const other = new DatabaseSync(path);
    other.exec('create table other (id integer); begin exclusive');
    expect(() => open(path)).toThrow('database is locked');
    other.close();
  });

  test('a claim waits for a while when another process writes, and is then refused', async () => {
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

  test('a claim that fails halfway leaves nothing behind, and the journal usable', async () => {
    const path = newFile();
    const journal = open(path);
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
    const other = new DatabaseSync(path);
    other.exec("create trigger full before insert on corridor_journal begin select raise(abort, 'the disk is full'); end");
    await expect(journal.claim(intentFor('quo_1'))).rejects.toThrow('the disk is full');
    other.exec('drop trigger full');
    other.close();
    expect(await journal.claim(intentFor('quo_2'))).toBe(true);
  });

  test('writes ahead and waits for the disk', async () => {
    const path = newFile();
    await open(path).claim(intentFor('quo_1'));
    expect((await readFile(`${path}-wal`)).length).toBeGreaterThan(0);
  });
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
    ['of another kind', async () => {
      const path = newFile();
      await writeFile(path, 'not a database, but long enough to be taken for the header of one '.repeat(20));
      return path;
    }, 'file is not a database'],
  ])('%s is named, with the reason and what to do', async (_name, path, reason) => {
    const at = await path();
    const error = failure(() => new SqliteJournal(at));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ outcome: 'not-sent', message: `the journal ${at} could not be opened (${reason}): its folder must exist and be writable, and the file must be one of SQLite or none yet` });
  });

  test('of which the table is another is named too', async () => {
    const path = newFile();
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
    const other = new DatabaseSync(path);
    other.exec('create table corridor_journal (id integer)');
    other.close();
    expect(failure(() => new SqliteJournal(path))).toMatchObject({ code: 'configuration', message: expect.stringContaining('no such column') as unknown });
  });

  test.each([[''], [undefined], [7]])('%j is no path', (path) => {
    expect(failure(() => new SqliteJournal(path as string))).toMatchObject({ code: 'configuration', message: 'the path of a SQLite journal must be a non-empty string' });
  });

  test.each([0.5, -1, 2 ** 31])('a busyTimeout of %d milliseconds, which SQLite does not know, is refused', (busyTimeout) => {
    expect(failure(() => new SqliteJournal(':memory:', { busyTimeout }))).toMatchObject({ code: 'configuration', message: expect.stringContaining('busyTimeout') as unknown });
  });

  test('a runtime without SQLite is told what is needed', () => {
    const builtin = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined);
    const error = failure(() => new SqliteJournal(newFile()));
    builtin.mockRestore();
    expect(error).toMatchObject({ code: 'configuration', message: expect.stringContaining('Node 22.13 or newer') as unknown });
  });
});

test('a journal that is closed refuses a payment before anything is sent', async () => {
  const platform = platformAtStart();
  const journal: Journal & { close(): void } = open(newFile());
  journal.close();
  journal.close();
  const call = new Corridor({ ...platform.clientOptions(), journal }).payments.createOnce(payablePayment(platform));
  await expect(call).rejects.toMatchObject({ code: 'configuration', outcome: 'not-sent', endpoint: 'payments.create', cause: expect.any(Error) as unknown });
  await expect(call).rejects.toThrow('the journal could not be reached');
  expect(platform.requests).toHaveLength(0);
});

test('a file that can no longer be written refuses a payment before anything is sent', async () => {
  const platform = platformAtStart();
  const path = newFile();
  const journal = open(path);
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const other = new DatabaseSync(path);
  other.exec('drop table corridor_journal');
  other.close();
  await expect(new Corridor({ ...platform.clientOptions(), journal }).payments.createOnce(payablePayment(platform))).rejects.toMatchObject({ code: 'configuration', outcome: 'not-sent' });
  expect(platform.requests).toHaveLength(0);
});
