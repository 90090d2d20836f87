import { inspect } from 'node:util';
import {
  type Corridor,
  JournalError,
  MemoryJournal,
  releaseIntent,
  type CorridorError,
  type Journal,
  type PaymentCreateParams,
  type IntentResolution,
  type StoredIntent,
} from 'corridor-sdk';
import { describe, expect, test } from 'vitest';
import { failureOf } from '../simulation/failure.js';
import { errorResponse, broken, FaultyPlatform, lost, taken, takenLate } from '../workflows/faulty-platform.ts';

/** A journal in memory with some functions replaced. */
function journalWith(
  replaced: (journal: MemoryJournal) => Partial<Journal>,
): Journal & { readonly inner: MemoryJournal } {
  const inner = new MemoryJournal();
  const own: Journal = {
    claim: (intent) => inner.claim(intent),
    resolve: (intent, resolution) => inner.resolve(intent, resolution),
    listPending: () => inner.listPending(),
  };
  return { ...own, ...replaced(inner), inner };
}

/** An intent of another process, noted so long ago. */
function noted({ time }: FaultyPlatform, payment: PaymentCreateParams, age = 0): StoredIntent {
  return {
    version: 1,
    id: crypto.randomUUID(),
    request: { ...payment },
    createdAt: new Date(time.now() - age).toISOString(),
    clockOffset: 0,
  };
}

const hour = 3_600_000;

describe('a quote that another process has claimed', () => {
  test('if the other process created the payment, it is found, and not sent again', async () => {
    const faulty = new FaultyPlatform();
    const journal = new MemoryJournal();
    const payment = faulty.payable();
    await journal.claim(noted(faulty, payment));
    const { id } = faulty.add(payment);
    const result = await faulty.run(() => faulty.client({ journal }).payments.createOnce(payment));
    expect(result).toMatchObject({ payment: { id }, created: false, recovered: true, attempts: [] });
    expect(faulty.sent).toEqual([]);
    expect(await journal.listPending()).toEqual([]);
  });

  test('if the other process is still sending, its payment is awaited', async () => {
    const faulty = new FaultyPlatform({ quotes: 'reusable' }).fate(lost(errorResponse(429, { 'retry-after': '25' })));
    const journal = new MemoryJournal();
    const payment = faulty.payable();
    const other = faulty.client({ journal }).payments.createOnce(payment);
    const ours = faulty.client({ journal }).payments.createOnce(payment);
    const [made, joined] = await faulty.run(() => Promise.all([other, ours]));
    expect(joined).toMatchObject({ payment: { id: made.payment.id }, created: false });
    expect(await faulty.paymentsInTheEnd()).toHaveLength(1);
  });

  test('if the other process is still sending, the wait ends with the total timeout', async () => {
    const faulty = new FaultyPlatform();
    const journal = new MemoryJournal();
    const payment = faulty.payable();
    await journal.claim(noted(faulty, payment));
    const started = faulty.time.now();
    const error = await failureOf(
      faulty.run(() => faulty.client({ journal }).payments.createOnce(payment, { totalTimeout: 30_000 })),
    );
    expect(error).toMatchObject({ code: 'payment-outcome-unknown', outcome: 'unknown' });
    expect(faulty.time.now() - started).toBeLessThanOrEqual(30_000);
  });

  test('if the payment of the other process is rejected, this one sends it once, with a new intent', async () => {
    const faulty = new FaultyPlatform().fate(lost(errorResponse(422)));
    const journal = new MemoryJournal();
    const payment = faulty.payable();
    const intents: string[] = [];
    const onIntent = ({ id }: StoredIntent): void => void intents.push(id);
    const other = faulty.client({ journal }).payments.createOnce(payment, { onIntent });
    const ours = faulty.client({ journal }).payments.createOnce(payment, { onIntent });
    const [rejected, made] = await faulty.run(() => Promise.allSettled([other, ours]));
    expect(rejected).toMatchObject({ status: 'rejected', reason: { outcome: 'rejected', status: 422 } });
    expect(made).toMatchObject({ status: 'fulfilled', value: { created: true } });
    expect(new Set(intents).size).toBe(2);
    expect(faulty.payments).toHaveLength(1);
  });

  test('if the other process ended between claim and send, nothing is sent, and the outcome is unknown', async () => {
    const faulty = new FaultyPlatform();
    const journal = new MemoryJournal();
    const payment = faulty.payable();
    const intent = noted(faulty, payment, hour);
    await journal.claim(intent);
    const error = await failureOf(
      faulty.run(() => faulty.client({ journal }).payments.createOnce(payment, { resend: 'after-consistency-window' })),
    );
    expect(error).toMatchObject({ code: 'payment-outcome-unknown', outcome: 'unknown', intent, attempts: [] });
    expect(faulty.sent).toEqual([]);
    expect(faulty.pagesRequested).toBe(1);

    // Support confirms that the payment was not sent.
    await releaseIntent(journal, intent);
    expect(await faulty.run(() => faulty.client({ journal }).payments.createOnce(payment))).toMatchObject({
      created: true,
    });
  });

  test('a payment in the journal is awaited if the list lags', async () => {
    const faulty = new FaultyPlatform();
    faulty.lag = 5_000;
    const corridor = faulty.client();
    const payment = faulty.payable();
    const first = await faulty.run(() => corridor.payments.createOnce(payment));
    expect(await faulty.run(() => corridor.payments.createOnce(payment))).toMatchObject({
      payment: { id: first.payment.id },
      created: false,
    });
    expect(faulty.sent).toHaveLength(1);
  });

  test('the error contains the id of a payment that the journal has and the list never shows', async () => {
    const faulty = new FaultyPlatform();
    faulty.lag = hour;
    const corridor = faulty.client();
    const payment = faulty.payable();
    const first = await faulty.run(() => corridor.payments.createOnce(payment));
    const error = await failureOf(faulty.run(() => corridor.payments.createOnce(payment)));
    expect(error).toMatchObject({ code: 'payment-outcome-unknown', outcome: 'applied', paymentId: first.payment.id });
    expect(faulty.sent).toHaveLength(1);
  });

  test('a different request for the same quote is rejected', async () => {
    const faulty = new FaultyPlatform();
    const corridor = faulty.client();
    const payment = faulty.payable();
    await faulty.run(() => corridor.payments.createOnce(payment));
    const error = await failureOf(faulty.run(() => corridor.payments.createOnce({ ...payment, amount: '1.00' })));
    expect(error).toMatchObject({
      code: 'invalid-request',
      outcome: 'not-sent',
      issues: [
        {
          path: 'paymentQuoteId',
          message: expect.stringMatching(/journal\. If this is the same order, .* reconcile it/) as unknown,
        },
      ],
    });
  });

  test('a damaged entry prevents the payment and is reported', async () => {
    const faulty = new FaultyPlatform();
    const payment = faulty.payable();
    const journal = journalWith(() => ({
      claim: async () => ({ intent: { ...noted(faulty, payment), createdAt: 'yesterday' } }),
    }));
    const error = await failureOf(faulty.run(() => faulty.client({ journal }).payments.createOnce(payment)));
    expect(error).toMatchObject({
      code: 'configuration',
      outcome: 'not-sent',
      message: expect.stringContaining('damaged') as unknown,
    });
  });

  test('an unreadable list is reported', async () => {
    const faulty = new FaultyPlatform();
    faulty.meddle = () => errorResponse(403);
    const journal = new MemoryJournal();
    const payment = faulty.payable();
    await journal.claim(noted(faulty, payment, hour));
    const error = await failureOf(faulty.run(() => faulty.client({ journal }).payments.createOnce(payment)));
    expect(error).toMatchObject({
      code: 'payment-outcome-unknown',
      listError: { status: 403 },
      message: expect.stringContaining('could not be read') as unknown,
    });
  });

  test('an abort while joining reports the outcome unknown', async () => {
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

  test('a journal that fails while joining changes nothing', async () => {
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

describe('a journal that does not respond', () => {
  const hanging = (): Promise<never> => new Promise(() => {});

  test('is not awaited after the total timeout, and nothing is sent', async () => {
    const faulty = new FaultyPlatform();
    const journal = journalWith(() => ({ claim: hanging }));
    const error = await failureOf(
      faulty.run(() => faulty.client({ journal }).payments.createOnce(faulty.payable(), { totalTimeout: 7_000 })),
    );
    expect(error).toMatchObject({
      code: 'timeout',
      outcome: 'not-sent',
      message: expect.stringContaining('waiting for its journal') as unknown,
    });
    expect(faulty.sent).toEqual([]);
  });

  test('leaves time to search for the payment of another process', async () => {
    const faulty = new FaultyPlatform().fate(taken('hang'));
    const payment = faulty.payable();
    const inner = new MemoryJournal();
    void faulty
      .client({ journal: inner })
      .payments.createOnce(payment)
      .catch(() => {});
    await faulty.pass(1_000);
    faulty.meddle = (page) => faulty.time.wait(100).then(() => page);
    let claims = 0;
    const journal: Journal = {
      claim: (intent) => ((claims += 1) === 1 ? inner.claim(intent) : hanging()),
      resolve: (intent, resolution) => inner.resolve(intent, resolution),
      listPending: () => inner.listPending(),
    };
    const second = faulty.client({ journal }).payments.createOnce(payment, { totalTimeout: 6_000 });
    expect(await faulty.run(() => second)).toMatchObject({ created: false, payment: { id: faulty.payments[0]?.id } });
  });

  test('is not awaited after an abort, and a late claim is released', async () => {
    const faulty = new FaultyPlatform();
    const journal = journalWith((inner) => ({
      claim: (intent) => faulty.time.wait(10_000).then(() => inner.claim(intent)),
    }));
    const controller = new AbortController();
    const payment = faulty.payable();
    const call = failureOf(faulty.client({ journal }).payments.createOnce(payment, { signal: controller.signal }));
    await faulty.pass(1_000);
    controller.abort();
    expect(await call).toMatchObject({ code: 'aborted', outcome: 'not-sent' });
    await faulty.pass(20_000);
    expect(await journal.listPending()).toEqual([]);
    expect(await journal.inner.claim(noted(faulty, payment))).toBe(true);
  });

  test('does not prevent returning a created payment', async () => {
    const faulty = new FaultyPlatform();
    const journal = journalWith(() => ({ resolve: hanging }));
    const started = faulty.time.now();
    expect(await faulty.run(() => faulty.client({ journal }).payments.createOnce(faulty.payable()))).toMatchObject({
      created: true,
    });
    expect(faulty.time.now() - started).toBeLessThan(10_000);
  });

  test('delays a finished call only briefly after its total timeout', async () => {
    const faulty = new FaultyPlatform().fate(lost(errorResponse(422)));
    const corridor = faulty.client({ journal: journalWith(() => ({ resolve: hanging })) });
    const started = faulty.time.now();
    expect(
      await failureOf(faulty.run(() => corridor.payments.createOnce(faulty.payable(), { totalTimeout: 1_000 }))),
    ).toMatchObject({ status: 422 });
    expect(faulty.time.now() - started).toBe(1_000);
    expect(await faulty.run(() => corridor.payments.createOnce(faulty.payable(), { totalTimeout: 1 }))).toMatchObject({
      created: true,
    });
    expect(faulty.time.now() - started).toBe(1_250);
  });

  test('delays a finished call only briefly after its signal aborts', async () => {
    const faulty = new FaultyPlatform();
    const controller = new AbortController();
    const call = faulty
      .client({ journal: journalWith(() => ({ resolve: hanging })) })
      .payments.createOnce(faulty.payable(), { signal: controller.signal });
    const ended = call.then(() => faulty.time.now());
    await faulty.pass(1_000);
    const stopped = faulty.time.now();
    controller.abort();
    expect((await faulty.run(() => ended)) - stopped).toBe(250);
    expect((await call).created).toBe(true);
  });

  test('receives the resolution even if the call no longer awaits it', async () => {
    const faulty = new FaultyPlatform();
    const journal = journalWith((inner) => ({
      resolve: (intent, resolution) => faulty.time.wait(20_000).then(() => inner.resolve(intent, resolution)),
    }));
    await faulty.run(() => faulty.client({ journal }).payments.createOnce(faulty.payable(), { totalTimeout: 1_000 }));
    expect(await journal.listPending()).toHaveLength(1);
    await faulty.pass(20_000);
    expect(await journal.listPending()).toEqual([]);
  });

  test('does not delay reconcilePending once per entry', async () => {
    const faulty = new FaultyPlatform();
    const settled: string[] = [];
    const journal = journalWith(() => ({
      resolve: ({ request }) => (settled.push(String(request['paymentQuoteId'])), hanging()),
    }));
    const payments = [faulty.payable(), faulty.payable(), faulty.payable()];
    for (const payment of payments) {
      await journal.claim(noted(faulty, payment));
      faulty.add(payment);
    }
    const started = faulty.time.now();
    expect(await faulty.run(() => faulty.client({ journal }).payments.reconcilePending())).toHaveLength(3);
    expect(faulty.time.now() - started).toBe(5_000);
    expect(settled).toEqual(payments.map(({ paymentQuoteId }) => paymentQuoteId));
  });

  test('an onIntent that hangs is not awaited after the total timeout, and the quote is released', async () => {
    const faulty = new FaultyPlatform();
    const corridor = faulty.client();
    const payment = faulty.payable();
    expect(
      await failureOf(
        faulty.run(() => corridor.payments.createOnce(payment, { onIntent: hanging, totalTimeout: 5_000 })),
      ),
    ).toMatchObject({ code: 'timeout', outcome: 'not-sent' });
    expect(await faulty.run(() => corridor.payments.createOnce(payment))).toMatchObject({ created: true });
  });
});

describe('an error of a journal, which can contain the payment', () => {
  const failed = async (fails: (intent: StoredIntent) => Promise<never>): Promise<readonly CorridorError[]> => {
    const faulty = new FaultyPlatform();
    const payment = faulty.payable({ memo: 'salary of Ms Smith' });
    const listPending = (): Promise<never> => fails(noted(faulty, payment));
    const { payments } = faulty.client({ journal: journalWith(() => ({ claim: fails, listPending })) });
    return [
      await failureOf(faulty.run(() => payments.createOnce(payment))),
      await failureOf(payments.reconcilePending()),
    ];
  };
  const query = (intent: StoredIntent): Error =>
    Object.assign(new Error(`insert failed: ${JSON.stringify(intent)}`), { code: '57P01', parameters: [intent] });

  test('is shown by its code only, however the error is printed', async () => {
    for (const error of await failed((intent) => Promise.reject(query(intent)))) {
      expect(error).toBeInstanceOf(JournalError);
      expect(error).toMatchObject({
        code: 'journal',
        outcome: 'not-sent',
        message: expect.stringContaining('57P01') as unknown,
      });
      const hidden = inspect(error, { showHidden: true, depth: null, getters: true });
      const printed = [inspect(error), hidden, JSON.stringify(error), String(error), error.stack];
      expect(printed.join('\n')).toContain('57P01');
      expect(printed.join('\n')).not.toContain('Ms Smith');
    }
  });

  test('is available by original()', async () => {
    const thrown: Error[] = [];
    const errors = await failed((intent) => {
      thrown.push(query(intent));
      return Promise.reject(thrown.at(-1) as Error);
    });
    expect(errors.map((error) => (error as JournalError).original())).toEqual(thrown.slice(1));
  });

  test('shows its name if it has no code, and neither if they are not identifiers', async () => {
    const [named] = await failed(() => Promise.reject(new RangeError('Ms Smith')));
    const [odd] = await failed((intent) =>
      Promise.reject(Object.assign(new Error('x'), { code: JSON.stringify(intent), name: 'of Ms Smith' })),
    );
    expect(named?.message).toContain('(RangeError)');
    expect(odd?.message).toContain('(object)');
  });
});

test.each([undefined, null, false, 'true', {}])(
  'a journal whose claim returns %j is rejected, and nothing is sent',
  async (given) => {
    const faulty = new FaultyPlatform();
    const journal = journalWith(() => ({ claim: async () => given as true }));
    const error = await failureOf(faulty.run(() => faulty.client({ journal }).payments.createOnce(faulty.payable())));
    expect(error).toMatchObject({
      code: 'journal',
      outcome: 'not-sent',
      message: expect.stringContaining('journal.claim()') as unknown,
    });
    expect(faulty.sent).toEqual([]);
  },
);

describe('a journal that cannot store the resolution', () => {
  const failing = () =>
    journalWith(() => ({
      resolve: () => {
        throw new Error('the disk is full');
      },
    }));

  test('does not affect a created payment; the next call finds it', async () => {
    const faulty = new FaultyPlatform({ quotes: 'reusable' });
    const corridor = faulty.client({ journal: failing() });
    const payment = faulty.payable();
    const first = await faulty.run(() => corridor.payments.createOnce(payment));
    expect(first.created).toBe(true);
    expect(await faulty.run(() => corridor.payments.createOnce(payment))).toMatchObject({
      payment: { id: first.payment.id },
      created: false,
    });
    expect(faulty.payments).toHaveLength(1);
  });

  test('does not affect a rejection', async () => {
    const faulty = new FaultyPlatform().fate(lost(errorResponse(400)));
    expect(
      await failureOf(faulty.run(() => faulty.client({ journal: failing() }).payments.createOnce(faulty.payable()))),
    ).toMatchObject({ status: 400, outcome: 'rejected' });
  });

  test('does not affect the results of reconcilePending', async () => {
    const faulty = new FaultyPlatform();
    const journal = failing();
    const payment = faulty.payable();
    await journal.inner.claim(noted(faulty, payment));
    const { id } = faulty.add(payment);
    expect(await faulty.run(() => faulty.client({ journal }).payments.reconcilePending())).toMatchObject([
      { status: 'created', payment: { id } },
    ]);
  });
});

describe('payments.reconcilePending', () => {
  test('returns the result of every pending intent in one pass, and resolves those with a payment', async () => {
    const faulty = new FaultyPlatform({ quotes: 'reusable', amounts: 'free' });
    const journal = new MemoryJournal();
    const payments = Array.from({ length: 4 }, () => faulty.payable());
    const [made, twice, other, nowhere] = payments as [
      PaymentCreateParams,
      PaymentCreateParams,
      PaymentCreateParams,
      PaymentCreateParams,
    ];
    for (const payment of payments) await journal.claim(noted(faulty, payment, 60_000));
    const { id } = faulty.add(made);
    const duplicates = [faulty.add(twice).id, faulty.add(twice).id];
    faulty.add(other, { amount: '7.00' });

    const recoveries = await faulty.run(() => faulty.client({ journal }).payments.reconcilePending());
    expect(recoveries).toMatchObject([
      { status: 'created', payment: { id } },
      { status: 'duplicate' },
      { status: 'mismatch', mismatches: ['amount'] },
      { status: 'not-found' },
    ]);
    expect(
      recoveries
        .flatMap((recovery) => (recovery.status === 'duplicate' ? recovery.payments.map((payment) => payment.id) : []))
        .toSorted(),
    ).toEqual(duplicates.toSorted());
    expect(faulty.pagesRequested).toBe(1);
    expect((await journal.listPending()).map(({ request }) => request['paymentQuoteId'])).toEqual(
      [twice, other, nowhere].map(({ paymentQuoteId }) => paymentQuoteId),
    );
    expect(faulty.sent).toEqual([]);
  });

  test('sends nothing if nothing is pending', async () => {
    const faulty = new FaultyPlatform();
    expect(await faulty.client().payments.reconcilePending()).toEqual([]);
    expect(faulty.pagesRequested).toBe(0);
  });

  test('resolves intents that are passed too, if the journal has them', async () => {
    const faulty = new FaultyPlatform();
    const settled: [StoredIntent, IntentResolution][] = [];
    const journal = journalWith((inner) => ({
      resolve: (intent, resolution) => (settled.push([intent, resolution]), inner.resolve(intent, resolution)),
    }));
    const payment = faulty.payable();
    const intent = noted(faulty, payment);
    const { id } = faulty.add(payment);
    await faulty.run(() => faulty.client({ journal }).payments.reconcilePending([intent]));
    expect(settled).toEqual([[intent, { outcome: 'created', paymentId: id }]]);
  });

  test('throws if the list cannot be read, and resolves nothing', async () => {
    const faulty = new FaultyPlatform();
    faulty.meddle = () => errorResponse(403);
    const journal = new MemoryJournal();
    await journal.claim(noted(faulty, faulty.payable()));
    expect(await failureOf(faulty.run(() => faulty.client({ journal }).payments.reconcilePending()))).toMatchObject({
      code: 'permission',
    });
    expect(await journal.listPending()).toHaveLength(1);
  });

  test('resolves readable intents, then reports the others', async () => {
    const faulty = new FaultyPlatform();
    const journal = new MemoryJournal();
    const [made, newer, damaged] = [faulty.payable(), faulty.payable(), faulty.payable()];
    await journal.claim({ ...noted(faulty, newer), version: 2, id: 'of-a-newer-version' });
    await journal.claim(noted(faulty, made));
    await journal.claim({ ...noted(faulty, damaged), createdAt: 'yesterday', id: 'damaged-one' });
    faulty.add(made);
    const error = await failureOf(faulty.run(() => faulty.client({ journal }).payments.reconcilePending()));
    expect(error).toMatchObject({
      code: 'configuration',
      message: expect.stringMatching(/of-a-newer-version.*version.*damaged-one.*damaged.*were resolved/) as unknown,
    });
    expect((await journal.listPending()).map(({ id }) => id)).toEqual(['of-a-newer-version', 'damaged-one']);
  });

  test.each([['x'], [{}], [null], [noted(new FaultyPlatform(), {} as PaymentCreateParams)]])(
    'rejects %j instead of intents',
    async (intents) => {
      const error = await failureOf(
        new FaultyPlatform().client().payments.reconcilePending(intents as unknown as StoredIntent[]),
      );
      expect(error).toMatchObject({
        code: 'configuration',
        message: expect.stringContaining('array of intents') as unknown,
      });
    },
  );

  test('rejects a journal that does not return an array', async () => {
    const journal = journalWith(() => ({ listPending: async () => undefined as unknown as StoredIntent[] }));
    expect(await failureOf(new FaultyPlatform().client({ journal }).payments.reconcilePending())).toMatchObject({
      code: 'journal',
      message: expect.stringContaining('journal.listPending()') as unknown,
    });
  });

  test.each([
    [{ version: 2 }, 'version'],
    [{ createdAt: 'x' }, 'damaged'],
    [{ clockOffset: undefined }, 'damaged'],
    [{ request: {} }, 'damaged'],
  ])('rejects an intent with %o', async (replaced, word) => {
    const faulty = new FaultyPlatform();
    const intent = { ...noted(faulty, faulty.payable()), ...replaced } as StoredIntent;
    expect(await failureOf(faulty.client().payments.reconcilePending([intent]))).toMatchObject({
      code: 'configuration',
      message: expect.stringContaining(word) as unknown,
    });
  });
});

test('a payment whose response was lost keeps its entry pending until it is found', async () => {
  const faulty = new FaultyPlatform().fate(takenLate(30_000));
  const journal = new MemoryJournal();
  const payment = faulty.payable();
  await failureOf(faulty.run(() => faulty.client({ journal }).payments.createOnce(payment)));
  expect(await journal.listPending()).toHaveLength(1);
  await faulty.pass(30_000);
  expect(await faulty.run(() => faulty.client({ journal }).payments.reconcilePending())).toMatchObject([
    { status: 'created' },
  ]);
  expect(await journal.listPending()).toEqual([]);
});

test('a payment that is found immediately resolves its entry', async () => {
  const faulty = new FaultyPlatform().fate(taken(broken('ECONNRESET')));
  const journal = new MemoryJournal();
  const corridor: Corridor = faulty.client({ journal });
  await faulty.run(() => corridor.payments.createOnce(faulty.payable()));
  expect(await journal.listPending()).toEqual([]);
});
