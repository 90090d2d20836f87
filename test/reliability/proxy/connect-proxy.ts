import { createServer, type IncomingHttpHeaders } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

// test/ecosystem/runtimes/ runs this file as it is: it imports nothing of the project, and its types can be erased.

/** A CONNECT request as it reached the proxy. */
export interface ConnectRequest {
  /** The host and port of the tunnel. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
}

/**
 * How the proxy responds to a CONNECT request: with a status (a tunnel for 200), by closing the connection, or with a
 * tunnel that it closes or resets as soon as the TLS handshake begins.
 */
export type ConnectResponse = number | 'close' | 'close-tunnel' | 'reset-tunnel';

/** An HTTP proxy on loopback that only tunnels. */
export interface ConnectProxy {
  readonly url: string;
  readonly requests: readonly ConnectRequest[];
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a proxy that responds to each CONNECT request as `respond` returns; without it, every tunnel is opened. */
export async function serveConnectProxy(
  respond: (request: ConnectRequest) => ConnectResponse = () => 200,
): Promise<ConnectProxy> {
  const requests: ConnectRequest[] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  };
  const server = createServer((_request, response) => void response.writeHead(405).end());
  server.on('connect', ({ url: target = '', headers }, client: Socket, head: Buffer) => {
    const request = { target, headers };
    requests.push(request);
    const response = respond(request);
    if (response === 'close') return client.end();
    if (typeof response === 'number' && response !== 200)
      return client.end(`HTTP/1.1 ${response} Rejected\r\ncontent-length: 0\r\n\r\n`);
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    if (response === 'close-tunnel') return client.once('data', () => client.end());
    if (response === 'reset-tunnel') return client.once('data', () => client.resetAndDestroy());
    const { hostname, port } = new URL(`http://${target}`);
    const upstream = keep(connect(Number(port === '' ? 80 : port), hostname));
    upstream.write(head);
    client.pipe(upstream).pipe(client);
    client.on('close', () => upstream.destroy());
    return upstream.on('close', () => client.destroy());
  });
  server.on('connection', keep);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
