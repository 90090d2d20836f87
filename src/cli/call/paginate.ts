import type { Page, PagePromise } from '../../index.js';
import type { Output } from '../terminal.js';

/** The part of a list to fetch: its first page, its first items, or all items. */
export type Range =
  | { readonly kind: 'page' }
  | { readonly kind: 'first'; readonly max: number }
  | { readonly kind: 'all' };

/** The items of one page. */
export interface Chunk {
  readonly items: readonly unknown[];
  /** Whether the list has more items. */
  readonly more: boolean;
}

/** Yields the items of a list page by page, and fetches no page that is not needed. */
export async function* paginate(list: PagePromise<unknown>, range: Range): AsyncGenerator<Chunk, void, undefined> {
  if (range.kind === 'all') {
    for await (const { items, hasMore } of list.pages()) yield { items, more: hasMore };
    return;
  }
  let left = range.kind === 'page' ? Number.POSITIVE_INFINITY : range.max;
  for (let page: Page<unknown> | undefined = await list; page !== undefined; page = await page.getNextPage()) {
    const items = page.items.slice(0, left);
    left -= items.length;
    yield { items, more: page.hasMore || page.items.length > items.length };
    if (range.kind === 'page' || left <= 0) return;
  }
}

/** Shows the progress of pagination on one line of a terminal. Prints nothing if the output is not a terminal. */
export class Progress {
  readonly #output: Output;
  readonly #enabled: boolean;
  #visible = false;

  constructor(output: Output, enabled: boolean) {
    this.#output = output;
    this.#enabled = enabled && output.isTerminal;
  }

  /** Shows the number of items fetched so far. */
  async show(count: number): Promise<void> {
    if (!this.#enabled) return;
    this.#visible = true;
    await this.#output.write(`\r${this.#output.style('dim', `${count} so far…`)}`);
  }

  /** Removes the line. */
  async clear(): Promise<void> {
    if (this.#visible) await this.#output.write('\r\x1b[K');
    this.#visible = false;
  }
}
