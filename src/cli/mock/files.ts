import { readFileSync, writeFileSync } from 'node:fs';
import { CommandError } from '../command.js';

/** Returns the text of a file. Throws `CommandError` if it does not exist. */
export function readText(path: string): string {
  const text = readTextIfExists(path);
  if (text === undefined) throw new CommandError(`${path} does not exist`);
  return text;
}

/** Returns the text of a file; undefined if it does not exist. */
export function readTextIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new CommandError(`${path} cannot be read (${code})`);
  }
}

/** Parses the text of a file as JSON. The error contains no part of it, because it may contain secrets. */
export function parseFile(path: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new CommandError(`${path} does not contain JSON. Pass another file`);
  }
}

/** Writes a new file that only its owner can read. */
export function writeSecret(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw new CommandError(`${path} cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
}
