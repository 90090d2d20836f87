import { createPrivateKey } from 'node:crypto';
import { createServer as createTlsServer } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ConnectionError, Corridor } from 'corridor-sdk';
import { failureOf } from '../../simulation/failure.js';
import { clientOf, FaultServer, paymentRequest, RawFaultServer } from '../fault-server.js';
import { privateKey } from '../key.js';
import { selfSigned } from '../../security/certificate.js';
import { VirtualTime } from '../virtual-time.js';
import { attemptErrors } from './attempts.js';

afterEach(() => vi.unstubAllGlobals());

describe('no connection', () => {
  it('T1 refused: a read is attempted three times, and nothing was sent', async () => {
    const server = await new FaultServer(() => {}).listen();
    const { url } = server;
    await server[Symbol.asyncDispose]();
    const error = await failureOf(clientOf({ url }, new VirtualTime().options).crypto.networks());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ outcome: 'not-sent', cause: { code: 'ECONNREFUSED' } });
    expect(attemptErrors(error)).toEqual(['ECONNREFUSED', 'ECONNREFUSED', 'ECONNREFUSED']);
  });

  it('T1 refused: a create is retried, too, because it cannot have been received', async () => {
    const server = await new FaultServer(() => {}).listen();
    const { url } = server;
    await server[Symbol.asyncDispose]();
    const error = await failureOf(clientOf({ url }, new VirtualTime().options).payments.create(paymentRequest));
    expect(error.outcome).toBe('not-sent');
    expect(error.attempts).toHaveLength(3);
  });

  it('T1 no such host: nothing was sent', async () => {
    const time = new VirtualTime();
    const corridor = new Corridor({
      baseUrl: 'https://corridor.invalid',
      apiKey: 'key_for_tests',
      privateKey,
      maxRetries: 1,
      ...time.options,
    });
    const error = await failureOf(corridor.crypto.networks());
    expect(error).toMatchObject({ outcome: 'not-sent', code: 'connection' });
    expect((error.cause as { code: string }).code).toMatch(/^(ENOTFOUND|EAI_AGAIN)$/);
  });

  const codes = [
    ['ERR_SSL_BAD_RECORD_TYPE', 'unknown'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'unknown'],
    ['ERR_SSL_ENCRYPTED_LENGTH_TOO_LONG', 'unknown'],
    ['EPROTO', 'unknown'],
    ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'unknown'],
    ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'unknown'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'unknown'],
    ['ERR_TLS_SESSION_ATTACK', 'unknown'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'not-sent'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'not-sent'],
    ['CERT_HAS_EXPIRED', 'not-sent'],
    ['ERR_SSL_CERTIFICATE_VERIFY_FAILED', 'not-sent'],
  ] as const;

  it.each(codes)('T1 %s of a fetch option: %s', async (code, outcome) => {
    const fetch = () => Promise.reject(Object.assign(new Error('ssl'), { code }));
    const error = await failureOf(clientOf({ url: 'https://127.0.0.1:1' }, { fetch }).payments.create(paymentRequest));
    expect(error).toMatchObject({ outcome, code: 'connection', cause: { code } });
    expect(error.attempts).toHaveLength(1);
  });

  it.each(codes)('T1 %s of a global fetch that was replaced: %s', async (code, outcome) => {
    vi.stubGlobal('fetch', () =>
      Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error('ssl'), { code }) })),
    );
    expect(await failureOf(clientOf({ url: 'https://127.0.0.1:1' }).payments.create(paymentRequest))).toMatchObject({
      outcome,
      cause: { code },
    });
  });

  it('T1 https to a server that speaks http: the outcome is unknown, and the message says what to check', async () => {
    await using server = await new FaultServer(() => {}).listen();
    const error = await failureOf(
      clientOf({ url: server.url.replace('http:', 'https:') }).payments.create(paymentRequest),
    );
    expect(error).toMatchObject({
      outcome: 'unknown',
      code: 'connection',
      cause: { code: expect.stringMatching(/^(ERR_SSL_|EPROTO)/) },
    });
    expect(error.message).toContain('. Check that this port serves HTTPS');
    expect(error.attempts).toHaveLength(1);
  });

  it('T1 a server with TLS 1.0 only: nothing was sent, and it is not retried', async () => {
    const hello = Buffer.concat([
      Buffer.from([22, 3, 1, 0, 42, 2, 0, 0, 38, 3, 1]),
      Buffer.alloc(32, 1),
      Buffer.from([0, 0, 47, 0]),
    ]);
    await using server = await new RawFaultServer((socket) => socket.write(hello)).listen();
    const error = await failureOf(
      clientOf({ url: server.url.replace('http:', 'https:') }).payments.create(paymentRequest),
    );
    expect(error).toMatchObject({
      outcome: 'not-sent',
      code: 'connection',
      cause: { code: 'ERR_SSL_UNSUPPORTED_PROTOCOL' },
    });
    expect(error.attempts).toHaveLength(1);
  });

  it('a port that fetch blocks: nothing was sent, and it is not retried', async () => {
    const error = await failureOf(clientOf({ url: 'http://127.0.0.1:6000' }).payments.create(paymentRequest));
    expect(error).toMatchObject({ outcome: 'not-sent', code: 'connection', cause: { code: 'BAD_PORT' } });
    expect(error.message).toContain('fetch blocks this port, which belongs to another protocol (BAD_PORT)');
    expect(error.attempts).toHaveLength(1);
  });

  it('T1 an untrusted certificate: nothing was sent, and it is not retried', async () => {
    const server = createTlsServer({ key: privateKey, cert: selfSigned(createPrivateKey(privateKey)) }, () => {});
    server.on('tlsClientError', () => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const corridor = new Corridor({
      baseUrl: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
      apiKey: 'key_for_tests',
      privateKey,
    });
    const error = await failureOf(corridor.crypto.networks());
    server.close();
    expect(error).toMatchObject({ outcome: 'not-sent', code: 'connection' });
    expect(error.message).toContain('. Check the certificate');
    expect(error.attempts).toHaveLength(1);
  });
});
