import { createPrivateKey } from 'node:crypto';
import { setGlobalProxyFromEnv } from 'node:http';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConnectionError, type CorridorError } from 'corridor-sdk';
import { failureOf } from '../../support/failure-of.ts';
import { selfSigned } from '../../support/certificate.ts';
import { serveConnectProxy, type ConnectProxy, type ConnectResponse } from './connect-proxy.ts';
import { clientOf, paymentRequest, RawFaultServer } from '../../support/fault-server.ts';
import { privateKey } from '../../support/key.ts';
import { serveTlsFaults } from '../tls/tls-fault-server.ts';
import { InstantDelays } from '../../support/instant-delays.ts';

// In the Node that runs the tests; test/ecosystem/runtimes/ does the same in the others.

const errorTypes = (error: CorridorError) => error.attempts.map(({ errorType }) => errorType);
const platform = { url: 'https://platform.invalid' };

/** Sends a create through a proxy, which the runtime's own fetch uses as with NODE_USE_ENV_PROXY=1. */
async function createThrough(
  proxy: Pick<ConnectProxy, 'url'>,
  server: { readonly url: string },
): Promise<CorridorError> {
  const restore = setGlobalProxyFromEnv({ https_proxy: proxy.url });
  try {
    return await failureOf(clientOf(server, new InstantDelays().options).payments.create(paymentRequest));
  } finally {
    restore();
  }
}

describe('a proxy that opens no tunnel', () => {
  it.each([403, 407, 204])(
    'CONNECT is responded to with %i: nothing was sent, and nothing is tried again',
    async (status) => {
      await using proxy = await serveConnectProxy(() => status);
      const error = await createThrough(proxy, platform);
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).toMatchObject({ outcome: 'not-sent', cause: { code: `PROXY_${status}` } });
      expect(error.message).toContain(`the tunnel through the proxy failed (PROXY_${status})`);
      expect(proxy.requests.map(({ target }) => target)).toEqual(['platform.invalid:443']);
    },
  );

  it.each([502, 503])(
    'CONNECT is responded to with %i: nothing was sent, and a create is tried again',
    async (status) => {
      await using proxy = await serveConnectProxy(() => status);
      const error = await createThrough(proxy, platform);
      expect(error.outcome).toBe('not-sent');
      expect(errorTypes(error)).toEqual([`PROXY_${status}`, `PROXY_${status}`, `PROXY_${status}`]);
      expect(proxy.requests).toHaveLength(3);
    },
  );

  it('the proxy rejects the tunnel: the message has the status and the fix, but no credentials', async () => {
    await using proxy = await serveConnectProxy(() => 407);
    const address = new URL(proxy.url);
    const error = await createThrough({ url: `http://me:hunter2@${address.host}` }, platform);
    expect(error.message).toContain('the tunnel through the proxy failed (PROXY_407)');
    expect(error.message).toContain(
      '. Check the proxy URL, its credentials and certificate, and that the proxy allows this host and port',
    );
    expect(error.message).not.toContain('hunter2');
  });

  it('the proxy closes the connection before it responds to CONNECT: nothing was sent', async () => {
    await using proxy = await serveConnectProxy(() => 'close');
    const error = await createThrough(proxy, platform);
    expect(error).toMatchObject({ outcome: 'not-sent', cause: { code: 'UND_ERR_PRX_CONN' } });
    expect(error.message).toContain(
      '. Check the proxy URL, its credentials and certificate, and that the proxy allows this host and port',
    );
    expect(error.attempts).toHaveLength(3);
  });

  it.each<[ConnectResponse, string]>([
    ['close-tunnel', 'TLS_HANDSHAKE_CLOSED'],
    ['reset-tunnel', 'ECONNRESET'],
  ])('%s: nothing was sent', async (response, code) => {
    await using proxy = await serveConnectProxy(() => response);
    expect(await createThrough(proxy, platform)).toMatchObject({ outcome: 'not-sent', cause: { code } });
  });

  it('UND_ERR_PRX_TLS: nothing was sent, and it is not tried again', async () => {
    const fetch = () =>
      Promise.reject(
        new TypeError('fetch failed', {
          cause: Object.assign(new Error('Secure Proxy Connection failed'), { code: 'UND_ERR_PRX_TLS' }),
        }),
      );
    const error = await failureOf(clientOf(platform, { fetch }).payments.create(paymentRequest));
    expect(error).toMatchObject({ outcome: 'not-sent', attempts: [{ errorType: 'UND_ERR_PRX_TLS' }] });
  });
});

describe('a dispatcher of another major version of undici', () => {
  const failWith = (message: string) => () =>
    Promise.reject(
      new TypeError('fetch failed', {
        cause: Object.assign(new Error(message), { name: 'InvalidArgumentError', code: 'UND_ERR_INVALID_ARG' }),
      }),
    );

  // As undici 8 in Node 22 and 24, and undici 6 in Node 26 report it.
  it.each(['invalid onRequestStart method', 'invalid onError method'])('%s: nothing was sent', async (message) => {
    const error = await failureOf(clientOf(platform, { fetch: failWith(message) }).payments.create(paymentRequest));
    expect(error).toMatchObject({ outcome: 'not-sent', attempts: [{ errorType: 'DISPATCHER_MISMATCH' }] });
    expect(error.message).toContain('the dispatcher and fetch belong to different major versions of undici');
    expect(error.message).toContain('mport both from the same copy of undici');
  });
});

describe('a proxy that opens a tunnel', () => {
  const certificate = selfSigned(createPrivateKey(privateKey));
  const trusted = getCACertificates('default');
  beforeAll(() => setDefaultCACertificates([...trusted, certificate]));
  afterAll(() => setDefaultCACertificates(trusted));

  it('the connection breaks after the POST was taken: the outcome is unknown', async () => {
    await using server = await serveTlsFaults('http/1.1', privateKey, certificate, async () => 'an empty record');
    await using proxy = await serveConnectProxy();
    expect(await createThrough(proxy, server)).toMatchObject({ outcome: 'unknown', attempts: [{ attempt: 1 }] });
    expect(server.posts).toHaveLength(1);
    expect(proxy.requests).toHaveLength(1);
  });
});

describe('the platform closes the connection before the TLS handshake is finished', () => {
  const hello = Buffer.from([22, 3, 3]);

  it.each([
    ['without a byte', (socket: import('node:net').Socket) => socket.end()],
    ['in the middle of its hello', (socket: import('node:net').Socket) => socket.end(hello)],
  ])('%s: nothing was sent, and a create is tried again', async (_name, close) => {
    await using server = await new RawFaultServer(close).listen();
    const url = server.url.replace('http:', 'https:');
    const error = await failureOf(clientOf({ url }, new InstantDelays().options).payments.create(paymentRequest));
    expect(error).toMatchObject({ outcome: 'not-sent', cause: { code: 'TLS_HANDSHAKE_CLOSED' } });
    expect(error.message).toContain('the TLS connection failed (TLS_HANDSHAKE_CLOSED)');
    expect(error.attempts).toHaveLength(3);
  });

  it('by a reset: nothing was sent, and a create is tried again', async () => {
    await using server = await new RawFaultServer((socket) => socket.resetAndDestroy()).listen();
    const url = server.url.replace('http:', 'https:');
    const error = await failureOf(clientOf({ url }, new InstantDelays().options).payments.create(paymentRequest));
    expect(error).toMatchObject({ outcome: 'not-sent', cause: { code: 'ECONNRESET' } });
    expect(error.attempts).toHaveLength(3);
  });
});
