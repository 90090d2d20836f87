import { createHash, randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { CommandError } from '../command.js';

/**
 * Creates a lock file with the id of this process, and returns a function that removes it. Replaces the one of a
 * process of this machine that has ended. Throws `CommandError` if another process has the lock.
 */
export async function lockFile(path: string, locked: string): Promise<() => Promise<void>> {
  for (;;) {
    if (await createLock(path)) return () => rm(path, { force: true });
    const content = await readLock(path);
    const [id = '', host = ''] = content.split(' ');
    if (host !== hostname() || isRunning(Number(id)) || !(await removeStale(path, content)))
      throw new CommandError(
        `${locked} is being written by another process (${id || 'unknown'} on ${host || 'an unknown host'}). ` +
          `Wait until it ends, or pass another file with --out. If it does not run anymore, delete ${path}`,
      );
  }
}

/** Creates a lock, whose content is unique. Returns false if the file exists. */
async function createLock(path: string): Promise<boolean> {
  try {
    await writeFile(path, `${process.pid} ${hostname()} ${randomUUID()}`, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

const readLock = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

/**
 * Removes a lock unless it was replaced. Returns false if another process is removing it: only one may, because the
 * lock could otherwise be replaced between the comparison and the removal.
 */
async function removeStale(path: string, content: string): Promise<boolean> {
  const claim = `${path}.${createHash('sha256').update(content).digest('hex').slice(0, 16)}`;
  if (!(await createLock(claim))) return false;
  try {
    if ((await readLock(path)) === content) await rm(path, { force: true });
    return true;
  } finally {
    await rm(claim, { force: true });
  }
}

// After a restart of a container, this process can have the id of the one that ended.
function isRunning(id: number): boolean {
  if (id === process.pid) return false;
  try {
    return process.kill(id, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
