import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import * as zlib from 'node:zlib';

/** The most bytes of a request body that are passed on, and of a response body that a fault changes. */
export const maxBytes = 32 * 1024 * 1024;
/** The most bytes of a response body that are compared with the contract and recorded. */
const maxCaptured = 4 * 1024 * 1024;

/** The headers of a connection, which end here; the server has answered `expect`. */
const ofConnection =
  /^(?:connection|keep-alive|proxy-authenticate|proxy-authorization|proxy-connection|te|trailer|upgrade|expect)$/i;

/** Returns the raw headers that do not belong to the connection. */
export function endToEnd(raw: readonly string[], others: readonly string[] = []): string[] {
  const pairs = Array.from({ length: raw.length / 2 }, (_, index) => raw.slice(2 * index, 2 * index + 2));
  const named = pairs.flatMap(([name = '', value = '']) =>
    name.toLowerCase() === 'connection' ? value.toLowerCase().replaceAll(' ', '').split(',') : [],
  );
  const dropped = new Set([...named, ...others]);
  return pairs.filter(([name = '']) => !ofConnection.test(name) && !dropped.has(name.toLowerCase())).flat();
}

/** The response of a platform, with the part of its body that is kept. */
export class UpstreamResponse {
  readonly status: number;
  /** The headers, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes of the whole body. */
  size = 0;
  readonly #incoming: IncomingMessage;
  readonly #parts: Buffer[] = [];

  constructor(incoming: IncomingMessage) {
    this.#incoming = incoming;
    this.status = incoming.statusCode ?? 0;
    this.headers = Object.fromEntries(
      Object.entries(incoming.headers).flatMap(([name, value]) =>
        ofConnection.test(name) || name === 'transfer-encoding' ? [] : [[name, String(value)]],
      ),
    );
  }

  get bytes(): Buffer<ArrayBuffer> {
    return Buffer.concat(this.#parts);
  }

  /** Whether the text of the whole body is kept. */
  get isWhole(): boolean {
    return this.#parts.reduce((sum, { length }) => sum + length, 0) === this.size;
  }

  /** Reads all of it. */
  async read(): Promise<void> {
    for await (const part of this.#incoming as AsyncIterable<Buffer>) this.#keep(part, maxBytes);
  }

  /** Passes it to a client as it arrives. Rejects if one of the two connections breaks. */
  async passTo(response: ServerResponse, signal: AbortSignal): Promise<void> {
    const { statusMessage, rawHeaders } = this.#incoming;
    response.sendDate = false;
    response.writeHead(this.status, statusMessage, endToEnd(rawHeaders, ['transfer-encoding']));
    // Node would send other characters than those in Latin-1.
    if (!/[^\x20-\x7e]/.test([statusMessage, ...rawHeaders].join(''))) response.flushHeaders();
    for await (const part of this.#incoming as AsyncIterable<Buffer>) {
      this.#keep(part, this.#isText ? maxCaptured : 0);
      if (!response.write(part)) await once(response, 'drain', { signal });
    }
    response.end();
  }

  /** Returns the text of the body, decompressed; undefined if it is none, or cannot be decompressed. */
  text(): string | undefined {
    if (!this.#isText) return this.size === 0 ? '' : undefined;
    const decode = decoders[this.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'];
    try {
      return decode && new TextDecoder().decode(decode(this.bytes, { maxOutputLength: maxCaptured }));
    } catch {
      return undefined;
    }
  }

  #keep(part: Buffer, most: number): void {
    this.size += part.length;
    if (this.size <= most) this.#parts.push(part);
  }

  get #isText(): boolean {
    return /^(?:text\/|$)|json|xml|x-www-form/i.test(this.headers['content-type'] ?? '');
  }
}

/** By the names of `content-encoding`. Older versions of Node have no zstd. */
const decoders: Readonly<
  Record<string, ((bytes: Buffer, options: { maxOutputLength: number }) => Buffer) | undefined>
> = {
  identity: (bytes) => bytes,
  gzip: zlib.gunzipSync,
  deflate: zlib.inflateSync,
  br: zlib.brotliDecompressSync,
  zstd: zlib.zstdDecompressSync,
};
