import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { open, readFile, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { custom, integerFrom, optionsObject } from '../../contract/option-schemas.js';
import { nonEmptyString } from '../../contract/schema/schema.js';
import { validateRequest } from '../../contract/violations.js';
import { CommandError } from '../command.js';
import { replaceFile } from '../files.js';
import { lockFile } from './lock-file.js';

const compress = promisify(gzip);
/** A batch is written when it has this many characters, or this long after the batch before. */
const maxBatch = { length: 1024 * 1024, milliseconds: 1_000 };

/** The state of an unfinished export, stored beside its file. */
export interface PartState {
  /** The query and format; another one cannot continue the file. */
  readonly key: string;
  /** A hash of the API key: the cursors of another organization are not valid. */
  readonly apiKeyHash: string;
  /** The size of the part file, in bytes: anything after it was written without a checkpoint. */
  readonly bytes: number;
  readonly count: number;
  /** The position in the list; null at its start. */
  readonly position: unknown;
}

const stateSchema = optionsObject<PartState>(
  {
    key: nonEmptyString(),
    apiKeyHash: nonEmptyString(),
    bytes: integerFrom(0),
    count: integerFrom(0),
    position: custom(isPosition, {}),
  },
  {},
  (state) =>
    (['key', 'apiKeyHash', 'bytes', 'count', 'position'] as const).every((name) => state[name] !== undefined) &&
    (state.position !== null || state.count === 0),
);

/** Checks whether a value is a checkpoint of payments, the cursor of another list, or null. */
function isPosition(value: unknown): boolean {
  const { version, cursor } = Object(value) as { readonly version?: unknown; readonly cursor?: unknown };
  return value === null || version === 1 || cursor === null || typeof cursor === 'string';
}

/** A file that is written in batches, each with the position after it, and renamed at the end. */
export class PartFile {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #unlock: () => Promise<void>;
  #state: PartState;
  #saved: PartState;
  #text: string[] = [];
  #length = 0;
  #savedAt = performance.now();

  private constructor(path: string, handle: FileHandle, state: PartState, unlock: () => Promise<void>) {
    this.#path = path;
    this.#handle = handle;
    this.#unlock = unlock;
    this.#state = state;
    this.#saved = state;
  }

  /** Creates the file, or opens the one of an unfinished export with the same key. Throws `CommandError`. */
  static async open(
    path: string,
    { key, apiKeyHash }: Pick<PartState, 'key' | 'apiKeyHash'>,
    resume: boolean,
  ): Promise<PartFile> {
    const target = await stat(path).catch(() => undefined);
    if (target?.isDirectory() === true) throw new CommandError(`${path} is a folder. Pass a file with --out`);
    const unlock = await lockFile(`${path}.part.lock`, path).catch((error: unknown) => {
      throw unwritable(path, error);
    });
    try {
      const stored = await readState(path);
      if (stored !== undefined && !resume)
        throw new CommandError(
          `${path}.part has an unfinished export. Pass --resume to continue ` +
            `it, or delete ${statePath(path)} to start again`,
        );
      if (stored !== undefined && stored.key !== key)
        throw new CommandError(
          `${path}.part belongs to an export with other options (${stored.key}). Pass ` +
            `the same options, or delete ${statePath(path)} to start again`,
        );
      // The checkpoint of payments knows its organization, whatever the key.
      const { account } = Object(stored?.position) as { readonly account?: unknown };
      if (stored !== undefined && stored.apiKeyHash !== apiKeyHash && account === undefined)
        throw new CommandError(
          `${path}.part belongs to an export with another API key. Use that key; if ` +
            `it was rotated, delete ${statePath(path)} to start again`,
        );
      const state = stored ?? { key, apiKeyHash, bytes: 0, count: 0, position: null };
      return new PartFile(path, await openPart(path, stored), state, unlock);
    } catch (error) {
      await unlock();
      throw unwritable(path, error);
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
    if (this.#saved.bytes === 0) await rm(`${this.#path}.part`, { force: true });
    await this.#unlock();
    return this.#saved;
  }

  /** Writes the rest and the manifest, and gives the file its name. */
  async finish(manifest: (file: { readonly sha256: string } & PartState) => object): Promise<void> {
    try {
      // A compressed file without records is not empty.
      await this.#save(true);
      await this.#handle.close();
      const hash = createHash('sha256');
      const written: AsyncIterable<Buffer> = createReadStream(`${this.#path}.part`);
      for await (const chunk of written) hash.update(chunk);
      const content = manifest({ ...this.#state, sha256: hash.digest('hex') });
      await replaceFile(`${this.#path}.manifest.json`, `${JSON.stringify(content, null, 2)}\n`);
      await rename(`${this.#path}.part`, this.#path);
      await rm(statePath(this.#path), { force: true });
      await this.#unlock();
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
    const { bytes } = this.#state;
    try {
      // A full disk can accept a part of the data.
      for (let offset = 0; offset < data.length;)
        offset += (await this.#handle.write(data, offset, data.length - offset, bytes + offset)).bytesWritten;
      await this.#handle.datasync();
      const state = { ...this.#state, bytes: bytes + data.length };
      await replaceFile(statePath(this.#path), JSON.stringify(state));
      this.#state = state;
    } catch (error) {
      throw unwritable(this.#path, error);
    }
    this.#saved = this.#state;
    this.#savedAt = performance.now();
    this.#text = [];
    this.#length = 0;
  }
}

const statePath = (path: string): string => `${path}.part.json`;

async function openPart(path: string, stored: PartState | undefined): Promise<FileHandle> {
  const part = `${path}.part`;
  const { O_WRONLY, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  // It is truncated only after its owner is known, and opening a named pipe must not wait for a reader.
  const flags = O_WRONLY | O_NOFOLLOW | O_NONBLOCK | (stored === undefined ? O_CREAT : 0);
  const handle = await open(part, flags, 0o600).catch((error: NodeJS.ErrnoException) => {
    if (stored !== undefined && error.code === 'ENOENT') throw mismatch(path);
    // The codes of a symbolic link and of a named pipe.
    if (['ELOOP', 'EMLINK', 'ENXIO'].includes(error.code ?? '')) throw foreign(part, 'is no regular file');
    throw error;
  });
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw foreign(part, 'is no regular file');
    if (found.nlink > 1) throw foreign(part, 'has another name, too');
    if (process.geteuid !== undefined && found.uid !== process.geteuid())
      throw foreign(part, 'belongs to another user');
    if (found.size < (stored?.bytes ?? 0)) throw mismatch(path);
    await handle.chmod(0o600);
    await handle.truncate(stored?.bytes ?? 0);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

const foreign = (part: string, problem: string): CommandError =>
  new CommandError(`${part} ${problem}. Delete it, or pass another file with --out`);

async function readState(path: string): Promise<PartState | undefined> {
  const unusable = (problem: string): CommandError =>
    new CommandError(`${statePath(path)} ${problem}. Delete it to start again`);
  let state: unknown;
  try {
    state = JSON.parse(await readFile(statePath(path), 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw unusable(error instanceof SyntaxError ? 'is damaged' : `cannot be read (${code})`);
  }
  if (validateRequest(stateSchema, state).length > 0) throw unusable('is damaged');
  return state as PartState;
}

const mismatch = (path: string): CommandError =>
  new CommandError(`${path}.part is missing or was changed. Delete ${statePath(path)} to start again`);

function unwritable(path: string, error: unknown): CommandError {
  return error instanceof CommandError
    ? error
    : new CommandError(
        `${path} cannot be written (${(error as NodeJS.ErrnoException).code ?? 'unknown error'}). ` +
          'Check its folder and the free space, or pass another file with --out',
      );
}
