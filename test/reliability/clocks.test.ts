import { describe, expect, it } from 'vitest';
import { AuthenticationError, Corridor, type CorridorOptions } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { scripted } from '../support/scripted-fetch.ts';
import { failureOf } from '../support/failure-of.ts';
import { clientOf, FaultServer, json, networks, paymentRequest, type Received } from '../support/fault-server.ts';

const serverTime = Date.parse('2026-03-01T12:00:00Z');
// A token is issued 5 s earlier than it is signed.
const signedAt = ({ claims }: Received): number => Number(claims['iat']) + 5;
const lifetime = (received: Received): number => Number(received.claims['exp']) - signedAt(received);

/** A platform that accepts only tokens of its last minute and sends its time. */
const strictAboutTime = (
  date: string | undefined = new Date(serverTime).toUTCString(),
  headers: Readonly<Record<string, string>> = {},
) =>
  new FaultServer((response, received) => {
    if (date === undefined) response.sendDate = false;
    else response.setHeader('date', date);
    const age = serverTime / 1000 - signedAt(received);
    const fresh = age >= -5 && age <= 60;
    json(response, fresh ? 200 : 401, fresh ? networks : { code: 'token_time' }, headers);
  }).listen();

const clockOff = (seconds: number): CorridorOptions => ({ now: () => serverTime + seconds * 1000 });

describe('the local clock is wrong', () => {
  for (const minutes of [-10, 10]) {
    it(`by ${minutes} minutes: the token is signed again with the platform's time`, async () => {
      await using server = await strictAboutTime();
      const { attempts } = await clientOf(server, clockOff(minutes * 60))
        .crypto.networks()
        .withResponse();
      expect(attempts.map(({ status }) => status)).toEqual([401, 200]);
      expect(server.received.map(lifetime)).toEqual([60, 60]);
    });
  }

  it('and stays wrong: the correction is kept for later calls', async () => {
    await using server = await strictAboutTime();
    const corridor = clientOf(server, clockOff(-600));
    await corridor.crypto.networks();
    await corridor.crypto.networks();
    expect(server.received).toHaveLength(3);
  });

  it('and a create is rejected for it: signed again, because a 401 means that it was not processed', async () => {
    await using server = await strictAboutTime();
    await clientOf(server, clockOff(-600))
      .payments.create(paymentRequest)
      .catch(() => {});
    expect(server.received).toHaveLength(2);
  });

  it('only once: if the platform rejects it again, the error reports the clock difference', async () => {
    await using server = await new FaultServer((response) => {
      response.setHeader('date', new Date(serverTime).toUTCString());
      json(response, 401, {});
    }).listen();
    const error = await failureOf(clientOf(server, clockOff(-143)).crypto.networks());
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error.message).toContain("Set the clock of this machine, which is 143 s behind the platform's");
    expect(server.received).toHaveLength(2);
  });
});

describe('how far the local clock may differ', () => {
  /** Makes a call with the local clock so many seconds ahead, for each, and returns when the tokens were signed. */
  const issuedWith = async (...ahead: readonly number[]): Promise<readonly number[]> => {
    let seconds = 0;
    await using server = await new FaultServer((response) => {
      response.setHeader('date', new Date(serverTime).toUTCString());
      json(response, 200, networks);
    }).listen();
    const corridor = clientOf(server, { now: () => serverTime + seconds * 1000 });
    for (seconds of ahead) await corridor.crypto.networks();
    return server.received.map((received) => signedAt(received) - serverTime / 1000);
  };

  it('by less than the resolution of a Date header: nothing is corrected', async () => {
    expect(await issuedWith(1.5, 1.5)).toEqual([1, 1]);
  });

  it.each([2, -2])('by the resolution of a Date header, %i s: it is corrected', async (seconds) => {
    expect(await issuedWith(seconds, seconds)).toEqual([seconds, 0]);
  });

  it('by less than the correction can tell: the correction stays', async () => {
    expect(await issuedWith(60, 61, 61)).toEqual([60, 1, 1]);
  });

  it('no longer, because the local clock was set: the correction ends', async () => {
    expect(await issuedWith(60, 1, 1)).toEqual([60, -59, 1]);
  });

  it.each([
    [2, 2],
    [1, 1],
  ])('by %i s when a token is rejected: it is signed %i times', async (seconds, times) => {
    await using server = await new FaultServer((response) => {
      response.setHeader('date', new Date(serverTime).toUTCString());
      json(response, 401, {});
    }).listen();
    await failureOf(clientOf(server, clockOff(seconds)).crypto.networks());
    expect(server.received).toHaveLength(times);
  });

  it.each([
    [86_400, 2],
    [86_401, 1],
  ])('by %i s when a token is rejected: it is signed %i times', async (seconds, times) => {
    await using server = await strictAboutTime();
    await clientOf(server, clockOff(-seconds))
      .crypto.networks()
      .catch(() => {});
    expect(server.received).toHaveLength(times);
  });
});

describe('an export without an end, which needs the time of the platform', () => {
  const page = { items: [], nextCursor: null, hasMore: false };

  /** Exports no payments, each time after so many seconds of the local clock, and returns the limits of the requests. */
  const limitsOf = async (
    steps: readonly { readonly passed?: number; readonly date?: string | undefined }[],
  ): Promise<readonly (readonly (string | null)[])[]> => {
    let time = serverTime;
    let date: string | undefined;
    const { corridor, sent } = scripted(() => Response.json(page, { headers: date === undefined ? {} : { date } }), {
      now: () => time,
    });
    const limits: (string | null)[][] = [];
    for (const step of steps) {
      time += (step.passed ?? 0) * 1000;
      date = 'date' in step ? step.date : new Date(time).toUTCString();
      const first = sent.length;
      for await (const payment of corridor.payments.export({ createdFrom: '2026-01-01T00:00:00Z' }))
        expect.unreachable(`${payment.id} does not exist`);
      limits.push(sent.slice(first).map(({ url }) => url.searchParams.get('limit')));
    }
    return limits;
  };

  it('asks for it once', async () => {
    expect(await limitsOf([{}, {}])).toEqual([['1', '100'], ['100']]);
  });

  it.each([90, -90])('asks again after the local clock was set by %i s', async (passed) => {
    expect(await limitsOf([{}, { passed }])).toEqual([
      ['1', '100'],
      ['1', '100'],
    ]);
  });

  it('does not ask again after the local clock was set by half a minute', async () => {
    expect(await limitsOf([{}, { passed: 30 }, { passed: -30 }])).toEqual([['1', '100'], ['100'], ['100']]);
  });

  it('asks again if no response had a valid Date', async () => {
    expect(await limitsOf([{ date: undefined }, { date: 'yesterday' }, { date: undefined }])).toEqual([
      ['1', '100'],
      ['1', '100'],
      ['1', '100'],
    ]);
  });

  it('asks again after a response with an absurd Date', async () => {
    expect(await limitsOf([{}, { date: 'Sat, 01 Jan 2000 00:00:00 GMT' }, {}])).toEqual([
      ['1', '100'],
      ['100'],
      ['1', '100'],
    ]);
  });
});

describe('a response with an Age', () => {
  const responseOfAge = (age: string, seconds: number) =>
    strictAboutTime(new Date(serverTime - seconds * 1000).toUTCString(), { age });

  it.each([0, 1, 5])('of %i seconds: the time is its Date and its Age', async (age) => {
    await using server = await responseOfAge(String(age), age);
    await clientOf(server, clockOff(-600)).crypto.networks();
    expect(server.received.map(signedAt)).toEqual([serverTime / 1000 - 600, serverTime / 1000]);
  });

  it.each([
    ['6', 6],
    ['86400', 86_400],
    ['-1', 0],
    ['0.5', 0],
    ['0, 5', 0],
    ['', 0],
  ])('of %j: nothing is learned, because a cache may have replaced the Date', async (age, seconds) => {
    await using server = await responseOfAge(age, seconds);
    await failureOf(clientOf(server, clockOff(-600)).crypto.networks());
    expect(server.received).toHaveLength(1);
  });
});

describe('a Date header that cannot be trusted', () => {
  for (const [name, date, headers] of [
    ['missing', undefined, {}],
    ['garbage', 'yesterday', {}],
    ['of the year 2000', 'Sat, 01 Jan 2000 00:00:00 GMT', {}],
    ['out of a cache', new Date(serverTime).toUTCString(), { age: '30' }],
  ] as const) {
    it(`${name}: nothing is learned`, async () => {
      await using server = await new FaultServer((response) => {
        if (date === undefined) response.sendDate = false;
        else response.setHeader('date', date);
        json(response, 401, {}, headers);
      }).listen();
      await failureOf(clientOf(server, clockOff(-600)).crypto.networks());
      expect(server.received).toHaveLength(1);
      expect(server.received.map(lifetime)).toEqual([60]);
    });
  }
});

describe('a clock that jumps back', () => {
  it('does not extend the total timeout', async () => {
    await using server = await new FaultServer(() => {}).listen();
    let time = serverTime;
    const error = await failureOf(
      clientOf(server, {
        now: () => (time -= 3_600_000),
        totalTimeout: 60,
        timeout: 25,
        maxRetries: 9,
      }).crypto.networks(),
    );
    expect(error.code).toBe('timeout');
  });
});

describe('a platform that accepts no token of the future', () => {
  it.each([0.3, 1, 1.9, 1.999])('accepts every call of a client whose clock is %f s ahead', async (seconds) => {
    let now = serverTime;
    const platform = createMockPlatform({ clockTolerance: 0, now: () => now });
    const corridor = new Corridor({ ...platform.clientOptions(), now: () => now + seconds * 1000, maxRetries: 0 });
    // The Date of a response has whole seconds.
    for (let call = 0; call < 30; call += 1) {
      now += 333;
      const { attempts } = await corridor.crypto.networks().withResponse();
      expect(attempts).toHaveLength(1);
    }
  });

  it('rejects a token that was issued later than its clock', async () => {
    const platform = createMockPlatform({ clockTolerance: 0, now: () => serverTime });
    const claims = () => ({ iat: serverTime / 1000 + 1, exp: serverTime / 1000 + 60 });
    const error = await failureOf(new Corridor({ ...platform.clientOptions(), claims }).crypto.networks());
    expect(error).toMatchObject({ status: 401, platformCode: 'token_from_future' });
    expect(error.message).toMatch(/1 s ahead of the mock's clock, .*; at most 0 s are allowed/);
    expect(error.message).toContain('that the clock of this machine is right');
  });
});
