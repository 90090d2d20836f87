import type { ListedPayment } from '../contract/payments.js';
import { ConfigurationError, type StoredIntent } from '../errors.js';
import type { RequestOptions } from '../transport/request.js';
import { settle } from './claim.js';
import { readIntent, type PaymentIntent } from './intent.js';
import { JournalFailure } from './journal-failure.js';
import { differences, usesQuoteOf, type Difference, type ShownPayment } from './match.js';
import { since } from './search.js';
import type { ListPayments, WorkflowOptions } from './workflow.js';

/** What became of one intent. */
export type Recovery = { readonly intent: PaymentIntent } & (
  | { readonly outcome: 'created'; readonly payment: ShownPayment }
  | { readonly outcome: 'not-found' }
  | { readonly outcome: 'mismatch'; readonly payment: ShownPayment; readonly differences: readonly Difference[] }
  | { readonly outcome: 'duplicate'; readonly payments: readonly ShownPayment[] }
);

/**
 * Finds out what became of many intents in one walk of the list; what the journal has open is settled where it was created. Intents that
 * cannot be read are an error, but do not keep the others from being settled.
 */
export async function recover(workflow: WorkflowOptions, list: ListPayments, given: readonly StoredIntent[] | undefined, options: RequestOptions): Promise<Recovery[]> {
  if (given !== undefined && !Array.isArray(given)) throw new ConfigurationError('payments.recover takes an array of intents, or nothing for those that the journal has open');
  const { intents, unreadable } = sorted(given ?? (await openIntents(workflow)));
  if (intents.length === 0) return refused(unreadable, 'Nothing else was to be looked for');
  const byQuote = new Map<string, Map<string, ListedPayment>>(intents.map((intent) => [intent.request.paymentQuoteId, new Map()]));
  for await (const payment of list(since(intents, workflow.clock), options)) {
    const quote = payment.paymentQuoteId ?? payment.authorization?.quoteId;
    if (typeof quote === 'string') byQuote.get(quote)?.set(payment.id, payment);
  }
  const recoveries = intents.map((intent) => recoveryOf(intent, [...(byQuote.get(intent.request.paymentQuoteId)?.values() ?? [])]));
  let answers = true;
  for (const recovery of recoveries) {
    if (recovery.outcome !== 'created') continue;
    const settled = settle(workflow, recovery.intent, { outcome: 'created', paymentId: recovery.payment.id });
    // A journal that hangs is waited for once, and not for each record.
    if (answers) answers = await settled;
  }
  refused(unreadable, 'All others were looked for, and were settled where they were made: pass them to recover() to be told of them');
  return recoveries;
}

function sorted(stored: readonly StoredIntent[]): { readonly intents: readonly PaymentIntent[]; readonly unreadable: readonly string[] } {
  const intents: PaymentIntent[] = [];
  const unreadable: string[] = [];
  for (const each of stored) {
    try {
      intents.push(readIntent(each));
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      unreadable.push(error.message);
    }
  }
  return { intents, unreadable };
}

function refused(unreadable: readonly string[], others: string): [] {
  if (unreadable.length > 0) throw new ConfigurationError(`payments.recover: ${unreadable.join('; ')}. ${others}`, { endpoint: 'payments.list' });
  return [];
}

async function openIntents({ journal }: WorkflowOptions): Promise<readonly StoredIntent[]> {
  let open: unknown;
  try {
    open = await journal.open();
  } catch (error) {
    const cause = new JournalFailure(error);
    throw new ConfigurationError(`payments.recover: the journal could not be read (${cause.code})`, { endpoint: 'payments.list', cause });
  }
  if (!Array.isArray(open)) throw new ConfigurationError('payments.recover: open() of the journal must give an array of intents', { endpoint: 'payments.list' });
  return open as readonly StoredIntent[];
}

function recoveryOf(intent: PaymentIntent, shown: readonly ListedPayment[]): Recovery {
  const ours = shown.filter((payment) => usesQuoteOf(intent, payment));
  const [exact, ...more] = ours.filter((payment) => differences(intent, payment).length === 0);
  if (exact !== undefined) return more.length > 0 ? { intent, outcome: 'duplicate', payments: [exact, ...more] } : { intent, outcome: 'created', payment: exact };
  const [other] = ours;
  return other === undefined ? { intent, outcome: 'not-found' } : { intent, outcome: 'mismatch', payment: other, differences: differences(intent, other) };
}
