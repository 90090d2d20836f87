import { redactingFetch } from './redact.js';
import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { optionLines, parseArguments, selectAction } from './arguments.js';
import { CommandError, exitCodes, UsageError, withoutAdvice, type Command } from './command.js';
import { confirmAll } from './confirm.js';
import { formatTable } from './print/table.js';
import { alignColumns, jsonText } from './print/text.js';
import type { Secrets } from './redact.js';
import { settingsOptions } from './settings-source.js';
import { currentShell } from './shell.js';
import type { Terminal } from './terminal.js';
import type { IntentResolution, Journal, JournalEntry, PaymentCreateIntent } from '../index.js';
import type { PostgresPool } from '../journal/postgres.js';

const options = {
  table: { value: '<name>', about: 'the table of a PostgreSQL journal (default: corridor_journal)' },
  json: { about: 'prints the result as JSON' },
  ...settingsOptions,
} as const;

const actions: Readonly<Record<string, (journal: Journal, call: JournalCall) => Promise<void>>> = {
  list: listEntries,
  show: showEntry,
  resolve: async (journal, call) =>
    resolveIntent(journal, await pendingIntent(journal, call), call.asJson, call.terminal),
};

interface JournalCall {
  /** The SQLite file or PostgreSQL URL. */
  readonly place: string;
  readonly quote: string;
  readonly asJson: boolean;
  readonly terminal: Terminal;
}

/** `corridor journal` */
export const command: Command = {
  options,
  help: () => `Usage: corridor journal <action> <journal> [quote] [options]

Shows and resolves pending entries of a journal of payments.createOnce:

${alignColumns([
  ['list <journal>', 'lists the pending entries, oldest first'],
  ['show <journal> <quote>', 'prints a pending intent as JSON, for payments.reconcile'],
  ['resolve <journal> <quote>', 'searches for the payment; if there is none, asks before it releases the quote'],
])}

The journal is a SQLite file or a PostgreSQL URL (postgresql://…), which needs the package pg in this project. Leave the
password out of the URL and set PGPASSWORD: other users of this machine can see command lines.

${optionLines(options)}
`,
  async run(argv, terminal) {
    const args = parseArguments(argv, options);
    const [name = '', place, quote, ...others] = args.positionals;
    const action = selectAction(actions, name);
    if (place === undefined) throw new UsageError('the journal is missing. Pass a SQLite file or a PostgreSQL URL');
    if (name !== 'list' && quote === undefined) throw new UsageError(`${name} needs the quote of an entry`);
    const [unexpected] = name === 'list' && quote !== undefined ? [quote] : others;
    if (unexpected !== undefined) throw new UsageError(`unexpected argument "${unexpected}"`);
    const { journal, close } = await openJournal(place, args.value('table'), terminal.secrets);
    try {
      await action(journal, { place, quote: quote ?? '', asJson: args.has('json'), terminal });
    } finally {
      await close();
    }
    return exitCodes.done;
  },
};

const columns = ['paymentQuoteId', 'internalReference', 'amount', 'currencyCode', 'createdAt', 'id'];

async function listEntries(journal: Journal, { asJson, terminal: { output, notes } }: JournalCall): Promise<void> {
  const intents = await journal.listPending();
  if (asJson) return output.line(jsonText(intents, 2));
  if (intents.length === 0) return notes.line('No pending entries.');
  const rows = intents.map(({ id, createdAt, request }) => ({
    ...request,
    createdAt: createdAt === '' ? 'damaged' : createdAt,
    id,
  }));
  for (const line of formatTable(rows, columns, output)) await output.line(line);
}

async function pendingIntent(journal: Journal, { place, quote }: JournalCall): Promise<PaymentCreateIntent> {
  const shell = currentShell();
  const intent = (await journal.listPending()).find(({ request }) => request.paymentQuoteId === quote);
  if (intent === undefined)
    throw new CommandError(
      `the journal has no pending entry for quote ${quote}. List them with ${shell.corridor(`journal list ${shell.quote(place)}`)}`,
    );
  return intent;
}

async function showEntry(journal: Journal, call: JournalCall): Promise<void> {
  await call.terminal.output.line(jsonText(await pendingIntent(journal, call), 2));
}

/**
 * Searches for the payment of a pending intent. If it does not exist, or the entry is damaged, asks the questions of a
 * release, and releases the quote.
 */
async function resolveIntent(
  journal: Journal,
  intent: PaymentCreateIntent,
  asJson: boolean,
  terminal: Terminal,
): Promise<void> {
  const { output, notes } = terminal;
  const quote = intent.request.paymentQuoteId;
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
async function findPayment(intent: PaymentCreateIntent, terminal: Terminal): Promise<string | undefined> {
  const { notes, environment, settings, secrets } = terminal;
  const { Corridor, NotFoundError } = await import('../index.js');
  const corridor = new Corridor({ fetch: redactingFetch(secrets), userAgent: 'corridor-journal' });
  const result = await corridor.payments.reconcile(intent);
  if (result.status === 'created') return result.payment.id;
  const { paymentQuoteId: quote, customerId: customer, amount, currencyCode } = intent.request;
  const account = `${environment['CORRIDOR_BASE_URL']}, with the settings of ${settings}`;
  await corridor.customers.get(customer).catch((error: unknown) => {
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
async function storeOutcome(
  journal: Journal,
  intent: PaymentCreateIntent,
  resolution: IntentResolution,
): Promise<void> {
  const paymentId = resolution.outcome === 'created' ? resolution.paymentId : undefined;
  const expected = paymentId === undefined ? 'was not released' : `was created as ${paymentId}, but not resolved`;
  const fail = (problem: string): CommandError =>
    new CommandError(`quote ${intent.request.paymentQuoteId} ${expected}: ${problem}`);
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

/** A journal that the command opened. */
interface OpenJournal {
  readonly journal: Journal;
  close(): Promise<void>;
}

/** Opens a journal: an existing SQLite file, or a PostgreSQL URL, whose password is masked in all output. */
async function openJournal(place: string, table: string | undefined, secrets: Secrets): Promise<OpenJournal> {
  if (/^postgres(?:ql)?:\/\//.test(place)) return openPostgres(place, table, secrets);
  if (table !== undefined) throw new UsageError('--table applies to PostgreSQL only; remove it');
  // The journal would create a new file.
  if (!existsSync(place))
    throw new CommandError(`${place} does not exist. Pass the path of the journal of your client`);
  assertJournal(place);
  const { SqliteJournal } = await import('../journal/sqlite.js');
  const journal = withoutAdvice(() => new SqliteJournal(place));
  return { journal, close: async () => journal.close() };
}

// The journal would create its tables in another database.
function assertJournal(place: string): void {
  const sqlite = process.getBuiltinModule('node:sqlite') as typeof import('node:sqlite') | undefined;
  // The journal reports that this version of Node has no SQLite.
  if (sqlite === undefined) return;
  const { DatabaseSync: Database } = sqlite;
  const readOnly = (location: string) => new Database(location, { readOnly: true });
  const unchanged = () => {
    if (existsSync(`${realpathSync(place)}-wal`)) return readOnly(place);
    try {
      // No process uses the file, and SQLite would create a -wal to read it.
      return readOnly(`${pathToFileURL(place).href}?immutable=1`);
    } catch {
      // Node before 22.15 accepts no URI.
      return readOnly(place);
    }
  };
  let database: DatabaseSync | undefined;
  try {
    database = unchanged();
    database.prepare(
      'select key, intent_id, intent, outcome, payment_id, claimed_at, resolved_at from corridor_journal',
    );
  } catch (error) {
    throw new CommandError(
      `${place} is not a journal of payments.createOnce (${(error as Error).message}); nothing was changed. Pass the path of the journal of your client`,
    );
  } finally {
    database?.close();
  }
}

interface Pool extends PostgresPool {
  on(event: 'error', listener: () => void): unknown;
  end(): Promise<void>;
}

async function openPostgres(url: string, table: string | undefined, secrets: Secrets): Promise<OpenJournal> {
  const { password } = parseUrl(url);
  for (const form of [password, decode(password)]) secrets.add(form);
  const { PostgresJournal } = await import('../journal/postgres.js');
  const pool = new (requirePg().Pool)({ connectionString: url, connectionTimeoutMillis: 10_000, max: 1 });
  // A connection that breaks while a question waits: the next statement opens another, or reports the error.
  pool.on('error', () => undefined);
  const query: PostgresPool['query'] = (text, values) => pool.query(text, values).catch(asCommandError);
  return { journal: new PostgresJournal({ query }, { table }), close: () => pool.end() };
}

// The journal itself explains that its table does not exist.
const undefinedTable = '42P01';

function asCommandError(error: NodeJS.ErrnoException): never {
  if (error.code === undefinedTable) throw error;
  throw new CommandError(
    `the database of the journal failed: ${error.message || error.code}. Check the URL, PGPASSWORD and that the database is reachable`,
  );
}

function parseUrl(url: string): URL {
  try {
    return new URL(url);
  } catch {
    throw new UsageError('the PostgreSQL URL is not valid. Pass postgresql://user@host/database');
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Loads pg from the project of the user: it is not a dependency of this package. */
function requirePg(): { readonly Pool: new (options: object) => Pool } {
  try {
    return createRequire(join(process.cwd(), 'package.json'))('pg') as { readonly Pool: new (options: object) => Pool };
  } catch (error) {
    throw new CommandError(
      `the package pg cannot be loaded in this folder (${(error as NodeJS.ErrnoException).code}). Run npm install pg, or run this in the project of your backend`,
    );
  }
}
