import { createServer, type RequestListener } from 'node:http';
import { connect, createServer as createSocketServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Corridor, type CorridorOptions } from 'corridor-sdk';
import type { MockPlatform } from 'corridor-sdk/mock';
import { serveMockPlatform, type MockPlatformServer, type ServeOptions } from 'corridor-sdk/mock/node';
import { onTestFinished } from 'vitest';
import { recordedExchange } from '../../../src/mock/upstream/recording.ts';
import type { Exchange } from '../../../src/mock/wire/request-log.ts';
import type { UpstreamSummary } from '../../../src/mock/platform/platform.ts';

/** A server in front of another one. */
export interface InFront {
  readonly proxy: MockPlatformServer;
  /** Calls the control API of the server in front. */
  control<T>(call: string, ...args: readonly unknown[]): Promise<T>;
  /** Returns all of the last exchange in its log. */
  lastExchange(): Promise<Exchange>;
}

/** A server in front of a mock that plays the real platform. */
export interface InFrontOfMock extends InFront {
  readonly real: MockPlatform;
  readonly corridor: Corridor;
  client(options?: CorridorOptions): Corridor;
}

/** Serves the console in front of a platform at a URL, until the test ends. */
export async function inFrontOf(url: string, options: ServeOptions = {}): Promise<InFront> {
  const proxy = await serveMockPlatform({ ...options, upstream: url, control: true });
  onTestFinished(() => proxy.close());
  const control = async <T>(call: string, ...args: readonly unknown[]): Promise<T> => {
    const response = await fetch(`${proxy.url}/__mock/${call}`, { method: 'POST', body: JSON.stringify(args) });
    return (await response.json()) as T;
  };
  const lastExchange = (): Promise<Exchange> => control('requests.get', proxy.platform.requests.at(-1)?.requestId);
  return { proxy, control, lastExchange };
}

/** Serves a mock that plays the real platform, and the console in front of it. */
export async function inFrontOfMock(options: ServeOptions = {}, ofFront: ServeOptions = {}): Promise<InFrontOfMock> {
  const served = await serveMockPlatform(options);
  onTestFinished(() => served.close());
  const front = await inFrontOf(served.url, ofFront);
  const client = (others: CorridorOptions = {}): Corridor =>
    new Corridor({ ...served.clientOptions(), baseUrl: front.proxy.url, maxRetries: 0, ...others });
  return { ...front, real: served.platform, client, corridor: client() };
}

/** Records the exchanges of a server from now on, as lines. */
export function recordingOf({ platform }: MockPlatformServer, hasPersonalData = false): string[] {
  const lines: string[] = [];
  platform.internals().exchanges.subscribe((change, response) => {
    const line = recordedExchange(change, response, hasPersonalData);
    if (line !== undefined) lines.push(JSON.stringify(line));
  });
  return lines;
}

/** The verdict about each question that an exchange has shown. */
export async function verdicts({ control }: InFront): Promise<Readonly<Record<string, string>>> {
  const { rows } = await control<UpstreamSummary>('upstream');
  return Object.fromEntries(
    rows.filter(({ verdict }) => verdict !== 'not seen').map(({ key, verdict }) => [key.slice(0, 40), verdict]),
  );
}

const listening = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** Serves any responses, and returns the URL. */
export function serveResponses(respond: RequestListener): Promise<string> {
  const server = createServer(respond);
  onTestFinished(() => server.closeAllConnections());
  return listening(server);
}

/** Serves any bytes to each connection after the head of its request, and returns the URL. */
export function serveBytes(write: (socket: Socket, head: string) => void): Promise<string> {
  const sockets = new Set<Socket>();
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  return listening(
    createSocketServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('data', (head: Buffer) => write(socket, head.toString('latin1')));
    }),
  );
}

/** Sends bytes to a server, and returns all that it sends until it closes the connection. */
export function exchangeBytes(url: string, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes, 'latin1'));
    socket.setEncoding('latin1').on('data', (part: string) => (received += part));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(received));
  });
}
