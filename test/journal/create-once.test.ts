import { inspect } from 'node:util';
import { type Corridor, MemoryJournal, type CorridorError, type Journal, type PaymentCreate, type Settlement, type StoredIntent } from 'corridor-sdk';
import { describe, expect, test } from 'vitest';
import { answer, broken, FaultyPlatform, lost, taken, takenLate } from '../workflows/faulty-platform.ts';

const failureOf = (call: Promise<unknown>): Promise<CorridorError> => call.then(() => expect.unreachable('the call should fail'), (error: CorridorError) => error);

/** A journal in memory, of which some functions are replaced. */
function journalWith(replaced: (journal: MemoryJournal) => Partial<Journal>): Journal & { readonly inner: MemoryJournal } {
  const inner = new MemoryJournal();
  const own: Journal = { claim: (intent) => inner.claim(intent), settle: (key, settlement) => inner.settle(key, settlement), open: () => inner.open() };
  return { ...own, ...replaced(inner), inner };
}

/** An intent of another process, noted so long ago. */
function noted({ time }: FaultyPlatform, payment: PaymentCreate, age = 0): StoredIntent {
  return { version: 1, id: crypto.randomUUID(), request: { ...payment }, sentAt: new Date(time.now() - age).toISOString(), offset: 0 };
}

const hour = 3_600_000;

describe('a quote that another process has claimed', () => {
  test('the other made the payment: it is found, and not made again', async () => {
    const faulty = new FaultyPlatform();
    const journal = new MemoryJournal();
    const payment = faulty.payable();
    await journal.claim(noted(faulty, payment));
    const { id } = faulty.add(payment);
    const result = await faulty.run(() => faulty.client({ journal }).payments.createOnce(payment));
    expect(result).toMatchObject({ payment: { id }, created: false, recovered: true, attempts: [] });
    expect(faulty.sent).toEqual([]);
    expect(await journal.open()).toEqual([]);
  });

  test('the other is still at it: its payment is waited for', async () => {
    const faulty = new FaultyPlatform({ quotes: 'reusable' }).fate(lost(answer(429, { 'retry-after': '25' })));
    const journal = new MemoryJournal();
    const payment = faulty.payable();
    const other = faulty.client({ journal }).payments.createOnce(payment);
    const ours = faulty.client({ journal }).payments.createOnce(payment);
    const [made, joined] = await faulty.run(() => Promise.all([other, ours]));
    expect(joined).toMatchObject({ payment: { id: made.payment.id }, created: false });
    expect(await faulty.paymentsInTheEnd()).toHaveLength(1);
  });

  test('the other is still at it: it is waited for no longer than the deadline', async () => {
    const faulty = new FaultyPlatform();
    const journal = new MemoryJournal();
    const payment = faulty.payable();
    await journal.claim(noted(faulty, payment));
    const started = faulty.time.now();
    const error = await failureOf(faulty.run(() => faulty.client({ journal }).payments.createOnce(payment, { deadline: 30_000 })));
    expect(error).toMatchObject({ code: 'payment-outcome-unknown', outcome: 'unknown' });
    expect(faulty.time.now() - started).toBeLessThanOrEqual(30_000);
  });

  test('the other is refused: it is sent from here, once, with an intent of its own', async () => {
    const faulty = new FaultyPlatform().fate(lost(answer(422)));
    const journal = new MemoryJournal();
    const payment = faulty.payable();
    const intents: string[] = [];
    const onIntent = ({ id }: StoredIntent): void => void intents.push(id);
    const other = faulty.client({ journal }).payments.createOnce(payment, { onIntent });
    const ours = faulty.client({ journal }).payments.createOnce(payment, { onIntent });
    const [refused, made] = await faulty.run(() => Promise.allSettled([other, ours]));
    expect(refused).toMatchObject({ status: 'rejected', reason: { outcome: 'rejected', status: 422 } });
    expect(made).toMatchObject({ status: 'fulfilled', value: { created: true } });
    expect(new Set(intents).size).toBe(2);
    expect(faulty.payments).toHaveLength(1);
  });

  test('the other ended between claim and send: nothing is sent, and that nobody knows is said', async () => {
    const faulty = new FaultyPlatform();
    const journal = new MemoryJournal();
    const payment = faulty.payable();
    const intent = noted(faulty, payment, hour);
    await journal.claim(intent);
    const error = await failureOf(faulty.run(() => faulty.client({ journal }).payments.createOnce(payment, { resend: 'after-settle-window' })));
    expect(error).toMatchObject({ code: 'payment-outcome-unknown', outcome: 'unknown', intent, attempts: [] });
    expect(faulty.sent).toEqual([]);
    expect(faulty.pagesAsked).toBe(1);

    // A person decides that it never left.
    await journal.settle(payment.paymentQuoteId, { outcome: 'not-created' });
    expect(await faulty.run(() => faulty.client({ journal }).payments.createOnce(payment))).toMatchObject({ created: true });
  });

  test('a payment that the journal knows is waited for in a list that lags', async () => {
    const faulty = new FaultyPlatform();
    faulty.lag = 5_000;
    const corridor = faulty.client();
    const payment = faulty.payable();
    const first = await faulty.run(() => corridor.payments.createOnce(payment));
    expect(await faulty.run(() => corridor.payments.createOnce(payment))).toMatchObject({ payment: { id: first.payment.id }, created: false });
    expect(faulty.sent).toHaveLength(1);
  });

  test('a payment that the journal knows, and the list never shows, is named', async () => {
    const faulty = new FaultyPlatform();
    faulty.lag = hour;
    const corridor = faulty.client();
    const payment = faulty.payable();
    const first = await faulty.run(() => corridor.payments.createOnce(payment));
    const error = await failureOf(faulty.run(() => corridor.payments.createOnce(payment)));
    expect(error).toMatchObject({ code: 'payment-outcome-unknown', outcome: 'applied', paymentId: first.payment.id });
    expect(faulty.sent).toHaveLength(1);
  });

  test('a different request for the same quote is refused', async () => {
    const faulty = new FaultyPlatform();
    const corridor = faulty.client();
    const payment = faulty.payable();
    await faulty.run(() => corridor.payments.createOnce(payment));
    const error = await failureOf(faulty.run(() => corridor.payments.createOnce({ ...payment, amount: '1.00' })));
    expect(error).toMatchObject({ code: 'invalid-request', outcome: 'not-sent', issues: [{ path: 'paymentQuoteId', message: expect.stringContaining('journal') as unknown }] });
  });

  test('a record that is damaged stops the payment, and is said to be', async () => {
    const faulty = new FaultyPlatform();
    const payment = faulty.payable();
    const journal = journalWith(() => ({ claim: async () => ({ intent: { ...noted(faulty, payment), sentAt: 'yesterday' } }) }));
    const error = await failureOf(faulty.run(() => faulty.client({ journal }).payments.createOnce(payment)));
    expect(error).toMatchObject({ code: 'configuration', outcome: 'not-sent', message: expect.stringContaining('damaged') as unknown });
  });

  test('a list that cannot be read is said to be that', async () => {
    const faulty = new FaultyPlatform();
    faulty.meddle = () => answer(403);
    const journal = new MemoryJournal();
    const payment = faulty.payable();
    await journal.claim(noted(faulty, payment, hour));
    const error = await failureOf(faulty.run(() => faulty.client({ journal }).payments.createOnce(payment)));
    expect(error).toMatchObject({ code: 'payment-outcome-unknown', listFailure: { status: 403 }, message: expect.stringContaining('could not be read') as unknown });
  });

  test('an abort while joining says that the payment is not known', async () => {
    const faulty = new FaultyPlatform();
    const journal = new MemoryJournal();
    const payment = faulty.payable();
    await journal.claim(noted(faulty, payment));
    const controller = new AbortController();
    const call = failureOf(faulty.client({ journal }).payments.createOnce(payment, { signal: controller.signal }));
    await faulty.pass(2_000);
    controller.abort('enough');
    expect(await call).toMatchObject({ code: 'aborted', outcome: 'unknown', cause: 'enough', intent: { version: 1 } });
  });

  test('a journal that fails while joining makes nothing worse', async () => {
    const faulty = new FaultyPlatform();
    const payment = faulty.payable();
    let claims = 0;
    const journal = journalWith((inner) => ({
      claim: async (intent) => {
        claims += 1;
        if (claims > 1) throw new Error('gone');
        return inner.claim(intent);
      },
    }));
    await journal.inner.claim(noted(faulty, payment));
    const call = faulty.client({ journal }).payments.createOnce(payment);
    void faulty.time.wait(5_000).then(() => faulty.add(payment));
    expect(await faulty.run(() => call)).toMatchObject({ created: false });
    expect(faulty.sent).toEqual([]);
  });
});

describe('a journal that does not answer', () => {
  const hanging = (): Promise<never> => new Promise(() => {});

  test('is waited for no longer than the deadline, and nothing is sent', async () => {
    const faulty = new FaultyPlatform();
    const journal = journalWith(() => ({ claim: hanging }));
    const error = await failureOf(faulty.run(() => faulty.client({ journal }).payments.createOnce(faulty.payable(), { deadline: 7_000 })));
    expect(error).toMatchObject({ code: 'timeout', outcome: 'not-sent', message: expect.stringContaining('waiting for its journal') as unknown });
    expect(faulty.sent).toEqual([]);
  });

  test('is not waited for when the call is aborted, and a claim that comes late is given up', async () => {
    const faulty = new FaultyPlatform();
    const journal = journalWith((inner) => ({ claim: (intent) => faulty.time.wait(10_000).then(() => inner.claim(intent)) }));
    const controller = new AbortController();
    const payment = faulty.payable();
    const call = failureOf(faulty.client({ journal }).payments.createOnce(payment, { signal: controller.signal }));
    await faulty.pass(1_000);
    controller.abort();
    expect(await call).toMatchObject({ code: 'aborted', outcome: 'not-sent' });
    await faulty.pass(20_000);
    expect(await journal.open()).toEqual([]);
    expect(await journal.inner.claim(noted(faulty, payment))).toBe(true);
  });

  test('does not keep a payment that was made from being returned', async () => {
    const faulty = new FaultyPlatform();
    const journal = journalWith(() => ({ settle: hanging }));
    const started = faulty.time.now();
    expect(await faulty.run(() => faulty.client({ journal }).payments.createOnce(faulty.payable()))).toMatchObject({ created: true });
    expect(faulty.time.now() - started).toBeLessThan(10_000);
  });

  test('does not keep a call that has ended beyond its deadline, but for a moment', async () => {
    const faulty = new FaultyPlatform().fate(lost(answer(422)));
    const corridor = faulty.client({ journal: journalWith(() => ({ settle: hanging })) });
    const started = faulty.time.now();
    expect(await failureOf(faulty.run(() => corridor.payments.createOnce(faulty.payable(), { deadline: 1_000 })))).toMatchObject({ status: 422 });
    expect(faulty.time.now() - started).toBe(1_000);
    expect(await faulty.run(() => corridor.payments.createOnce(faulty.payable(), { deadline: 1 }))).toMatchObject({ created: true });
    expect(faulty.time.now() - started).toBe(1_250);
  });

  test('does not keep a call that has ended beyond its signal, but for a moment', async () => {
    const faulty = new FaultyPlatform();
    const controller = new AbortController();
    const call = faulty.client({ journal: journalWith(() => ({ settle: hanging })) }).payments.createOnce(faulty.payable(), { signal: controller.signal });
    const ended = call.then(() => faulty.time.now());
    await faulty.pass(1_000);
    const stopped = faulty.time.now();
    controller.abort();
    expect((await faulty.run(() => ended)) - stopped).toBe(250);
    expect((await call).created).toBe(true);
  });

  test('is told how it ended even where the call does not wait for it any more', async () => {
    const faulty = new FaultyPlatform();
    const journal = journalWith((inner) => ({ settle: (key, settlement) => faulty.time.wait(20_000).then(() => inner.settle(key, settlement)) }));
    await faulty.run(() => faulty.client({ journal }).payments.createOnce(faulty.payable(), { deadline: 1_000 }));
    expect(await journal.open()).toHaveLength(1);
    await faulty.pass(20_000);
    expect(await journal.open()).toEqual([]);
  });

  test('does not keep recover waiting for each of its records', async () => {
    const faulty = new FaultyPlatform();
    const settled: string[] = [];
    const journal = journalWith(() => ({ settle: (key) => (settled.push(key), hanging()) }));
    const payments = [faulty.payable(), faulty.payable(), faulty.payable()];
    for (const payment of payments) {
      await journal.claim(noted(faulty, payment));
      faulty.add(payment);
    }
    const started = faulty.time.now();
    expect(await faulty.run(() => faulty.client({ journal }).payments.recover())).toHaveLength(3);
    expect(faulty.time.now() - started).toBe(5_000);
    expect(settled).toEqual(payments.map(({ paymentQuoteId }) => paymentQuoteId));
  });

  test('an onIntent that hangs is waited for no longer than the deadline, and the quote is free again', async () => {
    const faulty = new FaultyPlatform();
    const corridor = faulty.client();
    const payment = faulty.payable();
    expect(await failureOf(faulty.run(() => corridor.payments.createOnce(payment, { onIntent: hanging, deadline: 5_000 })))).toMatchObject({ code: 'timeout', outcome: 'not-sent' });
    expect(await faulty.run(() => corridor.payments.createOnce(payment))).toMatchObject({ created: true });
  });
});

describe('an error of a journal, which may hold what it was to note', () => {
  const failed = async (fails: (intent: StoredIntent) => Promise<never>): Promise<readonly CorridorError[]> => {
    const faulty = new FaultyPlatform();
    const payment = faulty.payable({ memo: 'salary of Ms Smith' });
    const open = (): Promise<never> => fails(noted(faulty, payment));
    const { payments } = faulty.client({ journal: journalWith(() => ({ claim: fails, open })) });
    return [await failureOf(faulty.run(() => payments.createOnce(payment))), await failureOf(payments.recover())];
  };
  const query = (intent: StoredIntent): Error => Object.assign(new Error(`insert failed: ${JSON.stringify(intent)}`), { code: '57P01', parameters: [intent] });

  test('is told by its code alone, however the error is printed', async () => {
    for (const error of await failed((intent) => Promise.reject(query(intent)))) {
      expect(error).toMatchObject({ code: 'configuration', outcome: 'not-sent', message: expect.stringContaining('57P01') as unknown, cause: { code: '57P01' } });
      const hidden = inspect(error, { showHidden: true, depth: null, getters: true });
      const printed = [inspect(error), hidden, JSON.stringify(error), JSON.stringify(error.cause), String(error.cause), error.stack, (error.cause as Error).stack];
      expect(printed.join('\n')).toContain('57P01');
      expect(printed.join('\n')).not.toContain('Ms Smith');
    }
  });

  test('can still be had', async () => {
    const thrown: Error[] = [];
    const errors = await failed((intent) => {
      thrown.push(query(intent));
      return Promise.reject(thrown.at(-1) as Error);
    });
    expect(errors.map(({ cause }) => (cause as { original(): unknown }).original())).toEqual(thrown);
  });

  test('is told by its name where it has no code, and by neither where they are no names', async () => {
    const [named] = await failed(() => Promise.reject(new RangeError('Ms Smith')));
    const [odd] = await failed((intent) => Promise.reject(Object.assign(new Error('x'), { code: JSON.stringify(intent), name: 'of Ms Smith' })));
    expect(named?.message).toContain('(RangeError)');
    expect(odd?.message).toContain('(object)');
  });
});

test.each([undefined, null, false, 'true', {}])('a journal whose claim gives %j is refused, and nothing is sent', async (given) => {
  const faulty = new FaultyPlatform();
  const journal = journalWith(() => ({ claim: async () => given as true }));
  const error = await failureOf(faulty.run(() => faulty.client({ journal }).payments.createOnce(faulty.payable())));
  expect(error).toMatchObject({ code: 'configuration', outcome: 'not-sent', message: expect.stringContaining('claim()') as unknown });
  expect(faulty.sent).toEqual([]);
});

describe('a journal that cannot note how it ended', () => {
  const failing = () => journalWith(() => ({ settle: () => { throw new Error('the disk is full'); } }));

  test('takes nothing from a payment that was made; the next call finds it', async () => {
    const faulty = new FaultyPlatform({ quotes: 'reusable' });
    const corridor = faulty.client({ journal: failing() });
    const payment = faulty.payable();
    const first = await faulty.run(() => corridor.payments.createOnce(payment));
    expect(first.created).toBe(true);
    expect(await faulty.run(() => corridor.payments.createOnce(payment))).toMatchObject({ payment: { id: first.payment.id }, created: false });
    expect(faulty.payments).toHaveLength(1);
  });

  test('takes nothing from a refusal', async () => {
    const faulty = new FaultyPlatform().fate(lost(answer(400)));
    expect(await failureOf(faulty.run(() => faulty.client({ journal: failing() }).payments.createOnce(faulty.payable())))).toMatchObject({ status: 400, outcome: 'rejected' });
  });

  test('takes nothing from what recover finds', async () => {
    const faulty = new FaultyPlatform();
    const journal = failing();
    const payment = faulty.payable();
    await journal.inner.claim(noted(faulty, payment));
    const { id } = faulty.add(payment);
    expect(await faulty.run(() => faulty.client({ journal }).payments.recover())).toMatchObject([{ outcome: 'created', payment: { id } }]);
  });
});

describe('recover', () => {
  test('tells of every open intent in one walk, and settles those that were made', async () => {
    const faulty = new FaultyPlatform({ quotes: 'reusable' });
    const journal = new MemoryJournal();
    const payments = Array.from({ length: 4 }, () => faulty.payable());
    const [made, twice, other, nowhere] = payments as [PaymentCreate, PaymentCreate, PaymentCreate, PaymentCreate];
    for (const payment of payments) await journal.claim(noted(faulty, payment, 60_000));
    const { id } = faulty.add(made);
    const duplicates = [faulty.add(twice).id, faulty.add(twice).id];
    faulty.add(other, { amount: '7.00' });

    const recoveries = await faulty.run(() => faulty.client({ journal }).payments.recover());
    expect(recoveries).toMatchObject([{ outcome: 'created', payment: { id } }, { outcome: 'duplicate' }, { outcome: 'mismatch', differences: ['amount'] }, { outcome: 'not-found' }]);
    expect(recoveries.flatMap((recovery) => (recovery.outcome === 'duplicate' ? recovery.payments.map((payment) => payment.id) : [])).toSorted()).toEqual(duplicates.toSorted());
    expect(faulty.pagesAsked).toBe(1);
    expect((await journal.open()).map(({ request }) => request['paymentQuoteId'])).toEqual([twice, other, nowhere].map(({ paymentQuoteId }) => paymentQuoteId));
    expect(faulty.sent).toEqual([]);
  });

  test('asks nothing where nothing is open', async () => {
    const faulty = new FaultyPlatform();
    expect(await faulty.client().payments.recover()).toEqual([]);
    expect(faulty.pagesAsked).toBe(0);
  });

  test('settles what was given too, should the journal have it', async () => {
    const faulty = new FaultyPlatform();
    const settled: [string, Settlement][] = [];
    const journal = journalWith((inner) => ({ settle: (key, settlement) => (settled.push([key, settlement]), inner.settle(key, settlement)) }));
    const payment = faulty.payable();
    const { id } = faulty.add(payment);
    await faulty.run(() => faulty.client({ journal }).payments.recover([noted(faulty, payment)]));
    expect(settled).toEqual([[payment.paymentQuoteId, { outcome: 'created', paymentId: id }]]);
  });

  test('is an error where the list cannot be read, and settles nothing', async () => {
    const faulty = new FaultyPlatform();
    faulty.meddle = () => answer(403);
    const journal = new MemoryJournal();
    await journal.claim(noted(faulty, faulty.payable()));
    expect(await failureOf(faulty.run(() => faulty.client({ journal }).payments.recover()))).toMatchObject({ code: 'permission' });
    expect(await journal.open()).toHaveLength(1);
  });

  test('settles what it can read, and then names what it cannot', async () => {
    const faulty = new FaultyPlatform();
    const journal = new MemoryJournal();
    const [made, newer, damaged] = [faulty.payable(), faulty.payable(), faulty.payable()];
    await journal.claim({ ...noted(faulty, newer), version: 2, id: 'of-a-newer-version' });
    await journal.claim(noted(faulty, made));
    await journal.claim({ ...noted(faulty, damaged), sentAt: 'yesterday', id: 'damaged-one' });
    faulty.add(made);
    const error = await failureOf(faulty.run(() => faulty.client({ journal }).payments.recover()));
    expect(error).toMatchObject({ code: 'configuration', message: expect.stringMatching(/of-a-newer-version.*version.*damaged-one.*damaged.*were settled/) as unknown });
    expect((await journal.open()).map(({ id }) => id)).toEqual(['of-a-newer-version', 'damaged-one']);
  });

  test.each([['x'], [{}], [null], [noted(new FaultyPlatform(), {} as PaymentCreate)]])('refuses %j in place of intents', async (intents) => {
    const error = await failureOf(new FaultyPlatform().client().payments.recover(intents as unknown as StoredIntent[]));
    expect(error).toMatchObject({ code: 'configuration', message: expect.stringContaining('array of intents') as unknown });
  });

  test('refuses a journal that gives no list', async () => {
    const journal = journalWith(() => ({ open: async () => undefined as unknown as StoredIntent[] }));
    expect(await failureOf(new FaultyPlatform().client({ journal }).payments.recover())).toMatchObject({ code: 'configuration', message: expect.stringContaining('open()') as unknown });
  });

  test.each([[{ version: 2 }, 'version'], [{ sentAt: 'x' }, 'damaged'], [{ offset: undefined }, 'damaged'], [{ request: {} }, 'damaged']])('refuses an intent with %o', async (replaced, word) => {
    const faulty = new FaultyPlatform();
    const intent = { ...noted(faulty, faulty.payable()), ...replaced } as StoredIntent;
    expect(await failureOf(faulty.client().payments.recover([intent]))).toMatchObject({ code: 'configuration', message: expect.stringContaining(word) as unknown });
  });
});

test('a payment whose answer was lost leaves its record open until it is found', async () => {
  const faulty = new FaultyPlatform().fate(takenLate(30_000));
  const journal = new MemoryJournal();
  const payment = faulty.payable();
  await failureOf(faulty.run(() => faulty.client({ journal }).payments.createOnce(payment)));
  expect(await journal.open()).toHaveLength(1);
  await faulty.pass(30_000);
  expect(await faulty.run(() => faulty.client({ journal }).payments.recover())).toMatchObject([{ outcome: 'created' }]);
  expect(await journal.open()).toEqual([]);
});

test('a payment that is found at once settles its record', async () => {
  const faulty = new FaultyPlatform().fate(taken(broken('ECONNRESET')));
  const journal = new MemoryJournal();
  const corridor: Corridor = faulty.client({ journal });
  await faulty.run(() => corridor.payments.createOnce(faulty.payable()));
  expect(await journal.open()).toEqual([]);
});
