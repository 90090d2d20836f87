import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import type { Found } from '../../mock/control/search.js';
import { changeQuery, linkTo, navigate, useRoute } from '../control/router.js';
import type { Searched } from '../control/use-control.js';
import { formatCount, pluralize } from '../format/text.js';
import { Button, CountSelect, isTyping, Search } from './controls.js';
import { Empty, Pending, Screen } from './layout.js';

/** A column of a list. */
export interface Column<T> {
  readonly title: string;
  /** The least width in pixels. A column is shown if the list is wide enough for it and those before it. */
  readonly width: number;
  /** Its share of the width that is left. */
  readonly grow?: number;
  readonly class?: string;
  readonly cell: (row: T) => ComponentChildren;
}

interface ListScreenProps<T> {
  /** The name of the screen in the URL. */
  readonly name: string;
  readonly title: string;
  readonly noun: readonly [one: string, many: string];
  /** The columns, the most important first; the first one is the link to the details. */
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string;
  readonly found: Searched<Found<T> & { readonly total?: number }>;
  readonly placeholder?: string;
  /** Other filters than those by the values that the server counted. */
  readonly filters?: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** What is shown if there are no rows at all. */
  readonly empty: ComponentChildren;
  /** The details of the selected row. */
  readonly children: ComponentChildren;
}

/** A list beside the details of its selected row. The filters and the id of the row are in the URL. */
export function ListScreen<T>(props: ListScreenProps<T>): JSX.Element {
  const { title, noun, found, placeholder, filters, actions, empty, children } = props;
  const { data, error, onMore } = found;
  const { count = 0, total = count, values = {}, records } = data ?? {};
  const { id, query } = useRoute();
  const selected = Object.keys(query);
  const counted = pluralize(total, ...noun);
  return (
    <Screen
      title={title}
      header={
        <>
          <span class="muted">{data && (count === total ? counted : `${formatCount(count)} of ${counted}`)}</span>
          <div class="actions">
            {selected.length > 0 && (
              <Button onClick={() => changeQuery(Object.fromEntries(selected.map((name) => [name, ''])))}>
                Remove the filters
              </Button>
            )}
            {actions}
          </div>
        </>
      }
    >
      <div class="toolbar" role="search">
        <Search label={`Filter ${noun[1]}`} placeholder={placeholder} />
        {Object.entries(values).map(([name, counts]) => (
          <CountSelect key={name} name={name} counts={counts} />
        ))}
        {filters}
      </div>
      <div class={`split ${id === undefined ? '' : 'open'}`}>
        {records === undefined ? (
          <Pending error={error} />
        ) : records.length === 0 ? (
          <div>{selected.length > 0 || total > 0 ? <Empty>No {noun[0]} matches the filters.</Empty> : empty}</div>
        ) : (
          <div class="column">
            <List {...props} rows={records} />
            {records.length < count && (
              <Button onClick={onMore}>Show more ({formatCount(count - records.length)})</Button>
            )}
          </div>
        )}
        {children}
      </div>
    </Screen>
  );
}

interface ListProps<T> extends Pick<ListScreenProps<T>, 'name' | 'title' | 'columns' | 'keyOf'> {
  readonly rows: readonly T[];
}

/** A list with the semantics of a table. The keys j and k open the next and the previous row. */
function List<T>({ name, title, columns, rows, keyOf }: ListProps<T>): JSX.Element {
  const { id, query } = useRoute();
  // Before the rows are painted: a key that follows at once finds them, and not those before.
  useLayoutEffect(() => {
    const open = ({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent): void => {
      if ((key !== 'j' && key !== 'k') || ctrlKey || metaKey || altKey || isTyping(target)) return;
      const current = rows.findIndex((row) => keyOf(row) === id);
      const row = rows[current === -1 ? 0 : current + (key === 'j' ? 1 : -1)];
      if (row !== undefined) navigate(name, keyOf(row), query);
    };
    addEventListener('keydown', open);
    return () => removeEventListener('keydown', open);
  });
  useEffect(() => document.querySelector('.list-row.selected')?.scrollIntoView({ block: 'nearest' }), [id]);
  return (
    <div class="list" role="table" aria-label={title}>
      <div role="rowgroup">
        <div class="list-row list-head" role="row">
          {columns.map((column) => (
            <div key={column.title} role="columnheader" class={column.class} style={widthOf(column)}>
              {column.title}
            </div>
          ))}
        </div>
      </div>
      <div class="list-body" role="rowgroup" tabIndex={0} aria-label={`${title}, rows`}>
        {rows.map((row) => (
          <div key={keyOf(row)} class={`list-row ${keyOf(row) === id ? 'selected' : ''}`} role="row">
            {columns.map((column, position) => (
              <div key={column.title} role="cell" class={column.class} style={widthOf(column)}>
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
  );
}

const widthOf = ({ width, grow = 0 }: Pick<Column<never>, 'width' | 'grow'>): { readonly flex: string } => ({
  flex: `${grow} 1 ${width}px`,
});
