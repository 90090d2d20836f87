import { AsyncLocalStorage } from 'node:async_hooks';
import { spawn } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { CorridorError, type PaymentCreateIntent } from 'corridor-sdk';
import { connectionError, failureOf, FaultyPlatform, processed } from '../support/faulty-platform.ts';
import { clientOf, FaultServer, json, networks } from '../support/fault-server.ts';
import { sizes } from './sizes.ts';
// Sizes for seconds on an idle machine; a busy one may take longer.
const patience = { timeout: 1_800_000 };

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

async function exhaust(iterable: AsyncIterable<unknown>): Promise<void> {
  const iterator = iterable[Symbol.asyncIterator]();
  while ((await iterator.next()).done !== true);
}

/** Returns the heap size after garbage collection. */
function heapInUse(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

describe('resources of a client', patience, () => {
  it(`${sizes.callsOnOneSignal} calls on one signal leave no listener and no growing heap`, async () => {
    await using server = await new FaultServer((response) => json(response, 200, networks)).listen();
    const corridor = clientOf(server);
    const { signal } = new AbortController();
    const iterate = async (calls: number): Promise<void> => {
      for (let left = calls; left > 0; left -= 50) {
        await Promise.all(Array.from({ length: Math.min(50, left) }, () => corridor.crypto.networks({ signal })));
        server.received.length = 0;
      }
    };
    await iterate(500);
    const before = heapInUse();
    await iterate(sizes.callsOnOneSignal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    // Of 50,000 calls, as little as 200 bytes each would show.
    expect(heapInUse() - before).toBeLessThan(10 * 1024 * 1024);
  });

  it(`${sizes.failures} failures of all kinds: the number of sockets returns to its start`, async () => {
    // A request that gets no response exceeds its timeout as soon as the server has received it.
    const call = new AsyncLocalStorage<number>();
    const expire = new Map<number, () => void>();
    const timeout = 100;
    const sleep = (milliseconds: number, signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve());
        if (milliseconds === timeout) expire.set(call.getStore() ?? 0, resolve);
      });
    await using server = await new FaultServer((response, { headers }, number) => {
      if (number % 5 === 4) expire.get(Number(headers['x-call']))?.();
      if (number % 5 === 0) response.socket?.resetAndDestroy();
      else if (number % 5 === 1) json(response, 500, {});
      else if (number % 5 === 2) response.writeHead(200).end('{');
      else if (number % 5 === 3) response.writeHead(200, { 'content-type': 'application/json' }).end('x'.repeat(5000));
    }).listen();
    // Far longer than the test waits: a socket that goes was let go of by the client.
    server.server.keepAliveTimeout = 1_200_000;
    const corridor = clientOf(server, { maxRetries: 0, timeout, sleep, maxResponseBytes: 1000 });
    const outcomes = new Set<string>();
    for (let number = 0; number < sizes.failures; number += 20) {
      await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          call.run(number + index, () =>
            corridor.crypto
              .networks({ headers: { 'x-call': String(number + index) } })
              .catch((error: unknown) => outcomes.add(error instanceof CorridorError ? error.code : 'foreign')),
          ),
        ),
      );
    }
    expect([...outcomes].sort()).toEqual(['connection', 'invalid-response', 'server', 'timeout']);
    // There is one socket for each of the 20 in flight; for an aborted one, the runtime's pool has a new one
    // ready.
    await expect.poll(() => server.sockets.size, { timeout: 60_000, interval: 200 }).toBeLessThanOrEqual(40);
  });

  it('a process ends by itself after its last call', async () => {
    const program = fileURLToPath(new URL('last-call.ts', import.meta.url));
    const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    child.stdout.on('data', (part: Buffer) => (printed += part.toString()));
    const code = await new Promise((resolve) => child.on('exit', resolve));
    expect(code).toBe(0);
    expect(printed).not.toBe('');
  });

  it('an unread response leaves nothing: a deletion with a body frees its socket', async () => {
    await using server = await new FaultServer((response) =>
      response.writeHead(200).end('x'.repeat(1_000_000)),
    ).listen();
    const corridor = clientOf(server);
    for (let number = 0; number < 50; number += 1) await corridor.documents.delete(`doc_${number}`);
    await expect.poll(() => server.sockets.size).toBeLessThanOrEqual(5);
  });

  it('calls of several requests leave no listener on their signal and no timer', async () => {
    const faulty = new FaultyPlatform().onCreate(processed(connectionError('ECONNRESET')));
    const timers = new Set<AbortSignal>();
    const sleep = async (milliseconds: number, stop: AbortSignal): Promise<void> => {
      timers.add(stop);
      await faulty.time.wait(milliseconds, stop);
      timers.delete(stop);
    };
    const { payments } = faulty.client({ sleep, rateLimit: { requests: 1, per: { seconds: 1 } }, concurrency: 1 });
    const { signal } = new AbortController();
    let intent: PaymentCreateIntent | undefined;
    const call = { signal, onIntent: (known: PaymentCreateIntent) => void (intent = known) };
    const payment = faulty.payable();
    const createdFrom = new Date(faulty.time.now());
    const calls: readonly (() => Promise<unknown>)[] = [
      () => Promise.all([payments.createOnce(payment, call), payments.createOnce(payment, call)]),
      () => payments.reconcile(intent as PaymentCreateIntent, { signal }),
      () => payments.reconcilePending({ signal }),
      () => payments.find({ paymentQuoteId: payment.paymentQuoteId, createdFrom }, { signal }),
      () => failureOf(payments.waitForStatus('pay_unknown', { until: ['COMPLETED'], maxWait: 9_000, signal })),
      () => exhaust(payments.changes({ since: createdFrom, once: true, onCheckpoint: () => {}, signal })),
      () => exhaust(payments.export({ createdFrom }, { onCheckpoint: () => {}, signal })),
    ];
    for (const [index, each] of calls.entries()) {
      await faulty.run(each);
      expect([index, getEventListeners(signal, 'abort').length, timers.size]).toEqual([index, 0, 0]);
    }
  });
});
