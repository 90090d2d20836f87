import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { AbortedError, Corridor, TimeoutError, type CorridorError } from 'corridor-sdk';
import { clientOf, FaultServer, json, networks, paymentRequest } from './fault-server.js';
import { VirtualTime } from './virtual-time.js';

const failureOf = (call: Promise<unknown>): Promise<CorridorError> => call.then(() => expect.unreachable('the call should fail'), (error: CorridorError) => error);

// Ten times the promise of 50 ms.
const soon = 500;

/** Aborts a call once something has happened, and gives its error and how long it took to end. */
async function abortWhen(ready: () => boolean | Promise<boolean>, start: (signal: AbortSignal) => Promise<unknown>): Promise<{ error: CorridorError; took: number }> {
  const controller = new AbortController();
  const failure = failureOf(start(controller.signal));
  await expect.poll(ready, { interval: 2 }).toBe(true);
  const began = performance.now();
  controller.abort(new Error('the caller left'));
  const error = await failure;
  const took = performance.now() - began;
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  return { error, took };
}

const hanging = () => new FaultServer(() => {}).listen();

describe('an abort', () => {
  it('A1 before sending: nothing is sent', async () => {
    await using server = await hanging();
    const error = await failureOf(clientOf(server).crypto.networks({ signal: AbortSignal.abort('no') }));
    expect(error).toBeInstanceOf(AbortedError);
    expect(error).toMatchObject({ outcome: 'not-sent', cause: 'no' });
    expect(server.received).toHaveLength(0);
  });

  it('A1 while signing: nothing is sent, then or later', async () => {
    await using server = await hanging();
    let asked = false;
    let sign = (_signature: Uint8Array): void => {};
    const signer = () => {
      asked = true;
      return new Promise<Uint8Array>((resolve) => (sign = resolve));
    };
    const corridor = new Corridor({ baseUrl: server.url, apiKey: 'key_for_tests', signer });
    const { error, took } = await abortWhen(() => asked, (signal) => corridor.payments.create(paymentRequest, { signal }));
    expect(error).toMatchObject({ code: 'aborted', outcome: 'not-sent' });
    expect(took).toBeLessThan(soon);
    sign(new Uint8Array(256));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(server.received).toHaveLength(0);
  });

  it('A1 while waiting for the answer: ends at once, with the caller\'s reason', async () => {
    await using server = await hanging();
    const { error, took } = await abortWhen(() => server.received.length === 1, (signal) => clientOf(server).crypto.networks({ signal }));
    expect(error).toMatchObject({ code: 'aborted', cause: { message: 'the caller left' } });
    expect(took).toBeLessThan(soon);
  });

  it('A1 while reading the body: ends at once', async () => {
    await using server = await new FaultServer((response) => response.writeHead(200, { 'content-type': 'application/json' }).write('{')).listen();
    const { error, took } = await abortWhen(() => server.received.length === 1, (signal) => clientOf(server).crypto.networks({ signal }));
    expect(error.code).toBe('aborted');
    expect(took).toBeLessThan(soon);
  });

  it('A1 while reading an error body: ends at once', async () => {
    await using server = await new FaultServer((response) => response.writeHead(400, { 'content-type': 'application/json' }).write('{')).listen();
    let settled = false;
    const { error, took } = await abortWhen(async () => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return server.received.length === 1 && !settled;
    }, (signal) => clientOf(server).crypto.networks({ signal }));
    settled = true;
    expect(error).toMatchObject({ code: 'aborted', outcome: 'rejected' });
    expect(took).toBeLessThan(soon);
  });

  for (const [name, headers] of [['between two attempts', {}], ['during a Retry-After', { 'retry-after': '60' }]] as const) {
    it(`A1 ${name}: ends at once, and nothing more is sent`, async () => {
      await using server = await new FaultServer((response) => json(response, 503, {}, headers)).listen();
      let waiting = false;
      const corridor = clientOf(server, {
        wait: (_milliseconds, signal) => new Promise((resolve) => {
          waiting ||= server.received.length > 0;
          signal.addEventListener('abort', () => resolve());
        }),
      });
      const { error, took } = await abortWhen(() => waiting, (signal) => corridor.crypto.networks({ signal }));
      expect(error).toMatchObject({ code: 'aborted', attempts: [{ status: 503 }] });
      expect(took).toBeLessThan(soon);
      expect(server.received).toHaveLength(1);
    });
  }

  it('A1 while waiting for a turn: nothing is sent', async () => {
    await using server = await hanging();
    const corridor = clientOf(server, { concurrency: 1 });
    const first = new AbortController();
    const busy = failureOf(corridor.crypto.networks({ signal: first.signal }));
    const { error } = await abortWhen(() => server.received.length === 1, (signal) => corridor.crypto.networks({ signal }));
    expect(error).toMatchObject({ code: 'aborted', outcome: 'not-sent' });
    first.abort();
    await busy;
  });

  it('A2 of a create that was sent: its outcome is unknown, and it carries the intent', async () => {
    await using server = await hanging();
    const { error } = await abortWhen(() => server.received.length === 1, (signal) => clientOf(server).payments.create(paymentRequest, { signal }));
    expect(error).toMatchObject({ code: 'aborted', outcome: 'unknown', intent: { request: paymentRequest } });
  });

  it('A3 after the call has ended, or twice: no effect', async () => {
    await using server = await new FaultServer((response) => json(response, 200, networks)).listen();
    const controller = new AbortController();
    expect(await clientOf(server).crypto.networks({ signal: controller.signal })).toEqual(networks.networks);
    controller.abort();
    controller.abort();
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('A3 without a reason, or with a text: still an error of ours, with the reason kept', async () => {
    await using server = await hanging();
    expect(await failureOf(clientOf(server).crypto.networks({ signal: AbortSignal.abort() }))).toMatchObject({ code: 'aborted', cause: { name: 'AbortError' } });
    expect(await failureOf(clientOf(server).crypto.networks({ signal: AbortSignal.abort('text') }))).toMatchObject({ code: 'aborted', cause: 'text' });
  });

  it('A4 by AbortSignal.timeout is told from a timeout of ours by its class', async () => {
    await using server = await hanging();
    expect(await failureOf(clientOf(server).crypto.networks({ signal: AbortSignal.timeout(20) }))).toBeInstanceOf(AbortedError);
    expect(await failureOf(clientOf(server).crypto.networks({ timeout: 20, retries: 0 }))).toBeInstanceOf(TimeoutError);
  });
});

describe('the deadline', () => {
  it('covers all attempts and the pauses between: a pause that would not fit is not begun', async () => {
    await using server = await new FaultServer((response) => json(response, 503, {}, { 'retry-after': '4' })).listen();
    const time = new VirtualTime(10_000);
    const error = await failureOf(clientOf(server, { ...time.options, deadline: 10_000, timeout: 10_000, retries: 9 }).crypto.networks());
    expect(error).toMatchObject({ code: 'server', status: 503 });
    expect(time.pauses).toEqual([4000, 4000]);
    expect(server.received).toHaveLength(3);
  });

  it('covers signing', async () => {
    await using server = await hanging();
    const corridor = new Corridor({ baseUrl: server.url, apiKey: 'key_for_tests', signer: () => new Promise(() => {}), deadline: 50 });
    const error = await failureOf(corridor.payments.create(paymentRequest));
    expect(error).toMatchObject({ code: 'timeout', outcome: 'not-sent' });
    expect(error.message).toContain('within its deadline of 50 ms');
  });

  it('covers the body', async () => {
    await using server = await new FaultServer((response) => response.writeHead(200, { 'content-type': 'application/json' }).write('{')).listen();
    expect(await failureOf(clientOf(server, { deadline: 400 }).crypto.networks())).toMatchObject({ code: 'timeout', outcome: 'applied' });
  });

  it('holds where fetch itself never answers and knows no signal', async () => {
    const corridor = clientOf({ url: 'http://127.0.0.1:1' }, { fetch: () => new Promise(() => {}), deadline: 400 });
    expect(await failureOf(corridor.crypto.networks())).toMatchObject({ code: 'timeout', outcome: 'unknown' });
  });
});
