import type { Customer } from 'corridor-sdk';
import { customer, scripted, type Scripted, type Sent } from '../../support/scripted-fetch.ts';

export interface Envelope {
  readonly items: readonly Customer[];
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
}

export const page = (
  numbers: readonly number[],
  nextCursor: string | null,
  hasMore = nextCursor !== null,
): Envelope => ({
  items: numbers.map(customer),
  nextCursor,
  hasMore,
});
export const three = [page([1, 2], 'b'), page([3, 4], 'c'), page([5], null)];
export const cursors = ['', 'b', 'c', 'd', 'e'];

/** A client of a list of these pages, each under its cursor: none, then 'b', 'c', … */
export function scriptedPages(pages: readonly unknown[], prefetch = false): Scripted {
  const placeOf = ({ url }: Sent): number => cursors.indexOf(url.searchParams.get('cursor') ?? '');
  return scripted((sent) => pages[placeOf(sent)], { prefetch });
}

export const numbersOf = (items: readonly Customer[]): number[] => items.map(({ id }) => Number(id.slice(4)));

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
