const encoder = new TextEncoder();

/** The bytes of a text in UTF-8. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** Bytes as base64, by which snapshots carry them. */
export function base64(bytes: Uint8Array): string {
  let text = '';
  for (let start = 0; start < bytes.length; start += 0x8000) text += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  return btoa(text);
}

/** The bytes of a base64 text. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (symbol) => symbol.charCodeAt(0));
}

let hashOfNothing: Promise<string> | undefined;

/** The SHA-256 of bytes as hexadecimal digits. */
export function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  // Most requests have no body, and each hash is a trip to another thread.
  return bytes.length === 0 ? (hashOfNothing ??= hashed(bytes)) : hashed(bytes);
}

async function hashed(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  let text = '';
  for (const byte of digest) text += byte.toString(16).padStart(2, '0');
  return text;
}
