import { readFile } from 'node:fs/promises';
import { Corridor, PaymentOutcomeUnknownError, type PaymentCreateParams } from 'corridor-sdk';
import { SqliteJournal } from 'corridor-sdk/journal/sqlite';

/** How a payment of a batch ended. */
export interface Paid {
  readonly internalReference: string | null | undefined;
  readonly outcome: 'made' | 'found' | 'not known yet';
  readonly paymentId?: string;
}

/**
 * Creates a batch of payments, each exactly once, however often it runs: a journal records each before it is sent.
 * Pending intents of an earlier run are reconciled first; unknown outcomes stay pending for the next run.
 */
export async function payOnce(corridor: Corridor, payments: readonly PaymentCreateParams[]): Promise<Paid[]> {
  await corridor.payments.reconcilePending();
  const paid: Paid[] = [];
  for (const payment of payments) {
    const { internalReference } = payment;
    // With the order as the key, another quote does not pay it again.
    const key = typeof internalReference === 'string' ? { idempotencyKey: internalReference } : {};
    try {
      const { payment: made, recovered } = await corridor.payments.createOnce(payment, key);
      paid.push({ internalReference, outcome: recovered ? 'found' : 'made', paymentId: made.id });
    } catch (error) {
      if (!(error instanceof PaymentOutcomeUnknownError)) throw error;
      paid.push({ internalReference, outcome: 'not known yet' });
    }
  }
  return paid;
}

// node examples/pay-once.ts payments.json journal.sqlite
if (import.meta.main) {
  const [payments = 'payments.json', file = 'journal.sqlite'] = process.argv.slice(2);
  const journal = new SqliteJournal(file);
  console.table(
    await payOnce(new Corridor({ journal }), JSON.parse(await readFile(payments, 'utf8')) as PaymentCreateParams[]),
  );
  journal.close();
}
