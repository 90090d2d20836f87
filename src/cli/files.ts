import { randomUUID } from 'node:crypto';
import { createWriteStream, readFileSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CommandError } from './command.js';

/** Replaces a file with a text or its parts, completely or not at all. By default, only its owner can read it. */
export async function replaceFile(path: string, text: string | Iterable<string>, mode = 0o600): Promise<void> {
  // The mode applies only to a file that did not exist, and its name must not be that of another process.
  const written = `${path}.${randomUUID()}.new`;
  try {
    // `writeFile` writes each part by itself, which takes ten times as long.
    await pipeline(Readable.from(text), createWriteStream(written, { flags: 'wx', mode }));
    await rename(written, path);
  } catch (error) {
    await rm(written, { force: true });
    throw error;
  }
}

/** Checks whether other users of this machine can read a file. Windows has no such modes. */
export function isReadableByOthers(path: string): boolean {
  return process.platform !== 'win32' && ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o044) !== 0;
}

/** Returns the text of a file; undefined if it does not exist. Throws `CommandError` if it cannot be read. */
export function readTextIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new CommandError(`${path} cannot be read (${code})`);
  }
}
