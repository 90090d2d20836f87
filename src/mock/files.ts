import { base64, bytesOf, fromBase64 } from './bytes.js';
import { MockPlatformError } from './error.js';
import { fingerprint } from './random.js';
import type { StoredFile } from './stored.js';

/** A file of the mock. */
export interface MockFile {
  /** Its name, as a download suggests it. */
  readonly fileName: string;
  /** Its media type, such as `application/pdf`. */
  readonly contentType: string;
  /** What a download gives. */
  readonly content: ReturnType<typeof Uint8Array.of>;
}

/** What a file may be given as. */
export interface MockFileInput {
  /** Its name, in printable ASCII. @default a name that fits what the file is for */
  readonly fileName?: string | undefined;
  /** Its media type. @default text/plain for text, application/pdf otherwise */
  readonly contentType?: string | undefined;
  /** Text goes out as UTF-8. @default a small PDF with the file's name on it */
  readonly content?: string | Uint8Array | undefined;
}

/** A file as the state holds it. Throws `MockPlatformError` naming the field where something given is wrong. */
export function storedFile(call: string, input: MockFileInput, fileName: string): StoredFile {
  for (const field of ['fileName', 'contentType'] as const) {
    // Both go into headers of the download.
    const value = input[field];
    if (value !== undefined && (typeof value !== 'string' || !/^[\x20-\x7e]+$/.test(value))) throw new MockPlatformError(`${call}: ${field} must be a string of printable ASCII`);
  }
  const { content } = input;
  if (content !== undefined && typeof content !== 'string' && !(content instanceof Uint8Array)) throw new MockPlatformError(`${call}: content must be a string or a Uint8Array`);
  return {
    fileName: input.fileName ?? fileName,
    contentType: input.contentType ?? (typeof content === 'string' ? 'text/plain; charset=utf-8' : 'application/pdf'),
    content: content === undefined ? null : base64(typeof content === 'string' ? bytesOf(content) : content),
  };
}

/** A file as it is shown and downloaded. */
export function shownFile({ fileName, contentType, content }: StoredFile): MockFile {
  return { fileName, contentType, content: content === null ? pdf(fileName) : fromBase64(content) };
}

/** What stands for a file's content in an authorization. */
export function contentFingerprint(file: StoredFile): string {
  return fingerprint(file.content ?? `written for ${file.fileName}`);
}

/** A PDF of one page with a line of text. */
export function pdf(line: string): Uint8Array<ArrayBuffer> {
  const text = `BT /F1 18 Tf 72 720 Td (${line.replace(/[\\()]/g, '\\$&')}) Tj ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let body = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
  return bytesOf(`${body}${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`);
}
