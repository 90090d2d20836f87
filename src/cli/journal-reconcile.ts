import { exitCodes } from './command.js';
import { askAll, confirmAll } from './confirm.js';
import { createClient } from './create-client.js';
import { jsonText, toPrintable } from './print/text.js';
import { currentShell } from './shell.js';
import type { Terminal } from './terminal.js';
import { sum } from '../contract/amounts.js';
import type { Corridor, Journal, ReconciledIntent } from '../index.js';

/** How the pending entries of a journal are reconciled. */
export interface ReconcileEntriesOptions {
  /** The SQLite file or PostgreSQL URL. */
  readonly place: string;
  readonly asJson: boolean;
  /** The time of the whole command, in milliseconds. @default the client's */
  readonly totalTimeout: number | undefined;
  /** The person who confirms that the entries that the platform does not show can be released. */
  readonly releasedBy: string | undefined;
  readonly terminal: Terminal;
}

/** What became of an entry. */
interface Row {
  readonly paymentQuoteId: string;
  readonly idempotencyKey?: string | undefined;
  readonly internalReference?: string | null | undefined;
  readonly amount: string;
  readonly currencyCode: string;
  readonly createdAt: string;
  readonly status: ReconciledIntent['status'] | 'released' | 'held';
  readonly paymentId?: string | undefined;
  readonly releasableFrom?: string | undefined;
  readonly advice?: string | undefined;
  readonly confirmedBy?: string | undefined;
}

/**
 * Asks the platform about every pending entry of a journal and prints what each is; releases those that it does not
 * show, if a person confirms it. Resolves to the exit code: 1 if an entry remains undecided.
 */
export async function reconcileEntries(
  journal: Journal,
  { place, asJson, totalTimeout, releasedBy, terminal }: ReconcileEntriesOptions,
): Promise<number> {
  const { output, notes, secrets } = terminal;
  const corridor = await createClient('journal', secrets, { journal, totalTimeout });
  const results = await corridor.payments.reconcilePending();
  const found = results.filter(({ status }) => status === 'not-found');
  if (releasedBy !== undefined && found.length > 0) await confirmRelease(found, terminal);
  const rows: Row[] = [];
  for (const result of results) {
    const isReleased = releasedBy !== undefined && result.status === 'not-found';
    rows.push(isReleased ? await release(corridor, result, releasedBy) : rowOf(result));
  }
  if (asJson) await output.line(jsonText(rows, 2));
  else if (rows.length === 0) await notes.line('No pending entries.');
  else for (const row of rows) await output.line(lineOf(row));
  const shell = currentShell();
  if (rows.some(({ advice }) => advice !== undefined))
    await notes.line(`To resolve one: ${shell.corridor(`journal resolve ${shell.quote(place)} <quote>`)}`);
  if (rows.some(({ status }) => status === 'not-found')) {
    const ofAll = `journal reconcile ${shell.quote(place)} --release-not-found --confirmed-by <name>`;
    await notes.line(`To release all that were not found: ${shell.corridor(ofAll)}`);
  }
  return rows.some(({ status }) => status === 'unknown') ? exitCodes.failed : exitCodes.done;
}

function rowOf(result: ReconciledIntent): Row {
  const { request, idempotencyKey, createdAt } = result.intent;
  const { paymentQuoteId, internalReference, amount, currencyCode } = request;
  return {
    paymentQuoteId,
    idempotencyKey,
    internalReference,
    amount,
    currencyCode,
    createdAt,
    status: result.status,
    ...('payment' in result && { paymentId: result.payment.id }),
    ...('releasableFrom' in result && { releasableFrom: result.releasableFrom }),
    ...('advice' in result && { advice: adviceOf(result) }),
  };
}

/** Returns the advice about an entry, with the option of the command that allows more time. */
export function adviceOf(result: ReconciledIntent): string {
  if (!('advice' in result)) return '';
  const isTooLate = result.status === 'unknown' && result.error?.code === 'timeout';
  return isTooLate ? `${result.advice}. On the command line: --total-timeout, in seconds` : result.advice;
}

const texts: Readonly<Record<Row['status'], string>> = {
  created: 'created as',
  'in-progress': 'in its window',
  'not-found': 'not found',
  'other-account': 'of another account',
  mismatch: 'another payment uses its quote:',
  duplicate: 'paid twice',
  unknown: 'not decided',
  released: 'released: the next createOnce for its quote or its key sends a payment',
  held: 'not released: another entry has its quote or its key',
};

function lineOf({ paymentQuoteId, idempotencyKey, amount, currencyCode, status, paymentId = '', advice }: Row): string {
  const name = [idempotencyKey, `${amount} ${currencyCode}`].filter(Boolean).join(', ');
  const text = `${texts[status]} ${paymentId}`.trimEnd();
  return toPrintable(`${paymentQuoteId} (${name}): ${text}${advice === undefined ? '' : `. ${advice}`}`);
}

/** Asks one question about all entries to release. Throws `CommandError` if it is not confirmed. */
async function confirmRelease(found: readonly ReconciledIntent[], terminal: Terminal): Promise<void> {
  for (const result of found) await terminal.notes.line(lineOf({ ...rowOf(result), advice: undefined }));
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

async function release(corridor: Corridor, result: ReconciledIntent, confirmedBy: string): Promise<Row> {
  const row = { ...rowOf(result), advice: undefined, confirmedBy };
  try {
    const released = await corridor.payments.releaseIntent(result.intent);
    return { ...row, status: released.status, ...('payment' in released && { paymentId: released.payment.id }) };
  } catch (error) {
    return { ...row, status: 'unknown', advice: `Not released: ${(error as Error).message}` };
  }
}
