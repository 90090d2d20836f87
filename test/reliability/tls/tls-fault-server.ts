import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createSecureServer, type Http2ServerRequest } from 'node:http2';
import { connect, createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';

// test/ecosystem/runtimes/ runs this file as it is: it imports nothing of the project, and its types can be erased.

/** A POST that a server took in full. */
export interface TakenPost {
  /** Its `internalReference`: the name of a fault, or `status` and a status. */
  readonly fault: string;
  readonly protocol: string;
  readonly length: string | undefined;
}

/** A TLS 1.3 server behind a proxy that can put bytes into the connection. */
export interface TlsFaultServer {
  readonly url: string;
  readonly posts: readonly TakenPost[];
  [Symbol.asyncDispose](): Promise<void>;
}

/** The common part of the responses of HTTP/1.1 and HTTP/2. */
interface AnyServerResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(text: string): unknown;
}

/** A request as it reached the server. */
interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
}

/** Handles a request: returns a response or the name of a TLS fault. */
type Respond = (request: ReceivedRequest) => Promise<Response | string>;

/** One TLS connection as the proxy sees it. */
interface Connection {
  readonly client: Socket;
  /** The records of the server that reached the client. */
  readonly forwarded: Buffer[];
  secret: Buffer | undefined;
  isCut: boolean;
}

const record = (type: number, content: readonly number[], version: readonly number[] = [3, 3]): Buffer =>
  Buffer.from([type, ...version, 0, content.length, ...content]);

const faults: Readonly<Record<string, (connection: Connection) => Buffer>> = {
  'an HTTP 502 in the clear': () =>
    Buffer.from('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'),
  'an alert in the clear: close_notify': () => record(21, [1, 0]),
  'an alert in the clear: handshake_failure': () => record(21, [2, 40]),
  'an alert in the clear: protocol_version': () => record(21, [2, 70]),
  'a record of an unknown type': () => record(99, [1, 2, 3, 4]),
  'an oversized record': () => Buffer.concat([Buffer.from([23, 3, 3, 0xff, 0xff]), Buffer.alloc(1024, 7)]),
  'an empty record': () => record(23, []),
  'a record of an unknown version': () => record(23, [1, 2, 3, 4], [5, 1]),
  'a handshake record in the clear': () => record(22, [0, 0, 0, 0]),
  'a change_cipher_spec record': () => record(20, [1]),
  'a record that cannot be decrypted': () =>
    record(
      23,
      Array.from({ length: 32 }, (_, index) => index),
    ),
  'an encrypted alert: handshake_failure': (connection) => encryptedAlert(connection, 40),
  'an encrypted alert: protocol_version': (connection) => encryptedAlert(connection, 70),
  'an encrypted alert: bad_certificate': (connection) => encryptedAlert(connection, 42),
};

/** The faults that can be injected into a connection after a POST was received. */
export const tlsFaults: readonly string[] = Object.keys(faults);

/**
 * Starts a server on loopback that reads every request completely and then calls `respond`. Without it, every
 * request must be a POST, and the server injects the fault that `internalReference` of the body names.
 */
export async function serveTlsFaults(
  protocol: 'http/1.1' | 'h2',
  key: string,
  cert: string,
  respond?: Respond,
): Promise<TlsFaultServer> {
  const posts: TakenPost[] = [];
  // A request that fetch resends succeeds.
  const respondByReference: Respond = async ({ body }) => {
    const fault = referenceOf(body);
    const status = /^status (\d+)$/.exec(fault)?.[1];
    if (status === undefined) return fault;
    return new Response('{}', {
      status: posts.filter((post) => post.fault === fault).length === 1 ? Number(status) : 201,
    });
  };
  const connections = new Map<number | undefined, Connection>();
  const take = async (request: IncomingMessage | Http2ServerRequest, response: AnyServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    try {
      for await (const part of request) parts.push(part as Buffer);
    } catch {
      return;
    }
    const { method = '', url: path = '' } = request;
    const body = Buffer.concat(parts).toString();
    if (method === 'POST')
      posts.push({
        fault: referenceOf(body),
        protocol: request.httpVersionMajor === 2 ? 'h2' : 'http/1.1',
        length: request.headers['content-length'],
      });
    const connection = connections.get(request.socket.remotePort) as Connection;
    const headers = Object.entries(request.headers)
      .filter(([name]) => !name.startsWith(':'))
      .map(([name, value]): [string, string] => [name, String(value)]);
    const end = await (respond ?? respondByReference)({ method, path, headers: new Headers(headers), body });
    if (typeof end === 'string') return cut(connection, faults[end] as (typeof faults)[string]);
    const text = await end.text();
    // The connection of HTTP/2 may have been cut for another request.
    if (connection.isCut) return;
    response.statusCode = end.status;
    for (const [name, value] of end.headers) response.setHeader(name, value);
    response.end(text);
  };
  const cut = (connection: Connection, fault: (typeof faults)[string]): void => {
    if (connection.isCut) return;
    connection.isCut = true;
    connection.client.end(fault(connection));
  };
  const settings = { key, cert, minVersion: 'TLSv1.3', ciphers: 'TLS_AES_128_GCM_SHA256' } as const;
  const secure =
    protocol === 'h2' ? createSecureServer(settings) : createTlsServer({ ...settings, ALPNProtocols: [protocol] });
  // Only the client closes idle connections: after a long pause, the server would close one that a request is sent on.
  const http = createServer({ keepAliveTimeout: 0 });
  if (protocol === 'http/1.1') secure.on('secureConnection', (socket) => http.emit('connection', socket));
  for (const server of [secure, http]) {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => void take(request, response));
    server.on('sessionError', () => {});
  }
  secure.on('keylog', (line: Buffer, socket: TLSSocket) => {
    const secret = /^SERVER_TRAFFIC_SECRET_0 \w+ (\w+)/.exec(line.toString())?.[1];
    const connection = connections.get(socket.remotePort);
    if (secret !== undefined && connection !== undefined) connection.secret = Buffer.from(secret, 'hex');
  });
  const sockets = new Set<Socket>();
  secure.on('connection', (socket: Socket) => sockets.add(socket.setNoDelay()));
  await listen(secure);
  const proxy = createTcpServer((client) => {
    const upstream = connect((secure.address() as AddressInfo).port, '127.0.0.1', () => {
      connections.set(upstream.localPort, connection);
      client.pipe(upstream);
    });
    const connection: Connection = { client, forwarded: [], secret: undefined, isCut: false };
    for (const socket of [client, upstream]) sockets.add(socket.setNoDelay().on('error', () => {}));
    forwardRecords(upstream, connection);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.end());
  });
  await listen(proxy);
  return {
    url: `https://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    posts,
    async [Symbol.asyncDispose]() {
      const closed = [proxy, secure].map((server) => new Promise((resolve) => server.close(resolve)));
      for (const socket of sockets) socket.destroy();
      await Promise.all(closed);
    },
  };
}

function referenceOf(body: string): string {
  return (JSON.parse(body) as { readonly internalReference: string }).internalReference;
}

/** Hands whole records on to the client, until the connection is cut. */
function forwardRecords(upstream: Socket, connection: Connection): void {
  let rest: Buffer = Buffer.alloc(0);
  upstream.on('data', (part: Buffer) => {
    rest = Buffer.concat([rest, part]);
    for (let end = 0; rest.length >= 5 && (end = 5 + rest.readUInt16BE(3)) <= rest.length; rest = rest.subarray(end)) {
      if (connection.isCut) continue;
      const whole = rest.subarray(0, end);
      connection.forwarded.push(whole);
      connection.client.write(whole);
    }
  });
}

/**
 * A fatal alert as the server itself would send it: under the keys of the connection, with the next sequence number
 * (RFC 8446, 5.2 and 5.3).
 */
function encryptedAlert({ secret, forwarded }: Connection, description: number): Buffer {
  if (secret === undefined) throw new Error('the secret of the connection is not known');
  const [key, iv] = [expand(secret, 'key', 16), expand(secret, 'iv', 12)];
  const nonce = (sequence: number): Buffer =>
    Buffer.from(iv.map((byte, index) => (index < 8 ? byte : byte ^ ((sequence >>> (8 * (11 - index))) & 0xff))));
  let sequence = 0;
  for (const whole of forwarded) {
    if (whole[0] !== 23 || whole.length < 21) continue;
    const decipher = createDecipheriv('aes-128-gcm', key, nonce(sequence))
      .setAAD(whole.subarray(0, 5))
      .setAuthTag(whole.subarray(-16));
    decipher.update(whole.subarray(5, -16));
    try {
      decipher.final();
      sequence += 1;
    } catch {
      // A record of the handshake, which has separate keys.
    }
  }
  const header = Buffer.from([23, 3, 3, 0, 19]);
  const cipher = createCipheriv('aes-128-gcm', key, nonce(sequence)).setAAD(header);
  const content = Buffer.concat([cipher.update(Buffer.from([2, description, 21])), cipher.final()]);
  return Buffer.concat([header, content, cipher.getAuthTag()]);
}

// HKDF-Expand-Label without a context (RFC 8446, 7.1); no result here is longer than one hash.
function expand(secret: Buffer, label: string, length: number): Buffer {
  const name = `tls13 ${label}`;
  const info = Buffer.concat([Buffer.from([0, length, name.length]), Buffer.from(name), Buffer.from([0, 1])]);
  return createHmac('sha256', secret).update(info).digest().subarray(0, length);
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
}
