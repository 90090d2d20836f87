import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { InvalidResponseError, TimeoutError } from 'corridor-sdk';
import { failureOf } from '../../simulation/failure.js';
import { clientOf, FaultServer, json, networks, paymentRequest, RawFaultServer } from '../fault-server.js';
import { ManualTimeout } from '../manual-timeout.js';
import { VirtualTime } from '../virtual-time.js';
import { attemptErrors } from './attempts.js';

afterEach(() => vi.unstubAllGlobals());

describe('no response in time', () => {
  it('T8 no headers: a read is retried and then times out', async () => {
    const timeout = new ManualTimeout();
    await using server = await new FaultServer(() => timeout.elapse()).listen();
    const error = await failureOf(clientOf(server, { ...timeout.options, maxRetries: 1 }).crypto.networks());
    expect(error).toBeInstanceOf(TimeoutError);
    expect(attemptErrors(error)).toEqual(['timeout', 'timeout']);
    expect(error).toMatchObject({ outcome: 'unknown' });
  });

  it('T8 no headers: a create is sent once, and its outcome is unknown', async () => {
    const timeout = new ManualTimeout();
    await using server = await new FaultServer(() => timeout.elapse()).listen();
    const error = await failureOf(clientOf(server, timeout.options).payments.create(paymentRequest));
    expect(error).toMatchObject({ code: 'timeout', outcome: 'unknown' });
    expect(server.received).toHaveLength(1);
  });

  it('T9 a body that drips: the call times out, and its socket is closed', async () => {
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

  it('T10 a server that never reads: a large reply to a ticket times out', async () => {
    const { createServer } = await import('node:net');
    const timeout = new ManualTimeout();
    const server = createServer({ pauseOnConnect: true }, () => timeout.elapse());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const corridor = clientOf(
      { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
      { ...timeout.options, maxRetries: 0 },
    );
    const error = await failureOf(corridor.support.reply('tic_1', { bodyText: 'x'.repeat(8_000_000) }));
    expect(error).toMatchObject({ code: 'timeout', outcome: 'unknown' });
    server.close();
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
    it(`T11 ${name}: a read is retried and then fails with an invalid response`, async () => {
      await using server = await new RawFaultServer((socket) => socket.end(bytes)).listen();
      const error = await failureOf(clientOf(server, new VirtualTime().options).crypto.networks());
      expect(error).toBeInstanceOf(InvalidResponseError);
      expect(error.outcome).toBe('unknown');
      expect(server.received).toBe(3);
    });
  }

  it('T11 a bad chunk: a create is sent once', async () => {
    await using server = await new RawFaultServer((socket) =>
      socket.end('HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'),
    ).listen();
    const error = await failureOf(clientOf(server).payments.create(paymentRequest));
    expect(['applied', 'unknown']).toContain(error.outcome);
    expect(server.received).toBe(1);
  });

  it('T14 an unsolicited 100 Continue: a create is sent once, and its outcome is unknown', async () => {
    await using server = await new RawFaultServer((socket) =>
      socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\n{}'),
    ).listen();
    const error = await failureOf(clientOf(server).payments.create(paymentRequest));
    expect(error).toMatchObject({ outcome: 'unknown', code: 'connection', cause: { code: 'UND_ERR_SOCKET' } });
    expect(server.received).toBe(1);
  });

  it('T12 an early 413 and a closed connection: the status is reported', async () => {
    await using server = await new FaultServer((response) => {
      response.writeHead(413, { connection: 'close' }).end();
    }).listen();
    const error = await failureOf(clientOf(server).support.reply('tic_1', { bodyText: 'x'.repeat(1000) }));
    expect(error).toMatchObject({ status: 413 });
  });

  it('T13 fifty early hints and then the response: the response counts', async () => {
    await using server = await new FaultServer((response) => {
      for (let hint = 0; hint < 50; hint += 1) response.writeEarlyHints({ link: '</x>; rel=preload' });
      json(response, 200, networks);
    }).listen();
    expect(await clientOf(server).crypto.networks()).toEqual(networks.networks);
  });

  it('T13 an unexpected 101 is a broken connection', async () => {
    await using server = await new RawFaultServer((socket) =>
      socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    ).listen();
    const error = await failureOf(clientOf(server, { maxRetries: 0 }).crypto.networks());
    expect(['connection', 'invalid-response']).toContain(error.code);
  });
});
