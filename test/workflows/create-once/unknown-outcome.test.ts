import { PaymentOutcomeUnknownError } from 'corridor-sdk';
import { describe, expect, test } from 'vitest';
import {
  connectionError,
  type CreateHandler,
  errorResponse,
  failureOf,
  FaultyPlatform,
  notProcessed,
  processed,
  processedLater,
} from '../../support/faulty-platform.ts';

describe('a payment whose response is lost is not sent again, on reusable quotes', () => {
  const reusable = (...handlers: readonly CreateHandler[]): FaultyPlatform =>
    new FaultyPlatform({ quotes: 'reusable' }).onCreate(...handlers);

  test.each([
    ['fails', () => errorResponse(503)],
    ['is rejected', () => errorResponse(401)],
    ['breaks off', () => new Response('{"items":[')],
    ['goes in circles', () => Response.json({ items: [], nextCursor: 'a', hasMore: true })],
  ])('a list that %s is not evidence', async (_name, page) => {
    const faulty = reusable(processed(connectionError('ECONNRESET')));
    faulty.changePage = page;
    const error = await failureOf(faulty.run(() => faulty.client().payments.createOnce(faulty.payable())));

    expect(error).toBeInstanceOf(PaymentOutcomeUnknownError);
    expect(faulty.sent).toHaveLength(1);
  });

  test('the window counts from the last attempt, not from the first', async () => {
    const faulty = reusable(notProcessed(errorResponse(429, { 'retry-after': '20' })), processedLater(5_000));
    const { attempts, recovered } = await faulty.run(() => faulty.client().payments.createOnce(faulty.payable()));
    expect(await faulty.paymentsInTheEnd()).toHaveLength(1);
    expect({ attempts: attempts.length, recovered }).toEqual({ attempts: 2, recovered: true });
  });

  test('the window counts from the failed response, not from the request', async () => {
    const faulty = reusable(processedLater(35_000, 'hang'));
    expect(await faulty.run(() => faulty.client().payments.createOnce(faulty.payable()))).toMatchObject({
      recovered: true,
    });
    expect(await faulty.paymentsInTheEnd()).toHaveLength(1);
  });

  test('the window counts from the request, not from the intent', async () => {
    const faulty = reusable(processedLater(5_000));
    const onIntent = (): Promise<void> => faulty.time.wait(15_000);
    await faulty.run(() => faulty.client().payments.createOnce(faulty.payable(), { onIntent }));
    expect(await faulty.paymentsInTheEnd()).toHaveLength(1);
  });

  test.each<[string, () => Response]>([
    [
      'is cut off',
      () =>
        new Response(
          new ReadableStream({ pull: (controller) => controller.error(connectionError('ECONNRESET').cause) }),
          {
            status: 201,
            headers: { 'content-type': 'application/json' },
          },
        ),
    ],
    [
      'is cut JSON',
      () => new Response('{"id":"pay_', { status: 201, headers: { 'content-type': 'application/json' } }),
    ],
    ['names no payment', () => Response.json({}, { status: 201 })],
  ])('a successful response that %s is evidence of a payment', async (_name, unusable) => {
    const faulty = reusable(processed(unusable()));
    faulty.lag = 3_600_000;
    const error = await failureOf(faulty.run(() => faulty.client().payments.createOnce(faulty.payable())));
    expect(error).toMatchObject({ code: 'payment-outcome-unknown', cause: { outcome: 'applied' } });
    expect(faulty.sent).toHaveLength(1);
  });
});

describe('no error proves that nothing was sent, once the request was read', () => {
  test.each([
    ['EHOSTUNREACH', 'read'],
    ['ENETUNREACH', 'write'],
    ['ECONNREFUSED', 'read'],
    // As a dispatcher reports them that sent the request, lost the response, and connected again.
    ['ECONNREFUSED', 'connect'],
    ['ENOTFOUND', 'getaddrinfo'],
    ['ETIMEDOUT', undefined],
    ['EPROTO', 'write'],
  ])('%s of a call to %s', async (code, syscall) => {
    const faulty = new FaultyPlatform({ quotes: 'reusable' }).onCreate(processed(connectionError(code, syscall)));
    const error = await failureOf(faulty.run(() => faulty.client().payments.create(faulty.payable())));
    expect(error.outcome).toBe('unknown');
    expect(faulty.payments).toHaveLength(1);
  });
});

describe('a request that was never read is sent again', () => {
  test.each([
    ['EHOSTUNREACH', 'connect'],
    ['ECONNREFUSED', 'connect'],
    ['ETIMEDOUT', 'connect'],
    ['ENOTFOUND', 'getaddrinfo'],
  ])('after %s of a call to %s', async (code, syscall) => {
    const faulty = new FaultyPlatform().onCreate(notProcessed(connectionError(code, syscall)));
    expect(await faulty.run(() => faulty.client().payments.createOnce(faulty.payable()))).toMatchObject({
      recovered: false,
      attempts: [{ errorType: code }, { status: 201 }],
    });
  });
});

describe('an abort reports the outcome of the payment, not of the aborted request', () => {
  test('while the payment is sent, and reads no list', async () => {
    const faulty = new FaultyPlatform().onCreate(processed('hang'));
    const controller = new AbortController();
    const request = faulty.payable();
    const call = failureOf(faulty.client().payments.createOnce(request, { signal: controller.signal }));
    await faulty.pass(1_000);
    controller.abort('enough');
    expect(await call).toMatchObject({
      code: 'aborted',
      outcome: 'unknown',
      retryable: true,
      message: expect.not.stringContaining('searching') as unknown,
      intent: { request },
    });
  });

  test.each([
    ['is rejected', (): Response => errorResponse(401)],
    ['cannot be read', (): Response => new Response('<html>')],
  ])('when a list %s', async (_name, page) => {
    const faulty = new FaultyPlatform().onCreate(processed(connectionError('ECONNRESET')));
    const controller = new AbortController();
    faulty.changePage = page;
    faulty.onFailure = (endpoint) => (endpoint === 'payments.list' ? controller.abort('enough') : undefined);
    const { payments } = faulty.client({ maxRetries: 0 });
    const options = { signal: controller.signal, consistencyWindow: 0 };
    const error = await failureOf(faulty.run(() => payments.createOnce(faulty.payable(), options)));
    expect(error).toMatchObject({ code: 'aborted', outcome: 'unknown', cause: 'enough', intent: { version: 1 } });
  });

  test('between two attempts after a rejection: the payment is not created, and the quote is released', async () => {
    const faulty = new FaultyPlatform().onCreate(notProcessed(errorResponse(429, { 'retry-after': '30' })));
    const controller = new AbortController();
    const corridor = faulty.client();
    const payment = faulty.payable();
    const first = failureOf(corridor.payments.createOnce(payment, { signal: controller.signal }));
    await faulty.pass(1_000);
    controller.abort();
    expect(await first).toMatchObject({ code: 'aborted', outcome: 'rejected' });
    expect(await faulty.run(() => corridor.payments.createOnce(payment))).toMatchObject({
      created: true,
      recovered: false,
    });
  });
});

describe('an unknown outcome says what happens next:', () => {
  const lose = async (arrange: (faulty: FaultyPlatform) => void) => {
    const faulty = new FaultyPlatform().onCreate(notProcessed(connectionError('ECONNRESET')));
    arrange(faulty);
    const payment = faulty.payable();
    const create = () => failureOf(faulty.run(() => faulty.client().payments.createOnce(payment)));
    return { first: await create(), again: async (ms: number) => (await faulty.pass(ms), create()) };
  };

  test('a time, until no process may send it and the list must show it, and then a person', async () => {
    const { first, again } = await lose(() => {});
    expect(first).toMatchObject({ retryAfterMs: 90_000, message: expect.stringContaining('again in 90 s') as unknown });
    const second = await again(90_000);
    expect('retryAfterMs' in second).toBe(false);
    expect([first.retryable, second.retryable]).toEqual([true, false]);
    expect(second.message).toMatch(/Waiting changes nothing: .* ask the platform.*releaseIntent/);
  });

  test('the rule that a person can set, if the platform failed', async () => {
    const faulty = new FaultyPlatform().onCreate(notProcessed(errorResponse(503)));
    const { message } = await failureOf(faulty.run(() => faulty.client().payments.createOnce(faulty.payable())));
    expect(message).toContain('a 503 is never processed, add 503 to dialect.rejectedStatuses');
  });

  test.each([
    ['a while, if the list failed', 503, {}, { retryAfterMs: 30_000 }],
    ['the time that the list requested', 503, { 'retry-after': '120' }, { retryAfterMs: 120_000 }],
    [
      'what to fix, if the list cannot be read',
      403,
      {},
      { message: expect.stringMatching(/Waiting changes nothing: fix why the list cannot be read \(.*403/) as unknown },
    ],
  ])('%s', async (_name, status, headers, expected) => {
    const { again } = await lose((faulty) => {
      faulty.changePage = () => errorResponse(status, headers);
    });
    const error = await again(120_000);
    expect(error).toMatchObject({ code: 'payment-outcome-unknown', ...expected });
    expect('retryAfterMs' in error).toBe('retryAfterMs' in expected);
  });
});
