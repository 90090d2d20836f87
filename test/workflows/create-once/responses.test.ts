import { ConflictError } from 'corridor-sdk';
import { describe, expect, test } from 'vitest';
import {
  connectionError,
  errorResponse,
  failureOf,
  FaultyPlatform,
  notProcessed,
  processed,
} from '../../support/faulty-platform.ts';

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
});

describe('responses are checked', () => {
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
});

describe('a rejection', () => {
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
});
