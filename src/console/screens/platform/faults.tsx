import type { ComponentChildren, JSX } from 'preact';
import type { MockFault, PlannedFault, ScenarioFault } from '../../../mock/index.js';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/controls.js';
import { JsonButton } from '../../components/json-dialog.js';
import { Screen, Section, Table } from '../../components/layout.js';
import { change, useControl, useUpstream } from '../../control/use-control.js';
import { formatSpan, pluralize } from '../../format/text.js';
import { linkTo } from '../../control/router.js';
import { useClock } from '../../control/use-clock.js';

/** The faults that are planned with one click, as in a scenario. */
const presets: readonly (readonly [title: string, fault: ScenarioFault])[] = [
  [
    'Lose the response to the next create',
    { endpoint: 'payments.create', fault: { kind: 'reset-after-commit' }, times: 1 },
  ],
  ['429 for a minute', { endpoint: '*', fault: { kind: 'rate-limit' }, duration: { minutes: 1 } }],
  ['Outage until you remove it', { endpoint: '*', fault: { kind: 'status', status: 503 } }],
  ['Slow responses until you remove it', { endpoint: '*', fault: { kind: 'slow', delay: 2_000 } }],
  ['Cut the next response', { endpoint: '*', fault: { kind: 'cut-body' }, times: 1 }],
  ['Create it late', { endpoint: 'payments.create', fault: { kind: 'late-commit', after: 30_000 }, times: 1 }],
];

/** What a fault of each kind does, and the fields that it must have. */
const effects: Readonly<Record<MockFault['kind'], readonly [effect: string, fields?: object]>> = {
  status: ['An error status. The request is not processed.', { status: 503 }],
  'rate-limit': ['A 429. The request is not processed.'],
  reset: ['The connection breaks. The request is not processed.'],
  'reset-after-commit': ['The request is processed, then the connection breaks.'],
  'late-commit': ['The connection breaks at once. The request is processed later.', { after: 30_000 }],
  hang: ['No response ever arrives. The request is not processed.'],
  'hang-after-commit': ['The request is processed. No response ever arrives.'],
  'acked-but-lost': ['The response says that it was processed, but its changes are discarded.'],
  slow: ['The request is processed. The response is delayed.', { delay: 2_000 }],
  'cut-body': ['The request is processed. The connection breaks in the middle of the body.'],
  'stall-body': ['The request is processed. The body stops in the middle.'],
  response: [
    'Another response. The request is processed, unless the status is 300 or higher.',
    { patch: { memo: '' } },
  ],
  'clock-skew': ['The clock of the platform is wrong for this request.', { seconds: 300 }],
};

/** The kinds that change what a platform does, which only a mock does. */
const ofMock: readonly string[] = ['late-commit', 'acked-but-lost', 'clock-skew', 'response'];

/** Returns what a fault of a kind does; undefined if there is no such kind. */
export const effectOf = (kind = ''): string | undefined =>
  (effects as Partial<typeof effects>)[kind as MockFault['kind']]?.[0];

const plan = (fault: object, done: string): Promise<void> => change('scenarios.load', [{ faults: [fault] }], done);

/** The faults of the selected organization. */
export function FaultsScreen(): JSX.Element {
  const { data, error } = useControl<readonly PlannedFault[]>('faults.list');
  const { now = 0 } = useClock();
  const planned = data?.filter((fault) => !isPast(fault, now));
  const isMock = useUpstream() === undefined;
  const past = data?.filter((fault) => isPast(fault, now)).toReversed() ?? [];
  return (
    <Screen
      title="Faults"
      about={
        isMock
          ? 'A fault disturbs requests of the selected organization that pass authentication and validation.'
          : 'A fault disturbs the responses of the real platform, or takes their place.'
      }
      header={
        <div class="actions">
          <JsonButton
            title="Plan a fault"
            kind="primary"
            hint="Optional fields: times, or probability and duration on the mock's clock; after and when select requests."
            examples={Object.entries(effects)
              .filter(([kind]) => isMock || !ofMock.includes(kind))
              .map(([kind, [effect, fields]]) => [
                `${kind}: ${effect}`,
                { endpoint: 'payments.create', fault: { kind, ...fields }, times: 1 },
              ])}
            onSave={(fault) => plan(fault, 'Planned the fault.')}
          />
        </div>
      }
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
        <Table
          columns={columns}
          rows={planned?.map((fault) => rowOf(fault, now))}
          error={error}
          empty="No faults are planned: every request is processed normally."
        />
      </Section>
      <Section title="Presets">
        <div class="presets">
          {presets
            .filter(([, { fault }]) => isMock || !ofMock.includes(fault.kind))
            .map(([title, fault]) => (
              <Button key={title} kind="preset" onClick={() => plan(fault, `Planned: ${title}.`)}>
                <span>
                  {title}
                  <small>{effectOf(fault.fault.kind)}</small>
                </span>
              </Button>
            ))}
        </div>
      </Section>
      {past.length > 0 && (
        <Section title="Happened" count={past.length}>
          <Table columns={columns} rows={past.slice(0, 50).map((fault) => rowOf(fault, now))} />
        </Section>
      )}
    </Screen>
  );
}

/** The most requests of a fault that are shown: its latest ones. */
const shownHits = 3;

const columns = ['Fault', 'Endpoint', 'Requests', 'Hits', ''];

/** Returns whether a fault is over. One with a duration ends without an event. */
const isPast = ({ remaining, until = Infinity }: PlannedFault, now: number): boolean => remaining === 0 || until <= now;

function rowOf(planned: PlannedFault, now: number): readonly ComponentChildren[] {
  const { id, endpoint, fault, when, after = 0, until, remaining, probability, hits, requestIds, mismatch } = planned;
  const { kind, ...fields } = fault === 'ok' ? { kind: 'ok' } : fault;
  const share = probability === 1 ? 'every request' : `${Math.round(probability * 1000) / 10} % of requests`;
  const requests = remaining === null ? share : remaining === 1 ? 'the next request' : `the next ${remaining} requests`;
  const skipped = after === 0 ? '' : `, after ${pluralize(after, 'other')}`;
  const lasting = until === undefined ? '' : `, for ${formatSpan(until - now)} more`;
  const isOver = isPast(planned, now);
  return [
    <>
      <Badge tone={fault === 'ok' ? 'good' : 'fault'}>{kind}</Badge>
      {Object.keys(fields).length > 0 && <small class="mono">{JSON.stringify(fields).replaceAll(',', ', ')}</small>}
    </>,
    <strong>{endpoint === '*' ? 'All endpoints' : endpoint}</strong>,
    <>
      {isOver ? 'over' : `${requests}${skipped}${lasting}`}
      {when !== undefined && <small>when {typeof when === 'string' ? when : JSON.stringify(when)}</small>}
      {mismatch !== undefined && <small>the last other request: {mismatch}</small>}
    </>,
    <>
      <span>{pluralize(hits, 'hit')}</span>
      {requestIds.slice(-shownHits).map((requestId) => (
        <small key={requestId} class="mono">
          <a href={linkTo('requests', requestId)}>{requestId}</a>
        </small>
      ))}
    </>,
    !isOver && (
      <Button
        kind="quiet"
        label={`Remove ${kind} of ${endpoint}`}
        onClick={() => change('faults.remove', [id], 'Removed the fault.')}
      >
        Remove
      </Button>
    ),
  ];
}
