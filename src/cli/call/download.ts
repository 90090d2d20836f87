import { createFile } from './new-file.js';
import { jsonText } from '../print/text.js';
import type { Terminal } from '../terminal.js';
import type { Format } from './print.js';

/** Downloads to a new file. The file is created before anything is sent, and removed if the download fails. */
export async function downloadTo(
  path: string,
  download: () => PromiseLike<Response>,
  format: Format,
  { output }: Terminal,
): Promise<void> {
  const file = await createFile(path);
  let saved: { readonly file: string; readonly bytes: number; readonly contentType: string | null };
  try {
    const { body, headers } = await download();
    saved = { file: path, bytes: await file.write(body ?? noContent()), contentType: headers.get('content-type') };
  } catch (error) {
    await file.remove();
    throw error;
  }
  const { bytes, contentType } = saved;
  await output.line(
    format === 'text'
      ? `Saved ${path}: ${bytes} bytes${contentType === null ? '' : `, ${contentType}`}`
      : jsonText(saved),
  );
}

async function* noContent(): AsyncGenerator<Uint8Array, void, undefined> {}
