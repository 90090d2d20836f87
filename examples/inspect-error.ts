import { ApiError, Corridor, CorridorError, InvalidRequestError, type PaymentCreateParams } from 'corridor-sdk';

/** Sends a payment that is rejected, and returns the details of the error, line by line. */
export async function inspectError(corridor: Corridor, orderId: string, order: PaymentCreateParams): Promise<string[]> {
  try {
    const { payment } = await corridor.payments.createOnce(order, { idempotencyKey: orderId });
    return [`not rejected: created ${payment.id}`];
  } catch (error) {
    if (!(error instanceof CorridorError)) throw error;
    const lines = [
      `${error.name}: ${error.message}`,
      `code ${error.code}, outcome ${error.outcome}, attempts ${error.attempts.length}`,
    ];
    // Rejected by the SDK, before anything is sent: every invalid field.
    if (error instanceof InvalidRequestError)
      lines.push(...error.issues.map(({ path, message }) => `${path} ${message}`));
    // Rejected by the platform: the details that its support needs.
    if (error instanceof ApiError)
      lines.push(`status ${error.status}, platform code ${error.platformCode}, request ${error.requestId}`);
    return lines;
  }
}

// node examples/inspect-error.ts
if (import.meta.main) {
  const wrong: PaymentCreateParams = {
    customerId: '',
    beneficiaryId: 'ben_1',
    amount: '1,250',
    currencyCode: 'USD',
    purposeOfPayment: '',
    memo: 'x'.repeat(65),
    documentIds: [],
    paymentQuoteId: 'quo_1',
  };
  console.log((await inspectError(new Corridor(), 'order-4711', wrong)).join('\n'));
}
