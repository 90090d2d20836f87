import type { JSX } from 'preact';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/controls.js';
import { Empty, Pending, Section } from '../../components/layout.js';
import type { MockFault } from '../../control/records.js';
import type { PlannedFault } from '../../../mock/index.js';
import { change, useControl } from '../../control/use-control.js';
import { formatSpan, pluralize } from '../../format/text.js';
import { useClock } from '../../control/use-clock.js';
import { FaultForm } from './fault-form.js';

interface Preset {
  readonly title: string;
  readonly effect: string;
  readonly call: string;
  readonly args: readonly unknown[];
}

const presets: readonly Preset[] = [
  {
    title: 'Lose the response to the next create',
    effect: 'The payment is created, then the connection breaks.',
    call: 'faults.next',
    args: ['payments.create', { kind: 'reset-after-commit' } satisfies MockFault],
  },
  {
    title: '429 for a minute',
    effect: "Every request gets a 429 until a minute of the mock's clock has passed.",
    call: 'faults.always',
    args: ['*', { kind: 'rate-limit' } satisfies MockFault, { duration: { minutes: 1 } }],
  },
  {
    title: 'One in five fails',
    effect: 'A share of 0.2 of all requests gets a 503.',
    call: 'faults.rate',
    args: ['*', 0.2, { kind: 'status', status: 503 } satisfies MockFault],
  },
  {
    title: 'Outage',
    effect: 'Every request gets a 503 until you remove the fault.',
    call: 'faults.always',
    args: ['*', { kind: 'status', status: 503 } satisfies MockFault],
  },
  {
    title: 'Create it late',
    effect: 'The next create resets at once and commits 30 seconds later.',
    call: 'faults.next',
    args: ['payments.create', { kind: 'late-commit', after: 30_000 } satisfies MockFault],
  },
  {
    title: 'Slow responses',
    effect: 'Every response is delayed by 2 seconds.',
    call: 'faults.always',
    args: ['*', { kind: 'slow', delay: 2_000 } satisfies MockFault],
  },
];

/** The faults of the selected organization. */
export function FaultsScreen(): JSX.Element {
  const { data, error } = useControl<readonly PlannedFault[]>('faults.list');
  const { now = 0 } = useClock();
  // A fault with a duration ends without an event.
  const isPast = ({ remaining, until = Infinity }: PlannedFault): boolean => remaining === 0 || until <= now;
  const planned = data?.filter((fault) => !isPast(fault));
  const past = data?.filter(isPast).toReversed() ?? [];
  return (
    <div class="screen">
      <div class="screen-header">
        <h1>Faults</h1>
        <p>A fault disturbs requests of the selected organization that pass authentication and validation.</p>
      </div>
      <Section
        title="Planned"
        count={planned?.length}
        actions={
          planned !== undefined &&
          planned.length > 0 && (
            <Button kind="danger" onClick={() => change('faults.clear', [], 'Removed all faults.')}>
              Remove all
            </Button>
          )
        }
      >
        {planned === undefined ? (
          <Pending error={error} />
        ) : planned.length === 0 ? (
          <Empty>No faults are planned: every request is processed normally.</Empty>
        ) : (
          <ul class="rows">
            {planned.map((fault) => (
              <FaultRow key={fault.id} planned={fault} now={now} />
            ))}
          </ul>
        )}
      </Section>
      <Section title="Presets">
        <div class="presets">
          {presets.map(({ title, effect, call, args }) => (
            <button
              type="button"
              key={title}
              class="button preset"
              onClick={() => void change(call, args, `Planned: ${title}.`)}
            >
              <span>
                {title}
                <small>{effect}</small>
              </span>
            </button>
          ))}
        </div>
      </Section>
      <FaultForm />
      {past.length > 0 && (
        <Section title="Happened" count={past.length}>
          <ul class="rows">
            {past.slice(0, 50).map((fault) => (
              <FaultRow key={fault.id} planned={fault} now={now} />
            ))}
          </ul>
        </Section>
      )}
    </div>
  );
}

function FaultRow({
  planned: { id, endpoint, fault, when, after = 0, until, remaining, probability, hits },
  now,
}: {
  readonly planned: PlannedFault;
  readonly now: number;
}): JSX.Element {
  const { kind, ...fields } = fault === 'ok' ? { kind: 'ok' } : fault;
  const isPast = remaining === 0 || (until ?? Infinity) <= now;
  const requests =
    remaining !== null
      ? `the next ${remaining === 1 ? 'request' : `${remaining} requests`}`
      : probability === 1
        ? 'every request'
        : `${Math.round(probability * 1000) / 10} % of requests`;
  const skipped = after === 0 ? '' : `, after ${pluralize(after, 'other')}`;
  const lasting = until === undefined ? '' : `, for ${formatSpan(until - now)} more`;
  const scope = `${requests}${skipped}${lasting}`;
  return (
    <li>
      <Badge tone={fault === 'ok' ? 'good' : 'fault'}>{kind}</Badge>
      <span class="grow">
        <strong>{endpoint === '*' ? 'All endpoints' : endpoint}</strong>{' '}
        <span class="muted">
          {isPast ? 'over' : scope}
          {Object.keys(fields).length > 0 && (
            <>
              {' '}
              · <code>{JSON.stringify(fields)}</code>
            </>
          )}
          {when !== undefined && (
            <>
              {' '}
              · when <code>{typeof when === 'string' ? when : JSON.stringify(when)}</code>
            </>
          )}
        </span>
      </span>
      <span>{pluralize(hits, 'hit')}</span>
      {!isPast && (
        <Button
          kind="quiet"
          label={`Remove ${kind} of ${endpoint}`}
          onClick={() => change('faults.remove', [id], 'Removed the fault.')}
        >
          Remove
        </Button>
      )}
    </li>
  );
}
