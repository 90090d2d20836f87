import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';

/** Replaces a file, completely or not at all. By default, only its owner can read it. */
export async function replaceFile(path: string, text: string, mode = 0o600): Promise<void> {
  // The mode applies only to a file that did not exist, and its name must not be that of another process.
  const written = `${path}.${randomUUID()}.new`;
  try {
    await writeFile(written, text, { flag: 'wx', mode });
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
