import type { PaymentCreateParams, StoredIntent } from 'corridor-sdk';

export const intentOf = (payment: PaymentCreateParams, createdAt: number): StoredIntent => ({
  version: 1,
  id: crypto.randomUUID(),
  request: { ...payment },
  createdAt: new Date(createdAt).toISOString(),
  clockOffset: 0,
  clockKnown: true,
});
