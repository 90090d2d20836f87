import { readFile } from 'node:fs/promises';
import { Corridor, PaymentOutcomeUnknownError, type CreateOnceResult, type PaymentCreate } from 'corridor-sdk';

/**
 * Creates a payment against a quote and an invoice, once. If the answer gets lost, the payment is looked for in the list, and
 * not sent again. Where even that does not tell, a person has to look: the error says so.
 */
export async function createPayment(corridor: Corridor, payment: PaymentCreate): Promise<CreateOnceResult> {
  try {
    return await corridor.payments.createOnce(payment);
  } catch (error) {
    // Keep the intent: `corridor.payments.reconcile(intent)` finds out later what became of it.
    if (error instanceof PaymentOutcomeUnknownError) console.error('not known yet, to be reconciled:', error.intent.id);
    throw error;
  }
}

// node examples/create-payment.ts payment.json
if (import.meta.main) {
  const payment = JSON.parse(await readFile(process.argv[2] ?? 'payment.json', 'utf8')) as PaymentCreate;
  console.log(await createPayment(new Corridor(), payment));
}
