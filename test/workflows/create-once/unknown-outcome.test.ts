import { AbortedError, MemoryJournal, PaymentOutcomeUnknownError, type Journal } from 'corridor-sdk';
import { describe, expect, test, vi } from 'vitest';
import { journalWith } from '../../journal/stored-intents.js';
import { failureOf } from '../../simulation/failure.js';
import { errorResponse, broken, FaultyPlatform, lost, taken, takenLate, type Fate } from '../faulty-platform.ts';

const resend = { resend: 'after-consistency-window' } as const;

describe('a payment is sent again only with evidence, on reusable quotes', () => {
  const reusable = (...fates: readonly Fate[]): FaultyPlatform =>
    new FaultyPlatform({ quotes: 'reusable' }).fate(...fates);

  test.each([
    ['fails', () => errorResponse(503)],
    ['is rejected', () => errorResponse(401)],
    ['breaks off', () => new Response('{"items":[')],
    ['goes in circles', () => Response.json({ items: [], nextCursor: 'a', hasMore: true })],
  ])('a list that %s is not evidence', async (_name, page) => {
    const faulty = reusable(taken(broken('ECONNRESET')));
    faulty.meddle = page;
    const error = await failureOf(faulty.run(() => faulty.client().payments.createOnce(faulty.payable(), resend)));

    expect(error).toBeInstanceOf(PaymentOutcomeUnknownError);
    expect(faulty.sent).toHaveLength(1);
  });

  test('a list that fails after the window is not evidence either', async () => {
    const faulty = reusable(takenLate(9_000));
    faulty.meddle = (page) =>
      faulty.time.now() - Date.parse('2026-03-01T09:00:00Z') < 8_000 ? page : errorResponse(503);
    await failureOf(faulty.run(() => faulty.client().payments.createOnce(faulty.payable(), resend)));
    expect(await faulty.paymentsInTheEnd()).toHaveLength(1);
  });

  test('a list that fails temporarily is read again', async () => {
    const faulty = reusable(lost(broken('ECONNRESET')));
    const since = (): number => faulty.time.now() - Date.parse('2026-03-01T09:00:00Z');
    faulty.meddle = (page) => (since() > 8_000 && since() < 20_000 ? errorResponse(503) : page);
    expect(await faulty.run(() => faulty.client().payments.createOnce(faulty.payable(), resend))).toMatchObject({
      created: true,
      recovered: false,
    });
    expect(faulty.sent).toHaveLength(2);
  });

  test('the window counts from the last attempt, not from the first', async () => {
    const faulty = reusable(lost(errorResponse(429, { 'retry-after': '20' })), takenLate(5_000));
    const { attempts, recovered } = await faulty.run(() =>
      faulty.client().payments.createOnce(faulty.payable(), resend),
    );
    expect(await faulty.paymentsInTheEnd()).toHaveLength(1);
    expect({ attempts: attempts.length, recovered }).toEqual({ attempts: 2, recovered: true });
  });

  test('the window counts from the failed response, not from the request', async () => {
    const faulty = reusable(takenLate(35_000, 'hang'));
    expect(await faulty.run(() => faulty.client().payments.createOnce(faulty.payable(), resend))).toMatchObject({
      recovered: true,
    });
    expect(await faulty.paymentsInTheEnd()).toHaveLength(1);
  });

  test('the window counts from the request, not from the intent', async () => {
    const faulty = reusable(takenLate(5_000));
    const onIntent = (): Promise<void> => faulty.time.wait(15_000);
    await faulty.run(() => faulty.client().payments.createOnce(faulty.payable(), { ...resend, onIntent }));
    expect(await faulty.paymentsInTheEnd()).toHaveLength(1);
  });

  test('a payment created during the second request is found, however long ago the first was sent', async () => {
    const faulty = reusable(takenLate(50_000), lost(broken('ECONNRESET')));
    faulty.lag = 700_000;
    const payment = faulty.payable();
    const { recovered } = await faulty.run(() =>
      faulty.client().payments.createOnce(payment, { ...resend, consistencyWindow: 400_000, totalTimeout: 2_000_000 }),
    );
    expect(recovered).toBe(true);
    expect(await faulty.paymentsInTheEnd()).toHaveLength(1);
  });

  test('a response with a payment id is evidence of a payment', async () => {
    const faulty = reusable(taken(Response.json({ id: 'pay_9', amount: 1 }, { status: 201 })));
    faulty.lag = 3_600_000;
    const error = await failureOf(faulty.run(() => faulty.client().payments.createOnce(faulty.payable(), resend)));
    expect(error).toMatchObject({ outcome: 'applied', paymentId: 'pay_9' });
    expect(faulty.sent).toHaveLength(1);
  });

  test.each<[string, () => Response]>([
    [
      'is cut off',
      () =>
        new Response(new ReadableStream({ pull: (controller) => controller.error(broken('ECONNRESET').cause) }), {
          status: 201,
          headers: { 'content-type': 'application/json' },
        }),
    ],
    ['is HTML', () => new Response('<html></html>', { status: 201, headers: { 'content-type': 'text/html' } })],
    ['is no JSON', () => new Response('{"id":"pay_', { status: 201, headers: { 'content-type': 'application/json' } })],
    ['names no payment', () => Response.json({}, { status: 201 })],
  ])('a successful response that %s is evidence of a payment', async (_name, unusable) => {
    const faulty = reusable(taken(unusable()));
    faulty.lag = 3_600_000;
    const error = await failureOf(faulty.run(() => faulty.client().payments.createOnce(faulty.payable(), resend)));
    expect(error).toMatchObject({ code: 'payment-outcome-unknown', cause: { outcome: 'applied' } });
    expect(faulty.sent).toHaveLength(1);
  });

  test('a conflict is evidence of a possible payment', async () => {
    const faulty = reusable(lost(errorResponse(409)));
    await failureOf(faulty.run(() => faulty.client().payments.createOnce(faulty.payable(), resend)));
    expect(faulty.sent).toHaveLength(1);
  });

  test('a total timeout that ends before the window prevents the second request', async () => {
    const faulty = reusable(takenLate(9_500));
    await failureOf(
      faulty.run(() => faulty.client().payments.createOnce(faulty.payable(), { ...resend, totalTimeout: 12_000 })),
    );
    expect(faulty.sent).toHaveLength(1);
  });

  test('a quote that another process has claimed since is not sent again', async () => {
    const faulty = reusable(lost(broken('ECONNRESET')));
    const journal = new MemoryJournal();
    const payment = faulty.payable();
    const first = faulty.client({ journal }).payments.createOnce(payment, resend);
    const second = faulty.time.wait(5_000).then(async () => {
      // Somebody decides that the first came to nothing, while it is still being looked for.
      for (const intent of await journal.listPending()) await journal.resolve(intent, { outcome: 'not-created' });
      faulty.fate(takenLate(8_000));
      return faulty.client({ journal }).payments.createOnce(payment);
    });
    await faulty.run(() => Promise.allSettled([first, second]));
    expect(await faulty.paymentsInTheEnd()).toHaveLength(1);
  });

  test('a journal that cannot confirm the claim prevents the second request', async () => {
    const faulty = reusable(takenLate(11_000));
    const inner = new MemoryJournal();
    let claims = 0;
    const journal: Journal = {
      claim: async (intent) => ((claims += 1) > 1 ? Promise.reject(new Error('gone')) : inner.claim(intent)),
      resolve: (intent, resolution) => inner.resolve(intent, resolution),
      listPending: () => inner.listPending(),
    };
    expect(
      await failureOf(faulty.run(() => faulty.client({ journal }).payments.createOnce(faulty.payable(), resend))),
    ).toMatchObject({ code: 'payment-outcome-unknown' });
    expect(claims).toBe(2);
    expect(await faulty.paymentsInTheEnd()).toHaveLength(1);
  });

  test.each<[string, 'true' | 'own', number]>([
    ['is sent again if the journal has lost its entry, because this claim holds the quote', 'true', 2],
    ['is not sent again if its entry was resolved', 'own', 1],
  ])('a payment %s', async (_name, confirmation, sent) => {
    const faulty = reusable(lost(broken('ECONNRESET')));
    let claims = 0;
    const journal = journalWith((inner) => ({
      claim: async (intent) => {
        claims += 1;
        if (claims === 1) return inner.claim(intent);
        return confirmation === 'true' || { intent, resolution: { outcome: 'not-created' } };
      },
    }));
    await faulty.run(() =>
      Promise.allSettled([faulty.client({ journal }).payments.createOnce(faulty.payable(), resend)]),
    );
    expect(claims).toBe(2);
    expect(faulty.sent).toHaveLength(sent);
  });

  test('a payment whose second request is lost too is not sent a third time', async () => {
    const faulty = reusable(lost(broken('ECONNRESET')), lost(broken('ECONNRESET')));
    const { payments } = faulty.client();
    const call = faulty.run(() => payments.createOnce(faulty.payable(), { ...resend, totalTimeout: 600_000 }));
    expect(await failureOf(call)).toMatchObject({ code: 'payment-outcome-unknown', outcome: 'unknown' });
    expect(faulty.sent).toHaveLength(2);
  });

  test('a rejection of the second request does not prove that the first was rejected', async () => {
    const faulty = reusable(lost(broken('ECONNRESET')), lost(errorResponse(422)));
    const error = await failureOf(faulty.run(() => faulty.client().payments.createOnce(faulty.payable(), resend)));
    expect(error).toMatchObject({ code: 'payment-outcome-unknown', outcome: 'unknown', cause: { status: 422 } });
    expect(faulty.sent).toHaveLength(2);
  });
});

describe('an error on a connection in use does not prove that nothing was sent', () => {
  test.each([
    ['EHOSTUNREACH', 'read'],
    ['ENETUNREACH', 'write'],
    ['ECONNREFUSED', 'read'],
    ['ETIMEDOUT', 'read'],
    ['EPROTO', 'write'],
  ])('%s of a call to %s', async (code, syscall) => {
    const faulty = new FaultyPlatform({ quotes: 'reusable' }).fate(taken(broken(code, syscall)));
    const error = await failureOf(faulty.run(() => faulty.client().payments.create(faulty.payable())));
    expect(error.outcome).toBe('unknown');
    expect(faulty.payments).toHaveLength(1);
  });

  test.each([
    ['EHOSTUNREACH', 'connect'],
    ['ECONNREFUSED', 'connect'],
    ['ETIMEDOUT', 'connect'],
    ['ENOTFOUND', 'getaddrinfo'],
  ])('%s of a call to %s does', async (code, syscall) => {
    const faulty = new FaultyPlatform().fate(lost(broken(code, syscall)));
    expect(await faulty.run(() => faulty.client().payments.createOnce(faulty.payable()))).toMatchObject({
      recovered: false,
      attempts: [{ errorType: code }, { status: 201 }],
    });
  });
});

describe('an abort reports the outcome of the payment, not of the aborted request', () => {
  test('while the payment is sent', async () => {
    const faulty = new FaultyPlatform().fate(taken('hang'));
    const controller = new AbortController();
    const call = failureOf(faulty.client().payments.createOnce(faulty.payable(), { signal: controller.signal }));
    await faulty.pass(1_000);
    controller.abort('enough');
    const error = await call;
    expect(error).toMatchObject({ code: 'aborted', outcome: 'unknown', cause: 'enough', intent: { version: 1 } });
    expect(error.message).not.toContain('searching');
  });

  test('before the list is read', async () => {
    const faulty = new FaultyPlatform().fate(taken(broken('ECONNRESET')));
    const controller = new AbortController();
    faulty.onAttempt = (endpoint) => (endpoint === 'payments.list' ? controller.abort('enough') : undefined);
    const error = await failureOf(
      faulty.run(() => faulty.client().payments.createOnce(faulty.payable(), { signal: controller.signal })),
    );
    expect(error).toBeInstanceOf(AbortedError);
    expect(error).toMatchObject({
      outcome: 'unknown',
      cause: 'enough',
      attempts: [{ errorType: 'ECONNRESET' }],
      intent: { version: 1 },
      endpoint: 'payments.create',
    });
  });

  test.each([
    ['is rejected', (): Response => errorResponse(401)],
    ['cannot be read', (): Response => new Response('<html>')],
  ])('when a list %s', async (_name, page) => {
    const faulty = new FaultyPlatform().fate(taken(broken('ECONNRESET')));
    const controller = new AbortController();
    faulty.meddle = page;
    faulty.onFailure = (endpoint) => (endpoint === 'payments.list' ? controller.abort('enough') : undefined);
    const { payments } = faulty.client({ maxRetries: 0 });
    const options = { signal: controller.signal, consistencyWindow: 0 };
    const error = await failureOf(faulty.run(() => payments.createOnce(faulty.payable(), options)));
    expect(error).toMatchObject({ code: 'aborted', outcome: 'unknown', cause: 'enough', intent: { version: 1 } });
  });

  test('before the payment is sent again', async () => {
    const faulty = new FaultyPlatform().fate(takenLate(60_000));
    const controller = new AbortController();
    let attempts = 0;
    faulty.onAttempt = (endpoint) =>
      endpoint === 'payments.create' && (attempts += 1) === 2 ? controller.abort() : undefined;
    const call = faulty.run(() =>
      faulty.client().payments.createOnce(faulty.payable(), { ...resend, signal: controller.signal }),
    );
    expect(await failureOf(call)).toMatchObject({ code: 'aborted', outcome: 'unknown', intent: { version: 1 } });
    expect(faulty.sent).toHaveLength(1);
  });

  test('while the journal confirms the claim before the payment is sent again', async () => {
    const faulty = new FaultyPlatform().fate(takenLate(60_000));
    const controller = new AbortController();
    let claims = 0;
    const journal = journalWith((inner) => ({
      claim(intent) {
        claims += 1;
        if (claims === 1) return inner.claim(intent);
        controller.abort('enough');
        return new Promise(() => {});
      },
    }));
    const { payments } = faulty.client({ journal });
    const call = faulty.run(() => payments.createOnce(faulty.payable(), { ...resend, signal: controller.signal }));
    expect(await failureOf(call)).toMatchObject({
      code: 'aborted',
      outcome: 'unknown',
      cause: 'enough',
      attempts: [{ errorType: 'ECONNRESET' }],
      intent: { version: 1 },
    });
    expect(faulty.sent).toHaveLength(1);
  });

  test('between two attempts after a rejection: the payment is not created, and the quote is released', async () => {
    const faulty = new FaultyPlatform().fate(lost(errorResponse(429, { 'retry-after': '30' })));
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

  test.each(['before the call', 'right after the call'])(
    '%s: nothing is sent, and nothing is claimed',
    async (when) => {
      const faulty = new FaultyPlatform();
      const journal = new MemoryJournal();
      const claim = vi.spyOn(journal, 'claim');
      const controller = new AbortController();
      if (when === 'before the call') controller.abort();
      const { payments } = faulty.client({ journal });
      const call = failureOf(payments.createOnce(faulty.payable(), { signal: controller.signal }));
      controller.abort();
      expect(await call).toMatchObject({ code: 'aborted', outcome: 'not-sent' });
      expect(claim).not.toHaveBeenCalled();
      expect(faulty.sent).toEqual([]);
    },
  );
});
