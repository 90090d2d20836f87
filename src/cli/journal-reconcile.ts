import { exitCodes } from './command.js';
import { askAll, confirmAll } from './confirm.js';
import { createClient } from './create-client.js';
import { formatTable } from './print/table.js';
import { jsonText, toPrintable } from './print/text.js';
import type { Output, Terminal } from './terminal.js';
import { sum } from '../contract/amounts.js';
import type { Corridor, Journal, PaymentCreateIntent, ReconciledIntent } from '../index.js';

/** How the pending entries of a journal are reconciled. */
export interface ReconcileEntriesOptions {
  /** Returns another command for the same journal. */
  readonly commandOf: (...words: readonly string[]) => string;
  readonly asJson: boolean;
  /** The time of the whole command, in milliseconds. @default the client's */
  readonly totalTimeout: number | undefined;
  /** The person who confirms that the entries that the platform does not show can be released. */
  readonly releasedBy: string | undefined;
  readonly terminal: Terminal;
}

/** What an entry is, or what became of it. */
export interface Row {
  readonly paymentQuoteId: string;
  readonly idempotencyKey?: string | undefined;
  readonly internalReference?: string | null | undefined;
  readonly amount: string;
  readonly currencyCode: string;
  readonly createdAt: string;
  readonly status: ReconciledIntent['status'] | 'damaged' | 'released' | 'held';
  /** When it can be released at the earliest, by the platform's clock. */
  readonly releasableFrom?: string | undefined;
  readonly paymentId?: string | undefined;
  readonly advice?: string | undefined;
  readonly confirmedBy?: string | undefined;
}

// An entry in progress is decided by its process, or by a later reconciliation.
const needsNobody = ({ status }: Row): boolean => ['created', 'in-progress', 'released'].includes(status);

/**
 * Asks the platform about every pending entry of a journal and prints what each is; releases those that it does not
 * show, if a person confirms it. Resolves to the exit code: 1 if an entry needs a person, or could not be asked for.
 */
export async function reconcileEntries(
  journal: Journal,
  { commandOf, asJson, totalTimeout, releasedBy, terminal }: ReconcileEntriesOptions,
): Promise<number> {
  const { output, notes, secrets } = terminal;
  const corridor = await createClient('journal', secrets, { journal, totalTimeout });
  const results = await corridor.payments.reconcilePending();
  const found = results.filter(({ status }) => status === 'not-found');
  if (releasedBy !== undefined && found.length > 0) await confirmRelease(found, terminal);
  const rows: Row[] = [];
  for (const result of results) {
    const isReleased = releasedBy !== undefined && result.status === 'not-found';
    rows.push(isReleased ? await release(corridor, result, releasedBy) : reconciledRow(result));
  }
  if (asJson) await output.line(jsonText(rows, 2));
  else await printEntries(rows, terminal);
  if (!rows.every(needsNobody)) await notes.line(`To resolve one: ${commandOf('resolve', '<quote>')}`);
  const ofAll = '--release-not-found --confirmed-by <name>';
  if (rows.some(({ status }) => status === 'not-found'))
    await notes.line(`To release all that are not-found: ${commandOf('reconcile', ofAll)}`);
  return rows.every(needsNobody) ? exitCodes.done : exitCodes.failed;
}

const columns = [
  'paymentQuoteId',
  'idempotencyKey',
  'internalReference',
  'amount',
  'currencyCode',
  'createdAt',
  'status',
  'releasableFrom',
  'paymentId',
] as const;

/** Prints entries as a table without empty columns, and each advice once, for all entries that it is about. */
export async function printEntries(rows: readonly Row[], { output, notes }: Terminal): Promise<void> {
  if (rows.length === 0) return notes.line('No pending entries.');
  for (const line of tableOf(rows, output)) await output.line(line);
  for (const advice of new Set(rows.map((row) => row.advice))) {
    if (advice === undefined) continue;
    const [quote = '', ...others] = rows.filter((row) => row.advice === advice).map((row) => row.paymentQuoteId);
    const name = others.length === 0 ? quote : `${quote} and ${others.length} more`;
    await notes.line(toPrintable(`${name}: ${advice}`));
  }
}

function tableOf(rows: readonly Row[], output: Output): readonly string[] {
  const shown = columns.filter((column) => rows.some((row) => Boolean(row[column])));
  return formatTable(rows, shown, output);
}

/** Returns the row of an entry. */
export function rowOf(
  { request, idempotencyKey, createdAt }: PaymentCreateIntent,
  state: Pick<Row, 'status'> & Partial<Row>,
): Row {
  const { paymentQuoteId, internalReference, amount, currencyCode } = request;
  return { paymentQuoteId, idempotencyKey, internalReference, amount, currencyCode, createdAt, ...state };
}

function reconciledRow(result: ReconciledIntent): Row {
  return rowOf(result.intent, {
    status: result.status,
    releasableFrom: 'releasableFrom' in result ? result.releasableFrom : undefined,
    advice: adviceOf(result),
    ...('payment' in result && { paymentId: result.payment.id }),
  });
}

const support = 'Ask the support of the platform whether';

/** Returns the advice about an entry for somebody who has the commands, the same for all entries with the same cause. */
export function adviceOf(result: ReconciledIntent): string | undefined {
  switch (result.status) {
    case 'created':
      return undefined;
    case 'in-progress':
      return (
        'its process may still send it, or the list may still show it. Reconcile again after releasableFrom, and do ' +
        'not pay the order in another way before'
      );
    case 'not-found':
      return `no process sends it, and the list does not show it. ${support} it has a payment for the quote`;
    case 'mismatch': {
      const { payment, mismatches } = result;
      const what = `payment ${payment.id} uses its quote, but differs in ${mismatches.join(', ')}`;
      return `${what}. ${support} that is the payment of the order`;
    }
    case 'unknown': {
      const { advice, error } = result;
      if (error === undefined) return advice;
      const option = error.code === 'timeout' ? ' (--total-timeout, in seconds)' : '';
      return (
        `it is unknown whether its payment exists: ${error.message}${option}. Reconcile again, and do not pay the ` +
        'order in another way before'
      );
    }
    default:
      return result.advice;
  }
}

/** Asks one question about all entries to release. Throws `CommandError` if it is not confirmed. */
async function confirmRelease(found: readonly ReconciledIntent[], terminal: Terminal): Promise<void> {
  for (const line of tableOf(found.map(reconciledRow), terminal.notes)) await terminal.notes.line(line);
  const requests = found.map(({ intent }) => intent.request);
  const sums = Object.entries(sum(requests)).map(([currency, amount]) => `${amount} ${currency}`);
  const oldest = found.map(({ intent }) => intent.createdAt).toSorted()[0];
  const count = `${found.length} ${found.length === 1 ? 'entry' : 'entries'}`;
  const expected = `release ${found.length}`;
  const question =
    `Has the support of the platform confirmed that it has no payment for ${count} (${sums.join(', ')}; the oldest ` +
    `of ${oldest})? Each can then be paid again. Type "${expected}" to release:`;
  await askAll(terminal, (ask) => confirmAll([{ question, expected }], ask));
}

const afterRelease: Readonly<Record<string, string>> = {
  released: 'the next createOnce for its quote or its key sends a payment',
  held: 'not released, because another entry has its quote or its key',
};

async function release(corridor: Corridor, result: ReconciledIntent, confirmedBy: string): Promise<Row> {
  const row = { ...reconciledRow(result), confirmedBy };
  try {
    const released = await corridor.payments.releaseIntent(result.intent);
    const paymentId = 'payment' in released ? released.payment.id : undefined;
    return { ...row, status: released.status, paymentId, advice: afterRelease[released.status] };
  } catch (error) {
    return { ...row, status: 'unknown', advice: `not released: ${(error as Error).message}` };
  }
}
