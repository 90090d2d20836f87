import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The address of a listening server. */
export interface ListeningAddress {
  /** The URL for clients on this machine. */
  readonly url: string;
  /** Whether only this machine can reach it. */
  readonly isLoopback: boolean;
}

/** Starts to listen. Rejects with Node's error if the address is in use. */
export function listen(server: Server, host: string, port: number): Promise<ListeningAddress> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve(addressOf(server.address() as AddressInfo));
    });
  });
}

function addressOf({ address, family, port }: AddressInfo): ListeningAddress {
  const isWildcard = address === '0.0.0.0' || address === '::';
  const name = isWildcard ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address;
  return { url: `http://${name}:${port}`, isLoopback: address.startsWith('127.') || address === '::1' };
}

/** Stops a server and closes its connections. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
