import { readFile } from 'node:fs/promises';
import { Corridor, PaymentOutcomeUnknownError, type CreateOnceResult, type PaymentCreateParams } from 'corridor-sdk';

/**
 * Pays an order with a quote and an invoice, once. If the response is lost, the payment is searched for in the
 * list and not sent again. If the search is inconclusive, the error says that a person has to check.
 */
export async function createPayment(
  corridor: Corridor,
  orderId: string,
  payment: PaymentCreateParams,
): Promise<CreateOnceResult> {
  try {
    return await corridor.payments.createOnce(payment, { idempotencyKey: orderId });
  } catch (error) {
    // Store the intent: `corridor.payments.reconcile(intent)` determines the outcome later.
    if (error instanceof PaymentOutcomeUnknownError) console.error('not known yet, to be reconciled:', error.intent.id);
    throw error;
  }
}

// node examples/create-payment.ts payment.json order-4711
if (import.meta.main) {
  const payment = JSON.parse(await readFile(process.argv[2] ?? 'payment.json', 'utf8')) as PaymentCreateParams;
  console.log(await createPayment(new Corridor(), process.argv[3] ?? 'order-4711', payment));
}
