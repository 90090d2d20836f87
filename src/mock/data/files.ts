import * as z from 'zod/mini';
import { isBytes } from '../../contract/objects.js';
import { custom } from '../../contract/option-schemas.js';
import { memoize, withMetadata } from '../../contract/schema/schema.js';

/** Encodes a string as UTF-8. */
const bytesOf = (value: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(value);

/** That of Node, Deno and Bun, whose `btoa` takes a second for 10 MB. */
const { Buffer: RuntimeBuffer } = globalThis as {
  readonly Buffer?: {
    from(bytes: ArrayBufferLike, start: number, length: number): { toString(encoding: 'base64'): string };
    from(text: string, encoding: 'base64'): Uint8Array;
  };
};

/** Encodes bytes as base64, the format of file contents in snapshots. */
function base64(bytes: Uint8Array): string {
  if (RuntimeBuffer !== undefined)
    return RuntimeBuffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
  let binary = '';
  // In chunks, because the number of arguments of a call is limited.
  for (let start = 0; start < bytes.length; start += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  return btoa(binary);
}

/** The replacer of `JSON.stringify` that represents bytes as the control API sends and accepts them. */
export const bytesToJson = (_: string, value: unknown): unknown => (isBytes(value) ? { base64: base64(value) } : value);

/** Decodes a base64 string. */
export function fromBase64(encoded: string): Uint8Array<ArrayBuffer> {
  return RuntimeBuffer === undefined
    ? Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0))
    : new Uint8Array(RuntimeBuffer.from(encoded, 'base64'));
}

/** A file on the mock platform. */
export interface MockFile {
  /** The file name that downloads suggest. */
  readonly fileName: string;
  /** The media type, such as `application/pdf`. */
  readonly contentType: string;
  /** The bytes that a download returns. */
  readonly content: ReturnType<typeof Uint8Array.of>;
}

/** A file: its bytes as base64, or null if they are generated on each download. */
export interface StoredFile {
  readonly fileName: string;
  readonly contentType: string;
  readonly content: string | null;
}

/** The input for a file. */
export interface MockFileInput {
  /** The file name, in printable ASCII. @default a generated name */
  readonly fileName?: string | undefined;
  /** The media type. @default text/plain for a string, application/pdf otherwise */
  readonly contentType?: string | undefined;
  /**
   * The content: bytes, or in JSON `{ base64 }`; strings are encoded as UTF-8.
   * @default a one-page PDF that shows the file name
   */
  readonly content?: string | Uint8Array | Base64Content | undefined;
}

/** Bytes in JSON. */
export interface Base64Content {
  /** The bytes, encoded as base64 with padding. */
  readonly base64: string;
}

/** The schema of the input for a file. */
export const fileInput = memoize(() => {
  // Downloads send both in headers.
  const header = withMetadata(z.string().check(z.regex(/^[\x20-\x7e]+$/)), {
    rule: 'must be a string of printable ASCII characters',
  });
  const content = custom<string | Uint8Array | Base64Content>(
    (value) => typeof value === 'string' || isBytes(value) || isBase64Content(value),
    {
      rule: 'must be a string, a Uint8Array, or bytes such as { base64: "JVBERi0=" }',
    },
  );
  return z.partial(z.looseObject({ fileName: header, contentType: header, content }));
});

/** Converts the valid input for a file to a stored file. */
export function storedFile(input: MockFileInput, fileName: string): StoredFile {
  const { content } = input;
  return {
    fileName: input.fileName ?? fileName,
    contentType: input.contentType ?? (typeof content === 'string' ? 'text/plain; charset=utf-8' : 'application/pdf'),
    content: content === undefined ? null : encodedContent(content),
  };
}

function encodedContent(content: string | Uint8Array | Base64Content): string {
  if (typeof content === 'string') return base64(bytesOf(content));
  return isBytes(content) ? base64(content) : content.base64;
}

function isBase64Content(value: unknown): value is Base64Content {
  if (typeof value !== 'object' || value === null || !('base64' in value) || Object.keys(value).length > 1)
    return false;
  const { base64: text } = value;
  return typeof text === 'string' && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

/** Returns the public view of a stored file. Generates the PDF if the file has no content. */
export function toFileView({ fileName, contentType, content }: StoredFile): MockFile {
  return { fileName, contentType, content: content === null ? pdf(fileName) : fromBase64(content) };
}

/** Creates a one-page PDF with a line of text. */
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
  return bytesOf(
    `${body}${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`,
  );
}
