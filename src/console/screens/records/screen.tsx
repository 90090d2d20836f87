import type { JSX } from 'preact';
import type { Found } from '../../../mock/control/search.js';
import { StatusBadge } from '../../components/badge.js';
import { Button } from '../../components/controls.js';
import { changesOf, JsonButton, type Fields } from '../../components/json-dialog.js';
import { JsonView } from '../../components/json-view.js';
import { Empty, Panel, Section } from '../../components/layout.js';
import { ListScreen, type Column } from '../../components/list-screen.js';
import { change, useControl, useSearch } from '../../control/use-control.js';
import { linkTo, navigate, useRoute } from '../../control/router.js';
import { FieldFacts, fieldContent, isNested, labelOf, valueAt } from './fields.js';
import { examples, type RecordKind } from './kinds.js';
import { TransitionButtons } from './transitions.js';

/** The number of records that are read at once. */
const pageSize = 100;

/** The columns of fields by their names: the least width in pixels, and the share of the width that is left. */
const widths: readonly (readonly [name: RegExp, width: number, grow: number])[] = [
  [/^id$/, 148, 0],
  [/At$/, 142, 0],
  [/^status$/, 150, 0],
  [/currencyCode$/i, 98, 0],
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
  const { name, noun, columns } = kind;
  const { id, query } = useRoute();
  const found = useSearch<Found<Fields>>(`${name}.search`, query, pageSize);
  const { data: selected } = useControl<Fields | null>(id === undefined ? undefined : `${name}.get`, [id]);
  const { customerId } = query;
  return (
    <ListScreen
      {...kind}
      columns={columns.map(columnOf)}
      found={found}
      keyOf={({ id: key }) => String(key)}
      actions={
        <JsonButton
          title={`Add ${noun[0]}`}
          kind="primary"
          hint="The mock generates the fields that you omit."
          examples={[['', { ...examples[name][0] }]]}
          onSave={(record) => change(`${name}.add`, [record], `Added a ${noun[0]}.`)}
        />
      }
      filters={customerId && <a href={linkTo('customers', customerId)}>of {customerId}</a>}
      empty={<Empty>No {noun[1]} yet. Populate the platform under State, or add records.</Empty>}
    >
      {selected !== undefined && (
        <RecordPanel key={id} kind={kind} record={selected} onClose={() => navigate(name, undefined, query)} />
      )}
    </ListScreen>
  );
}

interface RecordPanelProps {
  readonly kind: RecordKind;
  /** The record; null if it does not exist. */
  readonly record: Fields | null;
  readonly onClose: () => void;
}

function RecordPanel({ kind, record, onClose }: RecordPanelProps): JSX.Element {
  const { name, noun, columns, details: Details, hidden } = kind;
  if (record === null)
    return (
      <Panel title="Not found" onClose={onClose}>
        <Empty>This record does not exist in this organization.</Empty>
      </Panel>
    );
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
          <JsonButton
            title={`Edit the ${noun[0]}`}
            hint="Only the fields that you change are sent."
            examples={[['', record]]}
            onSave={(fields, before) =>
              change(`${name}.update`, [id, changesOf(before, fields)], `Changed the ${noun[0]}.`)
            }
          >
            Edit
          </JsonButton>
          <Button kind="danger" question={`Remove this ${noun[0]}?`} onClick={remove}>
            Remove
          </Button>
        </>
      }
    >
      <Section title="Fields">
        <FieldFacts record={record} />
      </Section>
      <Details {...record} />
      {nested.map(([field, value]) => (
        <Section key={field} title={labelOf(field)}>
          <JsonView label={`${labelOf(field)} as JSON`} value={value} />
        </Section>
      ))}
    </Panel>
  );
}
