import { createPrivateKey } from 'node:crypto';
import { createServer as createTlsServer } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ConnectionError, Corridor, InvalidResponseError, RateLimitError, ServerError, TimeoutError, type CorridorError } from 'corridor-sdk';
import { clientOf, FaultServer, json, networks, paymentRequest, RawFaultServer } from './fault-server.js';
import { privateKey } from './key.js';
import { selfSigned } from '../security/certificate.js';
import { VirtualTime } from './virtual-time.js';

const failureOf = (call: Promise<unknown>): Promise<CorridorError> => call.then(() => expect.unreachable('the call should fail'), (error: CorridorError) => error);
const faults = (error: CorridorError) => error.attempts.map(({ fault, status }) => fault ?? status);

/** A server that fails the first so many requests in some way, and then answers well. */
const failing = (times: number, fail: (response: import('node:http').ServerResponse) => void) =>
  new FaultServer((response, received, number) => (number <= times ? fail(response) : json(response, received.method === 'POST' ? 201 : 200, networks))).listen();

describe('no connection', () => {
  it('T1 refused: a read is tried three times, and nothing was sent', async () => {
    const server = await new FaultServer(() => {}).listen();
    const { url } = server;
    await server[Symbol.asyncDispose]();
    const error = await failureOf(clientOf({ url }, new VirtualTime().options).crypto.networks());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ outcome: 'not-sent', cause: { code: 'ECONNREFUSED' } });
    expect(faults(error)).toEqual(['ECONNREFUSED', 'ECONNREFUSED', 'ECONNREFUSED']);
  });

  it('T1 refused: a create is tried again too, for it cannot have been taken', async () => {
    const server = await new FaultServer(() => {}).listen();
    const { url } = server;
    await server[Symbol.asyncDispose]();
    const error = await failureOf(clientOf({ url }, new VirtualTime().options).payments.create(paymentRequest));
    expect(error.outcome).toBe('not-sent');
    expect(error.attempts).toHaveLength(3);
  });

  it('T1 no such host: nothing was sent', async () => {
    const time = new VirtualTime();
    const corridor = new Corridor({ baseUrl: 'https://corridor.invalid', apiKey: 'key_for_tests', privateKey, retries: 1, ...time.options });
    const error = await failureOf(corridor.crypto.networks());
    expect(error).toMatchObject({ outcome: 'not-sent', code: 'connection' });
    expect((error.cause as { code: string }).code).toMatch(/^(ENOTFOUND|EAI_AGAIN)$/);
  });

  it.each([['ERR_SSL_BAD_RECORD_TYPE', 'unknown'], ['ERR_SSL_WRONG_VERSION_NUMBER', 'unknown'], ['EPROTO', 'unknown'], ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'not-sent'], ['ERR_TLS_CERT_ALTNAME_INVALID', 'not-sent']])(
    'T1 %s of a fetch of one\'s own, which tells it of connections in use, too: %s', async (code, outcome) => {
      const fetch = () => Promise.reject(Object.assign(new Error('ssl'), { code }));
      const error = await failureOf(clientOf({ url: 'https://127.0.0.1:1' }, { fetch }).payments.create(paymentRequest));
      expect(error).toMatchObject({ outcome, code: 'connection', cause: { code } });
      expect(error.attempts).toHaveLength(1);
    });

  it('T1 https to a server that speaks http: nothing was sent', async () => {
    await using server = await new FaultServer(() => {}).listen();
    const error = await failureOf(clientOf({ url: server.url.replace('http:', 'https:') }).payments.create(paymentRequest));
    expect(error).toMatchObject({ outcome: 'not-sent', code: 'connection', cause: { code: expect.stringMatching(/^(ERR_SSL_|EPROTO)/) } });
  });

  it('a port that fetch refuses: nothing was sent, and it is not tried again', async () => {
    const error = await failureOf(clientOf({ url: 'http://127.0.0.1:6000' }).payments.create(paymentRequest));
    expect(error).toMatchObject({ outcome: 'not-sent', code: 'connection', cause: { code: 'BAD_PORT' } });
    expect(error.message).toContain('fetch refuses this port, which belongs to another protocol; check baseUrl');
    expect(error.attempts).toHaveLength(1);
  });

  it('T1 a certificate that nobody vouches for: nothing was sent, and it is not tried again', async () => {
    const server = createTlsServer({ key: privateKey, cert: selfSigned(createPrivateKey(privateKey)) }, () => {});
    server.on('tlsClientError', () => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const corridor = new Corridor({ baseUrl: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey: 'key_for_tests', privateKey });
    const error = await failureOf(corridor.crypto.networks());
    server.close();
    expect(error).toMatchObject({ outcome: 'not-sent', code: 'connection' });
    expect(error.message).toContain('check the certificate');
    expect(error.attempts).toHaveLength(1);
  });
});

describe('the connection breaks', () => {
  it('T2 reset before the answer: a read is tried again with a fresh token', async () => {
    await using server = await failing(2, (response) => response.socket?.resetAndDestroy());
    const { attempts } = await clientOf(server, new VirtualTime().options).crypto.networks().withResponse();
    expect(attempts.map(({ fault, status }) => fault ?? status)).toEqual(['ECONNRESET', 'ECONNRESET', 200]);
    expect(new Set(server.received.map(({ claims }) => claims['jti'])).size).toBe(3);
    expect(server.received.every(({ verified }) => verified)).toBe(true);
  });

  it('T2 reset before the answer: a create is sent once, and its outcome is unknown', async () => {
    await using server = await failing(1, (response) => response.socket?.resetAndDestroy());
    const error = await failureOf(clientOf(server).payments.create(paymentRequest));
    expect(error).toMatchObject({ outcome: 'unknown', code: 'connection', intent: { version: 1, request: paymentRequest } });
    expect(server.received).toHaveLength(1);
  });

  it('T3 closed before the answer: a read is tried again', async () => {
    await using server = await failing(1, (response) => response.socket?.end());
    expect(await clientOf(server, new VirtualTime().options).crypto.networks()).toEqual(networks.networks);
    expect(server.received).toHaveLength(2);
  });

  it('T3 closed before the answer: a create is sent once', async () => {
    await using server = await failing(1, (response) => response.socket?.end());
    expect((await failureOf(clientOf(server).payments.create(paymentRequest))).outcome).toBe('unknown');
    expect(server.received).toHaveLength(1);
  });

  const cutShort = (response: import('node:http').ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"networks":[');
    setImmediate(() => response.socket?.resetAndDestroy());
  };

  it('T4 reset in the middle of a 2xx: a read is tried again', async () => {
    await using server = await failing(1, cutShort);
    expect(await clientOf(server, new VirtualTime().options).crypto.networks()).toEqual(networks.networks);
  });

  it('T4 reset in the middle of a 2xx: a create was applied, and is sent once', async () => {
    await using server = await failing(1, cutShort);
    const error = await failureOf(clientOf(server).payments.create(paymentRequest));
    expect(error.outcome).toBe('applied');
    expect(server.received).toHaveLength(1);
  });

  it('T5 content-length longer than the body: a read is tried again', async () => {
    await using server = await failing(1, (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' }).write('{"networks":[]}');
      setImmediate(() => response.socket?.end());
    });
    expect(await clientOf(server, new VirtualTime().options).crypto.networks()).toEqual(networks.networks);
    expect(server.received).toHaveLength(2);
  });

  it('T6 reset in the middle of a 5xx: the status is told, without a body', async () => {
    await using server = await failing(1, (response) => {
      response.writeHead(500, { 'content-type': 'application/json' }).write('{"code":');
      setImmediate(() => response.socket?.resetAndDestroy());
    });
    const error = await failureOf(clientOf(server).payments.create(paymentRequest));
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({ status: 500, body: undefined, outcome: 'unknown' });
  });

  it('T7 idle connections closed just as a request leaves: reads succeed, a create is never sent twice', async () => {
    await using server = await new FaultServer((response, received) => json(response, 200, received.method === 'POST' ? {} : networks)).listen();
    server.server.keepAliveTimeout = 5;
    const corridor = clientOf(server, { retries: 4 });
    for (let number = 0; number < 60; number += 1) {
      await new Promise((resolve) => setTimeout(resolve, 4 + (number % 5)));
      expect(await corridor.crypto.networks()).toEqual(networks.networks);
    }
    const before = server.received.length;
    await corridor.payments.create(paymentRequest).catch(() => {});
    expect(server.received.length - before).toBeLessThanOrEqual(1);
  });
});

describe('no answer in time', () => {
  it('T8 no headers: a read is tried again and then times out', async () => {
    await using server = await new FaultServer(() => {}).listen();
    const error = await failureOf(clientOf(server, { timeout: 400, retries: 1 }).crypto.networks());
    expect(error).toBeInstanceOf(TimeoutError);
    expect(faults(error)).toEqual(['timeout', 'timeout']);
    expect(error).toMatchObject({ outcome: 'unknown' });
  });

  it('T8 no headers: a create is sent once, and its outcome is unknown', async () => {
    await using server = await new FaultServer(() => {}).listen();
    const error = await failureOf(clientOf(server, { timeout: 400 }).payments.create(paymentRequest));
    expect(error).toMatchObject({ code: 'timeout', outcome: 'unknown' });
    expect(server.received).toHaveLength(1);
  });

  it('T9 a body that drips: it times out, and its socket is closed', async () => {
    let closed = 0;
    await using server = await new FaultServer((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 10);
      response.on('close', () => {
        clearInterval(timer);
        closed += 1;
      });
    }).listen();
    const error = await failureOf(clientOf(server, { timeout: 400, retries: 0 }).crypto.networks());
    expect(error).toMatchObject({ code: 'timeout', outcome: 'applied' });
    await expect.poll(() => closed).toBe(1);
  });

  it('T10 a server that never reads: a large reply to a ticket times out', async () => {
    const { createServer } = await import('node:net');
    const server = createServer({ pauseOnConnect: true }, () => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const corridor = clientOf({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }, { timeout: 1_500, retries: 0 });
    const error = await failureOf(corridor.support.reply('tic_1', { bodyText: 'x'.repeat(8_000_000) }));
    expect(error).toMatchObject({ code: 'timeout', outcome: 'unknown' });
    server.close();
  });
});

describe('what is not HTTP', () => {
  for (const [name, bytes] of [
    ['a garbage status line', 'HELLO\r\n\r\n'],
    ['40 KB of headers', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`],
    ['content-length beside chunks', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'],
  ] as const) {
    it(`T11 ${name}: a read is tried again, and is then an unusable answer`, async () => {
      await using server = await new RawFaultServer((socket) => socket.end(bytes)).listen();
      const error = await failureOf(clientOf(server, new VirtualTime().options).crypto.networks());
      expect(error).toBeInstanceOf(InvalidResponseError);
      expect(error.outcome).toBe('unknown');
      expect(server.received).toBe(3);
    });
  }

  it('T11 a bad chunk: a create is sent once', async () => {
    await using server = await new RawFaultServer((socket) => socket.end('HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n')).listen();
    const error = await failureOf(clientOf(server).payments.create(paymentRequest));
    expect(['applied', 'unknown']).toContain(error.outcome);
    expect(server.received).toBe(1);
  });

  it('T12 an early 413 and a closed connection: the status is told', async () => {
    await using server = await new FaultServer((response) => {
      response.writeHead(413, { connection: 'close' }).end();
    }).listen();
    const error = await failureOf(clientOf(server).support.reply('tic_1', { bodyText: 'x'.repeat(1000) }));
    expect(error).toMatchObject({ status: 413 });
  });

  it('T13 fifty early hints and then the answer: the answer counts', async () => {
    await using server = await new FaultServer((response) => {
      for (let hint = 0; hint < 50; hint += 1) response.writeEarlyHints({ link: '</x>; rel=preload' });
      json(response, 200, networks);
    }).listen();
    expect(await clientOf(server).crypto.networks()).toEqual(networks.networks);
  });

  it('T13 an unexpected 101 is a broken connection', async () => {
    await using server = await new RawFaultServer((socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n')).listen();
    const error = await failureOf(clientOf(server, { retries: 0 }).crypto.networks());
    expect(['connection', 'invalid-response']).toContain(error.code);
  });
});

describe('429', () => {
  it('is told with when to try again', async () => {
    await using server = await new FaultServer((response) => json(response, 429, { code: 'slow_down' }, { 'retry-after': '2' })).listen();
    const error = await failureOf(clientOf(server, { retries: 0 }).crypto.networks());
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ retryAfter: 2, outcome: 'rejected' });
  });
});
