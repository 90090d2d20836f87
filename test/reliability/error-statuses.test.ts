import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  ApiError,
  AuthenticationError,
  ConflictError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
} from 'corridor-sdk';
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

describe('an error response', () => {
  for (const [status, errorClass] of [
    [400, ApiError],
    [401, AuthenticationError],
    [403, PermissionError],
    [404, NotFoundError],
    [422, ApiError],
  ] as const) {
    it(`${status} on a read: rejected, sent once, with status and request id`, async () => {
      await using server = await respondingWith(status);
      const error = await failureOf(clientOf(server).crypto.networks());
      expect(error).toBeInstanceOf(errorClass);
      expect(error).toMatchObject({ outcome: 'rejected', status, requestId: 'req_1', platformCode: 'because' });
      expect(server.received).toHaveLength(1);
    });

    it(`${status} on a create: rejected, sent once`, async () => {
      await using server = await respondingWith(status);
      const error = await failureOf(clientOf(server).payments.create(paymentRequest));
      expect(error).toMatchObject({ outcome: 'rejected', status });
      expect(error.intent).toBeUndefined();
      expect(server.received).toHaveLength(1);
    });
  }
});

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

  it('409 on a create: unknown, because it may conflict with an earlier attempt of the client', async () => {
    await using server = await respondingWith(409);
    const error = await failureOf(clientOf(server).payments.create(paymentRequest));
    expect(error).toBeInstanceOf(ConflictError);
    expect(error.outcome).toBe('unknown');
  });

  for (const status of [409, 499, 501, 505, 506, 508, 510, 511]) {
    it(`${status}: a read is not retried`, async () => {
      await using server = await respondingWith(status);
      const error = await failureOf(clientOf(server).crypto.networks());
      expect(error.attempts).toHaveLength(1);
      expect(error).toBeInstanceOf(status >= 500 ? ServerError : ApiError);
    });
  }

  it('503 and then 200: success, and the attempts are reported', async () => {
    await using server = await respondingWith(503, 200);
    const { attempts } = await clientOf(server, new InstantDelays().options).crypto.networks().withResponse();
    expect(attempts.map(({ status }) => status)).toEqual([503, 200]);
  });
});

describe('if everything fails', () => {
  it('the retry budget is used up: at most fifty retries in all, then one request per call', async () => {
    await using server = await respondingWith(503);
    const corridor = clientOf(server, new InstantDelays().options);
    for (let number = 0; number < 200; number += 1) await corridor.crypto.networks().catch(() => {});
    expect(server.received).toHaveLength(200 + 50);
  });

  it('successes refill it', async () => {
    await using server = await respondingWith(...Array.from({ length: 150 }, () => 503), 200);
    const corridor = clientOf(server, new InstantDelays().options);
    for (let number = 0; number < 100; number += 1) await corridor.crypto.networks().catch(() => {});
    for (let number = 0; number < 20; number += 1) await corridor.crypto.networks();
    server.respond = (response) => json(response, 503, {});
    const before = server.received.length;
    await corridor.crypto.networks().catch(() => {});
    expect(server.received.length - before).toBeGreaterThan(1);
  });
});

describe('deleting a document', () => {
  it('whose response was lost, and which is then not found: deleted', async () => {
    await using server = await new FaultServer((response, _received, number) =>
      number === 1 ? response.socket?.resetAndDestroy() : json(response, 404, { code: 'not_found' }),
    ).listen();
    const { attempts } = await clientOf(server, new InstantDelays().options).documents.delete('doc_1').withResponse();
    expect(attempts.map(({ errorType, status }) => errorType ?? status)).toEqual(['ECONNRESET', 404]);
  });

  it('which is not found at first: rejected', async () => {
    await using server = await respondingWith(404);
    expect(await failureOf(clientOf(server).documents.delete('doc_1'))).toMatchObject({
      code: 'not-found',
      outcome: 'rejected',
    });
  });

  it('which was rejected while busy, and is then not found: rejected, because no response was lost', async () => {
    await using server = await respondingWith(429, 404);
    expect(await failureOf(clientOf(server, new InstantDelays().options).documents.delete('doc_1'))).toMatchObject({
      code: 'not-found',
    });
  });
});

describe('a token that is rejected', () => {
  it('without an explanation: not sent again', async () => {
    await using server = await respondingWith(401);
    await failureOf(clientOf(server).crypto.networks());
    expect(server.received).toHaveLength(1);
  });
});

describe('an error body', () => {
  it('of HTML: the status is reported, the page is not in the message', async () => {
    await using server = await new FaultServer((response) =>
      response.writeHead(502, { 'content-type': 'text/html' }).end('<html>Bad Gateway, dear reader</html>'),
    ).listen();
    const error = await failureOf(clientOf(server, { maxRetries: 0 }).crypto.networks());
    expect(error).toMatchObject({ status: 502, body: '<html>Bad Gateway, dear reader</html>' });
    expect(error.message).not.toContain('dear reader');
  });

  it('of 5 MB: the status is reported, the body is discarded', async () => {
    await using server = await new FaultServer((response) =>
      response.writeHead(500).end('x'.repeat(5_000_000)),
    ).listen();
    expect(await failureOf(clientOf(server, { maxRetries: 0 }).crypto.networks())).toMatchObject({
      status: 500,
      body: undefined,
    });
  });

  it('that echoes the request: credentials are not in the message', async () => {
    await using server = await new FaultServer((response, { headers }) =>
      json(response, 400, { code: 'bad', message: `you sent ${JSON.stringify(headers)}` }),
    ).listen();
    const error = await failureOf(clientOf(server).crypto.networks());
    expect(error.message).not.toContain('key_for_tests');
    expect(error.message).not.toMatch(/eyJ/);
  });

  for (const [shape, body] of [
    ['code and message', { code: 'C', message: 'M' }],
    ['an error within', { error: { code: 'C', message: 'M' } }],
    ['problem+json', { type: 'C', title: 'T', detail: 'M', status: 400 }],
    ['a list of messages', { statusCode: 400, message: ['M', 'N'], error: 'Bad Request', code: 'C' }],
  ] as const) {
    it(`of ${shape}: code and message are read`, async () => {
      await using server = await new FaultServer((response) => json(response, 400, body)).listen();
      const error = await failureOf(clientOf(server).crypto.networks());
      expect(error).toMatchObject({ platformCode: 'C', body });
      expect(error.message).toMatch(/400: C: M/);
    });
  }
});
