import { verify, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createRawServer, type AddressInfo, type Server as RawServer, type Socket } from 'node:net';
import { Corridor, MemoryJournal, type CorridorOptions } from 'corridor-sdk';
import { privateKey, publicKey } from './key.ts';

/** A request as it reached the server. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly verified: boolean;
}

export type Responder = (response: ServerResponse, received: Received, number: number) => void;

/** A real HTTP server on loopback that responds as configured and records its requests. */
export class FaultServer {
  readonly received: Received[] = [];
  readonly sockets = new Set<Socket>();
  /** How many connections were opened in all. */
  connections = 0;
  #server: Server | undefined;
  respond: Responder;

  constructor(respond: Responder) {
    this.respond = respond;
  }

  async listen(): Promise<this> {
    const server = createServer((request, response) => void this.#receive(request, response));
    server.keepAliveTimeout = 60_000;
    server.on('connection', (socket: Socket) => {
      this.connections += 1;
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
      socket.on('error', () => {});
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.#server = server;
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server?.address() as AddressInfo).port}`;
  }

  get server(): Server {
    return this.#server as Server;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await close(this.#server as Server, () => this.#server?.closeAllConnections());
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    try {
      for await (const part of request) parts.push(part as Buffer);
    } catch {
      return;
    }
    const received: Received = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(parts).toString(),
      ...readToken(request.headers.authorization ?? '', publicKey),
    };
    this.received.push(received);
    this.respond(response, received, this.received.length);
  }
}

/** A server that sends raw bytes, for responses that no HTTP library can send. */
export class RawFaultServer {
  received = 0;
  #server: RawServer | undefined;
  readonly #respond: (socket: Socket) => void;
  readonly #sockets = new Set<Socket>();

  constructor(respond: (socket: Socket) => void) {
    this.#respond = respond;
  }

  async listen(): Promise<this> {
    const server = createRawServer((socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.once('data', () => {
        this.received += 1;
        this.#respond(socket);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.#server = server;
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server?.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await close(this.#server as RawServer, () => this.#sockets.forEach((socket) => socket.destroy()));
  }
}

function close(server: RawServer, hangUp: () => void): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    hangUp();
  });
}

function readToken(authorization: string, key: KeyObject): Pick<Received, 'claims' | 'verified'> {
  const [header = '', payload = '', signature = ''] = authorization.replace('Bearer ', '').split('.');
  const verified = verify('sha256', Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url'));
  return {
    verified,
    claims: JSON.parse(Buffer.from(payload, 'base64url').toString() || '{}') as Record<string, unknown>,
  };
}

export const networks = { networks: [{ id: 'net_1', displayName: 'Polygon', nativeAssetSymbol: 'POL' }] };

/** Responds with JSON. */
export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** A client of a server, whose pauses between attempts pass at once and whose timeouts are real. */
export function clientOf(server: { readonly url: string }, options: CorridorOptions = {}): Corridor {
  // The journal of the process would connect tests whose servers have the same port.
  const journal = new MemoryJournal();
  return new Corridor({ baseUrl: server.url, apiKey: 'key_for_tests', privateKey, journal, ...options });
}

export const paymentRequest = {
  customerId: 'cus_1',
  beneficiaryId: 'ben_1',
  amount: '10.00',
  currencyCode: 'USD',
  purposeOfPayment: 'Goods',
  documentIds: ['doc_1'],
  paymentQuoteId: 'quo_1',
} as const;
