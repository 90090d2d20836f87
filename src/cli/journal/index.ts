import type { Journal, StoredIntent } from '../../index.js';
import { optionLines, parseArguments, selectAction } from '../arguments.js';
import { CommandError, exitCodes, UsageError, type Command } from '../command.js';
import { formatTable } from '../print/table.js';
import { alignColumns, jsonText } from '../print/text.js';
import { currentShell } from '../shell.js';
import type { Terminal } from '../terminal.js';
import { openJournal } from './open.js';
import { resolveIntent } from './resolve.js';
import { settingsOptions } from '../settings-source.js';

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

async function pendingIntent(journal: Journal, { place, quote }: JournalCall): Promise<StoredIntent> {
  const shell = currentShell();
  const intent = (await journal.listPending()).find(({ request }) => request['paymentQuoteId'] === quote);
  if (intent === undefined)
    throw new CommandError(
      `the journal has no pending entry for quote ${quote}. List them with ${shell.corridor(`journal list ${shell.quote(place)}`)}`,
    );
  return intent;
}

async function showEntry(journal: Journal, call: JournalCall): Promise<void> {
  await call.terminal.output.line(jsonText(await pendingIntent(journal, call), 2));
}
