import type { PaymentCreateIntent } from 'corridor-sdk';

let number = 0;
const parties = {
  customerId: 'cus_1',
  beneficiaryId: 'ben_1',
  currencyCode: 'USD',
  purposeOfPayment: 'Goods',
} as const;

/** Creates an intent for a quote, with a unique id. */
export function intentFor(
  paymentQuoteId: string,
  request: object = {},
  details: Partial<PaymentCreateIntent> = {},
): PaymentCreateIntent {
  number += 1;
  return {
    version: 1,
    id: `intent_${number}`,
    request: { ...parties, paymentQuoteId, amount: '10.00', documentIds: ['doc_1'], ...request },
    createdAt: '2026-03-01T09:00:00.000Z',
    clockOffset: -1_500,
    ...details,
  };
}
