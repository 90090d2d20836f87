import { createClient } from '../create-client.js';
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { integerOption, optionLines, rejectOptions, statusesOf, unknownStatusOption } from '../arguments.js';
import { CommandError, exitCodes, UsageError, type Command, type Arguments } from '../command.js';
import { printError } from '../print/error-report.js';
import { csvLine, csvRecord, exportedLists } from './lists.js';
import { PartFile } from './part-file.js';
import { interruptible } from '../interrupt.js';
import { ProgressBar } from '../print/progress-bar.js';
import { settingsOptions } from '../settings-source.js';
import { currentShell } from '../shell.js';
import type { Output, Terminal } from '../terminal.js';
import { cursorRejections, pageSize } from '../../contract/schema/page.js';
import { isTimestamp } from '../../contract/schema/time.js';
import type {
  BeneficiaryListParams,
  Corridor,
  CustomerListParams,
  ExportCheckpoint,
  PagePromise,
  PaymentExportParams,
  UnknownValue,
} from '../../index.js';
import { version } from '../../version.js';

const options = {
  out: {
    value: '<file>',
    about:
      'the file: its name ends in .jsonl or .csv, or in .jsonl.gz or .csv.gz to compress it; by default JSON lines are printed',
  },
  from: { value: '<time>', about: 'the earliest creation time of payments, such as 2026-01-01T00:00Z' },
  to: {
    value: '<time>',
    about: 'the latest creation time; by default five minutes ago, because later payments may not be in the list yet',
  },
  customer: { value: '<id>', about: 'the customer whose beneficiaries are exported' },
  status: { value: '<name>', about: 'exports only records with this status' },
  ...unknownStatusOption,
  concurrency: { value: '<n>', about: 'the number of concurrent requests for payments, 4 by default' },
  resume: { about: 'continues an unfinished export of the same file' },
  'csv-formulas': {
    value: '<keep|text>',
    about: "text, the default, puts a ' before CSV values that a spreadsheet would read as formulas",
  },
  ...settingsOptions,
} as const;

type Format = 'jsonl' | 'csv';

interface Plan {
  readonly list: keyof typeof exportedLists;
  /** The path of the file; undefined for the standard output. */
  readonly path: string | undefined;
  readonly format: Format;
  readonly csvFormulas: 'keep' | 'text';
  readonly query: Readonly<Record<keyof PaymentExportParams, string | UnknownValue | undefined>>;
  readonly customerId: string | undefined;
  readonly concurrency: number;
}

/** A page of records, and the position after it. */
interface Batch {
  readonly items: readonly unknown[];
  readonly position: unknown;
  /** The part that is done, from 0 to 1; absent if it is unknown. */
  readonly done?: number;
}

/** `corridor export` */
export const command: Command<typeof options> = {
  options,
  takesArguments: true,
  help: () => `Usage: corridor export <payments|customers|beneficiaries> [options]

  corridor export payments --from 2026-01-01T00:00Z --out payments.csv
  corridor export payments --status COMPLETED --out completed.jsonl.gz --concurrency 8
  corridor export customers --out customers.jsonl
  corridor export beneficiaries --customer cus_1 --out beneficiaries.csv

${optionLines(options)}

The file has mode 600. It is written as <file>.part and renamed at the end, and <file>.manifest.json has its range, number of records and SHA-256.
`,
  async run(args, terminal) {
    const plan = planOf(args);
    const { path } = plan;
    const key = keyOf(plan, terminal.environment);
    const file = path === undefined ? undefined : await PartFile.open(path, key, args.has('resume'));
    const run = async ({ signal }: AbortController): Promise<number> => {
      try {
        await exportTo(file, plan, terminal, signal);
        return exitCodes.done;
      } catch (error) {
        if (file === undefined || path === undefined) throw error;
        const { count, bytes } = await file.close();
        const failure = await describeFailure(error, path);
        if (!signal.aborted && (bytes === 0 || failure instanceof CommandError)) throw failure;
        if (!signal.aborted) await printError(terminal.notes, failure, args.argv);
        const headline = `${signal.aborted ? 'Interrupted' : 'Stopped'} after ${count} records.`;
        await terminal.notes.line(bytes === 0 ? headline : `${headline} To continue: ${resumeCommand(args.argv)}`);
        if (signal.aborted) throw error;
        return exitCodes.failed;
      }
    };
    return interruptible(run, (code) => code);
  },
};

// An export continues with --resume, unless the platform rejects the position.
async function describeFailure(error: unknown, path: string): Promise<unknown> {
  const { ApiError, ConfigurationError, CorridorError } = await import('../../index.js');
  if (!(error instanceof CorridorError)) return error;
  const isPositionRejected =
    error instanceof ConfigurationError
      ? error.endpoint === 'payments.export'
      : error instanceof ApiError && error.cursor !== undefined && cursorRejections.includes(error.status);
  if (isPositionRejected)
    return new CommandError(
      `${error.message}. --resume would fail again: delete ${path}.part, and run the command without --resume`,
    );
  return error;
}

/** Exports to a file, or to the standard output. */
async function exportTo(
  file: PartFile | undefined,
  plan: Plan,
  { output, notes, secrets }: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const corridor = await createClient('export', secrets);
  const { list, format, path, query, csvFormulas } = plan;
  const { one, columns } = exportedLists[list];
  let { count, position } = file?.state ?? { count: 0, position: null };
  const bar = new ProgressBar(notes, count);
  const isCsv = format === 'csv';
  const lineOf = (item: unknown): string =>
    isCsv ? csvRecord(columns, item, csvFormulas) : `${JSON.stringify(item)}\n`;
  let header = isCsv && file?.state.bytes === 0 ? csvLine(columns) : '';
  if (list === 'payments' && position === null) await explainRange(query, notes);
  try {
    const batches = list === 'payments' ? payments : pages;
    for await (const { items, position: next, done = 0 } of batches(corridor, plan, position, signal)) {
      const text = header + items.map(lineOf).join('');
      count += items.length;
      position = next;
      await (file === undefined ? output.write(text) : file.add(text, { count, position }));
      header = '';
      await bar.show(count, done);
    }
    await file?.add(header, { count, position });
  } finally {
    await bar.clear();
  }
  const range = rangeOf(position);
  await file?.finish((written) => ({
    file: basename(String(path)),
    list,
    format,
    ...(isCsv && { csvFormulas }),
    query,
    range: range ?? null,
    count,
    sha256: written.sha256,
    sdkVersion: version,
  }));
  const complete = range === undefined ? '' : `, complete up to ${range.to}`;
  const summary = `${count} ${count === 1 ? one : list}${complete}`;
  await (file === undefined ? notes.line(summary) : output.line(`${path}: ${summary}`));
}

/** How long a payment may take to appear in the list, in milliseconds. */
const consistencyWindow = 5 * 60_000;

/** Says on a terminal which payments the file lacks. */
async function explainRange({ status, createdFrom, createdTo }: Plan['query'], notes: Output): Promise<void> {
  if (!notes.isTerminal) return;
  const end = new Date(Date.now() - consistencyWindow).toISOString().slice(11, 19);
  if (createdTo === undefined)
    await notes.line(`Up to ${end} UTC: later payments may not be in the list yet. Pass --to for another end.`);
  if (status !== undefined && (createdFrom ?? createdTo) !== undefined)
    await notes.line('--from and --to are times of creation: when a payment got its status does not matter.');
}

async function* payments(
  corridor: Corridor,
  { query, concurrency }: Plan,
  position: unknown,
  signal: AbortSignal,
): AsyncGenerator<Batch, void, undefined> {
  let done = 0;
  let last: ExportCheckpoint | undefined;
  const exported = corridor.payments.export(query as PaymentExportParams, {
    concurrency,
    consistencyWindow,
    signal,
    ...(position === null ? {} : { checkpoint: position as ExportCheckpoint }),
    onCheckpoint: (checkpoint) => void (last = checkpoint),
    onProgress: (progress) => void (done = progress.done),
  });
  for await (const { items, checkpoint } of exported.pages()) yield { items, position: checkpoint, done };
  // The last one has the range also if there are no payments.
  yield { items: [], position: last, done };
}

/** Reads a list without time filters, one page after another. */
async function* pages(
  corridor: Corridor,
  { query: { status }, customerId }: Plan,
  position: unknown,
  signal: AbortSignal,
): AsyncGenerator<Batch, void, undefined> {
  const cursor = position === null ? undefined : (position as { readonly cursor: string | null }).cursor;
  if (cursor === null) return;
  // The client rejects unknown statuses before it sends anything.
  const query = { limit: pageSize.largest, status, cursor } as CustomerListParams & BeneficiaryListParams;
  const list: PagePromise<unknown> =
    customerId === undefined
      ? corridor.customers.list(query, { signal })
      : corridor.customers.beneficiaries(customerId, query, { signal });
  for await (const { items, nextCursor, hasMore } of list.pages()) {
    // Without a cursor, the export could not continue after this page: the next one throws.
    if (hasMore && (nextCursor ?? '') === '') continue;
    yield { items, position: { cursor: hasMore ? nextCursor : null } };
  }
}

function planOf(args: Arguments<typeof options>): Plan {
  const [list, ...others] = args.positionals;
  if (!isExportedList(list))
    throw new UsageError(
      `${list === undefined ? 'the list is missing' : `"${list}" cannot be exported`}; pass ${Object.keys(exportedLists).join(', ')}`,
    );
  if (others.length > 0) throw new UsageError(`unexpected argument "${others[0]}"`);
  const out = args.value('out') ?? '-';
  const path = out === '-' ? undefined : out;
  const format = path === undefined ? 'jsonl' : /\.(jsonl|csv)(?:\.gz)?$/i.exec(path)?.[1]?.toLowerCase();
  if (format !== 'jsonl' && format !== 'csv')
    throw new UsageError(`the format of "${out}" is unknown; let --out end in .jsonl, .csv, .jsonl.gz or .csv.gz`);
  const csvFormulas = args.value('csv-formulas') ?? 'text';
  if (csvFormulas !== 'keep' && csvFormulas !== 'text')
    throw new UsageError(`--csv-formulas must be keep or text (received "${csvFormulas}")`);
  const [createdFrom, createdTo] = [timeOption(args, 'from'), timeOption(args, 'to')];
  const [status, ...otherStatuses] = statusesOf<string>(args, exportedLists[list].statuses);
  if (otherStatuses.length > 0) throw new UsageError('an export takes one status; remove the others');
  const customerId = args.value('customer');
  if (list !== 'beneficiaries') rejectOptions(args, ['customer'], 'beneficiaries');
  else if (customerId === undefined) throw new UsageError('--customer is missing; pass the id of the customer');
  if (list !== 'payments') rejectOptions(args, ['from', 'to', 'concurrency'], 'payments');
  if (format !== 'csv') rejectOptions(args, ['csv-formulas'], 'CSV');
  if (path === undefined) rejectOptions(args, ['resume'], 'files');
  return {
    list,
    path,
    format,
    csvFormulas,
    query: { status, createdFrom, createdTo },
    customerId,
    concurrency: integerOption('concurrency', args.value('concurrency') ?? '4', 1, 100),
  };
}

function timeOption(args: Arguments<typeof options>, name: 'from' | 'to'): string | undefined {
  const time = args.value(name);
  if (time === undefined || isTimestamp(time)) return time;
  throw new UsageError(`--${name} must be a UTC time, such as 2026-01-01T00:00Z (received "${time}")`);
}

/** Returns what a continued export must have in common with its file. */
function keyOf({ list, format, csvFormulas, customerId, query }: Plan, environment: Terminal['environment']): string {
  const { CORRIDOR_BASE_URL: baseUrl, CORRIDOR_API_KEY: apiKey = '' } = environment;
  // The checkpoint of payments knows its organization, whatever the key. A cursor is valid for one organization only.
  const account =
    list === 'payments' ? {} : { apiKeyHash: createHash('sha256').update(apiKey).digest('hex').slice(0, 16) };
  return JSON.stringify({ baseUrl, list, format, csvFormulas, customerId, ...query, ...account });
}

// The range of the checkpoint has the end that the export chose itself.
function rangeOf(position: unknown): { readonly from: string; readonly to: string } | undefined {
  const { range } = Object(position) as { readonly range?: readonly [string, string] };
  return range && { from: range[0], to: new Date(Date.parse(range[1]) - 1).toISOString() };
}

function resumeCommand(argv: readonly string[]): string {
  const shell = currentShell();
  const words = argv.includes('--resume') ? argv : [...argv, '--resume'];
  return shell.corridor(['export', ...words.map((word) => shell.quote(word))].join(' '));
}

function isExportedList(name = ''): name is keyof typeof exportedLists {
  return Object.hasOwn(exportedLists, name);
}
