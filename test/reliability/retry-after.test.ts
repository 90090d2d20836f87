import * as fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { RateLimitError } from 'corridor-sdk';
import { failureOf } from '../support/failure-of.ts';
import { clientOf, FaultServer, json, networks } from '../support/fault-server.ts';
import { InstantDelays } from '../support/instant-delays.ts';
import { scripted } from '../support/scripted-fetch.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

describe('Retry-After', () => {
  const asking = (value: string, date?: string, times = 1) =>
    new FaultServer((response, _received, number) => {
      if (date !== undefined) response.setHeader('date', date);
      if (number <= times) json(response, 429, {}, { 'retry-after': value });
      else json(response, 200, networks);
    }).listen();

  it('longer than maxRetryAfter is not waited for: the call throws at once', async () => {
    await using server = await asking('31', undefined, Number.POSITIVE_INFINITY);
    const time = new InstantDelays();
    const corridor = clientOf(server, { ...time.options, maxRetryAfter: 30_000 });
    const error = await failureOf(corridor.crypto.networks());
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ retryAfterMs: 31_000, attempts: [{ status: 429 }] });
    expect(time.delays).toEqual([]);
  });

  it('up to maxRetryAfter is waited for, never less', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    await using server = await asking('10');
    const time = new InstantDelays();
    await clientOf(server, { ...time.options, maxRetryAfter: 10_000 }).crypto.networks();
    expect(time.delays).toEqual([10_000]);
  });

  it('the maxRetryAfter of a call replaces that of the client', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    await using server = await asking('5');
    const time = new InstantDelays();
    const corridor = clientOf(server, { ...time.options, maxRetryAfter: 1_000 });
    await corridor.crypto.networks({ maxRetryAfter: 5_000 });
    expect(time.delays).toEqual([5_000]);
  });

  it.each(['waitForStatus', 'export', 'changes'] as const)(
    'ends %s if it is longer than maxRetryAfter',
    async (call) => {
      await using server = await asking('31', undefined, Number.POSITIVE_INFINITY);
      const time = new InstantDelays();
      const { payments } = clientOf(server, { ...time.options, maxRetryAfter: 30_000 });
      const error = await failureOf(
        call === 'waitForStatus'
          ? payments.waitForStatus('pay_1', { until: ['COMPLETED'], maxWait: 600_000 })
          : call === 'export'
            ? payments.export({ createdFrom: '2026-01-01T00:00Z' }).pages().next()
            : payments.changes().next(),
      );
      expect(error).toMatchObject({ name: 'RateLimitError', retryAfterMs: 31_000 });
      expect(time.delays).toEqual([]);
    },
  );

  it.each([
    ['ahead', -7_200],
    ['behind', 7_200],
  ])("as a date, and this machine's clock is two hours %s", async (_name, seconds) => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const time = new InstantDelays();
    const dateIn = (delay: number) => new Date(time.time + (seconds + delay) * 1000).toUTCString();
    await using server = await asking(dateIn(7), dateIn(0));
    await clientOf(server, time.options).crypto.networks();
    expect(time.delays).toEqual([7000]);
  });

  it.each([
    ['never earlier than requested', '1', 30_000, 0, 1_000],
    ['at most half as long again', '2', 30_000, 0.9999, 2_999],
    ['evenly in between', '2', 30_000, 0.5, 2_500],
    ['a fraction counts', '2.5', 30_000, 0, 2_500],
    ['at most 8 seconds later', '18', 60_000, 0.9999, 25_999],
    ['leaving half of the time that remains', '29', 30_000, 0.9999, 29_499],
  ])('in seconds, with jitter: %s', async (_rule, value, totalTimeout, random, delay) => {
    vi.spyOn(Math, 'random').mockReturnValue(random);
    await using server = await asking(value);
    const time = new InstantDelays();
    await clientOf(server, { ...time.options, totalTimeout }).crypto.networks();
    expect(time.delays).toEqual([delay]);
  });

  it('a hundred calls that were rejected together do not return together', async () => {
    await using server = await asking('10', undefined, Number.POSITIVE_INFINITY);
    const pauses: number[] = [];
    const sleep = async (milliseconds: number) => {
      if (milliseconds >= 30_000) return new Promise<void>(() => {});
      pauses.push(milliseconds);
    };
    const corridor = clientOf(server, { sleep, maxRetries: 1 });
    await Promise.allSettled(Array.from({ length: 100 }, () => corridor.crypto.networks()));
    expect(new Set(pauses.map((pause) => Math.floor(pause / 100))).size).toBeGreaterThan(20);
  });

  for (const value of ['abc', '-5', '', '120junk', '1e3', '30, 60', '2126-03-01', 'Sun, 30 Feb 2126 12:00:00 GMT']) {
    it(`${JSON.stringify(value)}: invalid, so the default delay`, async () => {
      await using server = await asking(value);
      vi.spyOn(Math, 'random').mockReturnValue(0.5);
      const time = new InstantDelays();
      await clientOf(server, time.options).crypto.networks();
      expect(time.delays).toEqual([100]);
    });
  }

  for (const value of ['86400', '9000000000000000']) {
    it(`${value}: longer than the total timeout, so the call rejects at once with the value`, async () => {
      await using server = await asking(value);
      const time = new InstantDelays();
      const error = await failureOf(clientOf(server, time.options).crypto.networks());
      expect(error).toMatchObject({ code: 'rate-limit', retryAfterMs: Number(value) * 1_000 });
      expect(time.delays).toEqual([]);
      expect(server.received).toHaveLength(1);
    });
  }
});

/** The formats of dates in HTTP, and what frameworks write. */
const formats: readonly ((date: Date) => string)[] = [
  (date) => date.toUTCString(),
  (date) => date.toUTCString().replace('GMT', 'UTC'),
  (date) => date.toUTCString().replace('GMT', '-0000'),
  (date) => date.toUTCString().replace(/(\w+), (\d+) (\w+) \d\d(\d\d)/, '$1day, $2-$3-$4'),
  (date) =>
    date
      .toUTCString()
      .replace(/(\w+), 0?(\d+) (\w+) (\d+) (.*) GMT/, (_, day, number, month, year, time) =>
        [day, month, number.padStart(2), time, year].join(' '),
      ),
];

it('dates are read alike in every time zone and format', async () => {
  const zones = Intl.supportedValuesOf('timeZone');
  const second = fc.integer({ min: 1e9, max: 4e9 });
  const cases = fc.record({
    time: second,
    delay: fc.integer({ min: 0, max: 1e7 }),
    format: fc.constantFrom(...formats),
  });
  for (const [index, { time, delay, format }] of fc.sample(cases, zones.length).entries()) {
    vi.stubEnv('TZ', zones[index]);
    const [now, later] = [new Date(time * 1000), new Date((time + delay) * 1000)];
    // Each with a date in the usual format, so that two mistakes do not make up for each other.
    for (const [date, retryAfter] of [
      [format(now), later.toUTCString()],
      [now.toUTCString(), format(later)],
    ] as const) {
      const response = () => Response.json({}, { status: 429, headers: { date, 'retry-after': retryAfter } });
      const { corridor } = scripted(response, { maxRetries: 0, now: () => (time - 3_600) * 1000 });
      const error = await failureOf(corridor.crypto.networks());
      expect(error, `${date}, ${retryAfter} in ${zones[index]}`).toMatchObject({ retryAfterMs: delay * 1_000 });
    }
  }
});
