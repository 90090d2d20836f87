import { afterEach, describe, expect, it, vi } from 'vitest';
import { ServerError } from 'corridor-sdk';
import { failureOf } from '../../simulation/failure.js';
import { clientOf, FaultServer, json, networks, paymentRequest } from '../fault-server.js';
import { VirtualTime } from '../virtual-time.js';

afterEach(() => vi.unstubAllGlobals());

/** A server that fails a number of requests and then succeeds. */
const failing = (times: number, fail: (response: import('node:http').ServerResponse) => void) =>
  new FaultServer((response, received, number) =>
    number <= times ? fail(response) : json(response, received.method === 'POST' ? 201 : 200, networks),
  ).listen();

describe('the connection breaks', () => {
  it('T2 reset before the response: a read is retried with a new token', async () => {
    await using server = await failing(2, (response) => response.socket?.resetAndDestroy());
    const { attempts } = await clientOf(server, new VirtualTime().options).crypto.networks().withResponse();
    expect(attempts.map(({ errorType, status }) => errorType ?? status)).toEqual(['ECONNRESET', 'ECONNRESET', 200]);
    expect(new Set(server.received.map(({ claims }) => claims['jti'])).size).toBe(3);
    expect(server.received.every(({ verified }) => verified)).toBe(true);
  });

  it('T2 reset before the response: a create is sent once, and its outcome is unknown', async () => {
    await using server = await failing(1, (response) => response.socket?.resetAndDestroy());
    const error = await failureOf(clientOf(server).payments.create(paymentRequest));
    expect(error).toMatchObject({
      outcome: 'unknown',
      code: 'connection',
      intent: { version: 1, request: paymentRequest },
    });
    expect(server.received).toHaveLength(1);
  });

  it('T3 closed before the response: a read is retried', async () => {
    await using server = await failing(1, (response) => response.socket?.end());
    expect(await clientOf(server, new VirtualTime().options).crypto.networks()).toEqual(networks.networks);
    expect(server.received).toHaveLength(2);
  });

  it('T3 closed before the response: a create is sent once', async () => {
    await using server = await failing(1, (response) => response.socket?.end());
    expect((await failureOf(clientOf(server).payments.create(paymentRequest))).outcome).toBe('unknown');
    expect(server.received).toHaveLength(1);
  });

  const cutShort = (response: import('node:http').ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"networks":[');
    setImmediate(() => response.socket?.resetAndDestroy());
  };

  it('T4 reset in the middle of a 2xx: a read is retried', async () => {
    await using server = await failing(1, cutShort);
    expect(await clientOf(server, new VirtualTime().options).crypto.networks()).toEqual(networks.networks);
  });

  it('T4 reset in the middle of a 2xx: a create was applied, and is sent once', async () => {
    await using server = await failing(1, cutShort);
    const error = await failureOf(clientOf(server).payments.create(paymentRequest));
    expect(error.outcome).toBe('applied');
    expect(server.received).toHaveLength(1);
  });

  it('T5 content-length longer than the body: a read is retried', async () => {
    await using server = await failing(1, (response) => {
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
        .write('{"networks":[]}');
      setImmediate(() => response.socket?.end());
    });
    expect(await clientOf(server, new VirtualTime().options).crypto.networks()).toEqual(networks.networks);
    expect(server.received).toHaveLength(2);
  });

  it('T6 reset in the middle of a 5xx: the status is reported, without a body', async () => {
    await using server = await failing(1, (response) => {
      response.writeHead(500, { 'content-type': 'application/json' }).write('{"code":');
      setImmediate(() => response.socket?.resetAndDestroy());
    });
    const error = await failureOf(clientOf(server).payments.create(paymentRequest));
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({ status: 500, body: undefined, outcome: 'unknown' });
  });

  it('T7 idle connections closed just as a request leaves: reads succeed, a create is never sent twice', async () => {
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
