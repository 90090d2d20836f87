import { Corridor, NotFoundError } from 'corridor-sdk';

/** Deletes a document. Returns false if it did not exist. */
export async function deleteDocument(corridor: Corridor, documentId: string): Promise<boolean> {
  try {
    await corridor.documents.delete(documentId);
    return true;
  } catch (error) {
    if (error instanceof NotFoundError) return false;
    throw error;
  }
}

// node examples/delete-document.ts <document id>
if (import.meta.main) console.log(await deleteDocument(new Corridor(), process.argv[2] ?? ''));
