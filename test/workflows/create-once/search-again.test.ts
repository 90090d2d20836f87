import { MemoryJournal, PaymentOutcomeUnknownError, type ListedPayment, type PaymentCreateIntent } from 'corridor-sdk';
import { describe, expect, test } from 'vitest';
import {
  connectionError,
  type CreateHandler,
  errorResponse,
  failureOf,
  FaultyPlatform,
  intentOf,
  processed,
} from '../../support/faulty-platform.ts';

const never = (): Promise<Response> => new Promise(() => {});
const hours = 3_600_000;

test.each([
  [
    'the intent says, if that is longer than its own window',
    { consistencyWindow: 60_000 },
    undefined,
    { consistencyWindow: 10_000 },
  ],
  ['the client says', {}, 60_000, {}],
])('reconcile searches for as long as %s', async (_name, ofIntent, ofClient, options) => {
  const faulty = new FaultyPlatform();
  const payment = faulty.payable();
  const intent = { ...intentOf(payment, faulty.time.now()), ...ofIntent };
  faulty.add(payment);
  faulty.lag = 30_000;
  const { payments } = faulty.client({ consistencyWindow: ofClient });
  expect(await faulty.run(() => payments.reconcile(intent, options))).toMatchObject({ status: 'created' });
});

test('reconcile with a window of 0 searches once, whatever the intent says', async () => {
  const faulty = new FaultyPlatform();
  const started = faulty.time.now();
  const intent = { ...intentOf(faulty.payable(), started), consistencyWindow: 60_000 };
  await faulty.run(() => faulty.client().payments.reconcile(intent, { consistencyWindow: 0 }));
  expect([faulty.pagesRequested, faulty.time.now()]).toEqual([1, started]);
});

test('reconcile finds what create has sent, although the caller has changed its order since', async () => {
  const faulty = new FaultyPlatform();
  const sent = faulty.payable();
  const order = { ...sent };
  faulty.onCreate((creation) => {
    Object.assign(order, faulty.payable({ amount: '7.00' }));
    return processed(connectionError('ECONNRESET'))(creation);
  });
  const { payments } = faulty.client();
  const { intent } = await failureOf(faulty.run(() => payments.create(order)));
  expect(intent).toMatchObject({ request: sent });
  // Databases such as DynamoDB reject fields that are undefined.
  expect(Object.values(intent as object)).not.toContain(undefined);
  expect(
    await faulty.run(() => payments.reconcile(intent as PaymentCreateIntent, { consistencyWindow: 0 })),
  ).toMatchObject({ status: 'created' });
});

describe('a machine whose clock is six minutes ahead, with a new process each time', () => {
  const committed: CreateHandler = (creation) => creation.commit();

  /** A process that ends between its POST and the response. */
  async function afterCrash() {
    const faulty = new FaultyPlatform({ skew: -360_000 }).onCreate(committed, processed('hang'));
    const payment = faulty.payable();
    let intent: PaymentCreateIntent | undefined;
    void faulty
      .client()
      .payments.createOnce(payment, { onIntent: (each) => void (intent = each) })
      .catch(() => {});
    await faulty.pass(1_000);
    const journal = new MemoryJournal();
    await journal.claim(intent as PaymentCreateIntent);
    return { faulty, journal, payment, intent: intent as PaymentCreateIntent, id: faulty.payments[0]?.id };
  }

  test('createOnce finds the payment', async () => {
    const { faulty, journal, payment, id } = await afterCrash();
    expect(await faulty.run(() => faulty.client({ journal }).payments.createOnce(payment))).toMatchObject({
      created: false,
      payment: { id },
    });
  });

  test.each(['create', 'createOnce'] as const)(
    'the intent of an error of %s has the clock that the POST was signed by',
    async (method) => {
      const faulty = new FaultyPlatform({ skew: -360_000 }).onCreate(
        committed,
        processed(connectionError('ECONNRESET')),
      );
      faulty.lag = hours;
      const { payments } = faulty.client();
      const error = await faulty
        .run<unknown>(async () => payments[method](faulty.payable()))
        .catch((reason: unknown) => reason);
      expect(error).toMatchObject({
        outcome: 'unknown',
        intent: {
          clockOffset: expect.closeTo(-360_000, -4) as number,
          createdAt: expect.stringContaining('T08:54:0') as string,
        },
      });
    },
  );
});

test('a slow search is not repeated', async () => {
  const faulty = new FaultyPlatform();
  const { payments } = faulty.client();
  await faulty.run(() => payments.find({ id: 'pay_0' }));
  faulty.pagesRequested = 0;
  let intent: PaymentCreateIntent | undefined;
  const crash = (each: PaymentCreateIntent): never => {
    intent = each;
    throw new Error('no');
  };
  await expect(faulty.run(() => payments.createOnce(faulty.payable(), { onIntent: crash }))).rejects.toThrow('no');
  await faulty.pass(60_000);
  faulty.changePage = async (page) => {
    await faulty.time.wait(500);
    return page;
  };
  expect(await faulty.run(() => payments.reconcile(intent as PaymentCreateIntent))).toEqual({ status: 'not-found' });
  expect(faulty.pagesRequested).toBe(1);
});

describe('a list of many pages', () => {
  /** More payments than fit on a page, older than the one under test. */
  function addOlder(faulty: FaultyPlatform): void {
    const { customerId, beneficiaryId } = faulty.payable();
    faulty.platform.payments.addMany(150, () => ({
      customerId,
      beneficiaryId,
      createdAt: new Date(faulty.time.now() - 60_000).toISOString(),
    }));
  }

  test.each([
    ['a reset', connectionError('ECONNRESET')],
    ['a 409', errorResponse(409)],
  ])('a payment that was read before the list hangs is returned, after %s', async (_name, end) => {
    const faulty = new FaultyPlatform().onCreate(processed(end));
    addOlder(faulty);
    faulty.changePage = (page, count) => (count === 1 ? page : never());
    const result = await faulty.run(() => faulty.client({ maxRetries: 0 }).payments.createOnce(faulty.payable()));
    expect(result).toMatchObject({
      payment: { id: faulty.payments.find(({ internalReference }) => internalReference === 'order-4711')?.id },
      recovered: true,
    });
  });

  test('a different payment that was read before the list fails is not conclusive', async () => {
    const faulty = new FaultyPlatform({ quotes: 'reusable' }).onCreate(processed(connectionError('ECONNRESET')));
    addOlder(faulty);
    const payment = faulty.payable();
    faulty.changePage = async (page, count) => {
      if (count % 2 === 0) return errorResponse(503);
      const { items, ...rest } = (await page.json()) as { readonly items: readonly ListedPayment[] };
      return Response.json({
        ...rest,
        items: items.map((item) =>
          item.paymentQuoteId === payment.paymentQuoteId ? { ...item, amount: '9.00' } : item,
        ),
      });
    };
    const error = await faulty
      .run(() => faulty.client({ maxRetries: 0 }).payments.createOnce(payment))
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(PaymentOutcomeUnknownError);
  });
});

describe('an old intent', () => {
  async function afterDays() {
    const faulty = new FaultyPlatform();
    let intent: PaymentCreateIntent | undefined;
    const { payment } = await faulty.run(() =>
      faulty.client().payments.createOnce(faulty.payable(), { onIntent: (each) => void (intent = each) }),
    );
    await faulty.pass(30 * 24 * hours);
    const { customerId, beneficiaryId } = payment;
    faulty.platform.payments.addMany(1_000, (index) => ({
      customerId,
      beneficiaryId,
      createdAt: new Date(faulty.time.now() - index * 60_000).toISOString(),
    }));
    return { faulty, payment, intent: intent as PaymentCreateIntent };
  }

  test('is resolved with one request, however many payments are newer', async () => {
    const { faulty, payment, intent } = await afterDays();
    expect(await faulty.run(() => faulty.client().payments.reconcile(intent))).toMatchObject({
      status: 'created',
      payment: { id: payment.id },
    });
    expect(faulty.pagesRequested).toBe(1);
  });
});

test('a window that passes during the last search has not passed for reconcile', async () => {
  const faulty = new FaultyPlatform();
  const start = faulty.time.now();
  faulty.changePage = async (page) => {
    const elapsed = faulty.time.now() - start;
    if (elapsed >= 8_000) await faulty.time.wait(10_000 - elapsed);
    return page;
  };
  const intent = intentOf(faulty.payable(), start);
  const reconcile = (totalTimeout: number) =>
    faulty.client().payments.reconcile(intent, { consistencyWindow: 9_000, totalTimeout });
  expect(await failureOf(faulty.run(() => reconcile(12_000)))).toMatchObject({
    code: 'timeout',
    message: expect.stringContaining('ends before the consistency window of 9000 ms') as unknown,
  });
  expect(faulty.time.now() - start).toBe(10_000);
});
