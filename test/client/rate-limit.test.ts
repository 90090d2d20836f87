import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Corridor, type RateLimit, type ThrottleEvent } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { ExportFixture, plainSettings } from '../workflows/export/export-fixture.ts';

/** Sends requests at once, and returns when the platform received each, in milliseconds after the first. */
async function sentAt(rateLimit: RateLimit, count: number): Promise<number[]> {
  const fixture = new ExportFixture();
  const times: number[] = [];
  fixture.respondWith = () => void times.push(fixture.time.now());
  const client = fixture.client({ rateLimit });
  await fixture.time.run(() => Promise.all(Array.from({ length: count }, () => client.payments.list({ limit: 1 }))));
  return times.map((time) => time - (times[0] ?? 0));
}

describe('the rate limit of a client', () => {
  test('spreads requests evenly', async () => {
    expect(await sentAt({ requests: 4, per: { seconds: 1 } }, 5)).toEqual([0, 250, 500, 750, 1_000]);
  });

  test('lets a burst through at once', async () => {
    expect(await sentAt({ requests: 60, per: { minutes: 1 }, burst: 3 }, 5)).toEqual([0, 0, 0, 1_000, 2_000]);
  });

  test('is lowered by 429, reported to hooks and the logger, and returns to its value', async () => {
    const fixture = new ExportFixture();
    const events: ThrottleEvent[] = [];
    const lines: string[] = [];
    const times: number[] = [];
    fixture.respondWith = (index) => {
      times.push(fixture.time.now());
      return index === 1 ? new Response(null, { status: 429, headers: { 'retry-after': '5' } }) : undefined;
    };
    const client = fixture.client({
      rateLimit: { requests: 2, per: { seconds: 1 } },
      hooks: { onThrottle: (event) => events.push(event) },
      logger: { debug: () => {}, warn: (message) => lines.push(message), error: () => {} },
    });
    const read = (): PromiseLike<unknown> => client.payments.list({ limit: 1 });
    await fixture.time.run(async () => {
      await read();
      await Promise.all([read(), read(), read()]);
      await fixture.time.wait(60_000);
      await Promise.all([read(), read()]);
    });
    expect(lines).toContainEqual(
      expect.stringMatching(
        /^payments\.list \(GET .*\), attempt 1: 429, lowering the rate to 1\.00 requests per second$/,
      ),
    );
    expect(events).toMatchObject([{ type: 'throttle', endpoint: 'payments.list', attempt: 1, requestsPerSecond: 1 }]);
    const delays = times.map((time, index) => time - (times[index - 1] ?? time));
    // The third request was on its way; the others wait for the platform, and are slower for some time.
    expect(Math.max(...delays.slice(2, 4))).toBeGreaterThan(4_000);
    expect(delays[5]).toBeGreaterThan(600);
    expect(delays.at(-1)).toBe(500);
  });

  /**
   * Sends requests at once, whose responses are 429 with these delays, then further ones. Returns when the platform
   * received the first of these, in milliseconds after the last 429.
   */
  async function resumedAfter(...delays: readonly string[]): Promise<number> {
    const fixture = new ExportFixture();
    const times: number[] = [];
    fixture.respondWith = (index) => {
      times.push(fixture.time.now());
      const delay = delays[index];
      return delay === undefined ? undefined : new Response(null, { status: 429, headers: { 'retry-after': delay } });
    };
    const rateLimit = { requests: 1_000, per: { seconds: 1 }, burst: delays.length };
    const client = fixture.client({ rateLimit, maxRetries: 0 });
    const read = (): PromiseLike<unknown> => client.payments.list({ limit: 1 });
    await fixture.time.run(async () => {
      await Promise.allSettled(delays.map(read));
      await read();
    });
    return (times.at(-1) ?? 0) - (times.at(-2) ?? 0) - fixture.latency;
  }

  test.each([
    ['as long as it says', ['59'], 59_000],
    ['for a minute', ['60'], 60_000],
    ['for a minute at most', ['61'], 60_000],
    ['for a minute at most, whatever it says', ['99999999999'], 60_000],
    ['no shorter because of a later one', ['40', '1'], 40_000],
    ['longer because of a later one', ['1', '40'], 40_000],
  ])('stops after a 429 %s', async (_, delays, duration) => {
    // At half the rate, a request may be sent every 2 ms.
    expect(await resumedAfter(...delays)).toBe(duration + 2);
  });

  test('grows back in equal steps, and is halved from where it is', async () => {
    const fixture = new ExportFixture();
    fixture.latency = 0;
    fixture.respondWith = (index) => (index < 2 ? new Response(null, { status: 429 }) : undefined);
    const rates: number[] = [];
    const client = fixture.client({
      rateLimit: { requests: 2, per: { seconds: 1 } },
      maxRetries: 0,
      hooks: { onThrottle: ({ requestsPerSecond }) => rates.push(requestsPerSecond) },
    });
    await fixture.time.run(async () => {
      await Promise.allSettled([client.payments.list()]);
      await fixture.time.wait(15_000);
      await Promise.allSettled([client.payments.list()]);
    });
    expect(rates).toEqual([1, (1 + 2 / 4) / 2]);
  });

  test('is lowered once by requests that were sent together', async () => {
    const fixture = new ExportFixture();
    fixture.respondWith = () => {
      fixture.latency += 1;
      return new Response(null, { status: 429 });
    };
    const rates: number[] = [];
    const client = fixture.client({
      rateLimit: { requests: 4, per: { seconds: 1 }, burst: 3 },
      maxRetries: 0,
      hooks: { onThrottle: ({ requestsPerSecond }) => rates.push(requestsPerSecond) },
    });
    const read = async (): Promise<unknown> => client.payments.list().catch(() => {});
    await fixture.time.run(() =>
      Promise.all([read(), fixture.time.wait(1).then(read), fixture.time.wait(2).then(read)]),
    );
    expect(rates).toEqual([2]);
  });

  test('stops also after a late 429 to a request that was sent before the rate was lowered', async () => {
    const fixture = new ExportFixture();
    const times: number[] = [];
    const responses = [
      { latency: 5_000, delay: '10' },
      { latency: 20, delay: '1' },
    ];
    const client = fixture.client({
      rateLimit: { requests: 100, per: { seconds: 1 }, burst: 2 },
      maxRetries: 0,
      fetch: async () => {
        times.push(fixture.time.now());
        const { latency, delay } = responses.shift() ?? { latency: 20, delay: '1' };
        await fixture.time.wait(latency);
        return new Response(null, { status: 429, headers: { 'retry-after': delay } });
      },
    });
    const read = async (): Promise<unknown> => client.payments.list().catch(() => {});
    await fixture.time.run(async () => {
      await Promise.all([read(), read()]);
      await read();
    });
    expect(times.map((time) => time - (times[0] ?? 0))).toEqual([0, 0, 15_000]);
  });

  test('still sends the calls that wait after one that was aborted, and later ones', async () => {
    const fixture = new ExportFixture();
    const client = fixture.client({ rateLimit: { requests: 1, per: { seconds: 1 } } });
    const controller = new AbortController();
    await fixture.time.run(async () => {
      await client.payments.list();
      const aborted = client.payments.list({}, { signal: controller.signal }).catch(() => {});
      const other = client.payments.list().then(({ items }) => items);
      await fixture.time.wait(100);
      controller.abort();
      await aborted;
      await other;
      const last = new AbortController();
      const alone = client.payments.list({}, { signal: last.signal }).catch(() => {});
      await fixture.time.wait(100);
      last.abort();
      await alone;
      await client.payments.list();
    });
    expect(fixture.requests).toHaveLength(3);
  });

  test('and the limit of concurrent requests let other requests go before those of an export', async () => {
    const fixture = new ExportFixture({ ...plainSettings, pageSize: 1 });
    for (let index = 0; index < 30; index += 1) fixture.add(Date.parse('2026-01-01T00:00:00Z') + index * 60_000);
    const endpoints: string[] = [];
    const options = { concurrency: 2, rateLimit: { requests: 1, per: { seconds: 1 } } };
    const client = fixture.client({ ...options, hooks: { onRequest: ({ endpoint }) => endpoints.push(endpoint) } });
    await fixture.time.run(async () => {
      const pages = client.payments.export({ createdTo: '2026-02-01T00:00:00Z' }, { concurrency: 8 }).pages();
      await pages.next();
      await Promise.all([pages.next(), client.crypto.networks(), client.crypto.networks()]);
      await pages.return();
    });
    const first = endpoints.indexOf('crypto.networks');
    // Requests of the export that already had their turn are sent first.
    expect(first).toBeLessThanOrEqual(4);
    expect(endpoints.slice(first, first + 2)).toEqual(['crypto.networks', 'crypto.networks']);
  });

  test('leaves no timer behind when the last waiting call has given up', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const corridor = new Corridor({
      baseUrl: 'https://platform.example',
      apiKey: 'key-1234567890',
      signer: async () => new Uint8Array(256),
      rateLimit: { requests: 10, per: { seconds: 1 } },
      maxRetries: 0,
      totalTimeout: 300,
      fetch: async () => new Response('{}', { status: 429, headers: { 'retry-after': '8' } }),
    });
    const outcome = async (): Promise<unknown> =>
      corridor.crypto.networks().catch((error: unknown) => (error as Error).name);
    const outcomes = Promise.all([outcome(), outcome(), outcome()]);
    await vi.advanceTimersByTimeAsync(400);
    expect(await outcomes).toEqual(['RateLimitError', 'TimeoutError', 'TimeoutError']);
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([
    [{ requests: 0, per: { seconds: 1 } }, 'rateLimit.requests must be an integer of at least 1'],
    [{ requests: 1, per: {} }, 'rateLimit.per must be a duration'],
    [{ requests: 1, per: { weeks: 1 } }, 'rateLimit.per.weeks is not a known field'],
    [{ requests: 1, per: { seconds: 1 }, burst: 0.5 }, 'rateLimit.burst must be an integer of at least 1'],
    [{ requests: 1, per: { seconds: 1 }, window: 5 }, 'rateLimit.window is not a known field'],
  ])('rejects %o', (rateLimit, message) => {
    const options = createMockPlatform().clientOptions();
    expect(() => new Corridor({ ...options, rateLimit: rateLimit as RateLimit })).toThrow(message);
  });
});

test('a call that is aborted while it waits to retry leaves its place once', async () => {
  const fixture = new ExportFixture();
  let concurrent = 0;
  let most = 0;
  const client = fixture.client({
    concurrency: 1,
    fetch: async () => {
      most = Math.max(most, (concurrent += 1));
      await fixture.time.wait(20);
      concurrent -= 1;
      return new Response('{}', { status: 503, headers: { 'retry-after': '60' } });
    },
  });
  const controller = new AbortController();
  await fixture.time.run(async () => {
    const aborted = client.payments.list({}, { signal: controller.signal }).catch(() => {});
    await fixture.time.wait(100);
    controller.abort();
    await aborted;
    const calls = [1, 2, 3].map(async () => client.payments.list({}, { maxRetries: 0 }).catch(() => {}));
    await Promise.all(calls);
  });
  expect(most).toBe(1);
});

describe('an export after a 429', () => {
  /** Exports with requests of these durations, then a 429 and requests without one; returns when each was sent after it. */
  async function resumed(
    latencies: readonly number[],
    retryAfter: number,
    count: number,
    firstLatency = 0,
  ): Promise<number[]> {
    const fixture = new ExportFixture({ ...plainSettings, pageSize: 1 });
    for (let index = 0; index < 80; index += 1) fixture.add(Date.parse('2026-01-01T00:00:00Z') + index * 3_600_000);
    const times: number[] = [];
    fixture.latency = latencies[0] ?? 1;
    fixture.respondWith = (index) => {
      times.push(fixture.time.now());
      fixture.latency = latencies[index + 1] ?? (index === latencies.length ? firstLatency : 0);
      return index === latencies.length
        ? new Response(null, { status: 429, headers: { 'retry-after': String(retryAfter) } })
        : undefined;
    };
    const exported = fixture
      .client({ maxRetries: 0 })
      .payments.export({ createdTo: '2026-02-01T00:00:00Z', createdFrom: '2026-01-01T00:00:00Z' }, { concurrency: 1 });
    await fixture.time.run(async () => {
      for await (const _ of exported) if (times.length > latencies.length + count) break;
    });
    return times.slice(latencies.length + 1).map((time) => time - (times[latencies.length] ?? 0));
  }

  const fast = Array.from({ length: 20 }, () => 500);
  const slow = Array.from({ length: 10 }, () => 4_000);

  test.each([
    ['sends 95 % of the requests of the last ten seconds', [...slow, ...fast], 0, 21 / 10_000],
    ['sends 95 % of the requests since its start, if that is shorter', fast.slice(10), 0, 10 / 5_000],
    ['counts the time for which it stops', fast, 5, 11 / 10_000],
    ['sends at least one in ten seconds', fast, 60, 1 / 10_000],
  ])('%s', async (_, latencies, retryAfter, rate) => {
    const [first] = await resumed(latencies, retryAfter, 2);
    expect(first).toBe(retryAfter * 1_000 + Math.ceil(1 / (0.95 * rate)));
  });

  test('sends one request at once after a response that took long', async () => {
    const [first = 0, second = 0, third = 0] = await resumed(fast, 0, 3, 5_000);
    expect(second - first).toBe(0);
    expect(third - second).toBeGreaterThan(300);
  });

  test('sends ever more: ten times as many after a minute', async () => {
    const times = await resumed(slow, 0, 60);
    const sentIn = (from: number, to: number): number => times.filter((time) => time > from && time <= to).length;
    expect([sentIn(0, 30_000), sentIn(30_000, 60_000)]).toEqual([11, 44]);
  });
});
