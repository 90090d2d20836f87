import type { JSX } from 'preact';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/controls.js';
import { Loaded, Screen, Section } from '../../components/layout.js';
import type { MockFault } from '../../control/record-types.js';
import type { PlannedFault } from '../../../mock/index.js';
import { change, useControl } from '../../control/use-control.js';
import { formatSpan, pluralize } from '../../format/text.js';
import { linkTo } from '../../control/router.js';
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
];

/** The faults of the selected organization. */
export function FaultsScreen(): JSX.Element {
  const { data, error } = useControl<readonly PlannedFault[]>('faults.list');
  const { now = 0 } = useClock();
  const planned = data?.filter((fault) => !isPast(fault, now));
  const past = data?.filter((fault) => isPast(fault, now)).toReversed() ?? [];
  return (
    <Screen
      title="Faults"
      about="A fault disturbs requests of the selected organization that pass authentication and validation."
    >
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
        <Loaded data={planned} error={error} empty="No faults are planned: every request is processed normally.">
          {(faults) => <FaultRows faults={faults} now={now} />}
        </Loaded>
      </Section>
      <Section title="Presets">
        <div class="presets">
          {presets.map(({ title, effect, call, args }) => (
            <Button key={title} kind="preset" onClick={() => change(call, args, `Planned: ${title}.`)}>
              <span>
                {title}
                <small>{effect}</small>
              </span>
            </Button>
          ))}
        </div>
      </Section>
      <FaultForm />
      {past.length > 0 && (
        <Section title="Happened" count={past.length}>
          <FaultRows faults={past.slice(0, 50)} now={now} />
        </Section>
      )}
    </Screen>
  );
}

/** The most requests of a fault that are shown: its latest ones. */
const shownHits = 3;

/** Returns whether a fault is over. One with a duration ends without an event. */
const isPast = ({ remaining, until = Infinity }: PlannedFault, now: number): boolean => remaining === 0 || until <= now;

function FaultRows({ faults, now }: { readonly faults: readonly PlannedFault[]; readonly now: number }): JSX.Element {
  return (
    <ul class="rows">
      {faults.map((fault) => (
        <FaultRow key={fault.id} planned={fault} now={now} />
      ))}
    </ul>
  );
}

function FaultRow({ planned, now }: { readonly planned: PlannedFault; readonly now: number }): JSX.Element {
  const { id, endpoint, fault, when, after = 0, until, remaining, probability, hits, requestIds, mismatch } = planned;
  const { kind, ...fields } = fault === 'ok' ? { kind: 'ok' } : fault;
  const requests =
    remaining !== null
      ? `the next ${remaining === 1 ? 'request' : `${remaining} requests`}`
      : probability === 1
        ? 'every request'
        : `${Math.round(probability * 1000) / 10} % of requests`;
  const skipped = after === 0 ? '' : `, after ${pluralize(after, 'other')}`;
  const lasting = until === undefined ? '' : `, for ${formatSpan(until - now)} more`;
  const scope = `${requests}${skipped}${lasting}`;
  const details = [
    ...(Object.keys(fields).length > 0 ? [JSON.stringify(fields)] : []),
    ...(when === undefined ? [] : [`when ${typeof when === 'string' ? when : JSON.stringify(when)}`]),
    ...(mismatch === undefined ? [] : [`the last other request: ${mismatch}`]),
  ];
  return (
    <li>
      <Badge tone={fault === 'ok' ? 'good' : 'fault'}>{kind}</Badge>
      <span class="grow">
        <strong>{endpoint === '*' ? 'All endpoints' : endpoint}</strong>{' '}
        <span class="muted">{[isPast(planned, now) ? 'over' : scope, ...details].join(' · ')}</span>
      </span>
      <span>
        <span>{pluralize(hits, 'hit')}</span>
        {requestIds.slice(-shownHits).map((requestId) => (
          <>
            {' '}
            <a class="mono" href={linkTo('requests', requestId)}>
              {requestId}
            </a>
          </>
        ))}
      </span>
      {!isPast(planned, now) && (
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
