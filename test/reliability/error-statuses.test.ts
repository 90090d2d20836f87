import { afterEach, describe, expect, it, vi } from 'vitest';
import { ApiError, RateLimitError, ServerError } from 'corridor-sdk';
import { failureOf } from '../support/failure-of.ts';
import { clientOf, FaultServer, json, networks, paymentRequest } from '../support/fault-server.ts';
import { InstantDelays } from '../support/instant-delays.ts';

afterEach(() => vi.restoreAllMocks());

const respondingWith = (...statuses: number[]) =>
  new FaultServer((response, _received, number) => {
    const status = statuses[Math.min(number, statuses.length) - 1] ?? 500;
    json(response, status, status < 300 ? networks : { code: 'because', message: 'of this' }, {
      'x-request-id': `req_${number}`,
    });
  }).listen();

describe('a temporary failure', () => {
  for (const status of [408, 425, 429, 500, 502, 503, 504, 507, 520, 522, 524, 530, 599]) {
    it(`${status} on a read: two more attempts, each with a new token`, async () => {
      await using server = await respondingWith(status);
      const time = new InstantDelays();
      const error = await failureOf(clientOf(server, time.options).crypto.networks());
      expect(error.attempts.map((attempt) => attempt.status)).toEqual([status, status, status]);
      expect(new Set(server.received.map(({ headers }) => headers.authorization)).size).toBe(3);
      const [none, first = 0, second = 0] = error.attempts.map(({ delay }) => delay);
      expect([none, first <= 200, second <= 400]).toEqual([0, true, true]);
      // Chance may draw a pause of nothing, for which nobody waits.
      expect(time.delays.filter((delay) => delay > 0)).toEqual([first, second].filter((pause) => pause > 0));
    });
  }

  for (const status of [408, 500, 502, 503, 504]) {
    it(`${status} on a create: sent once, outcome unknown, with the intent`, async () => {
      await using server = await respondingWith(status);
      const error = await failureOf(clientOf(server).payments.create(paymentRequest));
      expect(error).toMatchObject({ outcome: 'unknown', status, intent: { request: paymentRequest } });
      expect(server.received).toHaveLength(1);
    });
  }

  it('429 on a create: it was not processed and is retried', async () => {
    await using server = await respondingWith(429, 429, 429);
    const error = await failureOf(clientOf(server, new InstantDelays().options).payments.create(paymentRequest));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error.outcome).toBe('rejected');
    expect(server.received.map(({ body }) => body)).toEqual(
      Array.from({ length: 3 }, () => JSON.stringify(paymentRequest)),
    );
  });

  it('429 on a create, then a lost response: unknown, and not sent again', async () => {
    await using server = await new FaultServer((response, _received, number) =>
      number === 1 ? json(response, 429, {}) : response.socket?.resetAndDestroy(),
    ).listen();
    const error = await failureOf(clientOf(server, new InstantDelays().options).payments.create(paymentRequest));
    expect(error.outcome).toBe('unknown');
    expect(server.received).toHaveLength(2);
  });

  for (const status of [409, 499, 501, 505, 506, 508, 510, 511]) {
    it(`${status}: a read is not retried`, async () => {
      await using server = await respondingWith(status);
      const error = await failureOf(clientOf(server).crypto.networks());
      expect(error.attempts).toHaveLength(1);
      expect(error).toBeInstanceOf(status >= 500 ? ServerError : ApiError);
    });
  }
});
