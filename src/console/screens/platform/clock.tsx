import type { JSX } from 'preact';
import { Badge, StatusBadge } from '../../components/badge.js';
import { Button, Form, Input } from '../../components/controls.js';
import { Loaded, Screen, Section } from '../../components/layout.js';
import type { DueGroup, OrganizationSummary } from '../../control/record-types.js';
import { change, useControl } from '../../control/use-control.js';
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
  const isOne = count === 1;
  if (first.kind === 'request')
    return (
      <>
        <Badge tone="fault">Late commit</Badge>{' '}
        <a href={linkTo('requests', isOne ? first.requestId : undefined)}>
          {isOne ? first.endpoint : `${formatCount(count)} × ${first.endpoint}`}
        </a>
      </>
    );
  const link = (screen: string, one: string): JSX.Element => (
    <a href={linkTo(screen, isOne ? first.id : undefined, {}, first.organization)}>
      {isOne ? one : `${formatCount(count)} ${screen}`}
    </a>
  );
  if (first.kind === 'expiry')
    return (
      <>
        {link('quotes', formatAmount(first.paymentAmount, first.paymentCurrencyCode))}{' '}
        <Badge tone="neutral">{isOne ? 'Quote expires' : 'expire'}</Badge>
      </>
    );
  const others = first.statuses.length - 1;
  return (
    <>
      {link(first.of, first.id)} to <StatusBadge status={first.statuses[0] ?? ''} />
      {isOne && others > 0 && <span class="muted"> and {others} more</span>}
    </>
  );
}

/** Shows when a group of events is due. */
function dueTime({ first, last }: DueGroup, now: number): JSX.Element {
  return (
    <>
      <span class="muted">in {formatSpan(Date.parse(first.at) - now)}</span>
      <time class="mono">
        {formatTime(first.at)}
        {last !== first.at && ` to ${formatTime(last)}`}
      </time>
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
    if (next === undefined || now === undefined) return;
    // Rounded up, because the clock of the page may be ahead of the mock's by a fraction of a second.
    const seconds = Math.max(0, Math.ceil((next - now) / 1000));
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
          <Form
            isInline
            submit="Set"
            onSubmit={({ time }) => change('clock.set', [time], 'Set the clock. It is frozen at that time.')}
          >
            <Input label="Set the clock to" hideLabel name="time" placeholder="2026-03-01T09:00:00Z" required />
          </Form>
        </div>
      </Section>
      <Section title="Due" count={groups && formatCount(groups.reduce((sum, { count }) => sum + count, 0))}>
        <Loaded
          data={groups}
          error={error}
          empty="Nothing is scheduled. Schedule the transitions of a payment on its page."
        >
          {(due) => (
            <ul class="rows">
              {due.map((group, index) => (
                <li key={index}>
                  <span class="grow">
                    {groupContent(group)}
                    {names.size > 0 && <span class="muted"> · {names.get(group.first.organization)}</span>}
                  </span>
                  {dueTime(group, now ?? 0)}
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </Section>
    </Screen>
  );
}
