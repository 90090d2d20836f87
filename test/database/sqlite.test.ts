import { DatabaseSync } from 'node:sqlite';
import { JournalError, type MirrorError } from 'corridor-sdk';
import { SqliteJournal } from 'corridor-sdk/journal/sqlite';
import { SqliteMirror } from 'corridor-sdk/mirror/sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';

const sqliteError = (errcode: number): Error =>
  Object.assign(new Error('secret'), { code: 'ERR_SQLITE_ERROR', errcode, errstr: 'secret' });

/** The errors of a mirror and of a journal whose statements fail. */
async function failuresOf(error: Error) {
  const mirror = new SqliteMirror(':memory:', { busyTimeout: 0 });
  const journal = new SqliteJournal(':memory:', { busyTimeout: 0 });
  const exec = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(() => {
    throw error;
  });
  onTestFinished(() => exec.mockRestore());
  const [ofMirror, ofJournal] = await Promise.all(
    [mirror.status(), journal.listPending()].map((call) => call.catch((failure: unknown) => failure)),
  );
  exec.mockRestore();
  return [ofMirror as MirrorError, ofJournal as JournalError] as const;
}

const [isLocked, isFull, isReadOnly, isDamaged, fails] = [
  /was locked by another process for longer than its busyTimeout \(SQLite error \d+\). End its transaction/,
  /could not be written, because its disk or quota is full or fails \(SQLite error \d+\). Free space, and call again$/,
  /could not be written, because it, its folder or its disk is read-only \(SQLite error \d+\). Change the permissions/,
  /was replaced, deleted, truncated or damaged while it was open/,
  /failed \(SQLite error \d+\). Check that its file and its folder can be read and written, and call again$/,
];

// SQLite's result codes, and the extended ones that matter.
test.each([
  ['ERROR', 1, false, isDamaged],
  ['INTERNAL', 2, false, fails],
  ['PERM', 3, false, fails],
  ['ABORT', 4, false, fails],
  ['BUSY', 5, true, isLocked],
  ['BUSY_SNAPSHOT', 517, true, isLocked],
  ['LOCKED', 6, true, fails],
  ['LOCKED_SHAREDCACHE', 262, true, fails],
  ['NOMEM', 7, true, fails],
  ['READONLY', 8, false, isReadOnly],
  ['READONLY_DIRECTORY', 1_544, false, isReadOnly],
  ['INTERRUPT', 9, true, fails],
  ['IOERR', 10, false, isDamaged],
  ['IOERR_READ', 266, false, isDamaged],
  ['IOERR_SHORT_READ', 522, false, isDamaged],
  ['IOERR_WRITE', 778, true, isFull],
  ['IOERR_FSYNC', 1_034, true, isFull],
  ['IOERR_DIR_FSYNC', 1_290, true, isFull],
  ['IOERR_TRUNCATE', 1_546, true, isFull],
  ['IOERR_DELETE', 2_570, true, isFull],
  ['IOERR_NOMEM', 3_082, true, isFull],
  ['IOERR_LOCK', 3_850, true, isFull],
  ['IOERR_SHMSIZE', 4_874, true, isFull],
  ['IOERR_SHMMAP', 5_386, true, isFull],
  ['IOERR_CORRUPTFS', 8_458, false, isDamaged],
  ['CORRUPT', 11, false, isDamaged],
  ['FULL', 13, true, isFull],
  ['CANTOPEN', 14, true, fails],
  ['PROTOCOL', 15, true, fails],
  ['SCHEMA', 17, false, fails],
  ['TOOBIG', 18, false, fails],
  ['CONSTRAINT_UNIQUE', 2_067, false, fails],
  ['MISUSE', 21, false, fails],
  ['AUTH', 23, false, fails],
  ['NOTADB', 26, false, isDamaged],
])('the result code %s (%i) of SQLite passes: %s', async (_name, code, expected, message) => {
  const error = sqliteError(code);
  const [ofMirror, ofJournal] = await failuresOf(error);
  expect(ofMirror.retryable).toBe(expected);
  expect(ofJournal).toBeInstanceOf(JournalError);
  expect(ofJournal.message).toMatch(message);
  expect(ofMirror.message).toBe(ofJournal.message.replace('the journal', 'the mirror'));
  expect([ofMirror.original(), ofJournal.original()]).toEqual([error, error]);
});

test('a file that cannot be created on a full disk is reported so', () => {
  const exec = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(() => {
    throw sqliteError(4_874);
  });
  onTestFinished(() => exec.mockRestore());
  expect(() => new SqliteJournal(':memory:')).toThrow(
    'the journal :memory: could not be written, because its disk or quota is full or fails (SQLite error 4874). Free space, and call again',
  );
});
