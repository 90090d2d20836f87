import { copyFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Corridor } from 'corridor-sdk';
import { SqliteJournal } from 'corridor-sdk/journal/sqlite';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { payablePayment, platformAtStart } from '../mock/fixture.ts';
import { intentFor } from './intent-for.ts';

let folder: string;
let path: string;
let other: string;
let copy: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corridor-replaced-'));
  [path, other, copy] = ['journal', 'other', 'copy'].map((name) => join(folder, `${name}.sqlite`)) as [
    string,
    string,
    string,
  ];
  for (const file of [path, other]) {
    const journal = new SqliteJournal(file);
    await journal.claim(intentFor('quo_0'));
    journal.close();
  }
});

afterEach(() => rm(folder, { recursive: true }));

function open(file = path): SqliteJournal {
  const journal = new SqliteJournal(file, { busyTimeout: 50 });
  onTestFinished(() => journal.close());
  return journal;
}

const replaced = {
  code: 'journal',
  outcome: 'not-sent',
  message: expect.stringMatching(
    /the journal .*journal.sqlite was replaced, deleted, truncated or damaged while it was open/,
  ) as unknown,
};

const changes: readonly (readonly [string, () => void])[] = [
  ['deleted', () => rmSync(path)],
  ['replaced by another journal', () => renameSync(other, path)],
  ['replaced by a copy of itself', () => (copyFileSync(path, copy), renameSync(copy, path))],
  ['overwritten with another journal', () => copyFileSync(other, path)],
  ['truncated', () => truncateSync(path)],
  ['truncated to its first page', () => truncateSync(path, 4_096)],
  [
    'overwritten with another database',
    () => {
      const database = new DatabaseSync(copy);
      database.exec('create table other (id integer)');
      database.close();
      copyFileSync(copy, path);
    },
  ],
  ['overwritten with a text', () => writeFileSync(path, 'not a database, but as long as one '.repeat(1_000))],
];

describe.each(changes)('a journal whose file was %s while two clients use it', (_how, change) => {
  test('sends no payment, and reports the reason', async () => {
    const platform = platformAtStart();
    const journals = [open(), open()];
    await journals[0]?.claim(intentFor('quo_1'));
    const clients = journals.map((journal) => new Corridor({ ...platform.clientOptions(), journal }));
    change();
    for (const payment of [payablePayment(platform), payablePayment(platform)])
      for (const { payments } of clients) await expect(payments.createOnce(payment)).rejects.toMatchObject(replaced);
    for (const { payments } of clients) await expect(payments.reconcilePending()).rejects.toMatchObject(replaced);
    expect(platform.requests).toHaveLength(0);
  });

  test('does so too if another process creates the journal again', async () => {
    const journal = open();
    change();
    try {
      open();
    } catch {
      // What is left is damaged.
    }
    await expect(journal.claim(intentFor('quo_1'))).rejects.toMatchObject(replaced);
    await expect(journal.resolve(intentFor('quo_1'), { outcome: 'not-created' })).rejects.toMatchObject(replaced);
  });
});

test('a journal whose symbolic link leads to another file now sends nothing', async () => {
  const link = join(folder, 'link', 'journal.sqlite');
  await mkdir(join(folder, 'link'));
  await symlink(path, link);
  const journal = open(link);
  expect(await journal.claim(intentFor('quo_1'))).toBe(true);
  await rm(link);
  await symlink(other, link);
  await expect(journal.claim(intentFor('quo_2'))).rejects.toMatchObject(replaced);
});

test('a file that is replaced while a claim is committed does not hold the claim', async () => {
  const journal = open();
  const { exec } = DatabaseSync.prototype;
  const spy = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql) {
    exec.call(this, sql);
    if (sql === 'commit') renameSync(other, path);
  });
  onTestFinished(() => spy.mockRestore());
  await expect(journal.claim(intentFor('quo_1'))).rejects.toMatchObject(replaced);
});

test('a journal that is vacuumed, backed up and used through another path keeps working', async () => {
  const journal = open();
  await symlink(path, join(folder, 'alias.sqlite'));
  const alias = open(join(folder, 'alias.sqlite'));
  for (const statement of ['vacuum', `vacuum into '${copy}'`, 'create table mine (id integer)']) {
    const database = new DatabaseSync(path);
    database.exec(statement);
    database.close();
    const intent = intentFor(statement);
    expect(await journal.claim(intent)).toBe(true);
    expect(await alias.claim(intentFor(statement))).toEqual({ intent });
  }
});

test('the working directory can change', async () => {
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  process.chdir(folder);
  const journal = open('journal.sqlite');
  process.chdir(before);
  expect(await journal.claim(intentFor('quo_1'))).toBe(true);
});
