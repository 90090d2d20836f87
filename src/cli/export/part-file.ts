import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { lstat, open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { CommandError } from '../command.js';
import { readTextIfExists, replaceFile, unwritable } from '../files.js';

const compress = promisify(gzip);
const unwritableFix = 'Check its folder and the free space, or pass another file with --out';

/** The state of an unfinished export, stored beside its file. */
interface PartState {
  /** The query and format; another one cannot continue the file. */
  readonly query: object;
  /** The size of the part file, in bytes: anything after it was written without a position. */
  readonly bytes: number;
  readonly count: number;
  /** The position in the list; absent at its start. */
  readonly position?: unknown;
}

/** A file that is written page by page, with the position after each, and renamed at the end. */
export class PartFile {
  readonly #path: string;
  readonly #header: string;
  readonly #handle: FileHandle;
  #state: PartState;
  #size: number;
  #isShared = false;

  private constructor(path: string, header: string, handle: FileHandle, state: PartState) {
    [this.#path, this.#header, this.#handle, this.#state] = [path, header, handle, state];
    this.#size = state.bytes;
  }

  /** Creates the file, or opens the one of an unfinished export with the same query. Throws `CommandError`. */
  static async open(path: string, header: string, query: object, resume: boolean): Promise<PartFile> {
    const part = partPath(path);
    const target = await stat(path).catch(() => undefined);
    if (target?.isDirectory() === true) throw new CommandError(`${path} is a folder. Pass a file with --out`);
    const start = { query, bytes: 0, count: 0 };
    // A crash at the start leaves an empty file without a state.
    const isStart = resume && (await lstat(part).catch(() => undefined))?.size === 0;
    const stored = resume ? (readState(path) ?? (isStart ? start : undefined)) : undefined;
    if (stored !== undefined && JSON.stringify(stored.query) !== JSON.stringify(query))
      throw new CommandError(
        `${part} belongs to an export with other options or another API key (${JSON.stringify(stored.query)}). ` +
          `Pass the same, or delete ${part} to start again`,
      );
    try {
      const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants;
      const flags = O_WRONLY | O_APPEND | O_NOFOLLOW | (stored === undefined ? O_CREAT | O_EXCL : 0);
      const handle = await open(part, flags, 0o600);
      const state = stored ?? start;
      if ((await handle.stat()).size < state.bytes) {
        await handle.close();
        throw new CommandError(`${part} was changed. Delete it to start again`);
      }
      await handle.truncate(state.bytes);
      await replaceFile(statePath(path), JSON.stringify(state));
      return new PartFile(path, header, handle, state);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' && stored !== undefined)
        throw new CommandError(`${part} is missing. Run the command without --resume to start again`);
      if (code !== 'EEXIST') throw unwritable(path, error, unwritableFix);
      const ways = resume
        ? `without ${statePath(path)}. Delete it`
        : 'with an unfinished export. Pass --resume to continue it, or delete it';
      throw new CommandError(`${part} exists ${ways} to start again`);
    }
  }

  /** The position from which the export continues. */
  get state(): PartState {
    return this.#state;
  }

  /** Writes text, and the position after it. Without one, the export continues from the position before. */
  async add(text: string, count: number, position: unknown): Promise<void> {
    const content = this.#size === 0 ? this.#header + text : text;
    // A compressed file consists of one gzip member for each page.
    const data = /\.gz$/i.test(this.#path) ? await compress(content) : Buffer.from(content);
    try {
      await this.#requireSize();
      await this.#handle.appendFile(data);
      await this.#handle.datasync();
      this.#size += data.length;
      await this.#requireSize();
      if (position === undefined) return;
      const state = { ...this.#state, bytes: this.#size, count, position };
      await replaceFile(statePath(this.#path), JSON.stringify(state));
      this.#state = state;
    } catch (error) {
      throw unwritable(this.#path, error, unwritableFix);
    }
  }

  /** Closes the file without finishing it. Removes it if the export would continue from its start, and it has no other. */
  async close(): Promise<void> {
    await this.#handle.close();
    if (this.#state.position === undefined && !this.#isShared)
      for (const path of [partPath(this.#path), statePath(this.#path)]) await rm(path, { force: true });
  }

  /** Writes the manifest, and gives the file its name. */
  async finish(manifest: object): Promise<void> {
    const part = partPath(this.#path);
    try {
      if (this.#size === 0) await this.add('', 0, undefined);
      await this.#handle.close();
      const hash = createHash('sha256');
      for await (const chunk of createReadStream(part) as AsyncIterable<Buffer>) hash.update(chunk);
      await this.#requireSize();
      const content = JSON.stringify({ ...manifest, sha256: hash.digest('hex') }, null, 2);
      await replaceFile(`${this.#path}.manifest.json`, `${content}\n`);
      await rename(part, this.#path);
      await rm(statePath(this.#path), { force: true });
    } catch (error) {
      throw unwritable(this.#path, error, unwritableFix);
    }
  }

  /** Compares the size of the file: whatever else writes to it changes the size, because all of them append. */
  async #requireSize(): Promise<void> {
    const { size } = await stat(partPath(this.#path));
    this.#isShared = size !== this.#size;
    if (this.#isShared)
      throw new CommandError(
        `${partPath(this.#path)} was changed by another process. Wait until no other export ` +
          'writes to it, and pass --resume, or pass another file with --out',
      );
  }
}

const partPath = (path: string): string => `${path}.part`;
const statePath = (path: string): string => `${path}.part.json`;

function readState(path: string): PartState | undefined {
  const text = readTextIfExists(statePath(path));
  if (text === undefined) return undefined;
  try {
    const { query, bytes, count, position } = JSON.parse(text) as PartState;
    const isStart = position === undefined && count === 0;
    // The client checks the position.
    if (Number.isSafeInteger(bytes) && Number.isSafeInteger(count) && (isStart || Boolean(position)))
      return { query, bytes, count, position };
  } catch {
    // It is damaged.
  }
  throw new CommandError(`${statePath(path)} is damaged. Delete ${partPath(path)} to start again`);
}
