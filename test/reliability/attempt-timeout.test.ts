import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Corridor, type CorridorOptions } from 'corridor-sdk';
import { failureOf } from '../support/failure-of.ts';
import { unchecked } from '../support/scripted-fetch.ts';
import { VirtualTime, virtualOptions } from '../support/virtual-time.ts';
import { networks } from '../support/fault-server.ts';

const timeout = 100;
const aDayAhead = 'Mon, 02 Mar 2026 08:00:00 GMT';

const rejectedWith = (status: number, headers: Readonly<Record<string, string>> = {}) =>
  Response.json({}, { status, headers });

/** A body that never ends. */
const endless = (): ReadableStream => new ReadableStream({ pull: () => new Promise(() => {}) });

/** A client on virtual time. Its first request gets a response of its own, and the second one waits for `latency`. */
function clientOf(
  first: () => Response | Promise<Response>,
  options: CorridorOptions,
  latency = 0,
): { readonly corridor: Corridor; readonly time: VirtualTime } {
  const time = new VirtualTime();
  let count = 0;
  const fetch = async (): Promise<Response> => {
    count += 1;
    if (count === 1) return first();
    if (count === 2) await time.wait(latency);
    return Response.json(networks);
  };
  return { corridor: new Corridor({ ...unchecked, ...virtualOptions(time, fetch), timeout, ...options }), time };
}

beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0));
afterEach(() => vi.restoreAllMocks());

describe('the timeout of an attempt does not include', () => {
  const rateLimit = { requests: 1, per: { seconds: 10 } };

  it.each<readonly [string, () => Response | Promise<Response>, number]>([
    ['a 429 with Retry-After: 0', () => rejectedWith(429, { 'retry-after': '0' }), 20_000],
    ['a 401 because of clock skew', () => rejectedWith(401, { date: aDayAhead }), 10_000],
    ['a 503 without a delay', () => rejectedWith(503), 10_000],
    ['a 503 whose body never ends', () => new Response(endless(), { status: 503 }), 10_000],
    ['a timeout', () => new Promise(() => {}), 10_000],
  ])('the wait for the rate limit after %s', async (_name, first, duration) => {
    const { corridor, time } = clientOf(first, { rateLimit });
    const started = time.now();
    expect(await time.run(() => corridor.crypto.networks())).toEqual(networks.networks);
    expect(time.now() - started).toBe(duration);
  });

  it('the delay before a retry', async () => {
    vi.mocked(Math.random).mockReturnValue(1);
    const { corridor, time } = clientOf(() => rejectedWith(503), {});
    const started = time.now();
    expect(await time.run(() => corridor.crypto.networks())).toEqual(networks.networks);
    expect(time.now() - started).toBe(2 * timeout);
  });

  it('the wait for another call, which has taken its turn meanwhile', async () => {
    vi.mocked(Math.random).mockReturnValue(0.01);
    const { corridor, time } = clientOf(() => rejectedWith(503), { concurrency: 1 }, 5_000);
    const started = time.now();
    await time.run(() => Promise.all([corridor.crypto.networks(), corridor.crypto.networks({ timeout: 9_000 })]));
    expect(time.now() - started).toBe(5_000);
  });
});

it('the total timeout that elapses in an attempt ends the call', async () => {
  const endless401 = () => new Response(endless(), { status: 401, headers: { date: aDayAhead } });
  // Without the hooks of virtual time, which wait for the second request.
  const { corridor, time } = clientOf(endless401, { totalTimeout: timeout - 1, hooks: {} });
  const error = await time.run(() => failureOf(corridor.crypto.networks()));
  expect(error.message).toContain('exceeded its totalTimeout of 99 ms');
  expect(error.attempts).toMatchObject([{ status: 401 }, { errorType: 'total-timeout' }]);
});
