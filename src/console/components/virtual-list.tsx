import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { changeQuery, useRoute } from '../control/router.js';
import { isTyping } from './controls.js';

/** A column of a list. */
export interface Column {
  readonly title: string;
  /** The width as a track of a CSS grid. */
  readonly width: string;
  /** The width of the list in pixels from which the column is shown. */
  readonly from?: number;
  readonly isNumber?: boolean;
  /** The field by which the server sorts. */
  readonly sort?: string;
}

interface VirtualListProps<T> {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string | number;
  /** The cells of a row, one for each column. */
  readonly cells: (row: T) => readonly ComponentChildren[];
  readonly isSelected?: (row: T) => boolean;
  /** Shows the details of a row, with the keys j and k. */
  readonly onOpen: (row: T) => void;
}

const rowHeight = 34;
/** The most rows in the document; the page may be higher than a screen when it is zoomed out. */
const maxRows = 120;
const overscan = 8;

/** A list that renders only the visible rows, with the semantics of a table. The keys j and k open the next and the previous row. */
export function VirtualList<T>({
  label,
  columns,
  rows,
  keyOf,
  cells,
  isSelected,
  onOpen,
}: VirtualListProps<T>): JSX.Element {
  const viewport = useRef<HTMLDivElement>(null);
  const [{ top, height, width }, setView] = useState({ top: 0, height: 800, width: 1200 });
  useLayoutEffect(() => {
    const element = viewport.current;
    if (element === null) return;
    const measure = (): void =>
      setView({ top: element.scrollTop, height: element.clientHeight, width: element.clientWidth });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, []);
  // Rows that are added above must not move the rows that the user reads.
  const firstKey = useRef<string | number | undefined>(undefined);
  useLayoutEffect(() => {
    const element = viewport.current;
    const added = rows.findIndex((row) => keyOf(row) === firstKey.current);
    firstKey.current = rows[0] === undefined ? undefined : keyOf(rows[0]);
    if (element !== null && added > 0 && element.scrollTop > 0) element.scrollTop += added * rowHeight;
  }, [rows]);
  useEffect(() => {
    const open = ({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent): void => {
      if ((key !== 'j' && key !== 'k') || ctrlKey || metaKey || altKey || isTyping(target)) return;
      const current = rows.findIndex((row) => isSelected?.(row) === true);
      const index = current === -1 ? 0 : current + (key === 'j' ? 1 : -1);
      const row = rows[index];
      const element = viewport.current;
      if (row === undefined || element === null) return;
      const { scrollTop, clientHeight } = element;
      const position = index * rowHeight;
      if (position < scrollTop) element.scrollTop = position;
      else if (position + rowHeight > scrollTop + clientHeight) element.scrollTop = position + rowHeight - clientHeight;
      onOpen(row);
    };
    addEventListener('keydown', open);
    return () => removeEventListener('keydown', open);
  });
  const shown = columns.map((column) => (column.from ?? 0) <= width);
  const template = columns.flatMap(({ width: track }, index) => (shown[index] === true ? [track] : [])).join(' ');
  const first = Math.max(0, Math.floor(top / rowHeight) - overscan);
  const count = Math.min(maxRows, Math.ceil(height / rowHeight) + 2 * overscan);
  const visible = rows.slice(first, first + count);
  return (
    <div class="list" role="table" aria-label={label} aria-rowcount={rows.length + 1} style={{ '--columns': template }}>
      <div role="rowgroup">
        <div class="list-row list-head" role="row" aria-rowindex={1}>
          {columns.map((column, index) => (shown[index] === true ? <Head key={column.title} {...column} /> : null))}
        </div>
      </div>
      <div class="list-body" role="rowgroup" ref={viewport} tabIndex={0} aria-label={`${label}, rows`}>
        <div style={{ height: `${first * rowHeight}px` }} role="presentation" />
        {visible.map((row, index) => {
          const content = cells(row);
          return (
            <div
              key={keyOf(row)}
              class={`list-row ${isSelected?.(row) === true ? 'selected' : ''}`}
              role="row"
              aria-rowindex={first + index + 2}
            >
              {content.map((cell, column) =>
                shown[column] === true ? (
                  <div key={column} role="cell" class={columns[column]?.isNumber === true ? 'number' : ''}>
                    {cell}
                  </div>
                ) : null,
              )}
            </div>
          );
        })}
        <div
          style={{ height: `${Math.max(0, rows.length - first - visible.length) * rowHeight}px` }}
          role="presentation"
        />
      </div>
    </div>
  );
}

/** The title of a column, which sorts the list: upwards, downwards, and not at all. The order is in the URL. */
function Head({ title, isNumber, sort }: Column): JSX.Element {
  const order = useRoute().query['sort'];
  const name = isNumber === true ? 'number' : '';
  if (sort === undefined)
    return (
      <div role="columnheader" class={name}>
        {title}
      </div>
    );
  const direction = order === sort ? 'ascending' : order === `-${sort}` ? 'descending' : 'none';
  const next = { none: sort, ascending: `-${sort}`, descending: '' }[direction];
  return (
    <div role="columnheader" class={name} aria-sort={direction}>
      <button type="button" onClick={() => changeQuery({ sort: next })}>
        {title}
        <span aria-hidden="true">{{ none: '', ascending: ' ↑', descending: ' ↓' }[direction]}</span>
      </button>
    </div>
  );
}
