import { MemoryJournal, type Journal } from 'corridor-sdk';
import type { FaultyPlatform, Fate } from '../faulty-platform.ts';

export type Row = Readonly<Record<string, unknown>>;
export type Change = (row: Row) => unknown;

/** Changes the rows of the list. */
export function showRows(faulty: FaultyPlatform, change: Change): void {
  faulty.meddle = async (page) => {
    const { items, ...rest } = (await page.json()) as { readonly items: readonly Row[] };
    return Response.json({ ...rest, items: items.map(change) });
  };
}

/** Creates a payment, and responds with a changed one. */
export const respondWith =
  (change: Change): Fate =>
  async (creation) => {
    const response = await creation.commit();
    return Response.json(change((await response.json()) as Row), {
      status: 201,
      headers: { date: response.headers.get('date') ?? '' },
    });
  };

/** A journal that ignores resolutions, as if the process had ended before. */
export function withoutResolutions(): Journal {
  const inner = new MemoryJournal();
  return { claim: (intent) => inner.claim(intent), resolve: async () => {}, listPending: () => inner.listPending() };
}
