import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyBytes, delay, firstHalf } from '../request/fetch.js';
import type { MockHttpRequest, MockHttpResponse, MockNoResponse } from '../wire/message.js';

/**
 * The most bytes that are read of a request body, unless its limit is larger: most clients read the response only after
 * they have sent the whole body, so a body that is too large is read and discarded.
 */
const maxDrainBytes = 64 * 1024 * 1024;

/**
 * Reads a request of Node's HTTP server, whose URL is `serverUrl` if it has no valid `Host`. Keeps no more of its body
 * than `limit` bytes, and does not read it without a limit.
 */
export async function toMockRequest(
  request: IncomingMessage,
  serverUrl: string,
  limit: number | undefined,
): Promise<MockHttpRequest> {
  const { method = 'GET', url: target = '/' } = request;
  const origin = originOf(request.headers.host) ?? serverUrl;
  const url = target.startsWith('/') && URL.canParse(`${origin}${target}`) ? new URL(`${origin}${target}`) : undefined;
  const { pathname, search } = url ?? { pathname: target, search: '' };
  return {
    method,
    path: pathname,
    search,
    target,
    origin,
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([name, value = '']) => [
        name,
        Array.isArray(value) ? value.join(', ') : value,
      ]),
    ),
    body: limit === undefined ? new Uint8Array() : await readBody(request, limit),
  };
}

/** Returns the origin that a client reaches by this `Host`; undefined if it is not the name of a host. */
function originOf(host = ''): string | undefined {
  return /^[\w.:[\]-]+$/.test(host) && URL.canParse(`http://${host}`) ? `http://${host}` : undefined;
}

function readBody(request: IncomingMessage, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Buffer[] = [];
  let [kept, read] = [0, 0];
  return new Promise((resolve, reject) => {
    const finish = (): void => resolve(new Uint8Array(Buffer.concat(parts)).subarray(0, limit));
    request.on('data', (part: Buffer) => {
      read += part.length;
      if (kept < limit) {
        parts.push(part);
        kept += part.length;
      }
      if (read > Math.max(limit, maxDrainBytes)) finish();
    });
    request.on('end', finish);
    request.on('error', reject);
  });
}

/** Writes a response, or breaks, delays or stalls the connection as its delivery says. */
export function writeResponse(response: ServerResponse, message: MockHttpResponse | MockNoResponse): void {
  const { delivery } = message;
  if (delivery?.kind === 'reset') return void response.socket?.resetAndDestroy();
  if (delivery?.kind === 'hang' || !('status' in message)) return;
  if (delivery === undefined) return writeWhole(response, message);
  switch (delivery.kind) {
    case 'slow':
      whileConnected(response, async (signal) => {
        await delay(delivery.delay, signal);
        writeWhole(response, message);
      });
      break;
    case 'cut':
      writeHead(response, message);
      // Close the connection only after the first half has been sent.
      response.write(firstHalf(message), () => response.socket?.end());
      break;
    case 'stall':
      writeHead(response, message);
      response.write(firstHalf(message));
      break;
  }
}

function writeWhole(response: ServerResponse, { status, headers, body }: MockHttpResponse): void {
  response.writeHead(status, headers);
  response.end(body ?? undefined);
}

function writeHead(response: ServerResponse, message: MockHttpResponse): void {
  response.writeHead(message.status, { ...message.headers, 'content-length': bodyBytes(message).length });
}

/** Runs an asynchronous function; aborts it if the client closes the connection. */
function whileConnected(response: ServerResponse, run: (signal: AbortSignal) => Promise<void>): void {
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  run(closed.signal).catch(() => response.destroy());
}

/** Writes an error response with the error body of the mock itself, not of the platform. */
export function writeError(response: ServerResponse, status: number, code: string, message: string): void {
  writeResponse(response, {
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code, message }),
  });
}
