import { request as httpRequest } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { connect, type TLSSocket } from 'node:tls';

const timeout = 10_000;
const alertTimeout = 2_000;

/** How this machine reaches the platform. */
export interface Route {
  readonly proxy?: URL | undefined;
  readonly certificate?: ClientCertificate | undefined;
}

/** A client certificate and its private key, as PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

/** A proxy that opened no tunnel. */
export class TunnelError extends Error {
  readonly status: number;

  constructor(status: number) {
    super('the proxy opened no tunnel');
    this.status = status;
  }
}

/** Opens a tunnel through a proxy. */
export function openTunnel(proxy: URL, target: string): Promise<Socket> {
  const { protocol, hostname, port, username, password } = proxy;
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  const options: RequestOptions = {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (protocol === 'https:' ? 443 : 80) : port,
    method: 'CONNECT',
    path: target,
    headers: { host: target, ...(username !== '' && { 'proxy-authorization': `Basic ${credentials}` }) },
    agent: false,
  };
  return new Promise((resolve, reject) => {
    const request = (protocol === 'https:' ? httpsRequest : httpRequest)(options);
    request.once('connect', ({ statusCode = 0 }, socket: Socket) => {
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      return reject(new TunnelError(statusCode));
    });
    request.once('response', ({ statusCode = 0 }) => {
      request.destroy();
      reject(new TunnelError(statusCode));
    });
    request.once('error', reject);
    request.setTimeout(timeout, () => request.destroy(Object.assign(new Error('timeout'), { code: 'TIMEOUT' })));
    request.end();
  });
}

/** Opens a TLS connection to the platform, through the proxy if there is one. An IPv6 address may have brackets. */
export async function openTls(hostname: string, port: number, { proxy, certificate }: Route): Promise<TLSSocket> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const tunnel =
    proxy === undefined ? undefined : await openTunnel(proxy, `${isIP(host) === 6 ? `[${host}]` : host}:${port}`);
  return new Promise((resolve, reject) => {
    const socket = connect({
      ...(tunnel === undefined ? { host, port } : { socket: tunnel, host }),
      timeout,
      rejectUnauthorized: true,
      ...(isIP(host) === 0 && { servername: host }),
      ...certificate,
    });
    socket.once('secureConnect', () => resolve(socket));
    socket.once('timeout', () => socket.destroy(Object.assign(new Error('timeout'), { code: 'TIMEOUT' })));
    socket.once('error', reject);
  });
}

/**
 * Returns the code with which the platform ends a TLS connection after the handshake, if it does: over TLS 1.3, it verifies
 * a client certificate only then, and `fetch` reports a broken connection.
 */
export async function findAlert(host: string, port: number, route: Route): Promise<string | undefined> {
  const socket = await openTls(host, port, route).catch(() => undefined);
  if (socket === undefined) return undefined;
  return new Promise((resolve) => {
    const end = (error?: NodeJS.ErrnoException): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(error?.code);
    };
    const timer = setTimeout(end, alertTimeout);
    socket.removeAllListeners('error').once('error', end);
    socket.once('close', () => end()).resume();
  });
}

/** The statuses of responses that cannot have a body. */
const emptyStatuses: ReadonlySet<number> = new Set([204, 205, 304]);

/** A fetch without a request body that presents a client certificate, which the fetch of Node cannot. */
export function fetchWithCertificate(route: Route): typeof globalThis.fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const socket = await openTls(url.hostname, Number(url.port === '' ? 443 : url.port), route);
    return new Promise<Response>((resolve, reject) => {
      const headers = Object.fromEntries(new Headers(init?.headers));
      const request = httpsRequest(url, {
        method: init?.method ?? 'GET',
        headers,
        createConnection: () => socket,
      });
      init?.signal?.addEventListener('abort', () => request.destroy(new Error('aborted')), { once: true });
      request.once('error', reject);
      request.once('response', (response) => {
        const { statusCode: status = 0, headersDistinct } = response;
        const entries = Object.entries(headersDistinct).map(([name, values = []]): [string, string] => [
          name,
          values.join(', '),
        ]);
        const isEmpty = emptyStatuses.has(status);
        if (isEmpty) response.resume();
        const body = isEmpty ? null : (Readable.toWeb(response) as ReadableStream);
        resolve(new Response(body, { status, headers: new Headers(entries) }));
      });
      request.end();
    });
  };
}
