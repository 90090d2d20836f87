import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { Corridor } from 'corridor-sdk';

/** A downloaded document. */
export interface SavedDocument {
  readonly path: string;
  readonly contentType: string | null;
  readonly bytes: number;
}

/** Requests a document's signed link, downloads it without credentials, and streams it to a file. */
export async function downloadDocument(corridor: Corridor, documentId: string, path: string): Promise<SavedDocument> {
  const response = await corridor.documents.download(documentId);
  await response.body?.pipeTo(Writable.toWeb(createWriteStream(path)));
  return { path, contentType: response.headers.get('content-type'), bytes: (await stat(path)).size };
}

// node examples/download-document.ts <document id> <file>
if (import.meta.main)
  console.log(await downloadDocument(new Corridor(), process.argv[2] ?? '', process.argv[3] ?? 'document.pdf'));
