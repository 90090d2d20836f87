import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** A column of a list. */
export interface Column {
  readonly title: string;
  /** The width as a track of a CSS grid. */
  readonly width: string;
  /** The width of the list in pixels from which the column is shown. */
  readonly from?: number;
  readonly isNumber?: boolean;
}

interface VirtualListProps<T> {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string | number;
  /** The cells of a row, one for each column. */
  readonly cells: (row: T) => readonly ComponentChildren[];
  readonly isSelected?: (row: T) => boolean;
}

const rowHeight = 34;
/** The most rows in the document; the page may be higher than a screen when it is zoomed out. */
const maxRows = 120;
const overscan = 8;

/** A list that renders only the visible rows, with the semantics of a table. */
export function VirtualList<T>({ label, columns, rows, keyOf, cells, isSelected }: VirtualListProps<T>): JSX.Element {
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
  const shown = columns.map((column) => (column.from ?? 0) <= width);
  const template = columns.flatMap(({ width: track }, index) => (shown[index] === true ? [track] : [])).join(' ');
  const first = Math.max(0, Math.floor(top / rowHeight) - overscan);
  const count = Math.min(maxRows, Math.ceil(height / rowHeight) + 2 * overscan);
  const visible = rows.slice(first, first + count);
  return (
    <div class="list" role="table" aria-label={label} aria-rowcount={rows.length + 1} style={{ '--columns': template }}>
      <div role="rowgroup">
        <div class="list-row list-head" role="row" aria-rowindex={1}>
          {columns.map(({ title, isNumber }, index) =>
            shown[index] === true ? (
              <div key={title} role="columnheader" class={isNumber === true ? 'number' : ''}>
                {title}
              </div>
            ) : null,
          )}
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
