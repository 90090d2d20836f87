import { stat } from 'node:fs/promises';
import type { MockPlatformServer, MockServerState } from '../../mock/node.js';
import { CommandError } from '../command.js';
import { replacePrivateFile } from '../private-file.js';
import { parseFile, readTextIfExists } from './files.js';

/** The time between a change and its storage, in milliseconds. */
const minPause = 1000;
/** How much longer than a save the pause before the next one is, so that a large state does not slow down the mock. */
const pauseFactor = 10;

/** Returns the state in a file; undefined if the file does not exist. */
export function readState(path: string): MockServerState | undefined {
  const text = readTextIfExists(path);
  // The server validates it.
  return text === undefined ? undefined : (parseFile(path, text) as MockServerState);
}

/** Stores the state of a server in a file after changes. */
export class StateFile {
  readonly #path: string;
  readonly #server: MockPlatformServer;
  readonly #onError: (error: CommandError) => void;
  readonly #onRecovery: () => void;
  /** The failure that was reported; undefined after a success. */
  #reported: string | undefined;
  #hasChanges = false;
  #pause = minPause;
  #timer: NodeJS.Timeout | undefined;
  #saving: Promise<void> = Promise.resolve();
  /** Identifies the file as this process wrote it; undefined before that. */
  #identity: string | undefined;

  /**
   * A failure after the first save is passed to `onError` once, and further saves try again; `onRecovery` is called when
   * one succeeds.
   */
  constructor(
    path: string,
    server: MockPlatformServer,
    onError: (error: CommandError) => void,
    onRecovery: () => void,
  ) {
    this.#path = path;
    this.#server = server;
    this.#onError = onError;
    this.#onRecovery = onRecovery;
  }

  /** Stores the state for the first time. Rejects with `CommandError` if the file cannot be written. */
  start(): Promise<void> {
    return this.#save();
  }

  /** Schedules a save. */
  changed(): void {
    this.#hasChanges = true;
    this.#timer ??= setTimeout(() => {
      this.#saving = this.#save().then(
        () => this.#recover(),
        (error: CommandError) => this.#report(error),
      );
      void this.#saving.then(() => {
        this.#timer = undefined;
        if (this.#hasChanges) this.changed();
      });
    }, this.#pause);
  }

  /** Stores the last changes. Rejects with `CommandError` if the file cannot be written. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#saving;
    if (this.#hasChanges) await this.#save();
  }

  #report(error: CommandError): void {
    if (error.message === this.#reported) return;
    this.#reported = error.message;
    this.#onError(error);
  }

  #recover(): void {
    if (this.#reported === undefined) return;
    this.#reported = undefined;
    this.#onRecovery();
  }

  async #save(): Promise<void> {
    const start = performance.now();
    this.#hasChanges = false;
    try {
      await this.#write();
    } catch (error) {
      this.#hasChanges = true;
      throw error;
    } finally {
      this.#pause = Math.max(minPause, pauseFactor * (performance.now() - start));
    }
  }

  /** Replaces the file at once, so that a crash never leaves half of it. */
  async #write(): Promise<void> {
    await this.#requireOwn();
    try {
      await replacePrivateFile(this.#path, JSON.stringify(await this.#server.state()));
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      throw new CommandError(`${this.#path} cannot be written (${code ?? message})`);
    }
    this.#identity = await identityOf(this.#path);
  }

  /** Throws `CommandError` if another process has replaced the file: its changes must not be lost. */
  async #requireOwn(): Promise<void> {
    const current = await identityOf(this.#path);
    if (this.#identity !== undefined && current !== undefined && current !== this.#identity)
      throw new CommandError(
        `${this.#path} was changed by another process, so this one no longer stores its state. Use one file for each mock`,
      );
  }
}

async function identityOf(path: string): Promise<string | undefined> {
  try {
    const { ino, mtimeMs } = await stat(path);
    return `${ino}/${mtimeMs}`;
  } catch {
    return undefined;
  }
}
