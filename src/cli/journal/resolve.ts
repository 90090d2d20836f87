import type { IntentResolution, Journal, JournalEntry, StoredIntent } from '../../index.js';
import { CommandError } from '../command.js';
import { jsonText } from '../print/text.js';
import type { Terminal } from '../terminal.js';
import { confirmAll } from './confirm.js';

/**
 * Searches for the payment of a pending intent. If it does not exist, or the entry is damaged, asks the questions of a
 * release, and releases the quote.
 */
export async function resolveIntent(
  journal: Journal,
  intent: StoredIntent,
  asJson: boolean,
  terminal: Terminal,
): Promise<void> {
  const { output, notes } = terminal;
  const quote = String(intent.request['paymentQuoteId']);
  const isDamaged = intent.createdAt === '';
  if (isDamaged) await notes.line(`The entry of quote ${quote} is damaged: its payment cannot be searched for.`);
  const id = isDamaged ? undefined : await findPayment(intent, terminal);
  if (id !== undefined) {
    await storeOutcome(journal, intent, { outcome: 'created', paymentId: id });
    return output.line(asJson ? jsonText({ quote, status: 'created', paymentId: id }) : `Resolved: created as ${id}.`);
  }
  await notes.line('If you release the quote, the next payments.createOnce for it sends a payment.');
  const confirmed = 'has the support of the platform confirmed that there is no payment? (yes/no)';
  await confirmAll(
    [
      { question: 'Has the process that claimed it ended? (yes/no)', expected: 'yes' },
      ...(isDamaged
        ? [{ question: `For quote ${quote}, ${confirmed}`, expected: 'yes' }]
        : [
            {
              question: `It was claimed at ${intent.createdAt}. Is that longer ago than your totalTimeout plus the longest time that the platform takes to commit and list a payment? (yes/no)`,
              expected: 'yes',
            },
            { question: `Is the amount small, or ${confirmed}`, expected: 'yes' },
          ]),
      { question: `Type ${quote} to release it:`, expected: quote },
    ],
    notes,
  );
  await storeOutcome(journal, intent, { outcome: 'not-created' });
  await output.line(asJson ? jsonText({ quote, status: 'released' }) : `Released: ${quote} can be used again.`);
}

/** Returns the id of the intent's payment, if the list shows it. Throws if the account is not that of the payment. */
async function findPayment(intent: StoredIntent, terminal: Terminal): Promise<string | undefined> {
  const { notes, environment, settings, secrets } = terminal;
  const [{ Corridor, NotFoundError }, { redactingFetch }] = await Promise.all([
    import('../../index.js'),
    import('../redact.js'),
  ]);
  const corridor = new Corridor({ fetch: redactingFetch(secrets), userAgent: 'corridor-journal' });
  const result = await corridor.payments.reconcile(intent);
  if (result.status === 'created') return result.payment.id;
  const {
    paymentQuoteId: quote,
    customerId: customer,
    amount,
    currencyCode,
  } = intent.request as Record<string, string>;
  const account = `${environment['CORRIDOR_BASE_URL']}, with the settings of ${settings}`;
  await corridor.customers.get(customer ?? '').catch((error: unknown) => {
    if (!(error instanceof NotFoundError)) throw error;
    throw new CommandError(
      `customer ${customer} of quote ${quote} does not exist at ${account}; nothing was changed. Use the account that sent the payment, for example with --env-file`,
    );
  });
  await notes.line(`Account: ${account}.`);
  await notes.line(`The list shows no payment for quote ${quote} (${amount} ${currencyCode}).`);
  return undefined;
}

/** Stores the outcome of an intent. Throws `CommandError` if the journal then has another one for its quote. */
async function storeOutcome(journal: Journal, intent: StoredIntent, resolution: IntentResolution): Promise<void> {
  const paymentId = resolution.outcome === 'created' ? resolution.paymentId : undefined;
  const expected = paymentId === undefined ? 'was not released' : `was created as ${paymentId}, but not resolved`;
  const fail = (problem: string): CommandError =>
    new CommandError(`quote ${String(intent.request['paymentQuoteId'])} ${expected}: ${problem}`);
  let entry: true | JournalEntry;
  try {
    await journal.resolve(intent, resolution);
    // Returns the entry of the quote, unless it was removed or an intent after this one was released.
    entry = await journal.claim(intent);
    if (entry === true) return await journal.resolve(intent, resolution);
  } catch (error) {
    throw fail(`the journal failed (${(error as Error).message}). Run this again when the journal is available`);
  }
  const { intent: owner, resolution: stored } = entry;
  const storedId = stored?.outcome === 'created' ? stored.paymentId : undefined;
  if (stored === undefined)
    throw fail(owner.id === intent.id ? 'the entry is still pending' : `intent ${owner.id} has claimed it since`);
  if (stored.outcome !== resolution.outcome || storedId !== paymentId)
    throw fail(`the journal has the outcome ${[stored.outcome, storedId].filter(Boolean).join(', payment ')}`);
}
