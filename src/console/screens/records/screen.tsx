import type { JSX } from 'preact';
import { StatusBadge, toneOf } from '../../components/badge.js';
import { Button } from '../../components/controls.js';
import { changesOf, JsonButton, type Fields } from '../../components/json-dialog.js';
import { Empty, Panel } from '../../components/layout.js';
import { ListScreen } from '../../components/list-screen.js';
import { change, useControl } from '../../control/use-control.js';
import { closeDetails, linkTo, useRoute } from '../../control/router.js';
import { formatStatus } from '../../format/text.js';
import { fieldContent, FieldSections, labelOf, valueAt } from './fields.js';
import { examples, type RecordKind } from './kinds.js';

/** The records of one kind, newest first, with the details of the selected one. */
export function RecordScreen({ kind }: { readonly kind: RecordKind }): JSX.Element {
  const { name, noun, columns } = kind;
  const { customerId } = useRoute().query;
  return (
    <ListScreen
      {...kind}
      columns={columns.map(labelOf)}
      cells={(record: Fields) => columns.map((path) => fieldContent(path, valueAt(record, path)))}
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
      details={(record: Fields) => <RecordPanel key={record['id']} kind={kind} record={record} />}
    />
  );
}

interface RecordPanelProps {
  readonly kind: RecordKind;
  readonly record: Fields;
}

function RecordPanel({ kind, record }: RecordPanelProps): JSX.Element {
  const { name, noun, columns, details: Details, hidden } = kind;
  const { id, status } = record;
  const [first = 'id'] = columns;
  const remove = (): Promise<void> => {
    // First: otherwise the page may read a part of the record that is gone.
    closeDetails();
    return change(`${name}.remove`, [id], `Removed the ${noun[0]}.`);
  };
  return (
    <Panel
      title={
        <>
          {fieldContent(first, valueAt(record, first) ?? id)}{' '}
          {typeof status === 'string' && <StatusBadge status={status} />}
        </>
      }
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
      <FieldSections title="Fields" record={record} hidden={hidden}>
        <Details {...record} />
      </FieldSections>
    </Panel>
  );
}

/** The statuses that a record of each kind may move to, by its current status. */
export type Transitions = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

interface TransitionProps {
  readonly kind: string;
  readonly id: string;
  readonly status: string;
}

/** One button for each transition that is allowed now, and one that schedules several. */
function TransitionButtons({ kind, id, status }: TransitionProps): JSX.Element | null {
  const { data } = useControl<Transitions>('transitions');
  const rows = data?.[kind] ?? {};
  const allowed = rows[status];
  if (allowed === undefined) return null;
  if (allowed.length === 0) return <span class="muted">{formatStatus(status)} is final.</span>;
  return (
    <>
      <span class="muted">Move to</span>
      {allowed.map((next) => (
        <Button
          key={next}
          kind={toneOf(next) === 'bad' ? 'danger' : undefined}
          onClick={() =>
            change(`${kind}.transition`, [id, next], `The status is now ${formatStatus(next).toLowerCase()}.`)
          }
        >
          {formatStatus(next)}
        </Button>
      ))}
      <JsonButton
        title="Schedule"
        hint="Transitions one after another on the mock's clock, in place of earlier ones. Without any, none is scheduled."
        examples={[['', { statuses: usualWay(rows, status), trigger: { every: { hours: 1 } } }]]}
        onSave={({ statuses, trigger }) =>
          change(
            `${kind}.scheduleTransitions`,
            [id, statuses, trigger],
            'Changed the schedule. Advance the clock to see it.',
          )
        }
      />
    </>
  );
}

/** Returns the first transition of each status, until the record is done. */
function usualWay(
  rows: Readonly<Record<string, readonly string[]>>,
  from: string,
  way: readonly string[] = [],
): readonly string[] {
  const [next] = rows[from] ?? [];
  if (next === undefined || way.includes(next)) return way;
  return toneOf(next) === 'good' ? [...way, next] : usualWay(rows, next, [...way, next]);
}
