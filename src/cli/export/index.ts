import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { integerOption, optionLines, rejectOptions, statusesOf, unknownStatusOption } from '../arguments.js';
import { exitCodes, UsageError, type Command, type Arguments } from '../command.js';
import { createClient } from '../create-client.js';
import { columnsOf, csvLine, csvRecord } from './csv.js';
import { PartFile } from './part-file.js';
import { interruptible } from '../interrupt.js';
import { Progress } from '../print/progress.js';
import { settingsOptions } from '../settings-source.js';
import { currentShell } from '../shell.js';
import type { Terminal } from '../terminal.js';
import { beneficiaryStatuses } from '../../contract/schema/beneficiaries.js';
import { customerStatuses } from '../../contract/schema/customers.js';
import { pageSize } from '../../contract/schema/page.js';
import { paymentStatuses } from '../../contract/schema/payments.js';
import type {
  BeneficiaryListParams,
  Corridor,
  CustomerListParams,
  ExportCheckpoint,
  PagePromise,
  PaymentExportParams,
} from '../../index.js';

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

/** The lists that can be exported, each with the name of one record. */
const exportedLists = {
  payments: { one: 'payment', endpoint: 'payments.list', statuses: paymentStatuses },
  customers: { one: 'customer', endpoint: 'customers.list', statuses: customerStatuses },
  beneficiaries: { one: 'beneficiary', endpoint: 'customers.beneficiaries', statuses: beneficiaryStatuses },
} as const;

interface Plan {
  readonly list: keyof typeof exportedLists;
  /** The path of the file; undefined for the standard output. */
  readonly path: string | undefined;
  readonly isCsv: boolean;
  readonly csvFormulas: 'keep' | 'text';
  readonly filters: Pick<PaymentExportParams, 'status' | 'createdFrom' | 'createdTo'>;
  readonly customerId: string | undefined;
  readonly concurrency: number;
}

/** A page of records. */
interface Page {
  readonly items: readonly unknown[];
  /** The position after it; undefined if the list ends with it, or cannot be continued after it. */
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
    const file = path === undefined ? undefined : await openFile(path, plan, terminal, args.has('resume'));
    const run = ({ signal }: AbortController): Promise<number> =>
      exportTo(file, plan, terminal, signal).catch(async (error: unknown) => {
        await file?.close();
        if (file?.state.position !== undefined)
          await terminal.notes.line(
            `Stopped after ${file.state.count} records. To continue: ${resumeCommand(args.argv)}. ` +
              `To start again, delete ${path}.part.`,
          );
        throw error;
      });
    return interruptible(run);
  },
};

function openFile(
  path: string,
  { list, isCsv, csvFormulas, filters, customerId }: Plan,
  { environment }: Terminal,
  resume: boolean,
): Promise<PartFile> {
  const { CORRIDOR_BASE_URL: baseUrl, CORRIDOR_API_KEY: apiKey = '' } = environment;
  // The checkpoint of payments knows its organization, whatever the key. A cursor is valid for one organization only.
  const account = list === 'payments' ? undefined : createHash('sha256').update(apiKey).digest('hex').slice(0, 16);
  const query = { list, baseUrl, account, ...filters, customerId, csvFormulas };
  return PartFile.open(path, isCsv ? csvLine(columnsOf(exportedLists[list].endpoint)) : '', query, resume);
}

/** Exports to a file, or to the standard output. */
async function exportTo(
  file: PartFile | undefined,
  plan: Plan,
  { output, notes, secrets }: Terminal,
  signal: AbortSignal,
): Promise<number> {
  const corridor = await createClient('export', secrets);
  const { list, path = '', isCsv, filters, csvFormulas } = plan;
  const { one, endpoint } = exportedLists[list];
  const columns = columnsOf(endpoint);
  const lineOf = (item: unknown): string =>
    isCsv ? csvRecord(columns, item, csvFormulas) : `${JSON.stringify(item)}\n`;
  let { count, position } = file?.state ?? { count: 0, position: undefined };
  const progress = new Progress(notes, count);
  try {
    for await (const { items, done = 0, ...page } of pagesOf(corridor, plan, position, signal)) {
      const text = items.map(lineOf).join('');
      count += items.length;
      ({ position } = page);
      await (file === undefined ? output.write(text) : file.add(text, count, position));
      await progress.show(count, done);
    }
  } finally {
    await progress.clear();
  }
  const range = rangeOf(position);
  const format = isCsv ? 'csv' : 'jsonl';
  await file?.finish({ file: basename(path), list, format, csvFormulas, query: filters, range, count });
  const complete = range === undefined ? '' : `, complete up to ${range.to}`;
  const summary = `${count} ${count === 1 ? one : list}${complete}`;
  await (file === undefined ? notes.line(summary) : output.line(`${path}: ${summary}`));
  return exitCodes.done;
}

async function* pagesOf(
  corridor: Corridor,
  { list, filters, customerId, concurrency }: Plan,
  position: unknown,
  signal: AbortSignal,
): AsyncGenerator<Page, void, undefined> {
  if (list === 'payments') {
    let done = 0;
    let checkpoint = position as ExportCheckpoint | undefined;
    const exported = corridor.payments.export(filters, {
      concurrency,
      signal,
      checkpoint,
      onCheckpoint: (last) => void (checkpoint = last),
      onProgress: (state) => void (done = state.done),
    });
    for await (const page of exported.pages()) yield { items: page.items, position: page.checkpoint, done };
    // The last one has the range also if there are no payments.
    yield { items: [], position: checkpoint };
    return;
  }
  const query = { limit: pageSize.largest, status: filters.status, cursor: position } as CustomerListParams &
    BeneficiaryListParams;
  const listed: PagePromise<unknown> =
    customerId === undefined
      ? corridor.customers.list(query, { signal })
      : corridor.customers.beneficiaries(customerId, query, { signal });
  for await (const { items, nextCursor, hasMore } of listed.pages())
    yield { items, position: hasMore ? nextCursor || undefined : undefined };
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
  if (format === undefined)
    throw new UsageError(`the format of "${out}" is unknown; let --out end in .jsonl, .csv, .jsonl.gz or .csv.gz`);
  const csvFormulas = args.value('csv-formulas') ?? 'text';
  if (csvFormulas !== 'keep' && csvFormulas !== 'text')
    throw new UsageError(`--csv-formulas must be keep or text (received "${csvFormulas}")`);
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
    isCsv: format === 'csv',
    csvFormulas,
    filters: { status, createdFrom: args.value('from'), createdTo: args.value('to') } as Plan['filters'],
    customerId,
    concurrency: integerOption('concurrency', args.value('concurrency') ?? '4', 1, 100),
  };
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
