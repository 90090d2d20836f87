import type { JSX } from 'preact';
import { toneOf } from '../../components/badge.js';
import { Button, Form, Select } from '../../components/controls.js';
import { Section } from '../../components/layout.js';
import type { Transitions } from '../../control/record-types.js';
import { change, useControl } from '../../control/use-control.js';
import { formatStatus } from '../../format/text.js';

interface TransitionProps {
  readonly kind: string;
  readonly id: string;
  readonly status: string;
}

/** One button for each transition that is allowed now. */
export function TransitionButtons({ kind, id, status }: TransitionProps): JSX.Element | null {
  const { data } = useControl<Transitions>('transitions');
  const allowed = data?.[kind]?.[status];
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
    </>
  );
}

const triggers = {
  'every hour': { every: { hours: 1 } },
  'every minute': { every: { minutes: 1 } },
  'every day': { every: { days: 1 } },
} as const;

/** Schedules the transitions that lead to a status. */
export function ScheduleForm({ kind, id, status }: TransitionProps): JSX.Element | null {
  const { data } = useControl<Transitions>('transitions');
  const paths = shortestPaths(data?.[kind] ?? {}, status);
  if (paths.length === 0) return null;
  const schedule = (path: readonly string[], trigger: object, done: string): Promise<void> =>
    change(`${kind}.scheduleTransitions`, [id, path, trigger], done);
  return (
    <Section title="Schedule">
      <Form
        key={status}
        submit="Schedule"
        onSubmit={({ path = '', trigger }) =>
          schedule(
            path.split(' '),
            triggers[trigger as keyof typeof triggers],
            'Scheduled the transitions. Advance the clock to see them.',
          )
        }
        actions={
          <Button onClick={() => schedule([], triggers['every hour'], 'Canceled the schedule.')}>
            Cancel the schedule
          </Button>
        }
      >
        <div class="form">
          <Select
            label="Transitions"
            name="path"
            options={paths.map((path) => [path.join(' '), path.map(formatStatus).join(' → ')])}
          />
          <Select label="One step" name="trigger" options={Object.keys(triggers)} />
        </div>
      </Form>
    </Section>
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
