import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { NotFoundError, type CorridorOptions } from 'corridor-sdk';
import { paymentRequest } from '../support/fault-server.ts';
import { InstantDelays } from '../support/instant-delays.ts';
import { failureOf } from '../support/failure-of.ts';
import { scripted, type Scripted } from '../support/scripted-fetch.ts';

afterEach(() => vi.restoreAllMocks());

/** A client whose n-th request gets the n-th status, or the last one; 200 is a list of networks. */
function responding(statuses: readonly number[], options: CorridorOptions = {}): Scripted {
  return scripted(
    (_, index) => {
      const status = statuses[Math.min(index, statuses.length - 1)] ?? 200;
      return status === 200 ? { networks: [] } : new Response('{}', { status });
    },
    { ...new InstantDelays().options, ...options },
  );
}

describe('the delays of retries', () => {
  test('double, up to eight seconds', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1);
    const { corridor } = responding([503], { maxRetries: 8, totalTimeout: 60_000 });
    const { attempts } = await failureOf(corridor.crypto.networks());
    expect(attempts.map(({ delay }) => delay)).toEqual([0, 200, 400, 800, 1_600, 3_200, 6_400, 8_000, 8_000]);
  });

  test('are a random part of that', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.25);
    const { corridor } = responding([503]);
    const { attempts } = await failureOf(corridor.crypto.networks());
    expect(attempts.map(({ delay }) => delay)).toEqual([0, 50, 100]);
  });

  test('end before the total timeout', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1);
    const options = { ...new InstantDelays(1_000).options, maxRetries: 5, totalTimeout: 1_400 };
    const { corridor } = responding([503], options);
    const { attempts } = await failureOf(corridor.crypto.networks());
    expect(attempts.map(({ delay }) => delay)).toEqual([0, 200, 400]);
  });
});

describe('the retries of a client', () => {
  const callAll = async ({ corridor, sent }: Scripted, count: number): Promise<number> => {
    const before = sent.length;
    for (let index = 0; index < count; index += 1) await corridor.crypto.networks().catch(() => {});
    return sent.length - before - count;
  };

  test.each([
    [503, 50],
    [429, 100],
  ])('are limited if every call fails with %i: to %i', async (status, retries) => {
    expect(await callAll(responding([status]), 120)).toBe(retries);
  });

  test('that lead to success cost nothing', async () => {
    const statuses = Array.from({ length: 60 }, () => [503, 200]).flat();
    expect(await callAll(responding(statuses, { maxRetries: 1 }), 60)).toBe(60);
  });

  test('are paid back by calls without retries, one tenth each, and never more than were spent', async () => {
    const statuses = [...Array.from({ length: 20 }, () => 200), ...Array.from({ length: 110 }, () => 503)];
    const paidBack = [...statuses, ...Array.from({ length: 19 }, () => 200), 503];
    const client = responding(paidBack, { maxRetries: 1 });
    expect(await callAll(client, 20)).toBe(0);
    expect(await callAll(client, 60)).toBe(50);
    expect(await callAll(client, 19)).toBe(0);
    expect(await callAll(client, 10)).toBe(1);
  });
});

describe('a call that waits to retry', () => {
  test('does not count towards concurrency meanwhile', async () => {
    const { promise: elapsed, resolve: elapse } = Promise.withResolvers<void>();
    const sleep = (milliseconds: number) => (milliseconds < 30_000 ? elapsed : new Promise<void>(() => {}));
    const { corridor, sent } = responding([429, 200], { concurrency: 1, sleep });
    const first = corridor.crypto.networks().withResponse();
    await corridor.crypto.networks();
    elapse();
    expect((await first).attempts.map(({ status }) => status)).toEqual([429, 200]);
    expect(sent).toHaveLength(3);
  });

  test('counts again when it retries', async () => {
    let [inFlight, most] = [0, 0];
    const options = { concurrency: 2, maxRetries: 100, ...new InstantDelays().options };
    const { corridor } = scripted(async (_, index) => {
      most = Math.max(most, (inFlight += 1));
      await new Promise((resolve) => setImmediate(resolve));
      inFlight -= 1;
      return index % 2 === 0 ? new Response('{}', { status: 503 }) : { networks: [] };
    }, options);
    await Promise.all(Array.from({ length: 40 }, () => corridor.crypto.networks()));
    expect(most).toBe(2);
  });

  test('can be aborted while it waits for its turn again', async () => {
    const controller = new AbortController();
    const { corridor } = scripted(
      (_, index) => {
        if (index === 0) return new Response('{}', { status: 503 });
        // The second call never ends, and the first waits behind it.
        setImmediate(() => controller.abort());
        return new Promise(() => {});
      },
      { concurrency: 1, ...new InstantDelays().options },
    );
    const first = failureOf(corridor.crypto.networks({ signal: controller.signal }).withResponse());
    const second = failureOf(corridor.crypto.networks({ signal: controller.signal }).withResponse());
    expect(await first).toMatchObject({ code: 'aborted', attempts: [{ status: 503 }] });
    expect(await second).toMatchObject({ code: 'aborted', attempts: [{ attempt: 1 }] });
  });
});

describe('the outcome of several attempts', () => {
  test('of a read is that of the last one', async () => {
    const { corridor } = responding([503, 503, 400]);
    expect(await failureOf(corridor.crypto.networks())).toMatchObject({ outcome: 'rejected', status: 400 });
  });

  test('of a change is the least certain one', async () => {
    const { corridor } = responding([503, 400]);
    expect(await failureOf(corridor.documents.delete('doc_1'))).toMatchObject({ outcome: 'unknown', status: 400 });
  });

  test('of a deletion is that it is done if nothing is found after one that may have been', async () => {
    const { corridor, sent } = responding([503, 404]);
    const { data, status, attempts } = await corridor.documents.delete('doc_1').withResponse();
    expect([data, status, attempts.length]).toEqual([undefined, 404, 2]);
    expect(sent).toHaveLength(2);
  });

  test('of a deletion is that nothing was found if no attempt before may have been done', async () => {
    const { corridor, sent } = responding([429, 404]);
    expect(await failureOf(corridor.documents.delete('doc_1'))).toBeInstanceOf(NotFoundError);
    expect(sent).toHaveLength(2);
  });

  test('of a read is that nothing was found, whatever happened before', async () => {
    expect(await failureOf(responding([503, 404]).corridor.crypto.networks())).toBeInstanceOf(NotFoundError);
  });
});

test('the events of a call have its id, and count its attempts', async () => {
  const events: { type: string; callId: string; attempt: number }[] = [];
  const record = (event: { type: string; callId: string; attempt: number }): void => void events.push(event);
  const hooks = { onRequest: record, onResponse: record, onRetry: record, onError: record };
  const { corridor } = responding([503], { maxRetries: 1, hooks });
  await failureOf(corridor.crypto.networks());
  expect(events.map(({ type, attempt }) => [type, attempt])).toEqual([
    ['request', 1],
    ['response', 1],
    ['retry', 1],
    ['request', 2],
    ['response', 2],
    ['error', 2],
  ]);
  expect(new Set(events.map(({ callId }) => callId)).size).toBe(1);
});

describe('a payment is sent once', () => {
  const sendings = async (status: number, options: CorridorOptions, headers: Record<string, string> = {}) => {
    const { corridor, sent } = scripted(() => new Response('{}', { status, headers }), {
      ...new InstantDelays().options,
      ...options,
    });
    await failureOf(corridor.payments.create(paymentRequest));
    return sent.length;
  };
  const anHourAgo = { date: new Date(new InstantDelays().time - 3_600_000).toUTCString() };

  test('if a temporary status that means rejected is not 429', async () => {
    expect(await sendings(503, { dialect: { rejectedStatuses: [503] } })).toBe(1);
  });

  test('if 429 does not mean rejected', async () => {
    expect(await sendings(429, { dialect: { rejectedStatuses: [400] } })).toBe(1);
  });

  test.each([
    ['again if the clock explains that its token was rejected', 401, [401], 2],
    ['but not if 401 does not mean rejected', 401, [400], 1],
    ['nor after another status', 403, [401, 403], 1],
  ])('%s', async (_, status, rejectedStatuses, count) => {
    expect(await sendings(status, { dialect: { rejectedStatuses } }, anHourAgo)).toBe(count);
  });
});

test.each([401, 429])('a change at an endpoint that the client does not know is sent once: %i', async (status) => {
  const headers = { date: new Date(new InstantDelays().time - 3_600_000).toUTCString() };
  const { corridor, sent } = scripted(() => new Response('{}', { status, headers }), new InstantDelays().options);
  await failureOf(corridor.request({ method: 'POST', path: '/v2/things', body: {} }));
  expect(sent).toHaveLength(1);
});

test('a call whose signal was aborted before starts no attempt, however many calls may run at once', async () => {
  const requests: string[] = [];
  const hooks = { onRequest: ({ endpoint }: { endpoint: string }) => void requests.push(endpoint) };
  const { corridor } = responding([200], { concurrency: Number.POSITIVE_INFINITY, hooks });
  const error = await failureOf(corridor.crypto.networks({ signal: AbortSignal.abort() }));
  expect(error).toMatchObject({ code: 'aborted', outcome: 'not-sent', attempts: [] });
  expect(requests).toEqual([]);
});

test('a call that has ended leaves no timer behind', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  await scripted(() => ({ networks: [] })).corridor.crypto.networks();
  expect(vi.getTimerCount()).toBe(0);
});

test('only a 429 lowers the rate of a client', async () => {
  const throttles: number[] = [];
  const hooks = { onThrottle: ({ attempt }: { attempt: number }) => void throttles.push(attempt) };
  const { corridor } = responding([503, 429, 400], { rateLimit: { requests: 100, per: { seconds: 1 } }, hooks });
  await failureOf(corridor.crypto.networks());
  expect(throttles).toEqual([2]);
});
