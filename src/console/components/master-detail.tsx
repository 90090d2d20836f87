import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { changeQuery, navigate, useRoute } from '../control/router.js';
import { formatCount } from '../format/text.js';
import { Button, isTyping } from './controls.js';
import { Pending } from './layout.js';

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

interface MasterDetailProps<T> {
  /** The name of the screen in the URL. */
  readonly screen: string;
  readonly label: string;
  readonly columns: readonly Column[];
  /** The rows that were read; undefined before the first reading. */
  readonly rows: readonly T[] | undefined;
  readonly error: Error | undefined;
  /** The number of all rows. */
  readonly count: number;
  readonly keyOf: (row: T) => string;
  /** The cells of a row, one for each column. */
  readonly cells: (row: T) => readonly ComponentChildren[];
  /** What is shown if there are no rows. */
  readonly empty: ComponentChildren;
  /** Reads more rows. */
  readonly onMore: () => void;
  /** The details of the selected row. */
  readonly children: ComponentChildren;
}

/** A list beside the details of its selected row, whose id is in the URL. */
export function MasterDetail<T>(props: MasterDetailProps<T>): JSX.Element {
  const { rows, error, count, empty, onMore, children } = props;
  const { id } = useRoute();
  return (
    <div class={`split ${id === undefined ? '' : 'open'}`}>
      {rows === undefined ? (
        <Pending error={error} />
      ) : rows.length === 0 ? (
        <div>{empty}</div>
      ) : (
        <div class="column">
          <VirtualList {...props} rows={rows} />
          {rows.length < count && <Button onClick={onMore}>Show more ({formatCount(count - rows.length)})</Button>}
        </div>
      )}
      {children}
    </div>
  );
}

const rowHeight = 34;
/** The most rows in the document; the page may be higher than a screen when it is zoomed out. */
const maxRows = 120;
const overscan = 8;

type VirtualListProps<T> = Pick<MasterDetailProps<T>, 'screen' | 'label' | 'columns' | 'keyOf' | 'cells'> & {
  readonly rows: readonly T[];
};

/** A list that renders only the visible rows, with the semantics of a table. The keys j and k open the next and the previous row. */
function VirtualList<T>({ screen, label, columns, rows, keyOf, cells }: VirtualListProps<T>): JSX.Element {
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
      const { scrollTop, clientHeight } = element;
      const position = index * rowHeight;
      if (position < scrollTop) element.scrollTop = position;
      else if (position + rowHeight > scrollTop + clientHeight) element.scrollTop = position + rowHeight - clientHeight;
      navigate(screen, keyOf(row), query);
    };
    addEventListener('keydown', open);
    return () => removeEventListener('keydown', open);
  });
  const shown = columns.map((column, index) => ({ ...column, index })).filter(({ from = 0 }) => from <= width);
  const template = shown.map((column) => column.width).join(' ');
  const first = Math.max(0, Math.floor(top / rowHeight) - overscan);
  const last = Math.min(rows.length, first + Math.min(maxRows, Math.ceil(height / rowHeight) + 2 * overscan));
  const padding = `${first * rowHeight}px 0 ${(rows.length - last) * rowHeight}px`;
  return (
    <div class="list" role="table" aria-label={label} aria-rowcount={rows.length + 1} style={{ '--columns': template }}>
      <div role="rowgroup">
        <div class="list-row list-head" role="row" aria-rowindex={1}>
          {shown.map((column) => (
            <Head key={column.title} {...column} />
          ))}
        </div>
      </div>
      <div class="list-body" role="rowgroup" ref={viewport} tabIndex={0} aria-label={`${label}, rows`}>
        <div role="presentation" style={{ padding }}>
          {rows.slice(first, last).map((row, index) => {
            const content = cells(row);
            return (
              <div
                key={keyOf(row)}
                class={`list-row ${keyOf(row) === id ? 'selected' : ''}`}
                role="row"
                aria-rowindex={first + index + 2}
              >
                {shown.map((column) => (
                  <div key={column.index} role="cell" class={column.isNumber === true ? 'number' : ''}>
                    {content[column.index]}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** The title of a column, which sorts the list: upwards, downwards, and not at all. The order is in the URL. */
function Head({ title, isNumber = false, sort = '' }: Column): JSX.Element {
  const order = useRoute().query['sort'];
  const directions = {
    [sort]: { direction: 'ascending', next: `-${sort}`, arrow: ' ↑' },
    [`-${sort}`]: { direction: 'descending', next: '', arrow: ' ↓' },
  } as const;
  const { direction, next, arrow } = directions[order ?? ''] ?? { direction: 'none', next: sort, arrow: '' };
  return (
    <div role="columnheader" class={isNumber ? 'number' : ''} aria-sort={sort === '' ? undefined : direction}>
      {sort === '' ? (
        title
      ) : (
        <button type="button" onClick={() => changeQuery({ sort: next })}>
          {title}
          <span aria-hidden="true">{arrow}</span>
        </button>
      )}
    </div>
  );
}
