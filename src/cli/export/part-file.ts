import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { CommandError } from '../command.js';
import { readTextIfExists, replaceFile } from '../files.js';

const compress = promisify(gzip);
/** A batch is written when it has this many characters, or this long after the batch before. */
const maxBatch = { length: 1024 * 1024, milliseconds: 1_000 };

/** The state of an unfinished export, stored beside its file. */
interface PartState {
  /** The query and format; another one cannot continue the file. */
  readonly key: string;
  /** The size of the part file, in bytes: anything after it was written without a checkpoint. */
  readonly bytes: number;
  readonly count: number;
  /** The position in the list; null at its start. */
  readonly position: unknown;
}

/** A file that is written in batches, each with the position after it, and renamed at the end. */
export class PartFile {
  readonly #path: string;
  readonly #handle: FileHandle;
  #state: PartState;
  #saved: PartState;
  #text: string[] = [];
  #length = 0;
  #savedAt = performance.now();

  private constructor(path: string, handle: FileHandle, state: PartState) {
    this.#path = path;
    this.#handle = handle;
    this.#state = state;
    this.#saved = state;
  }

  /** Creates the file, or opens the one of an unfinished export with the same key. Throws `CommandError`. */
  static async open(path: string, key: string, resume: boolean): Promise<PartFile> {
    const part = partPath(path);
    const target = await stat(path).catch(() => undefined);
    if (target?.isDirectory() === true) throw new CommandError(`${path} is a folder. Pass a file with --out`);
    const stored = resume ? readState(path) : undefined;
    if (stored !== undefined && stored.key !== key)
      throw new CommandError(
        `${part} belongs to an export with other options or another API key (${stored.key}). ` +
          `Pass the same, or delete ${part} to start again`,
      );
    try {
      const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants;
      const flags = O_WRONLY | O_APPEND | O_NOFOLLOW | (stored === undefined ? O_CREAT | O_EXCL : 0);
      const handle = await open(part, flags, 0o600);
      const state = stored ?? { key, bytes: 0, count: 0, position: null };
      if ((await handle.stat()).size < state.bytes) {
        await handle.close();
        throw new CommandError(`${part} was changed. Delete it to start again`);
      }
      await handle.truncate(state.bytes);
      await replaceFile(statePath(path), JSON.stringify(state));
      return new PartFile(path, handle, state);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' && stored !== undefined)
        throw new CommandError(`${part} is missing. Run the command without --resume to start again`);
      if (code !== 'EEXIST') throw unwritable(path, error);
      const ways = resume
        ? `without ${statePath(path)}. Delete it`
        : 'with an unfinished export. Pass --resume to continue it, or delete it';
      throw new CommandError(`${part} exists ${ways} to start again`);
    }
  }

  /** The state after what was added so far. */
  get state(): PartState {
    return this.#state;
  }

  /** Adds text, and the state after it. */
  async add(text: string, state: Pick<PartState, 'count' | 'position'>): Promise<void> {
    this.#text.push(text);
    this.#length += text.length;
    this.#state = { ...this.#state, ...state };
    const isDue = performance.now() - this.#savedAt >= maxBatch.milliseconds;
    if (isDue || this.#length >= maxBatch.length) await this.#save();
  }

  /** Closes the file without finishing it. Removes it if it is empty. Returns the state with which it continues. */
  async close(): Promise<PartState> {
    // What cannot be written is read again.
    await this.#save().catch(() => undefined);
    await this.#handle.close();
    if (this.#saved.bytes === 0) await this.#remove();
    return this.#saved;
  }

  /** Writes the rest and the manifest, and gives the file its name. */
  async finish(manifest: (file: { readonly sha256: string } & PartState) => object): Promise<void> {
    const part = partPath(this.#path);
    try {
      // A compressed file without records is not empty.
      await this.#save(true);
      await this.#handle.close();
      const hash = createHash('sha256');
      for await (const chunk of createReadStream(part) as AsyncIterable<Buffer>) hash.update(chunk);
      await this.#requireSize();
      const content = manifest({ ...this.#state, sha256: hash.digest('hex') });
      await replaceFile(`${this.#path}.manifest.json`, `${JSON.stringify(content, null, 2)}\n`);
      await rename(part, this.#path);
      await this.#remove();
    } catch (error) {
      throw unwritable(this.#path, error);
    }
  }

  /** Writes what was added. A compressed file consists of one gzip member for each batch. */
  async #save(isLast = false): Promise<void> {
    const isCompressed = /\.gz$/i.test(this.#path);
    if (this.#length === 0 && !(isLast && isCompressed && this.#state.bytes === 0)) return;
    const text = this.#text.join('');
    const data = isCompressed ? await compress(text) : Buffer.from(text);
    try {
      await this.#requireSize();
      // A full disk can accept a part of the data.
      for (let offset = 0; offset < data.length;) offset += (await this.#handle.write(data, offset)).bytesWritten;
      await this.#handle.datasync();
      this.#state = { ...this.#state, bytes: this.#state.bytes + data.length };
      await this.#requireSize();
      await replaceFile(statePath(this.#path), JSON.stringify(this.#state));
    } catch (error) {
      throw unwritable(this.#path, error);
    }
    this.#saved = this.#state;
    this.#savedAt = performance.now();
    this.#text = [];
    this.#length = 0;
  }

  /** Compares the size of the file: whatever else writes to it changes the size, because all of them append. */
  async #requireSize(): Promise<void> {
    const { size } = await stat(partPath(this.#path));
    if (size !== this.#state.bytes)
      throw new CommandError(
        `${partPath(this.#path)} was changed by another process. Wait until no other export ` +
          'writes to it, and pass --resume, or pass another file with --out',
      );
  }

  async #remove(): Promise<void> {
    await rm(partPath(this.#path), { force: true });
    await rm(statePath(this.#path), { force: true });
  }
}

const partPath = (path: string): string => `${path}.part`;
const statePath = (path: string): string => `${path}.part.json`;

function readState(path: string): PartState | undefined {
  const text = readTextIfExists(statePath(path));
  if (text === undefined) return undefined;
  try {
    const { key, bytes, count, position } = JSON.parse(text) as PartState;
    // The client checks the position.
    if (
      Number.isSafeInteger(bytes) &&
      Number.isSafeInteger(count) &&
      (position === null ? count === 0 : typeof position === 'object')
    )
      return { key, bytes, count, position };
  } catch {
    // It is damaged.
  }
  throw new CommandError(`${statePath(path)} is damaged. Delete ${partPath(path)} to start again`);
}

function unwritable(path: string, error: unknown): CommandError {
  return error instanceof CommandError
    ? error
    : new CommandError(
        `${path} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown error'}). ` +
          'Check its folder and the free space, or pass another file with --out',
      );
}
