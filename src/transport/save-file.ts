import { integerFrom, optionsObject } from '../contract/options.js';
import { memoize, type Schema } from '../contract/schema/schema.js';
import { describeText } from '../contract/validate.js';
import { ConfigurationError, InvalidResponseError, TimeoutError } from '../errors/api.js';
import type { CallLimits } from './attempt.js';
import type { Timing } from './clock.js';
import { Deadline } from './deadline.js';
import { connectionFailure } from './failures.js';
import { assertOptions, requestOptionsShape, type RequestOptions } from './request-options.js';

/** The options of `documents.downloadTo` and `support.downloadAttachmentTo`. */
export interface DownloadToOptions extends RequestOptions {
  /** The largest file to write, in bytes. @default 104_857_600 (100 MiB) */
  readonly maxBytes?: number | undefined;
}

/** A file that was downloaded. */
export interface DownloadedFile {
  /** Its size, in bytes. */
  readonly bytes: number;
  /** Its media type, as its host declares it; null if it does not. */
  readonly contentType: string | null;
}

/** Downloads a file to a path; `fetchFile` requests it. */
export type SaveFile = (
  endpoint: string,
  path: string,
  fetchFile: (options: RequestOptions) => Promise<Response>,
  options: DownloadToOptions,
) => Promise<DownloadedFile>;

const saveOptions: Schema<DownloadToOptions> = memoize(() =>
  optionsObject<DownloadToOptions>(
    { ...requestOptionsShape(), maxBytes: integerFrom(1, undefined, ' of bytes') },
    { rule: 'must be an object, such as { maxBytes: 1_000_000 }' },
  ),
);

// The part of node:fs/promises that is used: the core compiles without Node's types.
interface FileHandle {
  writeFile(data: Uint8Array): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

interface FileSystem {
  open(path: string, flags: 'wx', mode: number): Promise<FileHandle>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
}

/**
 * Creates the function that downloads files to paths. The content is written to a temporary file in the same folder,
 * which replaces the one at the path when it is complete: after a failure, the path is as it was before.
 */
export function createSaveFile(timing: Timing, limits: CallLimits): SaveFile {
  return async (endpoint, path, fetchFile, options) => {
    assertOptions(saveOptions, options);
    const { maxBytes = 100 * 1024 * 1024, ...request } = options;
    if (typeof path !== 'string' || path === '')
      throw new ConfigurationError(
        `path must be a non-empty string (received ${describeText(path)}). Pass a file name`,
      );
    const { open, rename, unlink } = fileSystem();
    const cannotWrite = (error: unknown): never => {
      const { code } = Object(error) as { readonly code?: unknown };
      const message = `${endpoint} cannot write ${describeText(path)} (${String(code)}). Check that its folder exists and has space, and that the path is no folder`;
      throw new ConfigurationError(message, { endpoint, cause: error });
    };
    const temporary = `${path}.${crypto.randomUUID()}.part`;
    // Before the request: a folder that cannot be written costs none.
    const file = await open(temporary, 'wx', 0o600).catch(cannotWrite);
    try {
      const response = await fetchFile(request);
      let bytes = 0;
      for await (const chunk of chunksOf(endpoint, response, { timing, timeout: limits.timeout, ...request })) {
        bytes += chunk.byteLength;
        if (bytes > maxBytes)
          throw new InvalidResponseError(
            `${endpoint}: the file is larger than ${maxBytes} bytes (maxBytes). Increase maxBytes if you expect files of this size`,
            { endpoint, outcome: 'unknown', issues: [{ path: '', message: `is larger than ${maxBytes} bytes` }] },
          );
        await file.writeFile(chunk).catch(cannotWrite);
      }
      await file.sync().catch(cannotWrite);
      await file.close();
      await rename(temporary, path).catch(cannotWrite);
      return { bytes, contentType: response.headers.get('content-type') };
    } catch (error) {
      await file.close().catch(() => {});
      await unlink(temporary).catch(() => {});
      throw error;
    }
  };
}

function fileSystem(): FileSystem {
  interface NodeLike {
    readonly process?: { readonly getBuiltinModule?: (name: 'node:fs/promises') => FileSystem | undefined };
  }
  const found = (globalThis as NodeLike).process?.getBuiltinModule?.('node:fs/promises');
  if (found !== undefined) return found;
  throw new ConfigurationError('this runtime has no file system. Use download, and store the response yourself');
}

/** Reads a body. `timeout` limits the time without a chunk, because a large file can take longer than any call. */
async function* chunksOf(
  endpoint: string,
  response: Response,
  { timing, timeout, signal }: { readonly timing: Timing; readonly timeout: number | undefined } & RequestOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (response.body === null) return;
  const reader = response.body.getReader();
  try {
    for (;;) {
      const deadline = new Deadline(timing, { endpoint, totalTimeout: timeout, signal });
      const { done, value } = await deadline.race(reader.read(), (stop) =>
        stop.kind === 'aborted'
          ? deadline.error(stop, 'its file was being received', { outcome: 'unknown' })
          : new TimeoutError(`${endpoint} received no part of its file for ${timeout} ms. Repeat the call`, {
              endpoint,
              outcome: 'unknown',
            }),
      );
      if (done) return;
      yield value;
    }
  } catch (error) {
    // `fetch` throws a TypeError if the body ends early.
    if (!(error instanceof TypeError)) throw error;
    const failure = connectionFailure(error, { known: 'unknown', hasResponse: true });
    throw failure.error({ endpoint, outcome: 'unknown', attempts: [], isRead: true });
  } finally {
    // Not awaited, because canceling some bodies never resolves.
    void reader.cancel().catch(() => {});
  }
}
