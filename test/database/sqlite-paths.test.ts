import fs from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { link, mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Corridor } from 'corridor-sdk';
import { SqliteJournal } from 'corridor-sdk/journal/sqlite';
import { SqliteMirror } from 'corridor-sdk/mirror/sqlite';
import { createMockPlatform } from 'corridor-sdk/mock';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { intentFor } from '../journal/intent-for.ts';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = fs.realpathSync(await mkdtemp(join(tmpdir(), 'corridor paths-')));
  path = join(folder, 'payments.sqlite');
  return () => rm(folder, { recursive: true });
});

function open(file = path): SqliteJournal {
  const journal = new SqliteJournal(file);
  onTestFinished(() => journal.close());
  return journal;
}

async function syncTo(file: string): Promise<void> {
  const mirror = new SqliteMirror(file);
  await new Corridor(createMockPlatform().clientOptions()).sync(mirror, { once: true }).finally(() => mirror.close());
}

describe('a file with a hard link, which has a -wal for each path,', () => {
  const message = (owner: string, file: string): string =>
    `the ${owner} ${file} has a hard link, so that processes can use it without seeing what others have written. Delete the link, and share the folder instead`;

  test('is not opened through any path', async () => {
    const other = join(folder, 'other.sqlite');
    open().close();
    await link(path, other);
    for (const file of [path, other]) {
      expect(() => new SqliteJournal(file)).toThrow(message('journal', file));
      await expect(syncTo(file)).rejects.toThrow(message('mirror', file));
    }
    await rm(other);
    expect(await open().claim(intentFor('quo_1'))).toBe(true);
  });

  test('sends no payment once it has the link', async () => {
    const platform = createMockPlatform();
    const corridor = new Corridor({ ...platform.clientOptions(), journal: open() });
    const mirror = new SqliteMirror(join(folder, 'mirror.sqlite'));
    onTestFinished(() => mirror.close());
    const pay = () => corridor.payments.createOnce(platform.payments.createParams(), { idempotencyKey: 'order-1' });
    await corridor.sync(mirror, { once: true });
    const links = [path, join(folder, 'mirror.sqlite')].map((file) => [file, `${file}.link`] as const);
    for (const [file, other] of links) await link(file, other);
    await expect(pay()).rejects.toMatchObject({
      code: 'journal',
      outcome: 'not-sent',
      message: `payments.create was not sent by this call: ${message('journal', path)}`,
    });
    await expect(corridor.sync(mirror, { once: true })).rejects.toThrow(
      message('mirror', join(folder, 'mirror.sqlite')),
    );
    expect(platform.requests.to('payments.create')).toHaveLength(0);
    for (const [, other] of links) await rm(other);
    expect(await pay()).toMatchObject({ created: true });
    await corridor.sync(mirror, { once: true });
  });

  test('is not a file with a symbolic link, which has one -wal', async () => {
    const journal = open();
    await symlink(path, join(folder, 'link.sqlite'));
    const intent = intentFor('quo_1');
    expect(await open(join(folder, 'link.sqlite')).claim(intent)).toBe(true);
    expect(await journal.claim(intentFor('quo_1'))).toEqual({ intent });
  });
});

describe('a file that is mounted by its name, whose -wal is outside of the mount,', () => {
  /** Lets the process see these mounts, as in a container. */
  function mount(...points: readonly string[]): void {
    const { readFileSync } = fs;
    const lines = ['/', '/proc', ...points].map(
      (point, index) => `${index} 1 8:1 /volume ${point.replaceAll(' ', '\\040')} rw,relatime - ext4 /dev/sda1 rw`,
    );
    const spy = vi
      .spyOn(fs, 'readFileSync')
      .mockImplementation(((file: string, ...rest: []) =>
        file === '/proc/self/mountinfo'
          ? `${lines.join('\n')}\n`
          : readFileSync(file, ...rest)) as typeof readFileSync);
    onTestFinished(() => spy.mockRestore());
  }

  test('is not opened, also through a symbolic link', async () => {
    mount(path);
    const reason =
      'is mounted by its name, as into a container, so that processes can use it without seeing what others have written. Mount its folder instead';
    await symlink(path, join(folder, 'link.sqlite'));
    for (const file of [path, join(folder, 'link.sqlite')]) {
      expect(() => new SqliteJournal(file)).toThrow(`the journal ${file} ${reason}`);
      await expect(syncTo(file)).rejects.toThrow(`the mirror ${file} ${reason}`);
    }
  });

  test('is not one in a folder that is mounted, or beside a mount', async () => {
    mount(folder, `${path}.other`, join(folder, 'payments'));
    expect(await open().claim(intentFor('quo_1'))).toBe(true);
  });

  test('is not known on systems without a list of mounts', async () => {
    const { readFileSync } = fs;
    const spy = vi.spyOn(fs, 'readFileSync').mockImplementation(((file: string, ...rest: []) => {
      if (file === '/proc/self/mountinfo') throw new Error('ENOENT');
      return readFileSync(file, ...rest);
    }) as typeof readFileSync);
    onTestFinished(() => spy.mockRestore());
    expect(await open().claim(intentFor('quo_1'))).toBe(true);
  });
});

describe('a file that another process uses through another path', () => {
  const reason =
    'through another path, such as that from before it was moved, and does not see what is written through this one. Stop that process, and call again';

  test.each<[string, (other: string) => Promise<void>]>([
    ['because it was moved without its -wal', (other) => rename(path, other)],
    ['because a hard link replaced its name', (other) => link(path, other).then(() => rm(path))],
  ])('%s holds no claim until that process ends', async (_how, move) => {
    const platform = createMockPlatform();
    const other = join(folder, 'moved.sqlite');
    const before = new SqliteJournal(path);
    await before.claim(intentFor('quo_1'));
    await move(other);
    const journal = new SqliteJournal(other, { busyTimeout: 20 });
    onTestFinished(() => journal.close());
    const corridor = new Corridor({ ...platform.clientOptions(), journal });
    const pay = () => corridor.payments.createOnce(platform.payments.createParams(), { idempotencyKey: 'order-1' });
    await expect(pay()).rejects.toMatchObject({
      code: 'journal',
      outcome: 'not-sent',
      message: `payments.create was not sent by this call: another process uses the journal ${other} ${reason}`,
    });
    expect(platform.requests.to('payments.create')).toHaveLength(0);
    before.close();
    expect(await pay()).toMatchObject({ created: true });
  });

  test('is also noticed by a mirror, and between processes', async () => {
    const other = join(folder, 'moved.sqlite');
    await syncTo(path);
    const program = `const { DatabaseSync } = require('node:sqlite');
      const database = new DatabaseSync(${JSON.stringify(path)});
      console.log(database.prepare('select count(*) as count from corridor_payments').get());
      process.stdin.resume().on('end', () => process.exit());`;
    const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    await rename(path, other);
    const mirror = new SqliteMirror(other, { busyTimeout: 20 });
    onTestFinished(() => mirror.close());
    const sync = () => new Corridor(createMockPlatform().clientOptions()).sync(mirror, { once: true });
    await expect(sync()).rejects.toThrow(`another process uses the mirror ${other} ${reason}`);
    child.stdin.end();
    await once(child, 'close');
    expect(await sync()).toMatchObject({ filled: true });
  });

  test('is not one that is opened by many at the same time through one path', async () => {
    const journals = Array.from({ length: 20 }, () => open());
    const claims = await Promise.all(journals.map((journal) => journal.claim(intentFor('quo_1'))));
    expect(claims.filter((claim) => claim === true)).toHaveLength(1);
  });
});
