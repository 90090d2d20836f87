import { randomUUID } from 'node:crypto';
import { createWriteStream, existsSync, readFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CommandError, UsageError } from './command.js';

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

/**
 * Reads a text in UTF-8, with or without a byte order mark; 0 is standard input. Throws `UsageError` for other bytes,
 * and if it cannot be read.
 */
export function readText(source: string | 0, name = String(source)): string {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(source);
  } catch (error) {
    throw new UsageError(`${name} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`${name} is not in UTF-8. Save it in this encoding, and run the command again`);
  }
}

/** Returns the text of a file; undefined if it does not exist. Throws `UsageError` if it cannot be read. */
export function readTextIfExists(path: string): string | undefined {
  return existsSync(path) ? readText(path) : undefined;
}

/** Returns the error of a command that cannot write a file. */
export function unwritable(path = '', error: unknown, fix = 'Check its folder and the free space'): CommandError {
  if (error instanceof CommandError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  return new CommandError(`${path} cannot be written (${code ?? message}). ${fix}`);
}
