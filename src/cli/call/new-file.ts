import { open, rm, type FileHandle } from 'node:fs/promises';
import { CommandError } from '../command.js';

/** A file that did not exist before. */
export interface NewFile {
  /** Writes the content and returns the number of bytes. */
  write(content: AsyncIterable<Uint8Array>): Promise<number>;
  /** Removes the file. */
  remove(): Promise<void>;
}

/** Creates a file that only its owner can read. Throws `CommandError` if it exists or cannot be created. */
export async function createFile(path: string): Promise<NewFile> {
  const handle = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      error.code === 'EEXIST'
        ? `${path} already exists; nothing was sent. Pass another file`
        : `${path} cannot be created (${error.code}); nothing was sent. Pass another file`,
    );
  });
  const remove = async (): Promise<void> => {
    await handle.close();
    await rm(path, { force: true });
  };
  return { remove, write: (content) => writeAll(handle, content) };
}

async function writeAll(handle: FileHandle, content: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const chunk of content) {
    await handle.writeFile(chunk);
    bytes += chunk.byteLength;
  }
  await handle.sync();
  await handle.close();
  return bytes;
}
