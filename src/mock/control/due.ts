import { storedQuotesOf } from '../organization.js';
import type { MockPlatform } from '../platform.js';
import type { MockQuote } from '../records/quotes.js';
import type { ScheduledEvent } from '../store/scheduled-event.js';

/** A scheduled event, or the expiry of an unused quote. */
export type DueEvent = {
  /** The id of the organization. */
  readonly organization: string;
} & (
  | ScheduledEvent
  | ({ readonly kind: 'expiry'; readonly at: string; readonly reads: null } & Pick<
      MockQuote,
      'id' | 'paymentAmount' | 'paymentCurrencyCode'
    >)
);

/** What is due in all organizations. */
export interface DueEvents {
  /** The number of events. */
  readonly count: number;
  /** The first events: those with a time in their order, then those that wait for reads. */
  readonly events: readonly DueEvent[];
}

/** The most events that a response contains: a scenario may schedule thousands. */
const maxListed = 100;

/** Returns what is due in all organizations. */
export function dueEvents({ organizations, clock }: MockPlatform): DueEvents {
  const now = clock.now();
  const events = organizations.flatMap((each): DueEvent[] => {
    const organization = each.id;
    return [
      ...each
        .scheduled()
        .filter((event) => event.kind === 'request' || event.state === 'scheduled')
        .map((event) => ({ organization, ...event })),
      ...storedQuotesOf(each)
        .filter(({ record: { usedAt, expiresAt } }) => usedAt === null && Date.parse(expiresAt) > now)
        .map(({ record: { id, expiresAt: at, paymentAmount, paymentCurrencyCode } }): DueEvent => {
          const quote = { id, paymentAmount, paymentCurrencyCode };
          return { organization, kind: 'expiry', at, reads: null, ...quote };
        }),
    ];
  });
  const timeOf = ({ at }: DueEvent): number => (at === null ? Infinity : Date.parse(at));
  return {
    count: events.length,
    events: events.toSorted((left, right) => timeOf(left) - timeOf(right) || 0).slice(0, maxListed),
  };
}
