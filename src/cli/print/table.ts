import { isRecord } from '../../contract/validate.js';
import { padOrTruncate, toPrintable, widthOf } from './text.js';
import { labelOf, valueAt } from './columns.js';
import type { Output } from '../terminal.js';
import { isStatusField, statusColor } from './status.js';

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z$/;

/** Checks whether all values of a column are UTC timestamps or empty. */
function areTimes(cells: readonly string[]): boolean {
  return cells.some((cell) => cell !== '') && cells.every((cell) => cell === '' || timestamp.test(cell));
}

/** Shortens UTC timestamps to `11-21 06:42`, or to `2025-11-21 06:42` if one of them is of another year than `now`. */
function shortTimes(cells: readonly string[], now: Date): readonly string[] {
  const year = `${now.getUTCFullYear()}-`;
  const start = cells.every((cell) => cell === '' || cell.startsWith(year)) ? year.length : 0;
  return cells.map((cell) => cell.slice(start, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' '));
}

/** Formats a record as lines, one field per line, with nested records indented. */
export function formatRecord(value: unknown, strong: (text: string) => string, indent = ''): string[] {
  if (!isRecord(value)) return [`${indent}${scalar(value)}`];
  const fields = Object.entries(value);
  const width = Math.max(
    0,
    ...fields.filter(([, field]) => !isNested(field)).map(([name]) => widthOf(toPrintable(name))),
  );
  return fields.flatMap(([name, field]) => {
    const label = toPrintable(name);
    if (!isNested(field))
      return [`${indent}${strong(label)}${padOrTruncate('', width - widthOf(label))}  ${scalar(field)}`.trimEnd()];
    const inner = Array.isArray(field)
      ? field.flatMap((item: unknown) => formatItem(item, strong, `${indent}  `))
      : formatRecord(field, strong, `${indent}  `);
    return [`${indent}${strong(label)}`, ...inner];
  });
}

function formatItem(item: unknown, strong: (text: string) => string, indent: string): string[] {
  const [first = '', ...rest] = formatRecord(item, strong, `${indent}  `);
  return [`${indent}- ${first.slice(indent.length + 2)}`, ...rest];
}

/** Checks whether a field needs several lines: a record with fields, or an array of objects. */
function isNested(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value)
    ? value.some((item: unknown) => typeof item === 'object' && item !== null)
    : Object.keys(value).length > 0;
}

function scalar(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.length === 0 ? '(none)' : value.map(scalar).join(', ');
  return typeof value === 'object' ? '(empty)' : toPrintable(String(value));
}

const gap = '  ';
/** Columns are shortened to this width before any column is hidden. */
const minColumnWidth = 12;

/** A formatted table. */
export interface Table {
  /** The lines; the first is the header. */
  readonly lines: readonly string[];
  /** The columns that do not fit. */
  readonly hiddenColumns: readonly string[];
}

interface Column {
  readonly path: string;
  readonly label: string;
  readonly cells: readonly string[];
  readonly align: 'left' | 'right';
  /** The width of its longest text. */
  readonly width: number;
  /** The width to which it can be shortened. */
  readonly minWidth: number;
}

/**
 * Formats records as a table that fits the output. Long columns are shortened first, then the last columns are hidden;
 * statuses, ids, numbers and times are never shortened. On a terminal, headers and times are short and statuses have
 * colors.
 */
export function formatTable(items: readonly unknown[], paths: readonly string[], output: Output): Table {
  const columns = paths.map((path) => toColumn(path, items, output.isTerminal));
  const shown = visibleColumns(columns, output.width);
  const widths = shrinkColumns(columns.slice(0, shown), output.width);
  const row = (textOf: (column: Column) => string, paint = false): string =>
    columns
      .slice(0, shown)
      .map((column, index) => {
        const text = textOf(column);
        const padded = padOrTruncate(text, widths[index] ?? 0, column.align);
        const color = paint && isStatusField(column.path) ? statusColor(text) : undefined;
        return color === undefined ? padded : padded.replace(text, output.style(color, text));
      })
      .join(gap)
      .trimEnd();
  return {
    lines: [row(({ label }) => label), ...items.map((_, at) => row(({ cells }) => cells[at] ?? '', true))],
    hiddenColumns: paths.slice(shown),
  };
}

function toColumn(path: string, items: readonly unknown[], short: boolean): Column {
  const texts = items.map((item) => cellText(valueAt(item, path)));
  const times = areTimes(texts);
  const numeric = texts.every((text) => /^-?[\d.]*$/.test(text));
  const cells = short && times ? shortTimes(texts, new Date()) : texts;
  const label = short ? labelOf(path) : path;
  // No spread: a call with more than about 125,000 arguments overflows the stack.
  const width = cells.reduce((widest, cell) => Math.max(widest, widthOf(cell)), widthOf(label));
  const isWhole = times || numeric || isStatusField(path) || /(?:^|\.)id$|Id$/.test(path);
  return {
    path,
    label,
    cells,
    align: numeric ? 'right' : 'left',
    width,
    minWidth: isWhole ? width : Math.min(width, minColumnWidth),
  };
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return toPrintable(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

const total = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1));

function visibleColumns(columns: readonly Column[], maxWidth: number): number {
  let shown = columns.length;
  while (shown > 1 && total(columns.slice(0, shown).map(({ minWidth }) => minWidth)) > maxWidth) shown -= 1;
  return shown;
}

function shrinkColumns(columns: readonly Column[], maxWidth: number): number[] {
  const widths = columns.map(({ width }) => width);
  while (total(widths) > maxWidth) {
    let widest: number | undefined;
    for (const [index, width] of widths.entries())
      if (width > (columns[index]?.minWidth ?? 0) && width > (widest === undefined ? 0 : (widths[widest] ?? 0)))
        widest = index;
    if (widest === undefined) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}
