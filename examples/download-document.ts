import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { Corridor } from 'corridor-sdk';

/** Requests a document's signed URL, downloads it without credentials, and writes it to a new file. */
export async function downloadDocument(corridor: Corridor, documentId: string, path: string): Promise<void> {
  const { body } = await corridor.documents.download(documentId);
  if (body === null) throw new Error(`the document ${documentId} is empty`);
  await pipeline(body, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
}

// node examples/download-document.ts <document id> <file>
if (import.meta.main) {
  const [id = '', path = 'document.pdf'] = process.argv.slice(2);
  await downloadDocument(new Corridor(), id, path);
  console.log(`${id} is in ${path}`);
}
