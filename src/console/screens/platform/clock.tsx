import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Badge, StatusBadge } from '../../components/badge.js';
import { Button, Input } from '../../components/controls.js';
import { Empty, Section } from '../../components/layout.js';
import type { DueEvent, DueEvents, OrganizationSummary } from '../../control/records.js';
import { change, useControl } from '../../control/use-control.js';
import { formatAmount, formatSpan, formatTime } from '../../format/text.js';
import { linkTo } from '../../control/router.js';
import { useClock } from '../../control/use-clock.js';

const steps = [
  ['+1 min', { minutes: 1 }],
  ['+1 h', { hours: 1 }],
  ['+1 day', { days: 1 }],
] as const;

/** Shows what happens, with links to the organization's records. */
function eventContent(event: DueEvent): JSX.Element {
  if (event.kind === 'request')
    return (
      <>
        <Badge tone="fault">Late commit</Badge> <a href={linkTo('requests', event.requestId)}>{event.endpoint}</a>
      </>
    );
  if (event.kind === 'expiry')
    return (
      <>
        <Badge tone="neutral">Quote expires</Badge>{' '}
        <a href={linkTo('quotes', event.id, {}, event.organization)}>
          {formatAmount(event.paymentAmount, event.paymentCurrencyCode)}
        </a>
      </>
    );
  const [next = '', ...later] = event.statuses;
  return (
    <>
      <StatusBadge status={next} />{' '}
      <a class="mono" href={linkTo(event.of, event.id, {}, event.organization)}>
        {event.id}
      </a>
      {later.length > 0 && <span class="muted"> and {later.length} more</span>}
    </>
  );
}

/** The mock's clock and what is due. */
export function ClockScreen(): JSX.Element {
  const { now, running } = useClock();
  const { data: organizations = [] } = useControl<readonly OrganizationSummary[]>('organizations', [], 'platform');
  const { data: { count, events } = { count: 0, events: [] } } = useControl<DueEvents>('due', [], 'platform');
  const [time, setTime] = useState('');
  const [first] = events;
  const next = typeof first?.at === 'string' ? Date.parse(first.at) : undefined;
  const names = new Map(organizations.length > 1 ? organizations.map(({ id, name }) => [id, name]) : []);
  const advance = (by: object, text: string): Promise<boolean> =>
    change('clock.advance', [by], `Advanced the clock by ${text}.`, 'platform');
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
        <p>Timestamps, tokens, quotes and signed URLs use this clock.</p>
      </div>
      <Section
        title="Time"
        actions={
          running ? (
            <Button onClick={() => change('clock.freeze', [], 'The clock is frozen.', 'platform')}>Freeze</Button>
          ) : (
            <Button onClick={() => change('clock.resume', [], 'The clock runs.', 'platform')}>Resume</Button>
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
          <form
            class="toolbar"
            onSubmit={(event) => {
              event.preventDefault();
              void change('clock.set', [time], 'Set the clock. It is frozen at that time.', 'platform');
            }}
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
          </form>
        </div>
      </Section>
      <Section title="Due" count={count}>
        {count === 0 ? (
          <Empty>Nothing is scheduled. Schedule the transitions of a payment on its page.</Empty>
        ) : (
          <ul class="rows">
            {events.map((event, index) => (
              <li key={index}>
                <span class="grow">
                  {eventContent(event)}
                  {names.size > 0 && <span class="muted"> · {names.get(event.organization)}</span>}
                </span>
                {event.at === null ? (
                  <span class="muted">
                    {event.reads === 1 ? 'the next time it is listed' : `after ${event.reads} more lists`}
                  </span>
                ) : (
                  <>
                    <span class="muted">in {formatSpan(Date.parse(event.at) - (now ?? 0))}</span>
                    <time class="mono">{formatTime(event.at)}</time>
                  </>
                )}
              </li>
            ))}
            {count > events.length && <li class="muted">and {count - events.length} more</li>}
          </ul>
        )}
      </Section>
    </div>
  );
}
