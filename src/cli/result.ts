import type { EndpointName, PageRequest } from '../index.js';
import { usualColumns, valueAt } from './columns.js';
import { CommandError } from './command.js';
import { outlineOf } from './outline.js';
import { tableOf } from './table.js';
import type { Terminal } from './terminal.js';
import { jsonText, plain } from './text.js';
import { Progress, walk, type Extent } from './walk.js';

/** How results are printed: for people, as JSON, or as lines of JSON. */
export type Form = 'text' | 'json' | 'jsonl';

/** What is wanted of a result. */
export interface Wanted {
  readonly form: Form;
  readonly extent: Extent;
  /** The fields that a table is to show. */
  readonly columns: readonly string[] | undefined;
}

/** Walks a list as far as is wanted, and prints it. */
export async function printList(list: PageRequest<unknown>, name: EndpointName, wanted: Wanted, terminal: Terminal): Promise<void> {
  const { output, notes } = terminal;
  const streams = wanted.form === 'jsonl';
  // Lines that come by themselves on the same terminal tell enough.
  const progress = new Progress(notes, !(streams && output.isTerminal));
  const items: unknown[] = [];
  let [count, more] = [0, false];
  try {
    for await (const piece of walk(list, wanted.extent)) {
      count += piece.items.length;
      more = piece.more;
      if (streams) await output.write(linesOf(piece.items));
      else items.push(...piece.items);
      if (more && goesOn(wanted.extent, count)) await progress.show(count);
    }
  } finally {
    await progress.clear();
  }
  if (!streams) await printItems(items, name, wanted, terminal);
  // Who asked for so many knows; who did not shall not take a page for the list.
  if (more && wanted.extent.kind === 'page') await notes.line(`${count} shown, and there are more: --max <n> gives the first n, --all gives all`);
}

function goesOn(extent: Extent, count: number): boolean {
  return extent.kind === 'all' || (extent.kind === 'first' && count < extent.max);
}

/** Prints what a call without pages gave. */
export async function printResult(result: unknown, name: EndpointName, wanted: Wanted, terminal: Terminal): Promise<void> {
  const { output, notes } = terminal;
  if (Array.isArray(result)) {
    const items: readonly unknown[] = result;
    if (wanted.form === 'jsonl') return output.write(linesOf(items));
    return printItems(items, name, wanted, terminal);
  }
  if (wanted.form !== 'text') return output.line(jsonText(result, wanted.form === 'json' ? 2 : undefined));
  if (result === undefined) return notes.line('Done.');
  // The whole answer of a download holds no more than the link and its end.
  const { url, payment, body, created, recovered } = result as Readonly<Record<string, unknown>>;
  if (typeof url === 'string') return output.line(plain(url));
  if (created === false) await notes.line('It was made before, as the journal knew; no other was sent.');
  else if (recovered === true) await notes.line('No sure answer came; the payment was found in the list.');
  for (const line of outlineOf(payment ?? body ?? result, (text) => output.style('bold', text))) await output.line(line);
}

function linesOf(items: readonly unknown[]): string {
  return items.map((item) => `${jsonText(item)}\n`).join('');
}

async function printItems(items: readonly unknown[], name: EndpointName, { form, columns }: Wanted, { output, notes }: Terminal): Promise<void> {
  if (form === 'json') return output.line(jsonText(items, 2));
  if (items.length === 0) return notes.line('There are none.');
  const shown = columns ?? usualColumns(name, items);
  const unknown = shown.find((path) => items.every((item) => valueAt(item, path) === undefined));
  if (columns !== undefined && unknown !== undefined) throw new CommandError(`there is no field ${unknown} (fields: ${Object.keys(items[0] as object).join(', ')})`);
  const { lines, leftOut } = tableOf(items, shown, output.width);
  const [head = '', ...rows] = lines;
  await output.write(`${output.style('bold', head)}\n${rows.map((row) => `${row}\n`).join('')}`);
  if (leftOut.length > 0) await notes.line(`no room for ${leftOut.join(', ')}: --columns names fields, --json gives all`);
}
