import { Corridor, type DownloadedFile } from 'corridor-sdk';

/** Requests a document's signed link, downloads it without credentials, and writes it to a file. */
export async function downloadDocument(corridor: Corridor, documentId: string, path: string): Promise<DownloadedFile> {
  return corridor.documents.downloadTo(documentId, path);
}

// node examples/download-document.ts <document id> <file>
if (import.meta.main)
  console.log(await downloadDocument(new Corridor(), process.argv[2] ?? '', process.argv[3] ?? 'document.pdf'));
