import type { Page, PageRequest } from '../index.js';
import type { Output } from './terminal.js';

/** How much of a list is wanted: its first page, its first items, or all. */
export type Extent = { readonly kind: 'page' } | { readonly kind: 'first'; readonly max: number } | { readonly kind: 'all' };

/** A piece of a walk. */
export interface Piece {
  readonly items: readonly unknown[];
  /** Whether the list goes on behind it. */
  readonly more: boolean;
}

/** The pieces of a list, one per page; no page is fetched that is not needed. */
export async function* walk(list: PageRequest<unknown>, extent: Extent): AsyncGenerator<Piece, void, undefined> {
  if (extent.kind === 'all') {
    for await (const { items, hasMore } of list.pages()) yield { items, more: hasMore };
    return;
  }
  let left = extent.kind === 'page' ? Number.POSITIVE_INFINITY : extent.max;
  for (let page: Page<unknown> | undefined = await list; page !== undefined; page = await page.next()) {
    const items = page.items.slice(0, left);
    left -= items.length;
    yield { items, more: page.hasMore || page.items.length > items.length };
    if (extent.kind === 'page' || left <= 0) return;
  }
}

/** Tells how far a walk is, on one line that is written over and taken away at the end; nothing where nobody is looking. */
export class Progress {
  readonly #output: Output;
  readonly #shown: boolean;
  #open = false;

  constructor(output: Output, wanted: boolean) {
    this.#output = output;
    this.#shown = wanted && output.isTerminal;
  }

  /** Says how many items there are so far. */
  async show(count: number): Promise<void> {
    if (!this.#shown) return;
    this.#open = true;
    await this.#output.write(`\r${this.#output.style('dim', `${count} so far…`)}`);
  }

  /** Takes the line away. */
  async clear(): Promise<void> {
    if (this.#open) await this.#output.write('\r\x1b[K');
    this.#open = false;
  }
}
