import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Found } from '../../mock/control/search.js';
import { changeQuery, linkTo, useRoute } from '../control/router.js';
import type { Searched } from '../control/use-control.js';
import { formatCount, pluralize } from '../format/text.js';
import { Button, CountSelect, Search, useKeys } from './controls.js';
import { Empty, Screen, Table } from './layout.js';

interface ListScreenProps<T> {
  /** The name of the screen in the URL. */
  readonly name: string;
  readonly title: string;
  readonly noun: readonly [one: string, many: string];
  /** The titles of the columns, the most important first. */
  readonly columns: readonly string[];
  /** The cells of a row. */
  readonly cells: (row: T) => readonly ComponentChildren[];
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

/**
 * A list beside the details of its selected row. The filters and the id of the row are in the URL. The keys j and k open
 * the next and the previous row.
 */
export function ListScreen<T>(props: ListScreenProps<T>): JSX.Element {
  const { name, title, noun, columns, cells, keyOf, found, placeholder, filters, actions, empty, children } = props;
  const { data, error, onMore } = found;
  const { count = 0, total = count, values = {}, records } = data ?? {};
  const { id, query } = useRoute();
  const names = Object.keys(query);
  const counted = pluralize(total, ...noun);
  const links = records?.map((row) => linkTo(name, keyOf(row), query));
  const selected = records?.findIndex((row) => keyOf(row) === id);
  const open = (offset: number): void => {
    const link = links?.[(selected ?? -1) + offset];
    if (link !== undefined) location.hash = link;
  };
  useKeys({ j: () => open(1), k: () => open(-1) });
  useEffect(() => document.querySelector('.list [aria-current]')?.scrollIntoView({ block: 'nearest' }), [id]);
  return (
    <Screen
      title={title}
      header={
        <>
          <span class="muted">{data && (count === total ? counted : `${formatCount(count)} of ${counted}`)}</span>
          <div class="actions">
            {names.length > 0 && (
              <Button onClick={() => changeQuery(Object.fromEntries(names.map((each) => [each, ''])))}>
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
        {Object.entries(values).map(([each, counts]) => (
          <CountSelect key={each} name={each} counts={counts} />
        ))}
        {filters}
      </div>
      <div class={`split ${id === undefined ? '' : 'open'}`}>
        {records?.length === 0 ? (
          <div>{names.length > 0 || total > 0 ? <Empty>No {noun[0]} matches the filters.</Empty> : empty}</div>
        ) : (
          <div class="column">
            <Table columns={columns} rows={records?.map(cells)} links={links} selected={selected} error={error} />
            {records && records.length < count && (
              <Button onClick={onMore}>Show more ({formatCount(count - records.length)})</Button>
            )}
          </div>
        )}
        {children}
      </div>
    </Screen>
  );
}
