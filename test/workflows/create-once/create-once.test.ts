import type { PaymentCreateIntent } from 'corridor-sdk';
import { describe, expect, test, vi } from 'vitest';
import {
  connectionError,
  errorResponse,
  failureOf,
  FaultyPlatform,
  makeOnce,
  notProcessed,
  processed,
  processedLater,
} from '../../support/faulty-platform.ts';

const text = (body: string | null, contentType: string, status = 201): Response =>
  new Response(body, { status, headers: { 'content-type': contentType } });

test('a payment with a response is returned as in the response', async () => {
  const { faulty, result } = await makeOnce([]);
  const { payment, created, recovered, attempts } = await result;

  expect(payment.id).toBe(faulty.payments[0]?.id);
  expect(payment.paymentQuote).toMatchObject({ id: payment.paymentQuoteId });
  expect({ created, recovered, attempts }).toMatchObject({
    created: true,
    recovered: false,
    attempts: [{ attempt: 1, status: 201 }],
  });
  expect(faulty.pagesRequested).toBe(0);
});

describe('the platform created it, and the response is lost: it is found, and not sent again', () => {
  test.each<[string, Response | Error | 'hang']>([
    ['the connection is reset', connectionError('ECONNRESET')],
    ['the connection is closed', connectionError('UND_ERR_SOCKET')],
    ['no response arrives', 'hang'],
    ['502', errorResponse(502)],
    ['504', errorResponse(504)],
    ['JSON that is cut off', text('{"id":"pay_', 'application/json')],
    ['HTML', text('<html></html>', 'text/html', 200)],
    ['nothing', text('', 'application/json')],
    ['204', text(null, 'application/json', 204)],
    ['a response of the wrong shape', Response.json({ id: 'pay_1', amount: 10 }, { status: 201 })],
    ['302', errorResponse(302, { location: 'https://elsewhere.example/' })],
    ['307', errorResponse(307, { location: 'https://elsewhere.example/' })],
    ['308', errorResponse(308, { location: 'https://elsewhere.example/' })],
    ['408', errorResponse(408)],
    ['409', errorResponse(409)],
    ['421', errorResponse(421)],
    ['425', errorResponse(425)],
  ])('%s', async (_name, end) => {
    const { faulty, result } = await makeOnce([processed(end)]);
    const { payment, created, recovered, attempts } = await result;

    expect(faulty.payments.map(({ id }) => id)).toEqual([payment.id]);
    expect({ created, recovered, attempts: attempts.length, sent: faulty.sent.length }).toEqual({
      created: true,
      recovered: true,
      attempts: 1,
      sent: 1,
    });
    expect(payment.authorization).toMatchObject({ quoteId: payment.paymentQuoteId });
  });

  test('an invalid response and an invalid list: the error contains the payment id', async () => {
    const { faulty, result } = await makeOnce(
      [processed(Response.json({ id: 'pay_1', amount: 10 }, { status: 201 }))],
      {},
      (platform) => {
        platform.changePage = () =>
          Response.json({ items: [{ id: 'pay_1', amount: 10 }], nextCursor: null, hasMore: false });
      },
    );
    const error = await failureOf(result);

    expect(error).toMatchObject({
      code: 'payment-outcome-unknown',
      outcome: 'applied',
      paymentId: 'pay_1',
      cause: { code: 'invalid-response' },
    });
    expect(faulty.sent).toHaveLength(1);
  });

  test.each([
    ['at once', 0],
    ['after 300 ms', 300],
    ['after 5 s', 5_000],
  ])('%s in the list', async (_name, lag) => {
    const { faulty, result } = await makeOnce(
      [processed(connectionError('ECONNRESET'))],
      {},
      (platform) => (platform.lag = lag),
    );
    expect((await result).payment.id).toBe(faulty.payments[0]?.id);
  });

  test('created only after the first search', async () => {
    const { faulty, result } = await makeOnce([processedLater(3_000)]);
    expect((await result).payment.id).toBe(faulty.payments[0]?.id);
    expect(faulty.pagesRequested).toBeGreaterThan(1);
    expect(faulty.sent).toHaveLength(1);
  });

  test.each(['REJECTED', 'CANCELLED', 'COMPLETED'] as const)('and its status is %s already', async (status) => {
    const faulty = new FaultyPlatform();
    const payment = faulty.payable();
    faulty.onCreate(async () => {
      faulty.add(payment, { status });
      throw connectionError('ECONNRESET');
    });
    expect(await faulty.run(() => faulty.client().payments.createOnce(payment))).toMatchObject({
      recovered: true,
      payment: { status },
    });
  });
});

test('the hook onWorkflow learns whether the payment was created and whether it was found in the list', async () => {
  const faulty = new FaultyPlatform();
  const ended: unknown[] = [];
  const { payments } = faulty.client({
    hooks: { onWorkflow: ({ observe }) => observe({ end: (result) => void ended.push(result) }) },
  });
  const payment = faulty.payable();
  await payments.createOnce(payment);
  await payments.createOnce(payment);
  expect(ended).toMatchObject([
    { created: true, recovered: false },
    { created: false, recovered: true },
  ]);
});

const full = (): never => {
  throw new Error('the disk is full');
};

test.each([
  ['is found', processed(connectionError('ECONNRESET')), {}, []],
  ['was not stored by its caller', notProcessed('hang'), { onIntent: full }, []],
  ['is unknown', notProcessed(connectionError('ECONNRESET')), {}, ['payments.createOnce: payment-outcome-unknown']],
])('a payment that %s is logged as an error only if it is one', async (_name, handler, options, errors) => {
  const faulty = new FaultyPlatform().onCreate(handler);
  const error = vi.fn<(message: string) => void>();
  const { payments } = faulty.client({ logger: { debug() {}, warn() {}, error } });
  await faulty.run(() => payments.createOnce(faulty.payable(), options).catch(() => {}));
  expect(error.mock.calls.map(([message]) => message.split(',')[0])).toEqual(errors);
});

test('neither hooks nor retries resend a payment whose response is lost', async () => {
  const faulty = new FaultyPlatform().onCreate(processed(connectionError('ECONNRESET')));
  const payment = faulty.payable();
  const events: string[] = [];
  const onRetry = (event: { readonly type: string }): unknown => events.push(event.type);
  const corridor = faulty.client({ maxRetries: 10, hooks: { onRetry, onError: onRetry } });
  await corridor.ready();
  await faulty.run(() => faulty.time.busy(() => corridor.payments.createOnce(payment, { maxRetries: 100 })));

  expect(events).toEqual(['error']);
  expect(faulty.sent).toHaveLength(1);
});

test('after a crash, another process finds the payment by the intent that was stored as JSON', async () => {
  const faulty = new FaultyPlatform().onCreate(processed('hang'));
  const payment = faulty.payable();
  let stored = '';
  void faulty
    .client()
    .payments.createOnce(payment, { onIntent: (intent) => void (stored = JSON.stringify(intent)) })
    .catch(() => {});
  await faulty.pass(1_000);
  expect(faulty.payments).toHaveLength(1);

  const intent = JSON.parse(stored) as PaymentCreateIntent;
  expect(await faulty.run(() => faulty.client().payments.reconcile(intent, { consistencyWindow: 0 }))).toMatchObject({
    status: 'created',
    payment: { id: faulty.payments[0]?.id },
  });
});

test('a ticket reply whose response is lost is never sent again', async () => {
  const faulty = new FaultyPlatform();
  const { id } = faulty.platform.tickets.add();
  let sent = 0;
  const corridor = faulty.client({
    fetch: async (_input, init) => {
      sent += String(init?.body) === '' ? 0 : 1;
      throw connectionError('ECONNRESET');
    },
  });
  expect(await failureOf(corridor.support.reply(id, { bodyText: 'Thank you' }, { maxRetries: 5 }))).toMatchObject({
    outcome: 'unknown',
    code: 'connection',
  });
  expect(sent).toBe(1);
});

test('a quote that expires between two attempts is rejected, and no other quote is used', async () => {
  const faulty = new FaultyPlatform({ quoteLifetime: 10 }).onCreate(
    notProcessed(errorResponse(429, { 'retry-after': '15' })),
  );
  const payment = faulty.payable();
  const error = await failureOf(faulty.run(() => faulty.client().payments.createOnce(payment)));

  expect(error).toMatchObject({
    outcome: 'rejected',
    status: 422,
    platformCode: 'quote_expired',
    attempts: [{ status: 429 }, { status: 422, delay: expect.toSatisfy((delay: number) => delay >= 15_000) as number }],
  });
  expect(new Set(faulty.sent).size).toBe(1);
  expect(faulty.pagesRequested).toBe(0);
});
