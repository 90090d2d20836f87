import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { StatusBadge } from '../../components/badge.js';
import { Button, CountSelect, Search } from '../../components/controls.js';
import { JsonView } from '../../components/json-view.js';
import { Empty, Panel, Screen, Section } from '../../components/layout.js';
import { MasterDetail, type Column } from '../../components/master-detail.js';
import { change } from '../../control/use-control.js';
import { formatStatus, pluralize } from '../../format/text.js';
import { changeQuery, linkTo, navigate, useRoute } from '../../control/router.js';
import { Editor } from './editor.js';
import { FieldFacts, fieldContent, isNested, labelOf, valueAt, type Fields } from './fields.js';
import type { RecordKind } from './kinds.js';
import { TransitionButtons } from './transition-buttons.js';
import { idOf, removeCall, useRecords, useSelected } from './use-records.js';

/** The number of records that are read at once. */
const pageSize = 100;

/** The least width of a column in pixels, by the name of its field. */
function minWidthOf(path: string): number {
  if (path.endsWith('At')) return 142;
  if (path === 'status') return 150;
  if (/amount$/i.test(path)) return 130;
  return /currencyCode$/i.test(path) ? 70 : 96;
}

/** Returns the columns of a list. One is shown if the list is wide enough for it and those before it. */
function columnsOf({ columns, catalog }: RecordKind): readonly Column[] {
  const [gap, padding] = [12, 28];
  let from = padding - gap;
  return columns.map((path, index) => {
    const width = minWidthOf(path);
    from += width + gap;
    const isFixed = /(?:At|^status|currencyCode)$/i.test(path);
    return {
      title: labelOf(path),
      width: isFixed ? `${width}px` : `minmax(${width}px, ${index === 0 ? '1.6fr' : '1fr'})`,
      from: index === 0 ? 0 : from,
      ...(catalog === undefined && { sort: path }),
    };
  });
}

/** The records of one kind, newest first, with the details of the selected one. The filters are in the URL. */
export function RecordScreen({ kind }: { readonly kind: RecordKind }): JSX.Element {
  const { name, title, noun, columns } = kind;
  const { id, query } = useRoute();
  const [limit, setLimit] = useState(pageSize);
  const [isAdding, setAdding] = useState(false);
  const { data, error } = useRecords(kind, query, limit);
  const selected = useSelected(kind, id);
  useEffect(() => setAdding(false), [id]);
  const close = (): void => navigate(name, undefined, query);
  const isFiltered = Object.keys(query).some((each) => each !== 'sort');
  return (
    <Screen
      title={title}
      header={
        <>
          {data !== undefined && <span class="muted">{pluralize(data.count, ...noun)}</span>}
          <div class="actions">
            <Button kind="primary" pressed={isAdding} onClick={() => setAdding(!isAdding)}>
              Add {noun[0]}
            </Button>
          </div>
        </>
      }
    >
      {isAdding && <Editor kind={kind} onClose={() => setAdding(false)} />}
      <Filters kind={kind} statuses={data?.statuses ?? {}} />
      <MasterDetail
        screen={name}
        label={title}
        columns={columnsOf(kind)}
        rows={data?.records}
        error={error}
        count={data?.count ?? 0}
        keyOf={idOf}
        cells={(record) => columns.map((path, index) => cellOf(kind, record, path, index, query))}
        empty={
          <Empty>
            {isFiltered
              ? 'No record matches the filters.'
              : `No ${noun[1]} yet. Populate the platform under State, or add records.`}
          </Empty>
        }
        onMore={() => setLimit(10 * limit)}
      >
        {selected !== undefined && selected !== null && (
          <RecordPanel key={id} kind={kind} record={selected} onClose={close} />
        )}
        {selected === null && (
          <Panel title={id} onClose={close}>
            <Empty>This record does not exist in this organization.</Empty>
          </Panel>
        )}
      </MasterDetail>
    </Screen>
  );
}

function cellOf(
  kind: RecordKind,
  record: Fields,
  path: string,
  index: number,
  query: Readonly<Record<string, string>>,
): JSX.Element {
  const value = valueAt(record, path);
  // A link in a cell would be below the link of the row.
  const content = path.endsWith('Id') ? String(value) : fieldContent(path, value);
  const name = /amount$/i.test(path) ? 'amount' : '';
  return index > 0 ? (
    <span class={name}>{content}</span>
  ) : (
    <a class={`cover ${name}`} href={linkTo(kind.name, idOf(record), query)}>
      {content}
    </a>
  );
}

interface FiltersProps {
  readonly kind: RecordKind;
  readonly statuses: Readonly<Record<string, number>>;
}

function Filters({ kind: { noun }, statuses }: FiltersProps): JSX.Element {
  const { customerId = '' } = useRoute().query;
  return (
    <div class="toolbar" role="search">
      <Search label={`Filter ${noun[1]}`} />
      <CountSelect name="status" label="Status" all="All statuses" counts={statuses} format={formatStatus} />
      {customerId !== '' && (
        <Button label={`Remove the filter by customer ${customerId}`} onClick={() => changeQuery({ customerId: '' })}>
          Customer {customerId} ×
        </Button>
      )}
    </div>
  );
}

interface RecordPanelProps {
  readonly kind: RecordKind;
  readonly record: Fields;
  readonly onClose: () => void;
}

function RecordPanel({ kind, record, onClose }: RecordPanelProps): JSX.Element {
  const [isEditing, setEditing] = useState(false);
  const { status } = record;
  const [first = 'id'] = kind.columns;
  const remove = async (): Promise<void> => {
    const isRemoved = await change(...removeCall(kind, record), `Removed the ${kind.noun[0]}.`);
    if (isRemoved) onClose();
  };
  const nested = Object.entries(record).filter(
    ([name, value]) => isNested(value) && kind.shown?.includes(name) !== true && JSON.stringify(value) !== '[]',
  );
  return (
    <Panel
      title={
        <>
          {fieldContent(first, valueAt(record, first) ?? idOf(record))}{' '}
          {typeof status === 'string' && <StatusBadge status={status} />}
        </>
      }
      onClose={onClose}
      actions={
        <>
          {kind.hasTransitions && typeof status === 'string' && (
            <TransitionButtons kind={kind.name} id={idOf(record)} status={status} />
          )}
          <Button pressed={isEditing} onClick={() => setEditing(!isEditing)}>
            Edit
          </Button>
          <Button kind="danger" question={`Remove this ${kind.noun[0]}?`} onClick={remove}>
            Remove
          </Button>
        </>
      }
    >
      {isEditing && <Editor kind={kind} record={record} onClose={() => setEditing(false)} />}
      <Section title="Fields">
        <FieldFacts record={record} />
      </Section>
      {kind.details?.(record)}
      {nested.map(([name, value]) => (
        <Section key={name} title={labelOf(name)}>
          <JsonView label={`${labelOf(name)} as JSON`} value={value} />
        </Section>
      ))}
    </Panel>
  );
}
