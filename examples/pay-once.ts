import { readFile } from 'node:fs/promises';
import { Corridor, PaymentOutcomeUnknownError, type PaymentCreateParams } from 'corridor-sdk';
import { SqliteJournal } from 'corridor-sdk/journal/sqlite';

/** A payment of a batch, whose reference is the id of its order. */
export interface Order extends PaymentCreateParams {
  readonly internalReference: string;
}

/** How a payment of a batch ended. */
export interface Paid {
  readonly internalReference: string;
  readonly outcome: 'made' | 'found' | 'not known yet';
  readonly paymentId?: string;
}

/**
 * Creates a batch of payments, each exactly once, however often it runs: a journal records each before it is sent.
 * Pending intents of an earlier run are reconciled first; unknown outcomes stay pending for the next run.
 */
export async function payOnce(corridor: Corridor, orders: readonly Order[]): Promise<Paid[]> {
  const withoutId = orders.filter(({ internalReference }) => typeof internalReference !== 'string');
  if (withoutId.length > 0)
    throw new TypeError(`${withoutId.length} orders have no internalReference, nothing was paid`);
  await corridor.payments.reconcilePending();
  const paid: Paid[] = [];
  for (const order of orders) {
    const { internalReference } = order;
    try {
      // With the order as the key, another quote does not pay it again.
      const { payment, recovered } = await corridor.payments.createOnce(order, { idempotencyKey: internalReference });
      paid.push({ internalReference, outcome: recovered ? 'found' : 'made', paymentId: payment.id });
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
  console.table(await payOnce(new Corridor({ journal }), JSON.parse(await readFile(payments, 'utf8')) as Order[]));
  journal.close();
}
