import { createClient } from './create-client.js';
import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { integerOption, optionLines, rejectOptions, selectAction } from './arguments.js';
import { CommandError, exitCodes, UsageError, type Command } from './command.js';
import { askAll, confirmAll, type Ask } from './confirm.js';
import {
  adviceOf,
  printEntries,
  reconcileEntries,
  rowOf,
  type ReconcileEntriesOptions,
  type Row,
} from './journal-reconcile.js';
import { isPostgresUrl, openPostgresPool } from './postgres-pool.js';
import { alignColumns, jsonText, toPrintable } from './print/text.js';
import { readVariable, settingsOptions } from './settings-source.js';
import { currentShell } from './shell.js';
import type { Terminal } from './terminal.js';
import type { AcceptedPayment, Corridor, Journal, PaymentCreateIntent, ReconciledIntent } from '../index.js';
import { releasableFrom, type JournalEntry } from '../journal/journal.js';
import type { PostgresJournal } from '../journal/postgres.js';
import type { SqliteJournal } from '../journal/sqlite.js';
import { assertOwnRollback } from '../database/sqlite.js';

const options = {
  table: { value: '<name>', about: 'the table of a PostgreSQL journal (default: corridor_journal)' },
  before: { value: '<time>', about: 'purges the entries that were resolved before this ISO 8601 time' },
  'total-timeout': { value: '<seconds>', about: 'the longest time of resolve and reconcile (default: 90)' },
  'release-not-found': { about: 'reconcile releases the entries that the platform does not show, after a question' },
  'confirmed-by': { value: '<name>', about: 'the person who confirms that the platform has no such payment' },
  json: { about: 'prints the result as JSON' },
  ...settingsOptions,
} as const;

type StoredJournal = SqliteJournal | PostgresJournal;

const actions: Readonly<Record<string, (journal: StoredJournal, call: JournalCall) => Promise<number | void>>> = {
  list: listEntries,
  show: showEntry,
  resolve: async (journal, call) => resolveIntent(journal, await pendingIntent(journal, call), call),
  reconcile: reconcileEntries,
  purge: purgeEntries,
};

interface JournalCall extends ReconcileEntriesOptions {
  /** A quote or a key. */
  readonly quote: string;
  readonly before: string | undefined;
}

/** `corridor journal` */
export const command: Command<typeof options> = {
  options,
  takesArguments: true,
  help: () => `Usage: corridor journal <action> <journal> [quote or key] [options]

Shows and resolves pending entries of a journal of payments.createOnce, and purges resolved ones:

${alignColumns([
  ['list <journal>', 'lists the pending entries, oldest first, each with what to do'],
  ['show <journal> <quote>', 'prints a pending intent as JSON, for payments.reconcile'],
  [
    'resolve <journal> <quote>',
    'searches for the payment; otherwise asks before it accepts another one, or releases quote and key',
  ],
  ['reconcile <journal>', 'asks the platform about every pending entry, and prints what each is'],
  ['purge <journal> --before <time>', 'removes entries that were resolved before a time; their keys can pay again'],
])}

The journal is a SQLite file or a PostgreSQL URL (postgresql://…), by default DATABASE_URL, which needs the package pg
in this project. Leave the password out of a URL that you pass and set PGPASSWORD: other users of this machine can see
command lines.

${optionLines(options)}
`,
  async run(args, terminal) {
    const [name = '', ...given] = args.positionals;
    const action = selectAction(actions, name);
    const isOfEntry = name === 'show' || name === 'resolve';
    const url = readVariable(terminal.environment, 'DATABASE_URL');
    const isDefault = given.length < (isOfEntry ? 2 : 1) && isPostgresUrl(url);
    const [place, quote, ...others] = isDefault ? [url, ...given] : given;
    if (place === undefined)
      throw new UsageError('the journal is missing. Pass a SQLite file or a PostgreSQL URL, or set DATABASE_URL');
    if (isOfEntry && quote === undefined) throw new UsageError(`${name} needs the quote or the key of an entry`);
    const [unexpected] = !isOfEntry && quote !== undefined ? [quote] : others;
    if (unexpected !== undefined) throw new UsageError(`unexpected argument "${unexpected}"`);
    if (name !== 'purge') rejectOptions(args, ['before'], 'purge');
    if (name !== 'reconcile') rejectOptions(args, ['release-not-found', 'confirmed-by'], 'reconcile');
    if (name !== 'reconcile' && name !== 'resolve') rejectOptions(args, ['total-timeout'], 'reconcile and resolve');
    const releasedBy = args.value('confirmed-by');
    if (args.has('release-not-found') !== (releasedBy !== undefined))
      throw new UsageError('--release-not-found and --confirmed-by belong together. Pass both: --confirmed-by "Ada"');
    const timeout = args.value('total-timeout');
    const totalTimeout = timeout === undefined ? undefined : integerOption('total-timeout', timeout, 1, 86_400) * 1000;
    if (!isPostgresUrl(place)) rejectOptions(args, ['table'], 'PostgreSQL');
    const shell = currentShell();
    const again = (['table', 'env-file'] as const)
      .filter((option) => args.has(option))
      .map((option) => `--${option} ${shell.quote(args.value(option) ?? '')}`);
    const at = isDefault ? [] : [shell.quote(place)];
    const commandOf = (...[other = '', ...rest]: readonly string[]): string =>
      shell.corridor(['journal', other, ...at, ...rest, ...again].join(' '));
    const { journal, close } = await openJournal(place, args.value('table'));
    try {
      const [before, asJson] = [args.value('before'), args.has('json')];
      const call = { commandOf, quote: quote ?? '', before, asJson, totalTimeout, releasedBy, terminal };
      return (await action(journal, call)) ?? exitCodes.done;
    } finally {
      await close();
    }
  },
};

async function listEntries(journal: Journal, { commandOf, asJson, terminal }: JournalCall): Promise<void> {
  const { output, notes } = terminal;
  const entries = (await journal.listPending()).map((intent) => ({ intent, ...stateOf(intent) }));
  if (asJson) return output.line(jsonText(entries, 2));
  await printEntries(
    entries.map(({ intent, ...state }) => rowOf(intent, state)),
    terminal,
  );
  if (entries.length === 0) return;
  await notes.line(`To ask the platform for all of them: ${commandOf('reconcile')}`);
  await notes.line(`To resolve one: ${commandOf('resolve', '<quote>')}`);
}

/** What an entry proves without the platform. */
function stateOf(intent: PaymentCreateIntent): Pick<Row, 'status'> & Partial<Row> {
  if (isDamaged(intent)) return { status: 'damaged', advice: 'it is damaged, so that its process may still send it' };
  const from = releasableFrom(intent);
  const isSending = Date.now() < from;
  return {
    status: isSending ? 'in-progress' : 'unknown',
    releasableFrom: new Date(from).toISOString(),
    advice: isSending ? 'its process may still send it' : 'it is unknown whether its payment exists',
  };
}

// Only a person can release an intent that lacks what proves that its payment does not exist.
function isDamaged({ createdAt, sendUntil, request }: PaymentCreateIntent): boolean {
  const { amount, currencyCode, customerId, beneficiaryId } = request;
  return [createdAt, sendUntil, amount, currencyCode, customerId, beneficiaryId].some((text) => !text);
}

async function pendingIntent(journal: Journal, { commandOf, quote }: JournalCall): Promise<PaymentCreateIntent> {
  const intents = await journal.listPending();
  const intent =
    intents.find(({ request }) => request.paymentQuoteId === quote) ??
    intents.find(({ idempotencyKey }) => idempotencyKey === quote);
  if (intent === undefined)
    throw new CommandError(
      `the journal has no pending entry for the quote or the key ${quote}. List them with ${commandOf('list')}`,
    );
  return intent;
}

async function showEntry(journal: Journal, call: JournalCall): Promise<void> {
  await call.terminal.output.line(jsonText(await pendingIntent(journal, call), 2));
}

const day = 24 * 60 * 60_000;

/** Removes entries that were resolved before a time, which must be at least a day ago. */
async function purgeEntries(journal: StoredJournal, { before, asJson, terminal }: JournalCall): Promise<void> {
  const time = new Date(before ?? '');
  if (!(time.getTime() <= Date.now() - day))
    throw new UsageError(
      `purge needs --before with a time at least a day ago (received ${before ?? 'none'}): a purged ` +
        'key or quote can be paid again. Pass a time before which no order is retried, such as ' +
        `--before ${new Date(Date.now() - 90 * day).toISOString().slice(0, 10)}`,
    );
  const count = await journal.purge(time);
  await terminal.output.line(asJson ? jsonText({ purged: count }) : `Purged: ${count} resolved entries.`);
}

/**
 * Searches for the payment of a pending intent. If another payment uses its quote, asks whether that is the payment of
 * the order, and accepts it. If it is not, if there is none and its process no longer sends it, or if only a person
 * knows that, asks the questions of a release, and releases its quote and its key.
 */
async function resolveIntent(
  journal: Journal,
  intent: PaymentCreateIntent,
  { asJson, totalTimeout, terminal }: JournalCall,
): Promise<void> {
  const { output, notes, secrets } = terminal;
  const corridor = await createClient('journal', secrets, { journal, totalTimeout });
  const quote = intent.request.paymentQuoteId;
  const report = async (paymentId: string): Promise<void> => {
    const fail = (problem: string): never => {
      throw new CommandError(`quote ${quote} was created as ${paymentId}, but not resolved: ${problem}`);
    };
    // The client only tries to store it, and the journal keeps another payment.
    await journal.resolve(intent, { outcome: 'created', paymentId }).catch(({ message }: Error) => fail(message));
    const { resolution } = Object(await journal.claim(intent)) as Partial<JournalEntry>;
    if (resolution?.outcome !== 'created' || resolution.paymentId !== paymentId)
      fail('the journal has another outcome');
    const result = { quote, status: 'created', paymentId };
    return output.line(asJson ? jsonText(result) : toPrintable(`Resolved: created as ${paymentId}.`));
  };
  const damaged = isDamaged(intent);
  if (damaged)
    await notes.line(toPrintable(`The entry of quote ${quote} is damaged: only its quote can be searched for.`));
  const found = damaged ? undefined : await findPayment(corridor, intent, terminal);
  if (found?.status === 'created') return report(found.payment.id);
  const other = found?.status === 'mismatch' ? found.payment.id : undefined;
  // No clock proves that its process has ended.
  const needsPerson = damaged || found?.status === 'unknown';
  const accepted = await askAll(terminal, async (ask) => {
    const answer = other === undefined ? undefined : await askForPayment(other, ask);
    if (answer !== undefined) return answer;
    await notes.line('If you release it, the next payments.createOnce for its quote or its key sends a payment.');
    await confirmAll(
      [
        ...(needsPerson ? [{ question: 'Has the process that claimed it ended? (yes/no)', expected: 'yes' }] : []),
        {
          question:
            'Has the support of the platform confirmed that it has ' +
            `no ${other === undefined ? '' : 'other '}payment for quote ${quote}? (yes/no)`,
          expected: 'yes',
        },
        { question: `Type ${quote} to release it:`, expected: quote },
      ],
      ask,
    );
    return undefined;
  });
  if (accepted !== undefined) {
    await corridor.payments.acceptPayment(intent, accepted);
    return report(accepted.paymentId);
  }
  const confirmedBy = needsPerson ? 'corridor journal resolve' : undefined;
  const released = await corridor.payments.releaseIntent(intent, { confirmedBy, otherPaymentId: other });
  if (released.status === 'created') return report(released.payment.id);
  if (released.status === 'held')
    throw new CommandError(`quote ${quote} was not released: intent ${released.holder.id} has claimed it since`);
  await output.line(
    asJson ? jsonText({ quote, status: 'released' }) : toPrintable(`Released: ${quote} can be used again.`),
  );
}

/** Asks whether a payment that uses the quote of an order is its payment. Returns undefined if it is not. */
async function askForPayment(paymentId: string, ask: Ask): Promise<AcceptedPayment | undefined> {
  const answer = await ask(
    `What does the support of the platform say: is ${paymentId} the payment of this order? (yes/no)`,
  );
  if (answer === 'no') return undefined;
  if (answer !== 'yes') throw new CommandError('this was not answered with "yes" or "no"; nothing was changed');
  const confirmedBy = await ask('Your name:');
  const reason = await ask('Why, such as the ticket of the support:');
  if (confirmedBy === '' || reason === '')
    throw new CommandError(
      'the name and the reason are stored in the journal, and cannot be empty; nothing was changed',
    );
  return { paymentId, confirmedBy, reason };
}

/**
 * Searches for the intent's payment. Throws if the intent cannot be released: if it has two payments, if its process
 * may still send it, if the list could not be read, or if the account is not that of the payment.
 */
async function findPayment(
  corridor: Corridor,
  intent: PaymentCreateIntent,
  { notes, environment, settings }: Terminal,
): Promise<ReconciledIntent> {
  const [result] = await corridor.payments.reconcilePending({ intents: [intent] });
  if (result === undefined) throw new CommandError('the entry was not searched for; nothing was changed');
  if (result.status === 'created') return result;
  const account = `${environment['CORRIDOR_BASE_URL']}, with the settings of ${settings}`;
  const advice = adviceOf(result) ?? '';
  const isUnproven = result.status === 'unknown' && result.error === undefined;
  const { paymentQuoteId: quote, amount, currencyCode } = intent.request;
  if (result.status === 'other-account')
    throw new CommandError(`${advice}. Now: ${account}, which --env-file replaces; nothing was changed`);
  if (result.status === 'in-progress')
    throw new CommandError(`${advice.replace('releasableFrom', result.releasableFrom)}; nothing was changed`);
  if (result.status !== 'not-found' && result.status !== 'mismatch' && !isUnproven)
    throw new CommandError(`${advice}; nothing was changed`);
  await notes.line(toPrintable(`Account: ${account}.`));
  const text =
    result.status === 'not-found'
      ? `The list shows no payment for quote ${quote} (${amount} ${currencyCode}).`
      : `Quote ${quote}: ${advice}. This command asks for it.`;
  await notes.line(toPrintable(text));
  return result;
}

/** Opens a journal: an existing SQLite file, or a PostgreSQL URL. */
async function openJournal(
  place: string,
  table: string | undefined,
): Promise<{ readonly journal: StoredJournal; close(): void | Promise<void> }> {
  if (isPostgresUrl(place)) {
    const pool = await openPostgresPool(place, { max: 1 });
    const { PostgresJournal } = await import('../journal/postgres.js');
    return { journal: new PostgresJournal(pool, { table }), close: () => pool.end() };
  }
  // The journal would create a new file.
  if (!existsSync(place))
    throw new CommandError(`${place} does not exist. Pass the path of the journal of your client`);
  assertJournal(place);
  const { SqliteJournal } = await import('../journal/sqlite.js');
  const journal = new SqliteJournal(place);
  return { journal, close: () => journal.close() };
}

// The journal would create its tables in another database.
function assertJournal(place: string): void {
  const sqlite = process.getBuiltinModule('node:sqlite') as typeof import('node:sqlite') | undefined;
  // The journal reports that this version of Node has no SQLite.
  if (sqlite === undefined) return;
  assertOwnRollback('journal', place);
  let database: DatabaseSync | undefined;
  try {
    // Not read-only: a commit that was interrupted must be rolled back before the file can be read.
    database = new sqlite.DatabaseSync(place);
    database.exec('pragma busy_timeout = 5000');
    database.prepare(
      'select intent_id, quote, idempotency_key, intent, outcome, ' +
        'payment_id, released, resolved_at from corridor_journal',
    );
  } catch (error) {
    throw new CommandError(
      `${place} is not a journal of payments.createOnce (${(error as Error).message}); ` +
        'nothing was changed. Pass the path of the journal of your client',
    );
  } finally {
    database?.close();
  }
}
