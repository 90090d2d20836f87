import type { JSX } from 'preact';
import type { ClockTime, OrganizationSummary } from '../../../mock/control/calls.js';
import type { DueEvent, DueGroup } from '../../../mock/control/due.js';
import { Badge, StatusBadge } from '../../components/badge.js';
import { Button, TextForm } from '../../components/controls.js';
import { Screen, Section, Table } from '../../components/layout.js';
import { callControl } from '../../control/call.js';
import { change, useControl } from '../../control/use-control.js';
import { formatAmount, formatCount, formatSpan, formatTime } from '../../format/text.js';
import { linkTo, selectedOrganization } from '../../control/router.js';
import { useClock } from '../../control/use-clock.js';

const steps = [
  ['+1 min', { minutes: 1 }],
  ['+1 h', { hours: 1 }],
  ['+1 day', { days: 1 }],
] as const;

/** Shows what a number of equal events do, with a link to the record, or to the list of the records. */
function eventContent(first: DueEvent, count: number): JSX.Element {
  const [screen, id, name, effect] =
    first.kind === 'request'
      ? (['requests', first.requestId, first.endpoint, <Badge tone="fault">Late commit</Badge>] as const)
      : first.kind === 'transition'
        ? ([first.of, first.id, first.id, <StatusBadge status={first.statuses[0] ?? ''} />] as const)
        : ([
            'quotes',
            first.id,
            formatAmount(first.paymentAmount, first.paymentCurrencyCode),
            <Badge tone="neutral">{count === 1 ? 'Quote expires' : 'expire'}</Badge>,
          ] as const);
  return (
    <>
      <a href={linkTo(screen, count === 1 ? id : undefined, {}, first.organization)}>
        {count === 1 ? name : `${formatCount(count)} ${screen}`}
      </a>
      {first.kind === 'transition' && ' to'} {effect}
    </>
  );
}

/** The mock's clock and what is due. */
export function ClockScreen(): JSX.Element {
  const { now, running, moved } = useClock();
  const { data: organizations = [] } = useControl<readonly OrganizationSummary[]>('organizations');
  const { data: all, error } = useControl<readonly DueGroup[]>('due');
  const selected = selectedOrganization();
  const owner = organizations.find(({ id, clock }) => id === selected && clock === 'own');
  const own = new Set(organizations.filter(({ clock }) => clock === 'own').map(({ id }) => id));
  // Only what is due by this clock.
  const groups = all?.filter(({ first }) =>
    owner === undefined ? !own.has(first.organization) : first.organization === owner.id,
  );
  const next = typeof groups?.[0]?.first.at === 'string' ? Date.parse(groups[0].first.at) : undefined;
  const names = new Map(organizations.length > 1 ? organizations.map(({ id, name }) => [id, name]) : []);
  const advance = (by: object, text: string): Promise<void> =>
    change('clock.advance', [by], `Advanced the clock by ${text}.`);
  const advanceToNext = async (): Promise<void> => {
    if (next === undefined) return;
    // Read now: the time on the page may be older than the list of what is due, and a span from it passes two events.
    const clock = await callControl<ClockTime>('clock.now', []);
    const seconds = Math.max(0, Math.ceil((next - Date.parse(clock.now)) / 1000));
    await advance({ seconds }, formatSpan(seconds * 1000));
  };
  return (
    <Screen
      title="Clock"
      header={
        <>
          <Badge tone={running ? 'good' : 'warn'}>{running ? 'Running' : 'Frozen'}</Badge>
          {moved !== undefined && <Badge tone="warn">{`${moved} from the real time`}</Badge>}
        </>
      }
      about={
        'Timestamps, tokens, quotes and signed URLs' +
        `${owner === undefined ? '' : ` of ${owner.name}`} use this clock.`
      }
    >
      <Section
        title="Time"
        actions={
          running ? (
            <Button onClick={() => change('clock.freeze', [], 'The clock is frozen.')}>Freeze</Button>
          ) : (
            <Button onClick={() => change('clock.resume', [], 'The clock runs.')}>Resume</Button>
          )
        }
      >
        <div class="section-body column">
          <p class="big-clock">
            {now === undefined ? '…' : formatTime(now)} <small>UTC</small>
          </p>
          <div class="toolbar">
            {steps.map(([text, by]) => (
              <Button key={text} onClick={() => advance(by, text.slice(1))}>
                {text}
              </Button>
            ))}
            <Button kind="primary" disabled={next === undefined} onClick={advanceToNext}>
              Advance to the next event
            </Button>
          </div>
          <TextForm
            label="Set the clock to"
            placeholder="2026-03-01T09:00:00Z"
            submit="Set"
            required
            onSubmit={(time) => change('clock.set', [time], 'Set the clock. It is frozen at that time.')}
          />
        </div>
      </Section>
      <Section title="Due" count={groups && formatCount(groups.reduce((sum, { count }) => sum + count, 0))}>
        <Table
          columns={['Event', ...(names.size > 0 ? ['Organization'] : []), 'In', 'At, in UTC']}
          rows={groups?.map(({ count, first, last }) => [
            eventContent(first, count),
            ...(names.size > 0 ? [names.get(first.organization)] : []),
            formatSpan(Date.parse(first.at) - (now ?? 0)),
            <time class="mono">
              {formatTime(first.at)}
              {last !== first.at && ` to ${formatTime(last)}`}
            </time>,
          ])}
          error={error}
          empty="Nothing is scheduled. Schedule the transitions of a payment on its page."
        />
      </Section>
    </Screen>
  );
}
