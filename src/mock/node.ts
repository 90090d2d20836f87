import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { control, isControlTarget } from './control.js';
import { joined, type Arrival } from './exchange.js';
import { send } from './node-delivery.js';
import type { MockPlatformOptions } from './options.js';
import type { MockClientOptions, MockCredentials, MockOrganization } from './organization.js';
import { createMockPlatform, type MockPlatform } from './platform.js';

/** Where and what to serve. */
export interface ServeOptions extends Omit<MockPlatformOptions, 'baseUrl'> {
  /** The port on loopback; 0 takes a free one. @default 0 */
  readonly port?: number | undefined;
  /**
   * Whether `/__mock/*` lets tests in other languages do what they would do with the platform here: add organizations and records,
   * move them, plan faults, set the clock, read the requests. It refuses what web pages send. @default false
   */
  readonly control?: boolean | undefined;
}

/** A mock platform over real HTTP. */
export interface ServedMockPlatform {
  /** Where it answers, such as `http://127.0.0.1:4010`. */
  readonly url: string;
  /** The platform that answers: its records, faults and clock. */
  readonly platform: MockPlatform;
  /** What a client is made with to reach it over HTTP, as the platform's own organization or as another. */
  clientOptions(organization?: MockOrganization): Omit<MockClientOptions, 'fetch'>;
  /** The credentials as texts, of the platform's own organization or of another. */
  credentials(organization?: MockOrganization): Promise<MockCredentials>;
  /** Stops serving, at once: open connections are closed. */
  close(): Promise<void>;
}

/**
 * Serves a new mock platform over HTTP on loopback, for any client in any language. Rejects with `MockPlatformError` where an option
 * is wrong, and with Node's error where the port is taken.
 *
 * @example
 * ```ts
 * import { Corridor } from 'corridor-sdk';
 * import { serveMockPlatform } from 'corridor-sdk/mock/node';
 * const served = await serveMockPlatform({ seed: 1 });
 * const corridor = new Corridor(served.clientOptions());
 * await corridor.crypto.networks();
 * await served.close();
 * ```
 */
export async function serveMockPlatform({ port = 0, control: hasControl = false, ...options }: ServeOptions = {}): Promise<ServedMockPlatform> {
  // Left to Node, a request without a Host gets a 400 without a body.
  const server = createServer({ requireHostHeader: false });
  const url = await listening(server, port);
  const platform = await platformOrClosed(server, { ...options, baseUrl: url });
  server.on('request', (request, response) => void serve(platform, hasControl, url, request, response));
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => refuseMalformed(response, 417, 'unknown_expectation', 'of what a request may expect, only 100-continue is known'));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => refuseGarbage(socket, error.code));
  server.on('connect', (_request: IncomingMessage, socket: Socket) => refuseGarbage(socket));
  return {
    url,
    platform,
    clientOptions: (organization = platform) => {
      const { baseUrl, apiKey, privateKey, now } = organization.clientOptions();
      return { baseUrl, apiKey, privateKey, now };
    },
    credentials: (organization = platform) => organization.credentials(),
    close: () => closed(server),
  };
}

async function platformOrClosed(server: Server, options: MockPlatformOptions): Promise<MockPlatform> {
  try {
    return createMockPlatform(options);
  } catch (error) {
    await closed(server);
    throw error;
  }
}

function listening(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    });
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function serve(platform: MockPlatform, hasControl: boolean, origin: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    if (request.headers.host === undefined && request.httpVersion === '1.1') return refuseMalformed(response, 400, 'missing_host', 'the host header is missing');
    const isControl = hasControl && isControlTarget(request.url ?? '/');
    const body = await bodyOf(request, isControl ? patience : platform.maxRequestBytes + 1);
    // A body that was not read to its end leaves the connection unusable.
    if (!request.complete) response.setHeader('connection', 'close');
    const arrival = arrivalOf(origin, request, body);
    send(response, await (isControl ? control(platform, arrival) : platform.receive(arrival)));
  } catch (error) {
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    const message = error instanceof Error ? error.message : String(error);
    sendProblem(response, 500, 'mock_failure', message);
  }
}

/** Answers what HTTP itself does not allow: no request of any platform's. */
function refuseMalformed(response: ServerResponse, status: number, code: string, message: string): void {
  // Its body, if there is one, stays unread.
  response.setHeader('connection', 'close');
  sendProblem(response, status, code, message);
}

function sendProblem(response: ServerResponse, status: number, code: string, message: string): void {
  send(response, { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ code, message }) });
}

function arrivalOf(origin: string, request: IncomingMessage, body: Uint8Array<ArrayBuffer>): Arrival {
  const { method = 'GET', url: target = '/' } = request;
  const url = target.startsWith('/') && URL.canParse(`${origin}${target}`) ? new URL(`${origin}${target}`) : undefined;
  const { pathname, search } = url ?? { pathname: target, search: '' };
  return {
    method,
    path: pathname,
    search,
    target,
    origin,
    header: (name) => {
      const value = request.headers[name];
      return value === undefined ? null : Array.isArray(value) ? value.join(', ') : value;
    },
    body,
  };
}

/** How much is read of a body that is refused anyway: senders read their answer only when they have sent everything. */
const patience = 64 * 1024 * 1024;

function bodyOf(request: IncomingMessage, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let [kept, read] = [0, 0];
  return new Promise((resolve, reject) => {
    const finish = (): void => resolve(joined(parts, kept).subarray(0, limit));
    request.on('data', (part: Buffer) => {
      read += part.length;
      if (read > patience) return finish();
      if (kept >= limit) return;
      parts.push(part);
      kept += part.length;
    });
    request.on('end', finish);
    request.on('error', reject);
  });
}

const garbage: Readonly<Record<string, string>> = { HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large', ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout' };

/** Answers what is not even HTTP. */
function refuseGarbage(socket: Socket, code = ''): void {
  if (!socket.writable) return; // It was answered already: each further piece of garbage is told again.
  socket.on('error', () => socket.destroy());
  const body = JSON.stringify({ code: 'not_http', message: 'this is not an HTTP request that can be read' });
  const status = garbage[code] ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`);
}
