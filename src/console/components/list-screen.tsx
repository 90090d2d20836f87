import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Found, FoundRequests } from '../../mock/control/search.js';
import { changeQuery, linkTo, useRoute } from '../control/router.js';
import { useControl, useSearch } from '../control/use-control.js';
import { formatCount, pluralize } from '../format/text.js';
import { Button, CountSelect, Search, useKeys } from './controls.js';
import { Empty, Panel, Pending, Screen, Table } from './layout.js';

/** The number of rows that are read at once. */
const pageSize = 200;

interface ListScreenProps<Row, Item> {
  /** The name of the screen in the URL, and of its records in control calls. */
  readonly name: string;
  readonly title: string;
  readonly noun: readonly [one: string, many: string];
  /** The titles of the columns, the most important first. */
  readonly columns: readonly string[];
  /** The cells of a row. */
  readonly cells: (row: Row) => readonly ComponentChildren[];
  readonly keyOf: (row: Row) => string;
  /** What the server searches. @default the filters */
  readonly search?: object;
  readonly placeholder?: string;
  /** Other filters than those by the values that the server counted. */
  readonly filters?: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** What is shown if there are no rows at all. */
  readonly empty: ComponentChildren;
  /** Returns the details of the selected row. */
  readonly details: (item: Item) => JSX.Element;
}

/**
 * A list beside the details of its selected row. The filters and the id of the row are in the URL. The keys j and k open
 * the next and the previous row.
 */
export function ListScreen<Row, Item>(props: ListScreenProps<Row, Item>): JSX.Element {
  const { name, title, noun, columns, cells, keyOf, placeholder, filters, actions, empty, details } = props;
  const { id, query } = useRoute();
  const { search = query } = props;
  const { data, error, onMore } = useSearch<Found<Row> & Partial<FoundRequests>>(`${name}.search`, search, pageSize);
  const { count = 0, total = count, dropped = 0, values = {}, records } = data ?? {};
  const item = useControl<Item | null>(id === undefined ? undefined : `${name}.get`, [id]);
  const missing = item.data === null ? new Error(`The ${noun[0]} ${id} does not exist here.`) : item.error;
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
            {dropped > 0 && <span class="muted">The full log dropped {pluralize(dropped, `earlier ${noun[0]}`)}.</span>}
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
        {item.data
          ? details(item.data)
          : id !== undefined && (
              <Panel title={id}>
                <Pending error={missing} />
              </Panel>
            )}
      </div>
    </Screen>
  );
}
