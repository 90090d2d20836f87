import {
  ConflictError, InvalidRequestError, MemoryJournal, PaymentMismatchError, RateLimitError,
  type CorridorError, type Journal, type JournalRecord, type PaymentCreate, type PaymentIntent, type StoredIntent,
} from 'corridor-sdk';
import { describe, expect, test } from 'vitest';
import { answer, broken, FaultyPlatform, lost, taken } from './faulty-platform.ts';

const failureOf = (call: Promise<unknown>): Promise<CorridorError> => call.then(() => expect.unreachable('the call should fail'), (error: CorridorError) => error);
const intentOf = (payment: PaymentCreate, sentAt: number): StoredIntent => ({ version: 1, id: crypto.randomUUID(), request: { ...payment }, sentAt: new Date(sentAt).toISOString(), offset: 0 });

describe('clocks differ', () => {
  test.each([['ahead of', 600_000], ['behind', -600_000]])('a client ten minutes %s the platform finds its payment', async (_name, ahead) => {
    const faulty = new FaultyPlatform({ skew: -ahead }).fate((creation) => creation.commit(), taken(broken('ECONNRESET')));
    expect(await faulty.run(() => faulty.client().payments.createOnce(faulty.payable()))).toMatchObject({ recovered: true });
  });

  test('a platform that tells another time than it keeps shows its payment', async () => {
    const faulty = new FaultyPlatform({ skew: 7_200_000 });
    const corridor = faulty.client();
    await faulty.run(() => corridor.crypto.networks());
    const payment = faulty.payable();
    faulty.fate(async () => {
      faulty.add(payment, { createdAt: new Date(faulty.time.now()).toISOString() });
      throw broken('ECONNRESET');
    });
    expect(await faulty.run(() => corridor.payments.createOnce(payment))).toMatchObject({ recovered: true });
  });

  test('an intent from the future is not waited for longer than its settle window', async () => {
    const faulty = new FaultyPlatform();
    const started = faulty.time.now();
    const intent = intentOf(faulty.payable(), started + 3_600_000);
    expect(await faulty.run(() => faulty.client().payments.reconcile(intent))).toEqual({ outcome: 'not-found' });
    expect(faulty.time.now() - started).toBeLessThan(11_000);
  });
});

describe('a list that hangs', () => {
  const hanging = (): Promise<Response> => new Promise(() => {});

  test('is waited for no longer than the deadline', async () => {
    const faulty = new FaultyPlatform().fate(taken(broken('ECONNRESET')));
    faulty.meddle = hanging;
    const started = faulty.time.now();
    const error = await failureOf(faulty.run(() => faulty.client().payments.createOnce(faulty.payable(), { deadline: 40_000 })));
    expect(error).toMatchObject({ code: 'payment-outcome-unknown', attempts: [{ fault: 'ECONNRESET' }] });
    expect(faulty.time.now() - started).toBeLessThanOrEqual(40_000);
  });

  test('page after page, too', async () => {
    const faulty = new FaultyPlatform().fate(taken(broken('ECONNRESET')));
    faulty.meddle = async (page, count) => {
      await faulty.time.wait(5_000);
      return Response.json({ ...((await page.json()) as object), items: [], nextCursor: `page-${count}`, hasMore: true });
    };
    const started = faulty.time.now();
    expect((await failureOf(faulty.run(() => faulty.client().payments.createOnce(faulty.payable(), { deadline: 40_000 })))).outcome).toBe('unknown');
    expect(faulty.time.now() - started).toBeLessThanOrEqual(40_000);
  });

  test('is an error of reconcile', async () => {
    const faulty = new FaultyPlatform();
    faulty.meddle = hanging;
    const intent = intentOf(faulty.payable(), faulty.time.now());
    expect(await failureOf(faulty.run(() => faulty.client({ retries: 0 }).payments.reconcile(intent, { deadline: 20_000 })))).toMatchObject({ code: 'timeout' });
  });
});

describe('what is answered is weighed', () => {
  test.each([
    ['shows the quote in the authorization only', { paymentQuoteId: null }],
    ['does not show the reference', { internalReference: null, authorization: { internalReference: null } }],
    ['shows the reference in the authorization only', { internalReference: null }],
    ['trims the reference', { internalReference: ' order-4711  ' }],
  ])('a list that %s shows our payment', async (_name, shown) => {
    const faulty = new FaultyPlatform().fate(taken(broken('ECONNRESET')));
    faulty.meddle = async (page) => {
      const { items, ...rest } = (await page.json()) as { readonly items: readonly { readonly authorization: object }[] };
      return Response.json({ ...rest, items: items.map((item) => ({ ...item, ...shown, authorization: { ...item.authorization, ...('authorization' in shown ? shown.authorization : {}) } })) });
    };
    const { payment } = await faulty.run(() => faulty.client().payments.createOnce(faulty.payable()));
    expect(payment.id).toBe(faulty.payments[0]?.id);
  });

  test('an answer with a payment of other content is a mismatch, as in the list', async () => {
    const faulty = new FaultyPlatform({ quotes: 'reusable' });
    const payment = faulty.payable();
    const { id } = faulty.add(payment, { amount: '9.00' });
    faulty.fate(async (creation) => {
      const created = (await (await creation.commit()).json()) as object;
      return Response.json({ ...created, id, amount: '9.00' }, { status: 201 });
    });
    const error = await failureOf(faulty.run(() => faulty.client().payments.createOnce(payment)));
    expect(error).toBeInstanceOf(PaymentMismatchError);
    expect(error).toMatchObject({ paymentId: id, differences: ['amount'], outcome: 'applied' });
  });

  test.each([['paymentQuoteId', { paymentQuoteId: 'quo_other' }], ['paymentQuote', { paymentQuote: { id: 'quo_other' } }]] as const)('an answer whose %s is another quote is not taken for our payment', async (_name, other) => {
    const faulty = new FaultyPlatform();
    faulty.fate(async (creation) => {
      const created = (await (await creation.commit()).json()) as { readonly paymentQuote: object };
      return Response.json({ ...created, ...other, ...('paymentQuote' in other ? { paymentQuote: { ...created.paymentQuote, ...other.paymentQuote } } : {}), id: 'pay_other' }, { status: 201 });
    });
    const journal = new MemoryJournal();
    const corridor = faulty.client({ journal });
    const error = await failureOf(faulty.run(() => corridor.payments.createOnce(faulty.payable())));
    expect(error).toBeInstanceOf(PaymentMismatchError);
    expect(error).toMatchObject({ paymentId: 'pay_other', differences: ['paymentQuoteId'], outcome: 'applied', message: expect.stringContaining('paymentQuoteId') as unknown });
    // Nothing is noted of the other's payment: what became of ours is found in the list.
    expect(await faulty.run(() => corridor.payments.recover())).toMatchObject([{ outcome: 'created', payment: { id: faulty.payments[0]?.id } }]);
  });

  test('an answer that does not name the quote is taken', async () => {
    const faulty = new FaultyPlatform();
    faulty.fate(async (creation) => Response.json({ ...((await (await creation.commit()).json()) as object), paymentQuoteId: null }, { status: 201 }));
    expect(await faulty.run(() => faulty.client().payments.createOnce(faulty.payable()))).toMatchObject({ payment: { id: faulty.payments[0]?.id, paymentQuoteId: null }, created: true, recovered: false });
  });

  test.each([[{}], [null], [[]], [{ id: '' }]])('an answer of %j, where validation only observes, is none', async (body) => {
    const faulty = new FaultyPlatform().fate(taken(Response.json(body, { status: 201 })));
    const { payment, recovered } = await faulty.run(() => faulty.client({ validation: 'observe' }).payments.createOnce(faulty.payable()));
    expect(recovered).toBe(true);
    expect(payment.id).toBe(faulty.payments[0]?.id);
  });

  test('a list of odd records, where validation only observes, is searched all the same', async () => {
    const faulty = new FaultyPlatform().fate(taken(broken('ECONNRESET')));
    faulty.meddle = async (page) => {
      const { items, ...rest } = (await page.json()) as { readonly items: readonly object[] };
      return Response.json({ ...rest, items: [{ id: 'pay_0' }, ...items.map((item) => ({ ...item, amount: 1250, paymentQuoteId: undefined }))] });
    };
    const { payment } = await faulty.run(() => faulty.client({ validation: 'observe' }).payments.createOnce(faulty.payable()));
    expect(payment.id).toBe(faulty.payments[0]?.id);
  });

  test.each([['at once', 0], ['once the list can be read', 8]])('a clash with a payment that an earlier run made, long before, finds it %s', async (_name, failing) => {
    const faulty = new FaultyPlatform();
    const payment = faulty.payable();
    const { id } = faulty.add(payment);
    await faulty.pass(20 * 60_000);
    faulty.meddle = (page, count) => (count <= failing ? answer(503) : page);
    expect(await faulty.run(() => faulty.client().payments.createOnce(payment))).toMatchObject({ payment: { id }, recovered: true });
  });
});

describe('options', () => {
  test.each([{ settleWindow: Number.NaN }, { settleWindow: -1 }, { settleWindow: '10s' }, { resend: 'always' }, { onIntent: 'store' }, { retries: -1 }, { deadlines: 1 }, null])('%j are refused before anything is claimed or sent', async (options) => {
    const faulty = new FaultyPlatform();
    const journal = new MemoryJournal();
    const call = faulty.client({ journal }).payments.createOnce(faulty.payable(), options as { readonly settleWindow: number });
    expect(await failureOf(call)).toMatchObject({ outcome: 'not-sent', name: expect.stringMatching(/ConfigurationError|InvalidRequestError/) as unknown });
    expect(faulty.sent).toEqual([]);
    expect(await journal.open()).toEqual([]);
  });

  test('a settle window that is no number is refused by reconcile too', async () => {
    const faulty = new FaultyPlatform();
    const intent = intentOf(faulty.payable(), faulty.time.now());
    expect(await failureOf(faulty.client().payments.reconcile(intent, { settleWindow: Number.NaN }))).toMatchObject({ code: 'invalid-request' });
  });

  test('an intent is given to onIntent before anything leaves, and what that throws is thrown', async () => {
    const faulty = new FaultyPlatform();
    const corridor = faulty.client();
    const payment = faulty.payable();
    const noted: PaymentIntent[] = [];
    const disk = new Error('the disk is full');
    const refused = corridor.payments.createOnce(payment, {
      onIntent(intent) {
        noted.push(intent);
        throw disk;
      },
    });
    await expect(faulty.run(() => refused)).rejects.toBe(disk);
    expect(noted).toMatchObject([{ version: 1, request: payment, sentAt: '2026-03-01T09:00:00.000Z', offset: 0 }]);
    expect(faulty.sent).toEqual([]);
    expect(await faulty.run(() => corridor.payments.createOnce(payment))).toMatchObject({ created: true });
  });
});

describe('what is noted is what is sent', () => {
  const meddle = ({ request }: StoredIntent): void => void Object.assign(request, { amount: '999999.00', memo: '[redacted]' });
  const others = ({ request }: StoredIntent): void => void (request['documentIds'] as string[]).push('doc_other');

  test.each([['a field', meddle], ['a list in it', others]])('an onIntent that changes %s fails, and nothing is sent', async (_name, onIntent) => {
    const faulty = new FaultyPlatform();
    await expect(faulty.run(() => faulty.client().payments.createOnce(faulty.payable(), { onIntent }))).rejects.toThrow(TypeError);
    expect(faulty.sent).toEqual([]);
  });

  test.each([['a field', meddle], ['a list in it', others]])('a journal that tries to change %s changes nothing', async (_name, change) => {
    const faulty = new FaultyPlatform();
    const inner = new MemoryJournal();
    const claim = async (intent: StoredIntent): Promise<true | JournalRecord> => {
      expect(() => change(intent)).toThrow(TypeError);
      return inner.claim(intent);
    };
    const journal: Journal = { claim, settle: (key, settlement) => inner.settle(key, settlement), open: () => inner.open() };
    const payment = faulty.payable({ memo: 'for Ms Smith' });
    await faulty.run(() => faulty.client({ journal }).payments.createOnce(payment));
    expect(faulty.sent.map((body) => JSON.parse(body) as PaymentCreate)).toEqual([payment]);
  });
});

describe('a refusal', () => {
  test('leaves the quote free for another call', async () => {
    const faulty = new FaultyPlatform().fate(lost(answer(429)));
    const corridor = faulty.client();
    const payment = faulty.payable();
    expect(await failureOf(faulty.run(() => corridor.payments.createOnce(payment, { retries: 0 })))).toBeInstanceOf(RateLimitError);
    expect(await faulty.run(() => corridor.payments.createOnce(payment))).toMatchObject({ created: true, recovered: false });
    expect(faulty.payments).toHaveLength(1);
  });

  test('is not what a clash is, with nothing in the list', async () => {
    const faulty = new FaultyPlatform().fate(lost(answer(409)));
    expect(await failureOf(faulty.run(() => faulty.client().payments.createOnce(faulty.payable())))).toMatchObject({ code: 'payment-outcome-unknown', cause: expect.any(ConflictError) as unknown });
  });

  test('of a request that breaks a rule is ours', async () => {
    const faulty = new FaultyPlatform();
    const error = await failureOf(faulty.client().payments.createOnce({ ...faulty.payable(), documentIds: [] }));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(faulty.sent).toEqual([]);
  });
});
