const encoder = new TextEncoder();

/** Encodes a string as UTF-8. */
export function bytesOf(value: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(value);
}

/** Concatenates chunks of bytes. */
export function concatBytes(parts: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

/** Encodes bytes as base64, the format of file contents in snapshots. */
export function base64(bytes: Uint8Array): string {
  let binary = '';
  // In chunks, because the number of arguments of a call is limited.
  for (let start = 0; start < bytes.length; start += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  return btoa(binary);
}

/** The replacer of `JSON.stringify` that represents bytes as the control API sends and accepts them. */
export const bytesToJson = (_: string, value: unknown): unknown =>
  value instanceof Uint8Array ? { base64: base64(value) } : value;

/** Decodes a base64 string. */
export function fromBase64(encoded: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
}
