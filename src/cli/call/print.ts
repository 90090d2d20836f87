import type { PagePromise } from '../../index.js';
import { defaultColumns, valueAt } from '../print/columns.js';
import { formatRecord, formatTable } from '../print/table.js';
import type { Output, Terminal } from '../terminal.js';
import { jsonText, toPrintable } from '../print/text.js';
import { Progress, paginate, type Range } from './paginate.js';

/** The output format: text for people, JSON, or lines of JSON. */
export type Format = 'text' | 'json' | 'jsonl';

/** How to fetch and print a result. */
export interface PrintOptions {
  readonly format: Format;
  readonly range: Range;
  /** The columns of a table; undefined for the default columns. */
  readonly columns: readonly string[] | undefined;
}

/** Fetches the requested part of a list and prints it. */
export async function printList(
  list: PagePromise<unknown>,
  name: string,
  printOptions: PrintOptions,
  terminal: Terminal,
): Promise<void> {
  const { output, notes } = terminal;
  const streams = printOptions.format === 'jsonl';
  // Lines streamed to the same terminal already show the progress.
  const progress = new Progress(notes, !(streams && output.isTerminal));
  const items: unknown[] = [];
  let [count, more] = [0, false];
  try {
    for await (const chunk of paginate(list, printOptions.range)) {
      count += chunk.items.length;
      more = chunk.more;
      if (streams) await output.write(linesOf(chunk.items));
      else for (const item of chunk.items) items.push(item);
      if (more && hasMore(printOptions.range, count)) await progress.show(count);
    }
  } finally {
    await progress.clear();
  }
  if (!streams) await printItems(items, name, printOptions, terminal);
  // Report that the output is only the first page, unless the user chose how much to print.
  if (more && printOptions.range.kind === 'page')
    await notes.line(`Only the first ${count} are shown. Pass --max <n> or --all for more`);
}

function hasMore(range: Range, count: number): boolean {
  return range.kind === 'all' || (range.kind === 'first' && count < range.max);
}

/** Prints the result of a call without pagination. */
export async function printResult(
  result: unknown,
  name: string,
  printOptions: PrintOptions,
  terminal: Terminal,
): Promise<void> {
  const { output, notes } = terminal;
  if (Array.isArray(result)) {
    const items: readonly unknown[] = result;
    if (name === 'payments.preflight' && items.length === 0 && printOptions.format === 'text')
      return notes.line('No issues.');
    if (printOptions.format === 'jsonl') return output.write(linesOf(items));
    return printItems(items, name, printOptions, terminal);
  }
  if (printOptions.format !== 'text')
    return output.line(jsonText(result, printOptions.format === 'json' ? 2 : undefined));
  if (result === undefined) return notes.line(name === 'payments.find' ? 'No such payment.' : 'Done.');
  // For a download link, print only the URL: the rest of the response repeats it.
  const { url, payment, body, created, recovered, status } = result as Readonly<Record<string, unknown>>;
  if (typeof url === 'string') return output.line(toPrintable(url));
  if (status === 'not-found')
    return notes.line(
      'The list does not show the payment. It may appear later, so do not create it again because of this.',
    );
  if (created === false) await notes.line('The quote was already used; this is its payment. Nothing new was created.');
  else if (recovered === true) await notes.line('The response was lost or unclear; the payment was found in the list.');
  for (const line of formatRecord(payment ?? body ?? result, (text) => output.style('bold', text)))
    await output.line(line);
}

function linesOf(items: readonly unknown[]): string {
  return items.map((item) => `${jsonText(item)}\n`).join('');
}

async function printItems(
  items: readonly unknown[],
  name: string,
  { format, columns }: PrintOptions,
  { output, notes }: Terminal,
): Promise<void> {
  if (format === 'json') return output.line(jsonText(items, 2));
  if (items.length === 0) return notes.line('No results.');
  const { lines, hiddenColumns } = formatTable(items, columns ?? columnsFor(name, items, output), output);
  const [head = '', ...rows] = lines;
  await output.write(`${output.style('bold', head)}\n${rows.map((row) => `${row}\n`).join('')}`);
  if (hiddenColumns.length > 0)
    await notes.line(
      `Hidden to fit the terminal: ${hiddenColumns.join(', ')}. Pass --columns to choose columns, or --json for all fields`,
    );
}

/** Returns the default columns; on a terminal, without those that have no values. */
function columnsFor(name: string, items: readonly unknown[], { isTerminal }: Output): readonly string[] {
  const columns = defaultColumns(name, items);
  const filled = columns.filter((path) => items.some((item) => (valueAt(item, path) ?? '') !== ''));
  return isTerminal && filled.length > 0 ? filled : columns;
}
