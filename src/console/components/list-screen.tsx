import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { changeQuery, linkTo, navigate, useRoute } from '../control/router.js';
import { formatCount, pluralize } from '../format/text.js';
import { Button, isTyping, Search } from './controls.js';
import { Empty, Pending, Screen } from './layout.js';

/** A column of a list. */
export interface Column<T> {
  readonly title: string;
  /** The least width in pixels. A column is shown if the list is wide enough for it and those before it. */
  readonly width: number;
  /** How much wider the list must be, so that the columns before it stay readable. */
  readonly spare?: number;
  /** Its share of the width that is left. */
  readonly grow?: number;
  readonly class?: string;
  readonly cell: (row: T) => ComponentChildren;
}

interface ListProps<T> {
  /** The name of the screen in the URL. */
  readonly name: string;
  readonly title: string;
  /** The columns, the most important first; the first one is the link to the details. */
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string;
}

interface ListScreenProps<T> extends ListProps<T> {
  readonly noun: readonly [one: string, many: string];
  /** The rows that were read; undefined before the first reading. */
  readonly rows: readonly T[] | undefined;
  readonly error: Error | undefined;
  /** The number of rows that the filters select. */
  readonly count: number | undefined;
  /** The number of all rows, if it is known. */
  readonly total?: number | undefined;
  readonly onMore: () => void;
  readonly placeholder?: string;
  readonly filters: ComponentChildren;
  readonly actions: ComponentChildren;
  /** What is above the filters. */
  readonly above: ComponentChildren;
  /** What is shown if there are no rows at all. */
  readonly empty: ComponentChildren;
  /** The details of the selected row. */
  readonly children: ComponentChildren;
}

/** A list beside the details of its selected row. The filters and the id of the row are in the URL. */
export function ListScreen<T>(props: ListScreenProps<T>): JSX.Element {
  const { title, noun, rows, error, count = 0, total = count, onMore, children } = props;
  const { id, query } = useRoute();
  const filters = Object.keys(query);
  const removeFilters = (): void => changeQuery(Object.fromEntries(filters.map((name) => [name, ''])));
  const counted = pluralize(total, ...noun);
  return (
    <Screen
      title={title}
      header={
        <>
          <span class="muted">{rows && (count === total ? counted : `${formatCount(count)} of ${counted}`)}</span>
          <div class="actions">
            {filters.length > 0 && <Button onClick={removeFilters}>Remove the filters</Button>}
            {props.actions}
          </div>
        </>
      }
    >
      {props.above}
      <div class="toolbar" role="search">
        <Search label={`Filter ${noun[1]}`} placeholder={props.placeholder} />
        {props.filters}
      </div>
      <div class={`split ${id === undefined ? '' : 'open'}`}>
        {rows === undefined ? (
          <Pending error={error} />
        ) : rows.length === 0 ? (
          <div>{filters.length > 0 || total > 0 ? <Empty>No {noun[0]} matches the filters.</Empty> : props.empty}</div>
        ) : (
          <div class="column">
            <VirtualList {...props} rows={rows} />
            {rows.length < count && <Button onClick={onMore}>Show more ({formatCount(count - rows.length)})</Button>}
          </div>
        )}
        {children}
      </div>
    </Screen>
  );
}

/** The height of a row, and the space between and beside columns, in pixels; the styles have the same. */
const [rowHeight, gap, padding] = [34, 12, 28];
/** The most rows in the document; the page may be higher than a screen when it is zoomed out. */
const maxRows = 120;
const overscan = 8;

interface VirtualListProps<T> extends ListProps<T> {
  readonly rows: readonly T[];
}

/**
 * A list that renders only the visible rows, with the semantics of a table. The keys j and k open the next and the
 * previous row.
 */
function VirtualList<T>({ name, title, columns, rows, keyOf }: VirtualListProps<T>): JSX.Element {
  const { id, query } = useRoute();
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
  const firstKey = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    const element = viewport.current;
    const added = rows.findIndex((row) => keyOf(row) === firstKey.current);
    firstKey.current = rows[0] === undefined ? undefined : keyOf(rows[0]);
    if (element !== null && added > 0 && element.scrollTop > 0) element.scrollTop += added * rowHeight;
  }, [rows]);
  // Not after the page is painted: a key is for the rows that are shown.
  useLayoutEffect(() => {
    const open = ({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent): void => {
      if ((key !== 'j' && key !== 'k') || ctrlKey || metaKey || altKey || isTyping(target)) return;
      const current = rows.findIndex((row) => keyOf(row) === id);
      const index = current === -1 ? 0 : current + (key === 'j' ? 1 : -1);
      const row = rows[index];
      const element = viewport.current;
      if (row === undefined || element === null) return;
      const position = index * rowHeight;
      // As little as possible, so that the row is inside.
      element.scrollTop = Math.min(position, Math.max(element.scrollTop, position + rowHeight - element.clientHeight));
      navigate(name, keyOf(row), query);
    };
    addEventListener('keydown', open);
    return () => removeEventListener('keydown', open);
  });
  let needed = padding - gap;
  const shown = columns.filter((column, index) => {
    needed += gap + column.width;
    return needed + (column.spare ?? 0) <= width || index === 0;
  });
  const tracks = shown.map((column) => `minmax(${column.width}px, ${column.grow ?? 0}fr)`);
  const first = Math.max(0, Math.floor(top / rowHeight) - overscan);
  const last = Math.min(rows.length, first + Math.min(maxRows, Math.ceil(height / rowHeight) + 2 * overscan));
  return (
    <div
      class="list"
      role="table"
      aria-label={title}
      aria-rowcount={rows.length + 1}
      style={{ '--columns': tracks.join(' ') }}
    >
      <div role="rowgroup">
        <div class="list-row list-head" role="row" aria-rowindex={1}>
          {shown.map((column) => (
            <div key={column.title} role="columnheader" class={column.class} title={column.title}>
              {column.title}
            </div>
          ))}
        </div>
      </div>
      <div class="list-body" role="rowgroup" ref={viewport} tabIndex={0} aria-label={`${title}, rows`}>
        <div role="presentation" style={{ padding: `${first * rowHeight}px 0 ${(rows.length - last) * rowHeight}px` }}>
          {rows.slice(first, last).map((row, index) => (
            <div
              key={keyOf(row)}
              class={`list-row ${keyOf(row) === id ? 'selected' : ''}`}
              role="row"
              aria-rowindex={first + index + 2}
            >
              {shown.map((column, position) => (
                <div key={column.title} role="cell" class={column.class}>
                  {position > 0 ? (
                    column.cell(row)
                  ) : (
                    <a class="cover" href={linkTo(name, keyOf(row), query)}>
                      {column.cell(row)}
                    </a>
                  )}
                </div>
              ))}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}
