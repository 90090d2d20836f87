import { ConflictError, InvalidRequestError, MemoryJournal, PaymentMismatchError, RateLimitError } from 'corridor-sdk';
import { describe, expect, test } from 'vitest';
import {
  connectionError,
  errorResponse,
  failureOf,
  FaultyPlatform,
  intentOf,
  notProcessed,
  processed,
} from '../../support/faulty-platform.ts';

describe('clocks differ', () => {
  test('a platform whose Date header differs from its records shows its payment', async () => {
    const faulty = new FaultyPlatform({ skew: 7_200_000 });
    const corridor = faulty.client();
    await faulty.run(() => corridor.crypto.networks());
    const payment = faulty.payable();
    faulty.onCreate(async () => {
      faulty.add(payment, { createdAt: new Date(faulty.time.now()).toISOString() });
      throw connectionError('ECONNRESET');
    });
    expect(await faulty.run(() => corridor.payments.createOnce(payment))).toMatchObject({ recovered: true });
  });

  test('the payment of an intent from the future is not awaited longer than its consistency window', async () => {
    const faulty = new FaultyPlatform();
    const started = faulty.time.now();
    const intent = intentOf(faulty.payable(), started + 3_600_000);
    expect(await faulty.run(() => faulty.client().payments.reconcile(intent))).toEqual({ status: 'not-found' });
    expect(faulty.time.now() - started).toBeLessThan(11_000);
  });
});

describe('a list that hangs', () => {
  const hanging = (): Promise<Response> => new Promise(() => {});

  test('is not awaited after the total timeout', async () => {
    const faulty = new FaultyPlatform().onCreate(processed(connectionError('ECONNRESET')));
    faulty.changePage = hanging;
    const started = faulty.time.now();
    const error = await failureOf(
      faulty.run(() => faulty.client().payments.createOnce(faulty.payable(), { totalTimeout: 40_000 })),
    );
    expect(error).toMatchObject({ code: 'payment-outcome-unknown', attempts: [{ errorType: 'ECONNRESET' }] });
    expect(faulty.time.now() - started).toBeLessThanOrEqual(40_000);
  });

  test('page after page is not awaited either', async () => {
    const faulty = new FaultyPlatform().onCreate(processed(connectionError('ECONNRESET')));
    faulty.changePage = async (page, count) => {
      await faulty.time.wait(5_000);
      return Response.json({
        ...((await page.json()) as object),
        items: [],
        nextCursor: `page-${count}`,
        hasMore: true,
      });
    };
    const started = faulty.time.now();
    expect(
      (
        await failureOf(
          faulty.run(() => faulty.client().payments.createOnce(faulty.payable(), { totalTimeout: 40_000 })),
        )
      ).outcome,
    ).toBe('unknown');
    expect(faulty.time.now() - started).toBeLessThanOrEqual(40_000);
  });

  test('causes an error of reconcile', async () => {
    const faulty = new FaultyPlatform();
    faulty.changePage = hanging;
    const intent = intentOf(faulty.payable(), faulty.time.now());
    expect(
      await failureOf(
        faulty.run(() => faulty.client({ maxRetries: 0 }).payments.reconcile(intent, { totalTimeout: 20_000 })),
      ),
    ).toMatchObject({ code: 'timeout' });
  });
});

describe('responses are checked', () => {
  test('a response with another paymentQuoteId is not accepted', async () => {
    const faulty = new FaultyPlatform();
    faulty.onCreate(async (creation) =>
      Response.json(
        { ...((await (await creation.commit()).json()) as object), paymentQuoteId: 'quo_other', id: 'pay_other' },
        { status: 201 },
      ),
    );
    const journal = new MemoryJournal();
    const corridor = faulty.client({ journal });
    const error = await failureOf(faulty.run(() => corridor.payments.createOnce(faulty.payable())));
    expect(error).toBeInstanceOf(PaymentMismatchError);
    expect(error).toMatchObject({
      paymentId: 'pay_other',
      mismatches: ['paymentQuoteId'],
      outcome: 'applied',
      message: expect.stringContaining('paymentQuoteId') as unknown,
    });
    // The other's payment is not recorded: the outcome of this one is found in the list.
    expect(await faulty.run(() => corridor.payments.reconcilePending())).toMatchObject([
      { status: 'created', payment: { id: faulty.payments[0]?.id } },
    ]);
  });

  test.each([[{}], [null], [[]], [{ id: '' }]])(
    'a response of %j with validation "observe" is unusable',
    async (body) => {
      const faulty = new FaultyPlatform().onCreate(processed(Response.json(body, { status: 201 })));
      const { payment, recovered } = await faulty.run(() =>
        faulty.client({ validation: 'observe' }).payments.createOnce(faulty.payable()),
      );
      expect(recovered).toBe(true);
      expect(payment.id).toBe(faulty.payments[0]?.id);
    },
  );

  test('a list of invalid records with validation "observe" is searched anyway', async () => {
    const faulty = new FaultyPlatform().onCreate(processed(connectionError('ECONNRESET')));
    faulty.changePage = async (page) => {
      const { items, ...rest } = (await page.json()) as { readonly items: readonly object[] };
      return Response.json({
        ...rest,
        items: [{ id: 'pay_0' }, ...items.map((item) => ({ ...item, amount: 1250, paymentQuoteId: undefined }))],
      });
    };
    const { payment } = await faulty.run(() =>
      faulty.client({ validation: 'observe' }).payments.createOnce(faulty.payable()),
    );
    expect(payment.id).toBe(faulty.payments[0]?.id);
  });

  test.each([
    ['at once', 0],
    ['once the list can be read', 8],
  ])('a conflict with a payment that an earlier run created finds it %s', async (_name, failing) => {
    const faulty = new FaultyPlatform();
    const payment = faulty.payable();
    const { id } = faulty.add(payment);
    await faulty.pass(20 * 60_000);
    faulty.changePage = (page, count) => (count <= failing ? errorResponse(503) : page);
    expect(await faulty.run(() => faulty.client().payments.createOnce(payment))).toMatchObject({
      payment: { id },
      recovered: true,
    });
  });
});

describe('a rejection', () => {
  test('releases the quote for another call', async () => {
    const faulty = new FaultyPlatform().onCreate(notProcessed(errorResponse(429)));
    const corridor = faulty.client();
    const payment = faulty.payable();
    expect(await failureOf(faulty.run(() => corridor.payments.createOnce(payment, { maxRetries: 0 })))).toBeInstanceOf(
      RateLimitError,
    );
    expect(await faulty.run(() => corridor.payments.createOnce(payment))).toMatchObject({
      created: true,
      recovered: false,
    });
    expect(faulty.payments).toHaveLength(1);
  });

  test('is different from a conflict with an empty list', async () => {
    const faulty = new FaultyPlatform().onCreate(notProcessed(errorResponse(409)));
    expect(await failureOf(faulty.run(() => faulty.client().payments.createOnce(faulty.payable())))).toMatchObject({
      code: 'payment-outcome-unknown',
      cause: expect.any(ConflictError) as unknown,
    });
  });

  test('of a used quote whose body has an id does not name a payment', async () => {
    const conflict = Response.json({ code: 'conflict', id: 'err_1' }, { status: 409 });
    const faulty = new FaultyPlatform().onCreate(notProcessed(conflict));
    const error = await failureOf(faulty.run(() => faulty.client().payments.createOnce(faulty.payable())));
    expect(error).toMatchObject({ code: 'payment-outcome-unknown', outcome: 'unknown' });
    expect('paymentId' in error).toBe(false);
  });

  test('of an invalid request happens locally', async () => {
    const faulty = new FaultyPlatform();
    const error = await failureOf(faulty.client().payments.createOnce({ ...faulty.payable(), documentIds: [] }));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(faulty.sent).toEqual([]);
  });
});
