import type { ReceivedResponse, Session } from './session.js';

/** An id that no platform has: a payment with it cannot be created. */
export const unknownId = 'corridor-verify-unknown';

/** A payment whose customer, beneficiary, quote and document do not exist. */
const dryPayment = {
  customerId: unknownId,
  beneficiaryId: unknownId,
  currencyCode: 'USD',
  purposeOfPayment: 'corridor verify',
  documentIds: [unknownId],
  paymentQuoteId: unknownId,
};

/** The amounts of dry runs, in formats that a platform could accept. */
export const dryAmounts = ['1', '1.5', '1.50', '1.505', '1,50', '1,505'] as const;
export type DryAmount = (typeof dryAmounts)[number];

/** The most that a dry run can cost, if the platform accepts it and takes a separator for one of thousands. */
export const maxDryLoss = `${Math.max(...dryAmounts.map((amount) => Number(amount.replace(/\D/, ''))))} ${dryPayment.currencyCode}`;

/** The fields of a dry run; its quote and document never exist. */
type DryFields = Readonly<Record<string, unknown>> & {
  readonly amount?: DryAmount | 'x';
  readonly currencyCode?: never;
  readonly paymentQuoteId?: never;
  readonly documentIds?: never;
};

/** Sends a payment whose quote and document do not exist, once for the same fields. Throws as `session.pay` does. */
export function dryRun(session: Session, fields: DryFields = {}): Promise<ReceivedResponse> {
  // Also if the response is known: the stop is the result that counts.
  session.assertNotStopped();
  return session.share(`dry run ${JSON.stringify(fields)}`, () =>
    session.pay({ amount: session.amount, ...dryPayment, ...fields }, 'invalid'),
  );
}

/** Returns a key that two responses share if the platform rejected both for the same reason. It is never printed. */
export function reasonOf({ status, code, body, requestId }: ReceivedResponse): string {
  if (code !== undefined) return `${status} ${code}`;
  const text = (JSON.stringify(body) ?? '').replaceAll(requestId ?? ' ', '');
  // Ids, times and numbers differ from response to response.
  return `${status} ${text.replaceAll(/[\w-]{16,}/g, '').replaceAll(/\d+/g, '')}`;
}
