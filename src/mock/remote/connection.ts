import { bytesToJson, fromBase64 } from '../data/bytes.js';
import { MockPlatformError } from '../error.js';

/** A connection to the control API of a served platform. */
export class Connection {
  /** The base URL of the platform. */
  readonly url: string;
  readonly #token: string | undefined;
  /** Returns the time of the mock's clock, in milliseconds since the epoch. */
  now: () => number = Date.now;

  constructor(url: string, token: string | undefined) {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw new MockPlatformError(
        `connectMockPlatform: url must be an http or https URL such as http://127.0.0.1:4010 (received ${JSON.stringify(url)})`,
      );
    this.url = url.replace(/(?<!\/)\/+$/, '');
    this.#token = token;
  }

  /**
   * Calls the control API. Rejects with `MockPlatformError` if it reports an error or cannot be reached, or if an
   * argument contains a function.
   */
  async call(name: string, args: readonly unknown[] = [], organization?: string): Promise<unknown> {
    const query = organization === undefined ? '' : `?organization=${encodeURIComponent(organization)}`;
    const response = await this.#send(`${this.url}/__mock${name === '' ? '' : `/${name}`}${query}`, {
      method: name === '' ? 'GET' : 'POST',
      headers: {
        'content-type': 'application/json',
        ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
      },
      ...(name !== '' && { body: bodyOf(name, args) }),
    });
    const result = await resultOf(name, response);
    if (response.ok && result !== undefined) return result.value;
    const { message } = Object(result?.value) as { readonly message?: unknown };
    throw new MockPlatformError(
      typeof message === 'string'
        ? message
        : `connectMockPlatform: ${this.url}/__mock does not respond as a mock platform (status ${response.status}). Pass the URL of a server with a control API.`,
    );
  }

  async #send(url: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(url, init);
    } catch (cause) {
      throw new MockPlatformError(
        `connectMockPlatform: ${this.url} cannot be reached. Start it with \`npx corridor mock\`, and pass its URL.`,
        { cause },
      );
    }
  }
}

function bodyOf(name: string, args: readonly unknown[]): string {
  return JSON.stringify(
    args.slice(0, args.findLastIndex((value) => value !== undefined) + 1),
    (key, value: unknown) => {
      if (typeof value !== 'function') return bytesToJson(key, value);
      throw new MockPlatformError(
        `connectMockPlatform: ${name} cannot send a function (${key}) to another process. Pass plain JSON, such as fields of the request as \`when\`.`,
      );
    },
  );
}

async function resultOf(name: string, response: Response): Promise<{ readonly value: unknown } | undefined> {
  // Requests may contain such objects, too, which are no files.
  const reviver = /^(?:documents|tickets)\./.test(name) ? bytesFromJson : undefined;
  try {
    return { value: JSON.parse(await response.text(), reviver) as unknown };
  } catch {
    return undefined;
  }
}

function bytesFromJson(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.keys(value).join() !== 'base64') return value;
  return fromBase64((value as { readonly base64: string }).base64);
}
