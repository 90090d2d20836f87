import { ApiError, Corridor, CorridorError, InvalidRequestError, type PaymentCreate } from 'corridor-sdk';

/** Asks for a payment that will be refused, and gives what the error tells, line by line. */
export async function seeRefusal(corridor: Corridor, payment: PaymentCreate): Promise<string[]> {
  try {
    const { id } = await corridor.payments.create(payment);
    return [`not refused: it is ${id}`];
  } catch (error) {
    if (!(error instanceof CorridorError)) throw error;
    const lines = [`${error.name}: ${error.message}`, `code ${error.code}, outcome ${error.outcome}, attempts ${error.attempts.length}`];
    // Refused here, before anything left: every field that breaks a rule.
    if (error instanceof InvalidRequestError) lines.push(...error.issues.map(({ path, message }) => `${path} ${message}`));
    // Refused by the platform: what its support will ask for.
    if (error instanceof ApiError) lines.push(`status ${error.status}, platform code ${error.platformCode}, request ${error.requestId}`);
    return lines;
  }
}

// node examples/see-refusal.ts
if (import.meta.main) {
  const wrong: PaymentCreate = {
    customerId: '', beneficiaryId: 'ben_1', amount: '1,250', currencyCode: 'USD', purposeOfPayment: '', memo: 'x'.repeat(65), documentIds: [], paymentQuoteId: 'quo_1',
  };
  console.log((await seeRefusal(new Corridor(), wrong)).join('\n'));
}
