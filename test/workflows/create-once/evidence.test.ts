import { DuplicatePaymentError, PaymentMismatchError, PaymentOutcomeUnknownError } from 'corridor-sdk';
import { describe, expect, test } from 'vitest';
import {
  connectionError,
  errorResponse,
  failureOf,
  FaultyPlatform,
  makeOnce,
  notProcessed,
  processed,
} from '../../support/faulty-platform.ts';

describe('the platform may have created it, without evidence', () => {
  test.each<[string, Response | Error | 'hang']>([
    ['the connection is reset', connectionError('ECONNRESET')],
    ['421', errorResponse(421)],
    ['503', errorResponse(503)],
    ['no response arrives', 'hang'],
  ])('%s: the outcome is unknown, and it is sent once', async (_name, end) => {
    const { faulty, payment, result } = await makeOnce([notProcessed(end)]);
    const error = await failureOf(result);

    expect(error).toBeInstanceOf(PaymentOutcomeUnknownError);
    expect(error).toMatchObject({
      outcome: 'unknown',
      intent: { version: 1, request: payment },
      attempts: [{ attempt: 1 }],
    });
    expect(error.message).toContain('it is not in the payment list');
    expect(error).not.toHaveProperty('listError');
    expect(faulty.sent).toHaveLength(1);
    expect(faulty.pagesRequested).toBe(7);
    expect(faulty.payments).toEqual([]);
  });

  test('the list lags for longer than the window: a later reconcile finds it, and resolves the entry', async () => {
    const { faulty, corridor, result } = await makeOnce(
      [processed(connectionError('ECONNRESET'))],
      {},
      (platform) => (platform.lag = 60_000),
    );
    const error = await failureOf(result, PaymentOutcomeUnknownError);
    expect(error.outcome).toBe('unknown');
    await faulty.pass(60_000);

    expect(await faulty.run(() => error.reconcile())).toMatchObject({
      status: 'created',
      payment: { id: faulty.payments[0]?.id },
    });
    expect(await corridor.payments.reconcilePending()).toEqual([]);
  });

  test.each([
    { consistencyWindow: 30_000, totalTimeout: 6_000 },
    { consistencyWindow: 200_000, totalTimeout: 150_000 },
  ])('reconcile of the error has the consistency window of the call, and time for it: %j', async (options) => {
    const { faulty, result } = await makeOnce([notProcessed(connectionError('ECONNRESET'))], options);
    const error = await failureOf(result, PaymentOutcomeUnknownError);
    expect(await faulty.run(() => error.reconcile())).toEqual({ status: 'not-found' });
    expect(faulty.time.now() - Date.parse(error.intent.createdAt)).toBe(options.consistencyWindow);
    // The account is that of the call.
    expect(faulty.platform.requests.to('customers.get')).toEqual([]);
  });

  test('a list that fails temporarily is read again', async () => {
    const { faulty, result } = await makeOnce([processed(connectionError('ECONNRESET'))], {}, (platform) => {
      platform.changePage = (page, count) => (count <= 4 ? errorResponse(503) : page);
    });
    expect((await result).payment.id).toBe(faulty.payments[0]?.id);
  });
});

describe('the rows of the list are checked', () => {
  test('an older payment with the same reference and another quote does not match', async () => {
    const { faulty, result } = await makeOnce([notProcessed(connectionError('ECONNRESET'))], {}, (platform) =>
      platform.add(platform.payable()),
    );
    expect(await failureOf(result)).toBeInstanceOf(PaymentOutcomeUnknownError);
    expect(faulty.payments).toHaveLength(1);
  });

  test.each([
    [{ amount: '1250.01' }, 'amount'],
    [{ currencyCode: 'USD' }, 'currencyCode'],
    [{ internalReference: 'order-1' }, 'internalReference'],
  ])('the quote with %o is a mismatch, and nothing is sent again', async (replaced, field) => {
    const faulty = new FaultyPlatform({ quotes: 'reusable', amounts: 'free' }).onCreate(
      notProcessed(connectionError('ECONNRESET')),
    );
    const payment = faulty.payable();
    const { id } = faulty.add(payment, replaced);
    const error = await failureOf(faulty.run(() => faulty.client().payments.createOnce(payment)));

    expect(error).toBeInstanceOf(PaymentMismatchError);
    expect(error).toMatchObject({
      paymentId: id,
      mismatches: [field],
      outcome: 'unknown',
      attempts: [{ errorType: 'ECONNRESET' }],
    });
    expect((error as PaymentMismatchError).payment).toMatchObject({ id, ...replaced });
    expect(JSON.stringify(error)).not.toContain('companyName');
    expect(faulty.sent).toHaveLength(1);
  });

  test('two matching payments are both reported', async () => {
    const faulty = new FaultyPlatform({ quotes: 'reusable' });
    const payment = faulty.payable();
    const { id } = faulty.add(payment);
    faulty.onCreate(processed(connectionError('ECONNRESET')));
    const error = await failureOf(faulty.run(() => faulty.client().payments.createOnce(payment)));

    expect(error).toBeInstanceOf(DuplicatePaymentError);
    expect((error as DuplicatePaymentError).paymentIds.toSorted()).toEqual(
      faulty.payments.map((each) => each.id).toSorted(),
    );
    expect((error as DuplicatePaymentError).payments.map((each) => each.id)).toContain(id);
    expect(error.attempts).toMatchObject([{ errorType: 'ECONNRESET' }]);
    expect(JSON.stringify(error)).not.toContain('companyName');
  });
});
