import type { PagePromise } from '../../index.js';
import { columnsOf, formatTable } from '../print/table.js';
import { jsonText, toPrintable } from '../print/text.js';
import { StatusLine, type Terminal } from '../terminal.js';

/** The output format: a table for a list on a terminal and JSON for anything else, JSON, or lines of JSON. */
export type Format = 'text' | 'json' | 'jsonl';

/** The part of a list to fetch: its first page, or its first items, of which there can be infinitely many. */
export type Range = 'page' | number;

/** How to fetch and print a result. */
export interface PrintOptions {
  readonly format: Format;
  readonly range: Range;
}

/** Fetches the requested part of a list and prints it. */
export async function printList(
  list: PagePromise<unknown>,
  name: string,
  printOptions: PrintOptions,
  terminal: Terminal,
): Promise<void> {
  const { output, notes } = terminal;
  const { format, range } = printOptions;
  const status = new StatusLine(notes);
  const items: unknown[] = [];
  let [count, isCut] = [0, false];
  try {
    for await (const page of list.pages()) {
      const pageItems = page.items.slice(0, range === 'page' ? undefined : range - count);
      count += pageItems.length;
      if (format === 'jsonl') await output.write(linesOf(pageItems));
      else for (const item of pageItems) items.push(item);
      isCut = range === 'page' && page.hasMore;
      if (range === 'page' || count >= range || !page.hasMore) break;
      // Lines streamed to the same terminal already show the progress.
      if (format !== 'jsonl' || !output.isTerminal) await status.show(`${count} so far…`);
    }
  } finally {
    await status.clear();
  }
  if (format !== 'jsonl') await printItems(items, name, printOptions, terminal);
  if (isCut) await notes.line(`Only the first ${count} are shown. Pass --max <n> or --all for more`);
}

/** Prints the result of a call without pagination. */
export async function printResult(
  result: unknown,
  name: string,
  printOptions: PrintOptions,
  terminal: Terminal,
): Promise<void> {
  const { output, notes } = terminal;
  const { format } = printOptions;
  if (Array.isArray(result))
    return format === 'jsonl' ? output.write(linesOf(result)) : printItems(result, name, printOptions, terminal);
  if (format === 'text') {
    if (result === undefined) return notes.line(name === 'payments.find' ? 'No such payment.' : 'Done.');
    const { url, created, recovered, status } = result as Readonly<Record<string, unknown>>;
    // For a download link, print only the URL: the rest of the response repeats it.
    if (typeof url === 'string') return output.line(toPrintable(url));
    if (status === 'not-found')
      await notes.line(
        'The list does not show the payment. It may appear later, so do not create it again because of this.',
      );
    if (created === false)
      await notes.line('The quote was already used; this is its payment. Nothing new was created.');
    else if (recovered === true)
      await notes.line('The response was lost or unclear; the payment was found in the list.');
  }
  return output.line(jsonText(result, format === 'jsonl' ? undefined : 2));
}

const linesOf = (items: readonly unknown[]): string => items.map((item) => `${jsonText(item)}\n`).join('');

async function printItems(
  items: readonly unknown[],
  name: string,
  { format }: PrintOptions,
  { output, notes }: Terminal,
): Promise<void> {
  const columns = format === 'text' && output.isTerminal ? columnsOf(name) : undefined;
  if (columns === undefined) return output.line(jsonText(items, 2));
  if (items.length === 0) return notes.line('No results.');
  await output.write(
    formatTable(items, columns, output)
      .map((line) => `${line}\n`)
      .join(''),
  );
}
