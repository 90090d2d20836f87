import {
  type CorridorError,
  ConnectionError,
  Corridor,
  InvalidResponseError,
  TimeoutError,
  ServerError,
  type CorridorOptions,
} from 'corridor-sdk';
import { createPrivateKey } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer as createTlsServer } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { MessageChannel, receiveMessageOnPort, type TransferListItem } from 'node:worker_threads';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { failureOf } from '../../support/failure-of.ts';
import { clientOf, FaultServer, paymentRequest, RawFaultServer, json, networks } from '../../support/fault-server.ts';
import { privateKey } from '../../support/key.ts';
import { selfSigned } from '../../support/certificate.ts';
import { InstantDelays } from '../../support/instant-delays.ts';
import { ManualTimeout } from '../manual-timeout.ts';
import { scripted } from '../../support/scripted-fetch.ts';

const attemptErrors = (error: CorridorError) => error.attempts.map(({ errorType, status }) => errorType ?? status);

afterEach(() => vi.unstubAllGlobals());

describe('no connection', () => {
  it('refused: a read is attempted three times', async () => {
    const server = await new FaultServer(() => {}).listen();
    const { url } = server;
    await server[Symbol.asyncDispose]();
    const error = await failureOf(clientOf({ url }, new InstantDelays().options).crypto.networks());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ outcome: 'unknown', cause: { code: 'ECONNREFUSED' } });
    expect(error.message).toContain('the connection could not be established (ECONNREFUSED) (no usable data was');
    expect(attemptErrors(error)).toEqual(['ECONNREFUSED', 'ECONNREFUSED', 'ECONNREFUSED']);
  });

  it('refused: a create is retried, too, because it cannot have been received', async () => {
    const server = await new FaultServer(() => {}).listen();
    const { url } = server;
    await server[Symbol.asyncDispose]();
    const error = await failureOf(clientOf({ url }, new InstantDelays().options).payments.create(paymentRequest));
    expect(error.outcome).toBe('not-sent');
    expect(error.attempts).toHaveLength(3);
  });

  it('no such host: nothing was sent', async () => {
    const time = new InstantDelays();
    const corridor = new Corridor({
      baseUrl: 'https://corridor.invalid',
      apiKey: 'key_for_tests',
      privateKey,
      maxRetries: 1,
      ...time.options,
    });
    const error = await failureOf(corridor.payments.create(paymentRequest));
    expect(error).toMatchObject({ outcome: 'not-sent', code: 'connection' });
    expect((error.cause as { code: string }).code).toMatch(/^(ENOTFOUND|EAI_AGAIN)$/);
  });

  it('https to a server that speaks http: nothing was sent, and the message says what to check', async () => {
    await using server = await new FaultServer(() => {}).listen();
    const error = await failureOf(
      clientOf({ url: server.url.replace('http:', 'https:') }, new InstantDelays().options).payments.create(
        paymentRequest,
      ),
    );
    expect(error).toMatchObject({
      outcome: 'not-sent',
      code: 'connection',
      cause: { code: expect.stringMatching(/^(ERR_SSL_|EPROTO)/) },
    });
    expect(error.message).toContain('. Check that this port serves HTTPS');
    expect(server.received).toEqual([]);
  });

  it('a server with TLS 1.0 only: nothing was sent, and it is not retried', async () => {
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

  it('an untrusted certificate: nothing was sent, and it is not retried', async () => {
    const server = createTlsServer({ key: privateKey, cert: selfSigned(createPrivateKey(privateKey)) }, () => {});
    server.on('tlsClientError', () => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const corridor = new Corridor({
      baseUrl: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
      apiKey: 'key_for_tests',
      privateKey,
    });
    const error = await failureOf(corridor.payments.create(paymentRequest));
    server.close();
    expect(error).toMatchObject({ outcome: 'not-sent', code: 'connection' });
    expect(error.message).toContain('. Check the certificate');
    expect(error.attempts).toHaveLength(1);
  });
});

describe('no response in time', () => {
  it('no headers: a read is retried and then times out', async () => {
    const timeout = new ManualTimeout();
    await using server = await new FaultServer(() => timeout.elapse()).listen();
    const error = await failureOf(clientOf(server, { ...timeout.options, maxRetries: 1 }).crypto.networks());
    expect(error).toBeInstanceOf(TimeoutError);
    expect(attemptErrors(error)).toEqual(['timeout', 'timeout']);
    expect(error).toMatchObject({ outcome: 'unknown' });
  });

  it('no headers: a create is sent once, and its outcome is unknown', async () => {
    const timeout = new ManualTimeout();
    await using server = await new FaultServer(() => timeout.elapse()).listen();
    const error = await failureOf(clientOf(server, timeout.options).payments.create(paymentRequest));
    expect(error).toMatchObject({ code: 'timeout', outcome: 'unknown' });
    expect(server.received).toHaveLength(1);
  });

  it('a body that drips: the call times out, and its socket is closed', async () => {
    let closed = 0;
    await using server = await new FaultServer((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 10);
      response.on('close', () => {
        clearInterval(timer);
        closed += 1;
      });
    }).listen();
    const timeout = new ManualTimeout();
    const call = failureOf(clientOf(server, { ...timeout.options, maxRetries: 0 }).crypto.networks());
    await expect.poll(() => timeout.isReading()).toBe(true);
    timeout.elapse();
    expect(await call).toMatchObject({ code: 'timeout', outcome: 'applied' });
    await expect.poll(() => closed).toBe(1);
  });

  it('a server that never reads: a large reply to a ticket times out', async () => {
    const { createServer } = await import('node:net');
    const timeout = new ManualTimeout();
    const elapse = (): void => timeout.elapse();
    const server = createServer({ pauseOnConnect: true });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const corridor = clientOf(
      { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
      { ...timeout.options, maxRetries: 0 },
    );
    subscribe('undici:client:sendHeaders', elapse);
    const error = await failureOf(corridor.support.reply('tic_1', { bodyText: 'x'.repeat(8_000_000) }));
    unsubscribe('undici:client:sendHeaders', elapse);
    expect(error).toMatchObject({ code: 'timeout', outcome: 'unknown' });
    server.close();
  });

  it('a server that never finishes the TLS handshake: nothing was sent, and a create is tried again', async () => {
    const timeout = new ManualTimeout();
    await using server = await new RawFaultServer(() => timeout.elapse()).listen();
    const corridor = clientOf({ url: server.url.replace('http:', 'https:') }, { ...timeout.options, maxRetries: 1 });
    const error = await failureOf(corridor.payments.create(paymentRequest));
    expect(error).toMatchObject({ code: 'timeout', outcome: 'not-sent' });
    expect(error.message).toContain('while connecting (nothing was sent, 2 attempts)');
    expect(server.received).toBe(2);
  });
});

describe('a response that is not HTTP', () => {
  for (const [name, bytes] of [
    ['a garbage status line', 'HELLO\r\n\r\n'],
    ['40 KB of headers', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`],
    [
      'content-length beside chunks',
      'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
    ],
  ] as const) {
    it(`${name}: a read is retried and then fails with an invalid response`, async () => {
      await using server = await new RawFaultServer((socket) => socket.end(bytes)).listen();
      const error = await failureOf(clientOf(server, new InstantDelays().options).crypto.networks());
      expect(error).toBeInstanceOf(InvalidResponseError);
      expect(error.outcome).toBe('unknown');
      expect(server.received).toBe(3);
    });
  }

  it('a bad chunk: a create is sent once', async () => {
    await using server = await new RawFaultServer((socket) =>
      socket.end('HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'),
    ).listen();
    const error = await failureOf(clientOf(server).payments.create(paymentRequest));
    expect(['applied', 'unknown']).toContain(error.outcome);
    expect(server.received).toBe(1);
  });

  it('an unsolicited 100 Continue: a create is sent once, and its outcome is unknown', async () => {
    await using server = await new RawFaultServer((socket) =>
      socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\n{}'),
    ).listen();
    const error = await failureOf(clientOf(server).payments.create(paymentRequest));
    expect(error).toMatchObject({ outcome: 'unknown', code: 'connection', cause: { code: 'UND_ERR_SOCKET' } });
    expect(server.received).toBe(1);
  });

  it('an early 413 and a closed connection: the status is reported', async () => {
    await using server = await new FaultServer((response) => {
      response.writeHead(413, { connection: 'close' }).end();
    }).listen();
    const error = await failureOf(clientOf(server).support.reply('tic_1', { bodyText: 'x'.repeat(1000) }));
    expect(error).toMatchObject({ status: 413 });
  });

  it('fifty early hints and then the response: the response counts', async () => {
    await using server = await new FaultServer((response) => {
      for (let hint = 0; hint < 50; hint += 1) response.writeEarlyHints({ link: '</x>; rel=preload' });
      json(response, 200, networks);
    }).listen();
    expect(await clientOf(server).crypto.networks()).toEqual(networks.networks);
  });

  it('an unexpected 101 is a broken connection', async () => {
    await using server = await new RawFaultServer((socket) =>
      socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    ).listen();
    const error = await failureOf(clientOf(server, { maxRetries: 0 }).crypto.networks());
    expect(['connection', 'invalid-response']).toContain(error.code);
  });
});

/** A server that fails a number of requests and then succeeds. */
const failing = (times: number, fail: (response: import('node:http').ServerResponse) => void) =>
  new FaultServer((response, received, number) =>
    number <= times ? fail(response) : json(response, received.method === 'POST' ? 201 : 200, networks),
  ).listen();

describe('the connection breaks', () => {
  it('reset before the response: a read is retried with a new token', async () => {
    await using server = await failing(2, (response) => response.socket?.resetAndDestroy());
    const { attempts } = await clientOf(server, new InstantDelays().options).crypto.networks().withResponse();
    expect(attempts.map(({ errorType, status }) => errorType ?? status)).toEqual(['ECONNRESET', 'ECONNRESET', 200]);
    expect(new Set(server.received.map(({ claims }) => claims['jti'])).size).toBe(3);
    expect(server.received.every(({ verified }) => verified)).toBe(true);
  });

  it('reset before the response: a create is sent once, and its outcome is unknown', async () => {
    await using server = await failing(1, (response) => response.socket?.resetAndDestroy());
    const error = await failureOf(clientOf(server).payments.create(paymentRequest));
    expect(error).toMatchObject({
      outcome: 'unknown',
      code: 'connection',
      intent: { version: 1, request: paymentRequest },
    });
    expect(server.received).toHaveLength(1);
  });

  it('closed before the response: a read is retried', async () => {
    await using server = await failing(1, (response) => response.socket?.end());
    expect(await clientOf(server, new InstantDelays().options).crypto.networks()).toEqual(networks.networks);
    expect(server.received).toHaveLength(2);
  });

  it('closed before the response: a create is sent once', async () => {
    await using server = await failing(1, (response) => response.socket?.end());
    expect((await failureOf(clientOf(server).payments.create(paymentRequest))).outcome).toBe('unknown');
    expect(server.received).toHaveLength(1);
  });

  const cutShort = (response: import('node:http').ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"networks":[');
    setImmediate(() => response.socket?.resetAndDestroy());
  };

  it('reset in the middle of a 2xx: a read is retried', async () => {
    await using server = await failing(1, cutShort);
    expect(await clientOf(server, new InstantDelays().options).crypto.networks()).toEqual(networks.networks);
  });

  it('reset in the middle of a 2xx: a create was applied, and is sent once', async () => {
    await using server = await failing(1, cutShort);
    const error = await failureOf(clientOf(server).payments.create(paymentRequest));
    expect(error.outcome).toBe('applied');
    expect(server.received).toHaveLength(1);
  });

  it('content-length longer than the body: a read is retried', async () => {
    await using server = await failing(1, (response) => {
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
        .write('{"networks":[]}');
      setImmediate(() => response.socket?.end());
    });
    expect(await clientOf(server, new InstantDelays().options).crypto.networks()).toEqual(networks.networks);
    expect(server.received).toHaveLength(2);
  });

  it('reset in the middle of a 5xx: the status is reported, without a body', async () => {
    await using server = await failing(1, (response) => {
      response.writeHead(500, { 'content-type': 'application/json' }).write('{"code":');
      setImmediate(() => response.socket?.resetAndDestroy());
    });
    const error = await failureOf(clientOf(server).payments.create(paymentRequest));
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({ status: 500, body: undefined, outcome: 'unknown' });
  });

  it('idle connections closed just as a request leaves: reads succeed, a create is never sent twice', async () => {
    await using server = await new FaultServer((response, received) =>
      json(response, 200, received.method === 'POST' ? {} : networks),
    ).listen();
    server.server.keepAliveTimeout = 5;
    const corridor = clientOf(server, { maxRetries: 4 });
    for (let number = 0; number < 60; number += 1) {
      await new Promise((resolve) => setTimeout(resolve, 4 + (number % 5)));
      expect(await corridor.crypto.networks()).toEqual(networks.networks);
    }
    const before = server.received.length;
    await corridor.payments.create(paymentRequest).catch(() => {});
    expect(server.received.length - before).toBeLessThanOrEqual(1);
  });
});

// The errors are those of a fetch option, which can throw anything.

const errorWith = (fields: object, message = 'failed'): Error => Object.assign(new Error(message), fields);
const unconnected = (fields: object = {}): Error => errorWith({ code: 'ECONNREFUSED', syscall: 'connect', ...fields });
const reset = (): Error => errorWith({ code: 'ECONNRESET', syscall: 'read' });
const unreadable = (): Error =>
  Object.defineProperty(unconnected(), 'cause', {
    get: () => {
      throw unconnected();
    },
  });

/** Creates a payment; each attempt ends as `respond` says. */
async function create(
  respond: () => unknown,
  options: CorridorOptions = {},
): Promise<{ readonly error: CorridorError; readonly posts: number }> {
  const { corridor, sent } = scripted(respond, { ...new InstantDelays().options, ...options });
  const error = await failureOf(corridor.payments.create(paymentRequest));
  return { error, posts: sent.length };
}

/** What a dispatcher or a wrapper of fetch can do with the body of a request that it sends. */
const readings: readonly (readonly [string, (init: RequestInit) => unknown])[] = [
  ['reads it as text', ({ body }) => String(body)],
  ['reads it with a reader', ({ body }) => (body as ReadableStream).getReader().read()],
  [
    'reads it into a buffer',
    ({ body }) => (body as ReadableStream).getReader({ mode: 'byob' }).read(new Uint8Array(9)),
  ],
  [
    'iterates it',
    async ({ body }) => {
      for await (const part of body as ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>) return part;
      return undefined;
    },
  ],
  ['pipes it', ({ body }) => (body as ReadableStream).pipeTo(new WritableStream())],
  ['reads a response made of it', ({ body }) => new Response(body as ReadableStream).text()],
  ['reads a copy of the request', (init) => new Request('https://platform.example', init).clone().text()],
  [
    'transfers it to another thread',
    ({ body }) => {
      const { port1, port2 } = new MessageChannel();
      port1.postMessage(body, [body as unknown as TransferListItem]);
      const { message } = receiveMessageOnPort(port2) as { readonly message: ReadableStream };
      return message
        .getReader()
        .read()
        .finally(() => port1.close());
    },
  ],
];
const anyError: readonly (readonly [string, unknown])[] = [
  ['a refused connection', unconnected()],
  ['a refused connection, in a runtime that names no system call', errorWith({ code: 'ECONNREFUSED' })],
  ['an unknown host', errorWith({ code: 'ENOTFOUND', syscall: 'getaddrinfo' })],
  ['a timeout', errorWith({ code: 'ETIMEDOUT' })],
  ['a rejected tunnel', errorWith({}, 'Proxy response (503) !== 200 when HTTP Tunneling')],
  ['a broken connection', reset()],
  ['an error that cannot be read', unreadable()],
  ['no error', 'ECONNREFUSED'],
];

/** Creates a payment; each attempt reads the body and then fails. */
async function createFailing(read: (init: RequestInit) => unknown, thrown: unknown) {
  let attempts = 0;
  const fetch: typeof globalThis.fetch = async (_input, init = {}) => {
    attempts += 1;
    await read(init);
    throw thrown;
  };
  const corridor = clientOf({ url: 'https://platform.example' }, { fetch, ...new InstantDelays().options });
  return { error: await failureOf(corridor.payments.create(paymentRequest)), attempts: () => attempts };
}

describe('nothing was sent if nothing has read the body, whatever fails', () => {
  it.each(anyError)('%s: a create is sent again', async (_name, thrown) => {
    const { error, attempts } = await createFailing(() => {}, thrown);
    expect(error).toMatchObject({ outcome: 'not-sent', code: 'connection' });
    expect(attempts()).toBe(3);
  });

  it('also if a wrapper has copied the request, as instrumentations do', async () => {
    const { error } = await createFailing((init) => new Request('https://platform.example', init).clone(), reset());
    expect(error.outcome).toBe('not-sent');
  });

  it('a timeout: nothing can read the body later', async () => {
    const timeout = new ManualTimeout();
    const late: RequestInit[] = [];
    const fetch: typeof globalThis.fetch = (_input, init = {}) => {
      late.push(init);
      timeout.elapse();
      // Ignores the signal.
      return new Promise(() => {});
    };
    const options = { ...timeout.options, fetch, maxRetries: 1 };
    const error = await failureOf(
      clientOf({ url: 'https://platform.example' }, options).payments.create(paymentRequest),
    );
    expect(error).toMatchObject({ code: 'timeout', outcome: 'not-sent' });
    expect(late).toHaveLength(2);
    for (const init of late) {
      expect(() => String(init.body)).toThrow('the attempt that this body belongs to has ended');
      await expect(new Response(init.body ?? '').text()).rejects.toThrow();
    }
  });
});

describe('once the body was read, no error proves that nothing was sent', () => {
  it.each(anyError)('%s: a create is sent once', async (_name, thrown) => {
    const { error, attempts } = await createFailing(({ body }) => String(body), thrown);
    expect(error).toMatchObject({ outcome: 'unknown', code: 'connection' });
    expect(attempts()).toBe(1);
  });

  it.each(readings)('a dispatcher that %s, and cannot connect again', async (_name, read) => {
    const { error, attempts } = await createFailing(read, unconnected());
    expect(error).toMatchObject({ outcome: 'unknown', cause: { code: 'ECONNREFUSED' } });
    expect(attempts()).toBe(1);
  });

  it('after a response, it can still be read, such as by a test', async () => {
    const bodies: unknown[] = [];
    const fetch: typeof globalThis.fetch = async (_input, init) => {
      bodies.push(init?.body);
      return json500();
    };
    const json500 = (): Response => Response.json({}, { status: 500 });
    await failureOf(clientOf({ url: 'https://platform.example' }, { fetch }).payments.create(paymentRequest));
    expect(bodies.map(String)).toEqual([JSON.stringify(paymentRequest)]);
  });

  it.each([
    ['a write without a body', (corridor: Corridor) => corridor.request({ method: 'POST', path: '/api/v1/reports' })],
    ['a deletion', (corridor: Corridor) => corridor.documents.delete('doc_1')],
  ])('%s proves nothing, because it can be sent without a body', async (_name, call) => {
    const fetch = () => Promise.reject(unconnected());
    const corridor = clientOf({ url: 'https://platform.example' }, { fetch, maxRetries: 0 });
    expect((await failureOf(call(corridor))).outcome).toBe('unknown');
  });

  it('a fetch that repeats a request whose response was lost: one payment, and its outcome is unknown', async () => {
    await using server = await new FaultServer((response) => {
      server.server.close();
      response.socket?.resetAndDestroy();
    }).listen();
    let dispatches = 0;
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const text = await new Response(init?.body ?? '').text();
      const dispatch = (): Promise<Response> => {
        dispatches += 1;
        return globalThis.fetch(input, { ...init, body: text });
      };
      return dispatch().catch(dispatch);
    };
    const corridor = clientOf(server, { ...new InstantDelays().options, fetch });
    const error = await failureOf(corridor.payments.create(paymentRequest));
    expect(error).toMatchObject({ outcome: 'unknown', cause: { code: 'ECONNREFUSED' } });
    expect({ dispatches, received: server.received.length }).toEqual({ dispatches: 2, received: 1 });
  });
});

describe('an error after the response has arrived', () => {
  const proofs: readonly (readonly [string, Error])[] = [
    ['ECONNREFUSED', unconnected()],
    ['ENOTFOUND', errorWith({ code: 'ENOTFOUND', syscall: 'getaddrinfo' })],
    ['CERT_HAS_EXPIRED', errorWith({ code: 'CERT_HAS_EXPIRED' })],
    ['UND_ERR_PRX_TLS', errorWith({ code: 'UND_ERR_PRX_TLS' })],
    ['FETCH_FAILED', errorWith({}, 'bad port')],
    ['FETCH_FAILED', unreadable()],
  ];
  const failingBody = (error: unknown): ReadableStream =>
    new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array([123])), pull: () => Promise.reject(error) });

  it.each(proofs)('%s in the JSON of a 2xx: the payment was applied, and one POST is sent', async (code, thrown) => {
    const headers = { 'content-type': 'application/json' };
    const { error, posts } = await create(() => new Response(failingBody(thrown), { status: 201, headers }));
    expect(error).toMatchObject({ outcome: 'applied', code: 'connection', cause: { code } });
    expect(error.message).toMatch(/: the (connection broke|TLS connection failed)/);
    expect(posts).toBe(1);
  });

  it('in a body of a 2xx that is not declared as JSON, such as the page of a proxy: the outcome is unknown', async () => {
    const { error, posts } = await create(() => new Response(failingBody(unreadable()), { status: 200 }));
    expect([error.outcome, posts]).toEqual(['unknown', 1]);
  });

  it.each(proofs)('%s in the body of a 2xx: a read is repeated', async (code, thrown) => {
    const { corridor } = scripted(() => new Response(failingBody(thrown)), new InstantDelays().options);
    expect(attemptErrors(await failureOf(corridor.crypto.networks()))).toEqual([code, code, code]);
  });

  it.each(proofs)('%s in the body of a 5xx: the outcome is unknown, and one POST is sent', async (_code, thrown) => {
    const { error, posts } = await create(() => new Response(failingBody(thrown), { status: 503 }));
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({ outcome: 'unknown', status: 503 });
    expect(posts).toBe(1);
  });

  it('in its headers: the outcome is unknown', async () => {
    const response = Object.defineProperty(new Response('{}', { status: 201 }), 'headers', {
      get: () => {
        throw unconnected();
      },
    });
    const { error, posts } = await create(() => response);
    expect([error.outcome, posts]).toEqual(['unknown', 1]);
  });
});
