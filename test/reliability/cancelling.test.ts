import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { AbortedError, Corridor, TimeoutError, type CorridorError } from 'corridor-sdk';
import { failureOf } from '../support/failure-of.ts';
import { scripted } from '../support/scripted-fetch.ts';
import { clientOf, FaultServer, json, networks, paymentRequest } from '../support/fault-server.ts';
import { ManualTimeout } from './manual-timeout.ts';
import { InstantDelays } from '../support/instant-delays.ts';

afterEach(() => vi.restoreAllMocks());

/** Aborts a call after a condition is met, and returns its error. Nothing but the abort ends the call. */
async function abortWhen(
  ready: () => boolean | Promise<boolean>,
  start: (signal: AbortSignal) => Promise<unknown>,
): Promise<CorridorError> {
  const controller = new AbortController();
  const failure = failureOf(start(controller.signal));
  await expect.poll(ready, { interval: 2 }).toBe(true);
  controller.abort(new Error('the caller left'));
  const error = await failure;
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  return error;
}

/** Timeouts and delays that never end. */
const sleep = (): Promise<void> => new Promise(() => {});

const hanging = () => new FaultServer(() => {}).listen();

describe('an abort', () => {
  it('while signing: nothing is sent, then or later', async () => {
    await using server = await hanging();
    let requested = false;
    let sign = (_signature: Uint8Array): void => {};
    const signer = () => {
      requested = true;
      return new Promise<Uint8Array>((resolve) => (sign = resolve));
    };
    const corridor = new Corridor({ baseUrl: server.url, apiKey: 'key_for_tests', signer, sleep });
    const error = await abortWhen(
      () => requested,
      (signal) => corridor.payments.create(paymentRequest, { signal }),
    );
    expect(error).toMatchObject({ code: 'aborted', outcome: 'not-sent' });
    sign(new Uint8Array(256));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(server.received).toHaveLength(0);
  });

  it("while waiting for the response: ends at once, with the caller's reason", async () => {
    await using server = await hanging();
    const error = await abortWhen(
      () => server.received.length === 1,
      (signal) => clientOf(server, { sleep }).crypto.networks({ signal }),
    );
    expect(error).toMatchObject({ code: 'aborted', cause: { message: 'the caller left' } });
  });

  it('while reading the body: ends at once', async () => {
    await using server = await new FaultServer((response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).write('{'),
    ).listen();
    const timeout = new ManualTimeout();
    const error = await abortWhen(
      () => timeout.isReading(),
      (signal) => clientOf(server, timeout.options).crypto.networks({ signal }),
    );
    expect(error).toMatchObject({ code: 'aborted', outcome: 'applied' });
  });

  it('while reading an error body: ends at once', async () => {
    await using server = await new FaultServer((response) =>
      response.writeHead(400, { 'content-type': 'application/json' }).write('{'),
    ).listen();
    const timeout = new ManualTimeout();
    const error = await abortWhen(
      () => timeout.isReading(),
      (signal) => clientOf(server, timeout.options).crypto.networks({ signal }),
    );
    expect(error).toMatchObject({ code: 'aborted', outcome: 'rejected' });
  });

  for (const [name, headers] of [
    ['between two attempts', {}],
    ['during a Retry-After', { 'retry-after': '60' }],
  ] as const) {
    it(`${name}: ends at once, and nothing else is sent`, async () => {
      await using server = await new FaultServer((response) => json(response, 503, {}, headers)).listen();
      let waiting = false;
      const corridor = clientOf(server, {
        sleep: (_milliseconds, signal) =>
          new Promise((resolve) => {
            waiting ||= server.received.length > 0;
            signal.addEventListener('abort', () => resolve());
          }),
      });
      const error = await abortWhen(
        () => waiting,
        (signal) => corridor.crypto.networks({ signal }),
      );
      expect(error).toMatchObject({ code: 'aborted', attempts: [{ status: 503 }] });
      expect(server.received).toHaveLength(1);
    });
  }

  it('while waiting for a permit: nothing is sent', async () => {
    await using server = await hanging();
    const corridor = clientOf(server, { sleep, concurrency: 1 });
    const first = new AbortController();
    const busy = failureOf(corridor.crypto.networks({ signal: first.signal }));
    const error = await abortWhen(
      () => server.received.length === 1,
      (signal) => corridor.crypto.networks({ signal }),
    );
    expect(error).toMatchObject({ code: 'aborted', outcome: 'not-sent' });
    first.abort();
    await busy;
  });

  it('of calls that wait for a permit: no more requests than permits are sent', async () => {
    let active = 0;
    let most = 0;
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    const { corridor } = scripted(
      async () => {
        active += 1;
        most = Math.max(most, active);
        await ended;
        active -= 1;
        return networks;
      },
      { concurrency: 2 },
    );
    const call = (signal?: AbortSignal) =>
      corridor.crypto.networks({ signal }).then(
        () => 'done',
        () => 'aborted',
      );
    const running = [call(), call()];
    const controller = new AbortController();
    const leaving = [call(controller.signal), call(controller.signal), call(controller.signal)];
    await expect.poll(() => active).toBe(2);
    controller.abort();
    const ends = await Promise.all(leaving);
    const later = [call(), call(), call()];
    await new Promise(setImmediate);
    end();
    expect([...ends, ...(await Promise.all([...running, ...later]))]).toEqual([
      ...Array.from({ length: 3 }).fill('aborted'),
      ...Array.from({ length: 5 }).fill('done'),
    ]);
    expect(most).toBe(2);
  });

  it('of a create that was sent: its outcome is unknown, and the error has the intent', async () => {
    await using server = await hanging();
    const error = await abortWhen(
      () => server.received.length === 1,
      (signal) => clientOf(server, { sleep }).payments.create(paymentRequest, { signal }),
    );
    expect(error).toMatchObject({ code: 'aborted', outcome: 'unknown', intent: { request: paymentRequest } });
  });

  it('after the call has ended, or twice: no effect', async () => {
    await using server = await new FaultServer((response) => json(response, 200, networks)).listen();
    const controller = new AbortController();
    expect(await clientOf(server).crypto.networks({ signal: controller.signal })).toEqual(networks.networks);
    controller.abort();
    controller.abort();
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('without a reason, or with a string: still an AbortedError, with the reason as cause', async () => {
    await using server = await hanging();
    expect(await failureOf(clientOf(server).crypto.networks({ signal: AbortSignal.abort() }))).toMatchObject({
      code: 'aborted',
      cause: { name: 'AbortError' },
    });
    expect(await failureOf(clientOf(server).crypto.networks({ signal: AbortSignal.abort('text') }))).toMatchObject({
      code: 'aborted',
      cause: 'text',
    });
  });

  it('by AbortSignal.timeout has another class than a timeout of the client', async () => {
    await using server = await hanging();
    expect(await failureOf(clientOf(server).crypto.networks({ signal: AbortSignal.timeout(20) }))).toBeInstanceOf(
      AbortedError,
    );
    expect(await failureOf(clientOf(server).crypto.networks({ timeout: 20, maxRetries: 0 }))).toBeInstanceOf(
      TimeoutError,
    );
  });
});

describe('the total timeout', () => {
  it('covers all attempts and delays: a delay that is too long for it does not start', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    await using server = await new FaultServer((response) => json(response, 503, {}, { 'retry-after': '4' })).listen();
    const time = new InstantDelays(10_000);
    const error = await failureOf(
      clientOf(server, { ...time.options, totalTimeout: 10_000, timeout: 10_000, maxRetries: 9 }).crypto.networks(),
    );
    expect(error).toMatchObject({ code: 'server', status: 503 });
    expect(time.delays).toEqual([4000, 4000]);
    expect(server.received).toHaveLength(3);
  });

  it('covers signing', async () => {
    await using server = await hanging();
    const corridor = new Corridor({
      baseUrl: server.url,
      apiKey: 'key_for_tests',
      signer: () => new Promise(() => {}),
      totalTimeout: 50,
    });
    const error = await failureOf(corridor.payments.create(paymentRequest));
    expect(error).toMatchObject({ code: 'timeout', outcome: 'not-sent' });
    expect(error.message).toContain('exceeded its totalTimeout of 50 ms');
  });

  it('covers the body', async () => {
    await using server = await new FaultServer((response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).write('{'),
    ).listen();
    const timeout = new ManualTimeout('totalTimeout');
    const error = failureOf(clientOf(server, timeout.options).crypto.networks());
    await expect.poll(() => timeout.isReading(), { interval: 2 }).toBe(true);
    timeout.elapse();
    expect(await error).toMatchObject({ code: 'timeout', outcome: 'applied' });
  });

  it('applies to a fetch that never settles and ignores its signal', async () => {
    const timeout = new ManualTimeout('totalTimeout');
    const fetch = () => {
      timeout.elapse();
      return new Promise<never>(() => {});
    };
    const corridor = clientOf({ url: 'http://127.0.0.1:1' }, { ...timeout.options, fetch });
    expect(await failureOf(corridor.crypto.networks())).toMatchObject({ code: 'timeout', outcome: 'unknown' });
  });
});
