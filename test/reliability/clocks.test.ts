import { describe, expect, it } from 'vitest';
import { AuthenticationError, type CorridorOptions } from 'corridor-sdk';
import { failureOf } from '../simulation/failure.js';
import { clientOf, FaultServer, json, networks, paymentRequest, type Received } from './fault-server.js';

const serverTime = Date.parse('2026-03-01T12:00:00Z');
const issuedAt = ({ claims }: Received): number => Number(claims['iat']);
const lifetime = ({ claims }: Received): number => Number(claims['exp']) - Number(claims['iat']);

/** A platform that accepts only tokens of its last minute and sends its time. */
const strictAboutTime = (
  date: string | undefined = new Date(serverTime).toUTCString(),
  headers: Readonly<Record<string, string>> = {},
) =>
  new FaultServer((response, received) => {
    if (date === undefined) response.sendDate = false;
    else response.setHeader('date', date);
    const age = serverTime / 1000 - issuedAt(received);
    const fresh = age >= -5 && age <= 60;
    json(response, fresh ? 200 : 401, fresh ? networks : { code: 'token_time' }, headers);
  }).listen();

const clockOff = (seconds: number): CorridorOptions => ({ now: () => serverTime + seconds * 1000 });

describe('the local clock is wrong', () => {
  for (const minutes of [-10, 10]) {
    it(`C1 by ${minutes} minutes: the token is signed again with the platform's time`, async () => {
      await using server = await strictAboutTime();
      const { attempts } = await clientOf(server, clockOff(minutes * 60))
        .crypto.networks()
        .withResponse();
      expect(attempts.map(({ status }) => status)).toEqual([401, 200]);
      expect(server.received.map(lifetime)).toEqual([60, 60]);
    });
  }

  it('C1 and stays wrong: the correction is kept for later calls', async () => {
    await using server = await strictAboutTime();
    const corridor = clientOf(server, clockOff(-600));
    await corridor.crypto.networks();
    await corridor.crypto.networks();
    expect(server.received).toHaveLength(3);
  });

  it('C2 by less than the resolution of a Date header: nothing is corrected', async () => {
    await using server = await new FaultServer((response) => {
      response.setHeader('date', new Date(serverTime).toUTCString());
      json(response, 200, networks);
    }).listen();
    const corridor = clientOf(server, clockOff(1));
    await corridor.crypto.networks();
    await corridor.crypto.networks();
    expect(server.received.map(issuedAt)).toEqual([serverTime / 1000 + 1, serverTime / 1000 + 1]);
  });

  it('C3 and a create is rejected for it: signed again, because a 401 means that it was not processed', async () => {
    await using server = await strictAboutTime();
    await clientOf(server, clockOff(-600))
      .payments.create(paymentRequest)
      .catch(() => {});
    expect(server.received).toHaveLength(2);
  });

  it('C3 only once: if the platform rejects it again, the error reports the clock difference', async () => {
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

describe('a response with an Age', () => {
  const responseOfAge = (age: string, seconds: number) =>
    strictAboutTime(new Date(serverTime - seconds * 1000).toUTCString(), { age });

  it.each([0, 1, 5])('C4 of %i seconds: the time is its Date and its Age', async (age) => {
    await using server = await responseOfAge(String(age), age);
    await clientOf(server, clockOff(-600)).crypto.networks();
    expect(server.received.map(issuedAt)).toEqual([serverTime / 1000 - 600, serverTime / 1000]);
  });

  it.each([
    ['6', 6],
    ['86400', 86_400],
    ['-1', 0],
    ['0.5', 0],
    ['0, 5', 0],
    ['', 0],
  ])('C4 of %j: nothing is learned, because a cache may have replaced the Date', async (age, seconds) => {
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
    it(`C4 ${name}: nothing is learned`, async () => {
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
  it('C5 does not extend the total timeout', async () => {
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
