import { pageSize } from '../contract/page.js';
import type { Corridor, EndpointName, RequestOptions } from '../index.js';
import type { SqliteJournal } from '../journal/sqlite.js';
import { optionLines, parseArguments, wholeNumber, wordsAmong, type Arguments } from './arguments.js';
import { givesList } from './columns.js';
import { AdvisedError, exitCodes, UsageError, type Command } from './command.js';
import { readCall, signatureNamed, signatures, usageOf, type EndpointCall } from './endpoint-call.js';
import { printFailure } from './failure.js';
import type { Form, Wanted } from './result.js';
import type { Terminal } from './terminal.js';
import { aligned } from './text.js';
import type { Extent } from './walk.js';

const options = {
  json: { about: 'prints the result as JSON: a list as one array, whole or not at all' },
  jsonl: { about: 'prints a list as lines of JSON, as its pages come' },
  max: { value: '<n>', about: 'of a list, the first n items' },
  all: { about: 'of a list, all items, page after page; without --max or --all it is the first page' },
  columns: { value: '<names>', about: 'of a table, the fields to show: id,status,beneficiary.companyName' },
  yes: { about: 'does what changes things on the platform' },
  journal: { value: '<file>', about: 'of payments.create, notes the payment in a SQLite file: run again, it looks for it and sends no other' },
} as const;

type Given = Arguments<typeof options>;

/** `corridor call` */
export const command: Command = {
  help(words) {
    const [name] = wordsAmong(words, options);
    return name === undefined ? overview() : helpFor(name);
  },
  async run(words, terminal) {
    const given = parseArguments(words, options);
    const asked = readCall(given.words);
    const form = formOf(given);
    const extent = extentOf(given, asked);
    const columns = columnsOf(given, asked);
    const journal = journalOf(given, asked);
    if (asked.signature.method !== 'GET' && !given.has('yes')) {
      throw new UsageError(`${asked.signature.name} changes things on the platform, and is done with --yes only. Nothing was sent`);
    }
    const interrupt = new AbortController();
    const signal = interrupted(interrupt);
    try {
      await make(asked, { form, extent, columns, journal }, terminal, { signal: interrupt.signal });
      return exitCodes.done;
    } catch (error) {
      const ended = signal();
      if (ended === undefined) throw error;
      await printFailure(terminal.notes, error, words);
      return exitCodes.signal + ended;
    }
  },
};

type Method = (this: unknown, ...given: readonly unknown[]) => PromiseLike<unknown>;

interface Making extends Wanted {
  /** The file of the journal. */
  readonly journal: string | undefined;
}

async function make({ signature, given }: EndpointCall, wanted: Making, terminal: Terminal, request: RequestOptions): Promise<void> {
  const [{ Corridor: Client, PageRequest }, { printList, printResult }, { watchedFetch }] = await Promise.all([import('../index.js'), import('./result.js'), import('./watched-fetch.js')]);
  const journal = wanted.journal === undefined ? undefined : await openJournal(wanted.journal);
  try {
    const corridor = new Client({ fetch: watchedFetch(terminal.secrets), userAgent: 'corridor-call', journal });
    // Created with one request, and looked for where its answer gets lost.
    const name = signature.name === 'payments.create' ? 'payments.createOnce' : signature.name;
    const [namespace, method] = name.split('.') as [keyof Corridor, string];
    // Only here are the names of the table tied to the client's methods: a test calls each.
    const target = corridor[namespace] as unknown as Readonly<Record<string, Method>>;
    const result = target[method]?.(...filled(wanted.extent, signature.name, given), request);
    if (result instanceof PageRequest) await printList(result, signature.name, wanted, terminal);
    else await printResult(await result, signature.name, wanted, terminal);
  } finally {
    journal?.close();
  }
}

async function openJournal(path: string): Promise<SqliteJournal> {
  const { SqliteJournal: Journal } = await import('../journal/sqlite.js');
  try {
    return new Journal(path);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // Without a cause it is not the file's fault, but this Node's: there is no SQLite.
    throw new AdvisedError(error, error.cause === undefined ? [] : ['nothing was sent; mend that, or give another file with --journal']);
  }
}

/** The largest pages that are of use, where nobody has asked for a size: fewer requests. */
function filled(extent: Extent, name: EndpointName, given: readonly unknown[]): readonly unknown[] {
  const [query, ...ids] = given.toReversed();
  const takesLimit = signatureNamed(name).fields?.some((field) => field.name === 'limit') === true;
  if (extent.kind === 'page' || !takesLimit) return given;
  const limit = extent.kind === 'all' ? pageSize.largest : Math.min(extent.max, pageSize.largest);
  return [...ids.toReversed(), { limit, ...(query as object) }];
}

function formOf(given: Given): Form {
  if (given.has('json') && given.has('jsonl')) throw new UsageError('give --json or --jsonl, not both');
  if (given.has('columns') && (given.has('json') || given.has('jsonl'))) throw new UsageError('--columns is for tables, not for JSON');
  return given.has('json') ? 'json' : given.has('jsonl') ? 'jsonl' : 'text';
}

function columnsOf(given: Given, { signature }: EndpointCall): readonly string[] | undefined {
  if (given.has('columns') && !givesList(signature.name)) throw new UsageError(`${signature.name} gives no list: it takes no --columns`);
  return given.value('columns')?.split(',').map((name) => name.trim());
}

function journalOf(given: Given, { signature }: EndpointCall): string | undefined {
  if (given.has('journal') && signature.name !== 'payments.create') throw new UsageError('--journal is for payments.create');
  return given.value('journal');
}

function extentOf(given: Given, { signature }: EndpointCall): Extent {
  const max = given.value('max');
  if (max !== undefined && given.has('all')) throw new UsageError('give --max or --all, not both');
  const paged = signature.fields?.some(({ name }) => name === 'cursor') === true;
  if ((max !== undefined || given.has('all')) && !paged) throw new UsageError(`${signature.name} has no pages: it takes neither --max nor --all`);
  if (given.has('all')) return { kind: 'all' };
  return max === undefined ? { kind: 'page' } : { kind: 'first', max: wholeNumber('max', max, 1) };
}

const signals = { SIGINT: 2, SIGTERM: 15 } as const;

/** Aborts at a signal, so that it can be told what became of the call; a second one ends the process at once. Gives the signal's number, once there was one. */
function interrupted(interrupt: AbortController): () => number | undefined {
  let ended: number | undefined;
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => {
      ended = signals[name];
      interrupt.abort(new Error(name));
    });
  }
  return () => ended;
}

function overview(): string {
  return `Usage: corridor call <namespace.method> [id …] [json] [options]

${aligned(signatures().map((signature) => [usageOf(signature), `${signature.method} ${signature.path}`]))}

The JSON is one object, given as it is, as @file, or as - for standard input. It may hold the ids, too.

  corridor call payments.list '{"status":"COMPLETED"}' --max 500
  corridor call customers.get cus_1 --json
  corridor call payments.create @payment.json --yes

  corridor call <namespace.method> --help   tells the fields of its JSON

${optionLines(options)}

payments.create sends one request; where its answer gets lost, it looks for the payment in the list and does not send another.
With --journal that holds for further runs of the same command, too.
An error says what is known of the call (outcome). With --json and --jsonl it is one line of JSON on standard error.
`;
}

function helpFor(name: string): string {
  const signature = signatureNamed(name);
  const { method, path, fields, needsJson } = signature;
  // JSON has no dates of its own.
  const rows = fields?.map((field): readonly [string, string] => [`${field.name}${needsJson && field.required ? ' *' : ''}`, field.rule.replace(/, or a valid Date$/, '')]) ?? [];
  return `Usage: corridor call ${usageOf(signature)} [options]

${method} ${path}
${rows.length === 0 ? '' : `\nFields of the JSON${rows.some(([label]) => label.endsWith('*')) ? ' (* required)' : ''}:\n\n${aligned(rows)}\n`}
${optionLines(options)}
`;
}
