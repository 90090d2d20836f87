import { valueAt } from './columns.js';
import { fitted, plain, widthOf } from './text.js';

const gap = '  ';
/** A column is cut down to this many characters before one is left out. */
const narrowest = 12;

/** A table as lines, the head first. */
export interface Table {
  readonly lines: readonly string[];
  /** The columns that found no room. */
  readonly leftOut: readonly string[];
}

/** Records as a table that is no wider than `room`: long columns are cut, then the last ones left out. */
export function tableOf(items: readonly unknown[], columns: readonly string[], room: number): Table {
  const cells = columns.map((path) => items.map((item) => cellText(valueAt(item, path))));
  const natural = columns.map((path, index) => Math.max(widthOf(path), ...(cells[index] ?? []).map(widthOf)));
  const shown = shownOf(natural, room);
  const widths = shrunk(natural.slice(0, shown), room);
  const numeric = cells.map((column) => column.length > 0 && column.every((cell) => /^-?[\d.]*$/.test(cell)));
  const row = (texts: readonly string[]): string => widths.map((width, index) => fitted(texts[index] ?? '', width, numeric[index] === true ? 'right' : 'left')).join(gap).trimEnd();
  return { lines: [row(columns), ...items.map((_, at) => row(cells.map((column) => column[at] ?? '')))], leftOut: columns.slice(shown) };
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return plain(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

const total = (widths: readonly number[]): number => widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1));

// The first column tells the records apart, and is never cut.
const least = (width: number, index: number): number => (index === 0 ? width : Math.min(width, narrowest));

function shownOf(natural: readonly number[], room: number): number {
  let shown = natural.length;
  while (shown > 1 && total(natural.slice(0, shown).map(least)) > room) shown -= 1;
  return shown;
}

function shrunk(natural: readonly number[], room: number): number[] {
  const widths = [...natural];
  while (total(widths) > room) {
    const widest = widths.reduce((best, width, index) => (index > 0 && width > narrowest && (best === 0 || width > (widths[best] ?? 0)) ? index : best), 0);
    if (widest === 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}
