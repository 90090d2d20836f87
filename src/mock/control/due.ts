import type { MockPlatform } from '../platform/platform.js';
import type { MockQuote } from '../records/quotes.js';
import type { ScheduledEvent } from '../state/schedule.js';

/** A scheduled event, or the expiry of an unused quote. */
export type DueEvent = {
  /** The id of the organization. */
  readonly organization: string;
} & (
  | ScheduledEvent
  | ({ readonly kind: 'expiry'; readonly at: string } & Pick<MockQuote, 'id' | 'paymentAmount' | 'paymentCurrencyCode'>)
);

/** The events of an organization that do the same, such as all payments that become `COMPLETED` next. */
export interface DueGroup {
  readonly count: number;
  /** The event that is due first. */
  readonly first: DueEvent;
  /** The time of the last one in ISO 8601 format. */
  readonly last: string;
}

/** Returns what is due in all organizations: groups in the order of their first event. */
export function dueEvents({ organizations }: MockPlatform): readonly DueGroup[] {
  const events = organizations.flatMap((each): DueEvent[] => {
    const [organization, now] = [each.id, each.clock.now()];
    return [
      ...each
        .scheduled()
        .filter((event) => event.kind === 'request' || event.state === 'scheduled')
        .map((event) => ({ organization, ...event })),
      ...each
        .stored('quotes')
        .filter(({ record: { usedAt, expiresAt } }) => usedAt === null && Date.parse(expiresAt) > now)
        .map(({ record: { id, expiresAt: at, paymentAmount, paymentCurrencyCode } }): DueEvent => {
          const quote = { id, paymentAmount, paymentCurrencyCode };
          return { organization, kind: 'expiry', at, ...quote };
        }),
    ];
  });
  const groups = new Map<string, DueEvent[]>();
  for (const event of events.toSorted((left, right) => dueTime(left) - dueTime(right))) {
    const group = groups.get(keyOf(event));
    if (group === undefined) groups.set(keyOf(event), [event]);
    else group.push(event);
  }
  return [...groups.values()].map((group) => ({
    count: group.length,
    first: group[0] as DueEvent,
    last: (group.at(-1) as DueEvent).at,
  }));
}

const dueTime = ({ at }: DueEvent): number => Date.parse(at);

function keyOf(event: DueEvent): string {
  const { organization, kind } = event;
  const effect =
    event.kind === 'transition' ? [event.of, event.statuses[0]] : event.kind === 'request' ? [event.endpoint] : [];
  return JSON.stringify([organization, kind, ...effect]);
}
