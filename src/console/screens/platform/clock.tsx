import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Badge, StatusBadge } from '../../components/badge.js';
import { Button, Form, Input } from '../../components/controls.js';
import { Empty, Pending, Section } from '../../components/layout.js';
import type { DueGroup, OrganizationSummary } from '../../control/records.js';
import { change, submit, useControl } from '../../control/use-control.js';
import { formatAmount, formatCount, formatSpan, formatTime } from '../../format/text.js';
import { linkTo, selectedOrganization } from '../../control/router.js';
import { useClock } from '../../control/use-clock.js';

const steps = [
  ['+1 min', { minutes: 1 }],
  ['+1 h', { hours: 1 }],
  ['+1 day', { days: 1 }],
] as const;

/** Shows what a group of events does, with a link to its record, or to the list of its records. */
function groupContent({ count, first }: DueGroup): JSX.Element {
  if (first.kind === 'request')
    return (
      <>
        <Badge tone="fault">Late commit</Badge>{' '}
        <a href={linkTo('requests', ...(count === 1 ? [first.requestId] : []))}>
          {count === 1 ? first.endpoint : `${formatCount(count)} × ${first.endpoint}`}
        </a>
      </>
    );
  const screen = first.kind === 'expiry' ? 'quotes' : first.of;
  const single = first.kind === 'expiry' ? formatAmount(first.paymentAmount, first.paymentCurrencyCode) : first.id;
  return (
    <>
      <a href={linkTo(screen, count === 1 ? first.id : undefined, {}, first.organization)}>
        {count === 1 ? single : `${formatCount(count)} ${screen}`}
      </a>{' '}
      {first.kind === 'expiry' ? (
        <Badge tone="neutral">{count === 1 ? 'Quote expires' : 'expire'}</Badge>
      ) : (
        <>
          to <StatusBadge status={first.statuses[0] ?? ''} />
          {count === 1 && first.statuses.length > 1 && <span class="muted"> and {first.statuses.length - 1} more</span>}
        </>
      )}
    </>
  );
}

/** Shows when a group of events is due. */
function DueTime({
  group: { count, first, last },
  now,
}: {
  readonly group: DueGroup;
  readonly now: number;
}): JSX.Element {
  if (first.at === null)
    return (
      <span class="muted">
        {first.reads === 1 ? 'the next time it is listed' : `after ${first.reads} more lists`}
        {count > 1 && ', or later'}
      </span>
    );
  return (
    <>
      <span class="muted">in {formatSpan(Date.parse(first.at) - now)}</span>
      <time class="mono">
        {formatTime(first.at)}
        {last !== null && last !== first.at && ` to ${formatTime(last)}`}
      </time>
    </>
  );
}

/** The mock's clock and what is due. */
export function ClockScreen(): JSX.Element {
  const { now, running } = useClock();
  const { data: organizations = [] } = useControl<readonly OrganizationSummary[]>('organizations', [], 'platform');
  const { data: all, error } = useControl<readonly DueGroup[]>('due', [], 'platform');
  const [time, setTime] = useState('');
  const selected = selectedOrganization();
  const owner = organizations.find(({ id, clock }) => id === selected && clock === 'own');
  const scope = owner === undefined ? 'platform' : 'organization';
  const own = new Set(organizations.filter(({ clock }) => clock === 'own').map(({ id }) => id));
  // Only what is due by this clock.
  const groups = all?.filter(({ first }) =>
    owner === undefined ? !own.has(first.organization) : first.organization === owner.id,
  );
  const next = typeof groups?.[0]?.first.at === 'string' ? Date.parse(groups[0].first.at) : undefined;
  const names = new Map(organizations.length > 1 ? organizations.map(({ id, name }) => [id, name]) : []);
  const advance = (by: object, text: string): Promise<boolean> =>
    change('clock.advance', [by], `Advanced the clock by ${text}.`, scope);
  const advanceToNext = async (): Promise<void> => {
    if (next === undefined || now === undefined) return;
    // Rounded up, because the clock of the page may be ahead of the mock's by a fraction of a second.
    const seconds = Math.max(0, Math.ceil((next - now) / 1000));
    await advance({ seconds }, formatSpan(seconds * 1000));
  };
  return (
    <div class="screen">
      <div class="screen-header">
        <h1>Clock</h1>
        <Badge tone={running ? 'good' : 'info'}>{running ? 'Running' : 'Frozen'}</Badge>
        <p>Timestamps, tokens, quotes and signed URLs{owner !== undefined && ` of ${owner.name}`} use this clock.</p>
      </div>
      <Section
        title="Time"
        actions={
          running ? (
            <Button onClick={() => change('clock.freeze', [], 'The clock is frozen.', scope)}>Freeze</Button>
          ) : (
            <Button onClick={() => change('clock.resume', [], 'The clock runs.', scope)}>Resume</Button>
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
          <Form
            kind="toolbar"
            onSubmit={() => submit('clock.set', [time], 'Set the clock. It is frozen at that time.', scope)}
          >
            <div class="grow">
              <Input
                label="Set the clock to"
                hideLabel
                placeholder="2026-03-01T09:00:00Z"
                value={time}
                onInput={setTime}
                required
              />
            </div>
            <Button type="submit">Set</Button>
          </Form>
        </div>
      </Section>
      <Section title="Due" count={groups && formatCount(groups.reduce((sum, { count }) => sum + count, 0))}>
        {groups === undefined ? (
          <Pending error={error} />
        ) : groups.length === 0 ? (
          <Empty>Nothing is scheduled. Schedule the transitions of a payment on its page.</Empty>
        ) : (
          <ul class="rows">
            {groups.map((group, index) => (
              <li key={index}>
                <span class="grow">
                  {groupContent(group)}
                  {names.size > 0 && <span class="muted"> · {names.get(group.first.organization)}</span>}
                </span>
                <DueTime group={group} now={now ?? 0} />
              </li>
            ))}
          </ul>
        )}
      </Section>
    </div>
  );
}
