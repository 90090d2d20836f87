import { pageSize } from '../../contract/schema/page.js';
import type { Corridor, RequestOptions } from '../../index.js';
import { optionLines, integerOption, rejectOptions } from '../arguments.js';
import { interruptible } from '../interrupt.js';
import { exitCodes, UsageError, type Command, type Arguments } from '../command.js';
import {
  formatSignatures,
  readCall,
  signatureNamed,
  signatures,
  signaturesIn,
  usageOf,
  type EndpointCall,
  type Signature,
} from './signature.js';
import { printError } from '../print/error-report.js';
import { createClient } from '../create-client.js';
import { printList, printResult, type Format, type PrintOptions, type Range } from './print.js';
import { currentShell } from '../shell.js';
import type { Terminal } from '../terminal.js';
import { alignColumns } from '../print/text.js';
import { settingsOptions } from '../settings-source.js';

const options = {
  json: { about: 'prints a list as one array of JSON, complete or not at all, also on a terminal' },
  jsonl: { about: 'prints a list as lines of JSON, page by page' },
  max: { value: '<n>', about: 'prints the first n items of a list' },
  all: { about: 'prints all items of a list; without --max or --all only the first page' },
  yes: { about: 'confirms a call that changes data on the platform' },
  journal: {
    value: '<file>',
    about:
      'for payments.create, records the payment in a SQLite file, so that another run finds it ' +
      'and does not send it again; for payments.reconcile, resolves its entry',
  },
  ...settingsOptions,
} as const;

type CallArguments = Arguments<typeof options>;

/** `corridor call` */
export const command: Command<typeof options> = {
  options,
  takesArguments: true,
  help: (name) => (name === undefined ? overview() : helpFor(name)),
  async run(args, terminal) {
    const call = readCall(args.positionals);
    const format = formatOf(args);
    const range = rangeOf(args, call);
    const journal = journalOf(args, call);
    if (call.signature.writes && !args.has('yes')) {
      throw new UsageError(
        `${call.signature.name} changes data on the platform; nothing was sent. Pass --yes to confirm`,
      );
    }
    return interruptible(
      ({ signal }) => runCall(call, { format, range, journal }, terminal, { signal }),
      (code, error) => printError(terminal.notes, error, ['call', ...args.argv]).then(() => code),
    );
  },
};

type Method = (this: unknown, ...params: readonly unknown[]) => PromiseLike<unknown>;

interface CallContext extends PrintOptions {
  /** The path of the journal file. */
  readonly journal: string | undefined;
}

async function runCall(
  { signature, params }: EndpointCall,
  printOptions: CallContext,
  terminal: Terminal,
  request: RequestOptions,
): Promise<number> {
  const { PagePromise } = await import('../../index.js');
  const journal =
    printOptions.journal === undefined
      ? undefined
      : new (await import('../../journal/sqlite.js')).SqliteJournal(printOptions.journal);
  try {
    const corridor = await createClient('call', terminal.secrets, { journal });
    const [namespace, method] = signature.target.split('.') as [keyof Corridor, string];
    // The only place that maps names to methods without type checks; a test calls each.
    const target = corridor[namespace] as unknown as Readonly<Record<string, Method>>;
    const result = target[method]?.(...withPageSize(printOptions.range, signature, params), request);
    if (result instanceof PagePromise) {
      await printList(result, signature.name, printOptions, terminal);
      return exitCodes.done;
    }
    const resolved = await result;
    await printResult(resolved, signature.name, printOptions, terminal);
    return isNegative(signature.name, resolved) ? exitCodes.failed : exitCodes.done;
  } finally {
    journal?.close();
  }
}

/** Checks whether a search found nothing, or a check found issues: scripts see it by the exit code. */
function isNegative(name: string, result: unknown): boolean {
  if (name === 'payments.find') return result === undefined;
  if (name === 'payments.preflight') return (result as readonly unknown[]).length > 0;
  return name === 'payments.reconcile' && (result as { readonly status: string }).status !== 'created';
}

/** Adds the largest useful page size, unless the caller set one, to save requests. */
function withPageSize(range: Range, { fields }: Signature, params: readonly unknown[]): readonly unknown[] {
  const [query, ...ids] = params.toReversed();
  const takesLimit = fields?.some((field) => field.name === 'limit') === true;
  if (range === 'page' || !takesLimit) return params;
  return [...ids.toReversed(), { limit: Math.min(range, pageSize.largest), ...(query as object) }];
}

function formatOf(args: CallArguments): Format {
  if (args.has('json') && args.has('jsonl')) throw new UsageError('pass either --json or --jsonl, not both');
  return args.has('json') ? 'json' : args.has('jsonl') ? 'jsonl' : 'text';
}

function journalOf(args: CallArguments, { signature }: EndpointCall): string | undefined {
  const names = ['payments.create', 'payments.reconcile'];
  if (!names.includes(signature.name)) rejectOptions(args, ['journal'], names.join(' and '));
  return args.value('journal');
}

function rangeOf(args: CallArguments, { signature }: EndpointCall): Range {
  const max = args.value('max');
  if (max !== undefined && args.has('all')) throw new UsageError('pass either --max or --all, not both');
  const paged = signature.fields?.some(({ name }) => name === 'cursor') === true;
  if (!paged) rejectOptions(args, ['max', 'all'], 'lists with pages');
  if (args.has('all')) return Number.POSITIVE_INFINITY;
  return max === undefined ? 'page' : integerOption('max', max, 1);
}

function overview(): string {
  const shell = currentShell();
  return `Usage: corridor call <namespace.method> [id …] [json] [options]

${formatSignatures(signatures())}

Prints JSON, and a list on a terminal as a table.

The JSON is one object: inline, as @file, or - for standard input.

  ${shell.callWithJson('payments.list', { status: 'COMPLETED' }, '--max 500')}
  corridor call customers.get cus_1 --json
  corridor call payments.create ${shell.quote('@payment.json')} --yes

  corridor call <namespace.method> --help   lists the fields of its JSON

${optionLines(options)}

payments.create sends one request. If the response is lost, it searches the list for the payment and does not send another.
With --journal this also applies to further runs of the same command.
An error reports what is known about the call (outcome). With --json and --jsonl it is one line of JSON on standard error.
`;
}

function helpFor(name: string): string {
  const namespace = signaturesIn(name);
  if (namespace.length > 0)
    return (
      `Usage: corridor call ${name.replace(/\.$/, '')}.<method> [id …] ` +
      `[json] [options]\n\n${formatSignatures(namespace)}\n`
    );
  const signature = signatureNamed(name);
  const { about, fields, needsJson } = signature;
  // JSON has no date type.
  const rows =
    fields?.map((field): readonly [string, string] => [
      `${field.name}${needsJson && field.required ? ' *' : ''}`,
      field.rule.replace(/, or a valid Date$/, ''),
    ]) ?? [];
  return `Usage: corridor call ${usageOf(signature)} [options]

${about}
${rows.length === 0 ? '' : `\nFields of the JSON${rows.some(([label]) => label.endsWith('*')) ? ' (* required)' : ''}:\n\n${alignColumns(rows)}\n`}
${optionLines(options)}
`;
}
