import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { StatusBadge } from '../../components/badge.js';
import { Button, CountSelect } from '../../components/controls.js';
import { JsonView } from '../../components/json-view.js';
import { Empty, Panel, Section } from '../../components/layout.js';
import { ListScreen, type Column } from '../../components/list-screen.js';
import type { Found } from '../../control/record-types.js';
import { change, useControl, useSearch } from '../../control/use-control.js';
import { formatStatus } from '../../format/text.js';
import { linkTo, navigate, useRoute } from '../../control/router.js';
import { Editor } from './editor.js';
import { FieldFacts, fieldContent, isNested, labelOf, valueAt, type Fields } from './fields.js';
import type { RecordKind } from './kinds.js';
import { TransitionButtons } from './transitions.js';

/** The number of records that are read at once. */
const pageSize = 100;

/** The columns of fields by their names: the least width in pixels, and the share of the width that is left. */
const widths: readonly (readonly [name: RegExp, width: number, grow: number])[] = [
  [/^id$/, 148, 0],
  [/At$/, 142, 0],
  [/^status$/, 150, 0],
  [/currencyCode$/i, 84, 0],
  [/amount$/i, 112, 1],
  [/./, 96, 1],
];

function columnOf(path: string, index: number): Column<Fields> {
  const [, width = 0, grow = 0] = widths.find(([name]) => name.test(path)) ?? [];
  return {
    title: labelOf(path),
    width,
    grow: index === 0 && grow > 0 ? 1.6 : grow,
    class: /amount$/i.test(path) ? 'amount' : '',
    cell: (record) => {
      const value = valueAt(record, path);
      // A link in a cell would be below the link of the row.
      return path.endsWith('Id') ? String(value) : fieldContent(path, value);
    },
  };
}

/** The records of one kind, newest first, with the details of the selected one. */
export function RecordScreen({ kind }: { readonly kind: RecordKind }): JSX.Element {
  const { name, title, noun, columns } = kind;
  const { id, query } = useRoute();
  const [isAdding, setAdding] = useState(false);
  const { data, error, onMore } = useSearch<Found<Fields>>(`${name}.search`, query, pageSize);
  const { data: selected } = useControl<Fields | null>(id === undefined ? undefined : `${name}.get`, [id]);
  useEffect(() => setAdding(false), [id]);
  const close = (): void => navigate(name, undefined, query);
  const { customerId } = query;
  return (
    <ListScreen
      name={name}
      title={title}
      noun={noun}
      columns={columns.map(columnOf)}
      rows={data?.records}
      error={error}
      count={data?.count}
      keyOf={({ id: key }) => String(key)}
      onMore={onMore}
      actions={
        <Button kind="primary" pressed={isAdding} onClick={() => setAdding(!isAdding)}>
          Add {noun[0]}
        </Button>
      }
      above={isAdding && <Editor kind={kind} onClose={() => setAdding(false)} />}
      filters={
        <>
          <CountSelect
            name="status"
            label="Status"
            all="All statuses"
            counts={data?.values['status']}
            format={formatStatus}
          />
          {customerId && <a href={linkTo('customers', customerId)}>of {customerId}</a>}
        </>
      }
      empty={<Empty>No {noun[1]} yet. Populate the platform under State, or add records.</Empty>}
    >
      {selected && <RecordPanel key={id} kind={kind} record={selected} onClose={close} />}
      {selected === null && (
        <Panel title={id} onClose={close}>
          <Empty>This record does not exist in this organization.</Empty>
        </Panel>
      )}
    </ListScreen>
  );
}

interface RecordPanelProps {
  readonly kind: RecordKind;
  readonly record: Fields;
  readonly onClose: () => void;
}

function RecordPanel({ kind, record, onClose }: RecordPanelProps): JSX.Element {
  const { name, noun, columns, hidden = [] } = kind;
  const [isEditing, setEditing] = useState(false);
  const { id, status } = record;
  const [first = 'id'] = columns;
  const remove = async (): Promise<void> => {
    await change(`${name}.remove`, [id], `Removed the ${noun[0]}.`);
    onClose();
  };
  const nested = Object.entries(record).filter(
    ([field, value]) => isNested(value) && !hidden.includes(field) && JSON.stringify(value) !== '[]',
  );
  return (
    <Panel
      title={
        <>
          {fieldContent(first, valueAt(record, first) ?? id)}{' '}
          {typeof status === 'string' && <StatusBadge status={status} />}
        </>
      }
      onClose={onClose}
      actions={
        <>
          {typeof status === 'string' && <TransitionButtons kind={name} id={String(id)} status={status} />}
          <Button pressed={isEditing} onClick={() => setEditing(!isEditing)}>
            Edit
          </Button>
          <Button kind="danger" question={`Remove this ${noun[0]}?`} onClick={remove}>
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
      {nested.map(([field, value]) => (
        <Section key={field} title={labelOf(field)}>
          <JsonView label={`${labelOf(field)} as JSON`} value={value} />
        </Section>
      ))}
    </Panel>
  );
}
