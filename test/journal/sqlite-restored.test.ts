import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Corridor } from 'corridor-sdk';
import { SqliteJournal } from 'corridor-sdk/journal/sqlite';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { corridor } from '../cli/corridor.ts';
import { payablePayment, platformAtStart } from '../mock/fixture.ts';
import { intentFor } from './intent-for.ts';

let folder: string;
let path: string;
let backup: string;

// A backup with quo_1, and a journal that has claimed quo_2 and quo_3 since.
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corridor-restored-'));
  [path, backup] = [join(folder, 'payments.sqlite'), join(folder, 'backup.sqlite')];
  const journal = new SqliteJournal(path);
  await journal.claim(intentFor('quo_1'));
  execute(path, `vacuum into '${backup}'`);
  for (const quote of ['quo_2', 'quo_3']) await journal.claim(intentFor(quote));
  journal.close();
  return () => rm(folder, { recursive: true });
});

function open(): SqliteJournal {
  const journal = new SqliteJournal(path, { busyTimeout: 50 });
  onTestFinished(() => journal.close());
  return journal;
}

function execute(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

/** Restores the backup as the guide does. */
function restore(): void {
  for (const suffix of ['-journal', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
  copyFileSync(backup, path);
}

const quotesOf = async (journal: SqliteJournal): Promise<readonly string[]> =>
  (await journal.listPending()).map(({ request }) => request.paymentQuoteId);

/** Runs statements in another process, which ends without closing its database. */
function endWithoutClosing(sql: string, end: string): void {
  const program = `const { DatabaseSync } = require('node:sqlite');
    new DatabaseSync(${JSON.stringify(path)}).exec(${JSON.stringify(sql)});
    ${end}`;
  spawnSync(process.execPath, ['-e', program], { stdio: 'inherit' });
}

const kill = "process.kill(process.pid, 'SIGKILL')";
const rows =
  "with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000) select i, 'q' || i, '{}' from n";
const insert = `insert into corridor_journal (intent_id, quote, intent) ${rows}`;

/** Kills a process in the middle of a commit: it has written some pages of a transaction to the file. */
function killInCommit(): void {
  const before = readFileSync(path);
  endWithoutClosing(
    `pragma cache_size = 1; begin; pragma user_version = 1; delete from corridor_journal; ${insert}`,
    kill,
  );
  expect(readFileSync(path).equals(before)).toBe(false);
}

function killInCreation(): void {
  truncateSync(path);
  endWithoutClosing(
    `pragma cache_size = 1; begin; create table corridor_journal (intent_id, quote, intent); ${insert}`,
    kill,
  );
}

const ofOtherContent =
  /has a -journal of other content, as after a restore. Stop every .* delete its -journal, restore the file again/;

describe('a backup that is restored', () => {
  test.each<[string, () => void]>([
    ['after all processes have closed the journal', () => {}],
    [
      'after a process has ended without closing it',
      () => endWithoutClosing('update corridor_file_writes set writes = writes + 1', 'process.exit()'),
    ],
    [
      'after a process in WAL mode has ended without closing it',
      () =>
        endWithoutClosing(
          'pragma journal_mode = wal; update corridor_file_writes set writes = writes + 1',
          'process.exit()',
        ),
    ],
    ['after a process was killed in a commit', killInCommit],
  ])('%s has the entries of the backup, and claims others', async (_when, end) => {
    end();
    restore();
    const journal = open();
    expect(await quotesOf(journal)).toEqual(['quo_1']);
    expect(await journal.claim(intentFor('quo_2'))).toBe(true);
    expect(await quotesOf(open())).toEqual(['quo_1', 'quo_2']);
    expect(readdirSync(folder).toSorted()).toEqual(['backup.sqlite', 'payments.sqlite']);
  });

  test('while a process has the journal open is noticed by its next call, which sends nothing', async () => {
    const platform = platformAtStart();
    const journal = open();
    const { payments } = new Corridor({ ...platform.clientOptions(), journal });
    await journal.claim(intentFor('quo_4'));
    restore();
    const replaced = { code: 'journal', message: expect.stringContaining('was replaced') as unknown };
    await expect(payments.createOnce(payablePayment(platform))).rejects.toMatchObject(replaced);
    await expect(journal.listPending()).rejects.toMatchObject(replaced);
    expect(platform.requests).toHaveLength(0);
    expect(await quotesOf(open())).toEqual(['quo_1']);
  });
});

describe('the -journal of a process that was killed in a commit', () => {
  test('restores what was there before, also for the command line', async () => {
    killInCommit();
    const { output } = await corridor(['journal', 'list', path, '--json']);
    expect(JSON.parse(output)).toHaveLength(3);
    killInCommit();
    // As if it had also written the first page, with the next change counter.
    const written = readFileSync(path);
    written.writeUInt32BE(written.readUInt32BE(24) + 1, 24);
    writeFileSync(path, written);
    expect(await quotesOf(open())).toEqual(['quo_1', 'quo_2', 'quo_3']);
  });

  test('is ignored if the file is empty, as of a process that was killed when it created it', async () => {
    killInCreation();
    truncateSync(path);
    expect(await open().claim(intentFor('quo_1'))).toBe(true);
  });

  test.each<[string, () => void]>([
    ['in the middle', killInCommit],
    [
      'of content with fewer commits',
      () => {
        for (let commit = 0; commit < 20; commit += 1) execute(backup, 'vacuum');
        killInCommit();
      },
    ],
    ['that created the file', killInCreation],
  ])('%s is not applied to a backup: nothing is sent until it is deleted', async (_when, end) => {
    const platform = platformAtStart();
    const running = open();
    end();
    expect(existsSync(`${path}-journal`)).toBe(true);
    copyFileSync(backup, path);
    for (const journal of [running, open()]) {
      const { payments } = new Corridor({ ...platform.clientOptions(), journal });
      await expect(payments.createOnce(payablePayment(platform))).rejects.toThrow(ofOtherContent);
    }
    expect(await corridor(['journal', 'list', path])).toMatchObject({
      code: 1,
      notes: expect.stringMatching(ofOtherContent) as unknown,
    });
    expect(platform.requests).toHaveLength(0);
    expect(readFileSync(path).equals(readFileSync(backup))).toBe(true);
    restore();
    expect(await quotesOf(open())).toEqual(['quo_1']);
  });
});

describe('a journal in WAL mode, as of an older version,', () => {
  test('is converted by the first of many that open it', async () => {
    execute(path, 'pragma journal_mode = wal');
    const journals = Array.from({ length: 5 }, () => open());
    const claims = await Promise.all(journals.map((journal) => journal.claim(intentFor('quo_4'))));
    expect(claims.filter((claim) => claim === true)).toHaveLength(1);
    expect(await quotesOf(open())).toEqual(['quo_1', 'quo_2', 'quo_3', 'quo_4']);
    expect(readdirSync(folder).toSorted()).toEqual(['backup.sqlite', 'payments.sqlite']);
  });

  test('sends nothing while another process has it open, and is converted once that has ended', async () => {
    const older = new DatabaseSync(path);
    older.exec('pragma journal_mode = wal; update corridor_file_writes set writes = writes + 1');
    const journals = [open(), open()];
    for (const journal of journals)
      await expect(journal.claim(intentFor('quo_4'))).rejects.toMatchObject({
        code: 'journal',
        message: expect.stringMatching(
          /was locked by another process .*End its transaction, or the process if it is of an older version/,
        ) as unknown,
      });
    older.close();
    expect(await journals[0]?.claim(intentFor('quo_4'))).toBe(true);
    expect(await journals[1]?.claim(intentFor('quo_4'))).toMatchObject({ intent: {} });
    expect(existsSync(`${path}-wal`)).toBe(false);
  });
});
