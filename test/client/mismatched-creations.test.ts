import {
  Corridor,
  InvalidResponseError,
  PaymentMismatchError,
  type Drift,
  type CorridorOptions,
  type CreatedPayment,
} from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { failureOf } from '../support/failure-of.ts';
import { scripted } from '../support/scripted-fetch.ts';

const platform = createMockPlatform({ seed: 1 });
const order = platform.payments.createParams({ amount: '1250.00', internalReference: 'order-4711' });

/** Creates the order; the response is that of the platform with other values. */
async function createWith(values: object, options: CorridorOptions = {}): Promise<CreatedPayment> {
  const other = createMockPlatform({ seed: 1 });
  const request = other.payments.createParams({ amount: '1250.00', internalReference: 'order-4711' });
  const { corridor } = scripted(async ({ body }) => {
    const created = await new Corridor(other.clientOptions()).payments.create(body as typeof request);
    return Response.json({ ...created, ...values }, { status: 201 });
  }, options);
  return corridor.payments.create(request);
}

test('payments.create whose 201 breaks the contract throws with the outcome applied and the intent', async () => {
  const error = await failureOf(createWith({ status: 7 }), InvalidResponseError);
  expect(error).toMatchObject({ outcome: 'applied', intent: { request: order } });
});

describe('payments.create whose 201 shows another payment', () => {
  test.each<[field: string, values: object]>([
    ['paymentQuoteId', { paymentQuoteId: 'quo_other' }],
    ['amount', { amount: '12.50' }],
    ['currencyCode', { currencyCode: 'EUR' }],
    ['customerId', { customerId: 'cus_other' }],
    ['beneficiaryId', { beneficiaryId: 'ben_other' }],
  ])('throws for another %s, with the outcome applied and the intent', async (field, values) => {
    const error = await failureOf(createWith(values), PaymentMismatchError);
    expect(error).toMatchObject({
      outcome: 'applied',
      mismatches: [field],
      intent: { request: order },
      attempts: [{ status: 201 }],
      payment: values,
    });
  });

  const withQuote = async (values: object): Promise<object> => {
    const { paymentQuote } = await createWith({});
    return { ...values, paymentQuote: { ...paymentQuote, id: 'quo_other' } };
  };

  test('throws for the quote in it if paymentQuoteId is absent', async () => {
    const shown = await withQuote({ paymentQuoteId: undefined });
    const error = await failureOf(createWith(shown, { validation: 'observe' }), PaymentMismatchError);
    expect(error).toMatchObject({ outcome: 'applied', mismatches: ['paymentQuoteId'] });
  });

  test('returns one whose quote has an id of its own, which is drift', async () => {
    const drifts: Drift[] = [];
    const payment = await createWith(await withQuote({}), { onDrift: (drift) => void drifts.push(drift) });
    expect(payment).toMatchObject({ paymentQuoteId: order.paymentQuoteId, paymentQuote: { id: 'quo_other' } });
    expect(drifts).toEqual([{ endpoint: 'payments.create', path: 'paymentQuote.id', kind: 'changed-value' }]);
  });

  test.each<[string, object, CorridorOptions?]>([
    ['an amount that is written differently', { amount: '1250' }],
    ['another reference, which platforms may shorten', { internalReference: 'ORDER-4711' }],
    ['absent fields, with the validation observe', { amount: undefined, customerId: null }, { validation: 'observe' }],
  ])('returns %s', async (_name, values, options) => {
    expect(await createWith(values, options)).toMatchObject({ paymentQuoteId: order.paymentQuoteId });
  });
});
