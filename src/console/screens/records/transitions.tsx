import type { JSX } from 'preact';
import { toneOf } from '../../components/badge.js';
import { Button } from '../../components/controls.js';
import { JsonButton } from '../../components/json-dialog.js';
import { change, useControl } from '../../control/use-control.js';
import { formatStatus } from '../../format/text.js';

/** The statuses that a record of each kind may move to, by its current status. */
export type Transitions = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

interface TransitionProps {
  readonly kind: string;
  readonly id: string;
  readonly status: string;
}

/** One button for each transition that is allowed now, and one that schedules several. */
export function TransitionButtons({ kind, id, status }: TransitionProps): JSX.Element | null {
  const { data } = useControl<Transitions>('transitions');
  const rows = data?.[kind] ?? {};
  const allowed = rows[status];
  if (allowed === undefined) return null;
  if (allowed.length === 0) return <span class="muted">{formatStatus(status)} is final.</span>;
  const trigger = { every: { hours: 1 } };
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
        hint="The transitions of the record, one after another on the mock's clock. They replace earlier ones."
        examples={[
          ...shortestPaths(rows, status).map(
            (statuses) => [statuses.map(formatStatus).join(' → '), { statuses, trigger }] as const,
          ),
          ['Cancel the schedule', { statuses: [], trigger }],
        ]}
        onSave={({ statuses, trigger: each }) =>
          change(
            `${kind}.scheduleTransitions`,
            [id, statuses, each],
            'Changed the schedule. Advance the clock to see it.',
          )
        }
      />
    </>
  );
}

const isGood = (path: readonly string[]): boolean => toneOf(path.at(-1) ?? '') === 'good';

/** Returns the shortest sequence of transitions to each status, first to a good one. */
function shortestPaths(
  rows: Readonly<Record<string, readonly string[]>>,
  from: string,
): readonly (readonly string[])[] {
  const paths = new Map<string, readonly string[]>([[from, []]]);
  // A map also iterates over the entries that are added meanwhile.
  for (const [last, path] of paths)
    for (const next of rows[last] ?? []) if (!paths.has(next)) paths.set(next, [...path, next]);
  return [...paths.values()].slice(1).toSorted((left, right) => Number(isGood(right)) - Number(isGood(left)));
}
