import type { JSX } from 'preact';
import { toneOf } from '../../components/badge.js';
import { Button } from '../../components/controls.js';
import type { Transitions } from '../../control/records.js';
import { change, useControl } from '../../control/use-control.js';
import { formatStatus } from '../../format/text.js';

interface TransitionButtonsProps {
  readonly kind: string;
  readonly id: string;
  readonly status: string;
}

/** One button for each transition that is allowed now. */
export function TransitionButtons({ kind, id, status }: TransitionButtonsProps): JSX.Element {
  const { data } = useControl<Transitions>('transitions', [], 'platform');
  const allowed = data?.[kind]?.[status] ?? [];
  if (data !== undefined && allowed.length === 0) return <span class="muted">{formatStatus(status)} is final.</span>;
  return (
    <>
      <span class="muted">Move to</span>
      {allowed.map((next) => (
        <Button
          key={next}
          {...(toneOf(next) === 'bad' && { kind: 'danger' })}
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
