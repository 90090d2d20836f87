import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { lockFile } from '../../../src/cli/export/lock-file.ts';

// Calls of readFile wait until the test lets them return.
const read = vi.hoisted(() => ({ returns: async () => {} }));
vi.mock('node:fs/promises', async (importOriginal) => {
  const actual = await importOriginal<typeof import('node:fs/promises')>();
  const waitingRead: typeof actual.readFile = (async (...input: Parameters<typeof actual.readFile>) => {
    const content = await actual.readFile(...input);
    await read.returns();
    return content;
  }) as typeof actual.readFile;
  return { ...actual, readFile: waitingRead };
});

let folder: string;
let path: string;
const stale = `4194305 ${hostname()} stale`;

beforeEach(async () => {
  read.returns = async () => {};
  folder = await mkdtemp(join(tmpdir(), 'corridor-lock-'));
  path = join(folder, 'payments.jsonl.part.lock');
  await writeFile(path, stale);
  return () => rm(folder, { recursive: true });
});

test('replaces the lock of a process that has ended', async () => {
  const unlock = await lockFile(path, 'payments.jsonl');

  expect(await readFile(path, 'utf8')).toMatch(new RegExp(`^${process.pid} `));
  expect(await readdir(folder)).toEqual(['payments.jsonl.part.lock']);
  await unlock();
  expect(await readdir(folder)).toEqual([]);
});

test('does not remove the lock of a process that replaced the same lock first', async () => {
  const other = `${process.ppid} ${hostname()} other`;
  read.returns = async () => {
    read.returns = async () => {};
    await writeFile(path, other);
  };

  await expect(lockFile(path, 'payments.jsonl')).rejects.toThrow(
    `payments.jsonl is being written by another process (${process.ppid} on ${hostname()})`,
  );
  expect(await readFile(path, 'utf8')).toBe(other);
  expect(await readdir(folder)).toEqual(['payments.jsonl.part.lock']);
});

test('does not remove a lock while another process is replacing it', async () => {
  let reads = 0;
  let second: Promise<unknown> = Promise.resolve();
  // The first call has compared the lock, and is about to remove it.
  read.returns = async () => {
    reads += 1;
    if (reads !== 2) return;
    second = lockFile(path, 'payments.jsonl').catch((error: unknown) => error);
    await second;
  };

  await lockFile(path, 'payments.jsonl');

  expect(String(await second)).toContain('payments.jsonl is being written by another process');
});
