import * as z from 'zod/mini';
import type { EndpointName } from '../../contract/endpoints.js';
import { memoize, strictObject, withMetadata, type Schema } from '../../contract/schema/schema.js';
import { millisecondsOf, positiveDuration, type Duration } from '../../contract/schema/time.js';
import { requireValid } from '../base/mock-error.js';
import { deepFreeze } from '../base/freeze.js';

/** The kinds of records with scheduled transitions. */
export type TransitionableKind = 'payments' | 'customers' | 'beneficiaries';

/** When a record makes its next transition. */
export interface TransitionTrigger {
  /** The time between two transitions, on the mock's clock. */
  readonly every: Duration;
}

/** A request whose handler runs later, as plain JSON. */
export interface ScheduledCall {
  /** The time to run it, in milliseconds since the epoch. */
  readonly at: number;
  readonly endpoint: EndpointName;
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
  /** The base URL that the request was sent to. */
  readonly base: string;
  /** The id of the request, by which the log records why it did not commit. */
  readonly requestId: string;
}

/** The scheduled transitions of a record, as plain JSON. */
export interface TransitionPlan {
  readonly kind: TransitionableKind;
  readonly id: string;
  /** The remaining statuses, in order. */
  readonly steps: readonly string[];
  /** The milliseconds between two steps. */
  readonly every: number;
  /** The time of the next step, in milliseconds since the epoch. */
  readonly next: number;
  /**
   * The time when the next step became impossible, in milliseconds since the epoch; absent while the steps are to come.
   */
  readonly cancelledAt?: number;
}

/** A schedule as plain JSON. */
export interface ScheduleSnapshot {
  readonly calls: readonly ScheduledCall[];
  readonly plans: readonly TransitionPlan[];
  /** The transitions of payments that requests create from now on. */
  readonly created: { readonly steps: readonly string[]; readonly every: number } | null;
}

/** A due event: a call, or the next step of a plan. */
export type Due =
  | { readonly at: number; readonly call: ScheduledCall }
  | { readonly at: number; readonly plan: TransitionPlan };

/** The snapshot of an empty schedule. */
export const emptySchedule: ScheduleSnapshot = { calls: [], plans: [], created: null };

/** The schema of a trigger. */
export const triggerOptions: Schema<TransitionTrigger> = memoize(() => {
  const rule = 'must be an object such as { every: { minutes: 5 } }';
  return withMetadata(strictObject<TransitionTrigger>({ every: positiveDuration() }), { rule });
});

const plannedTransitions = memoize(() => z.strictObject({ statuses: z.array(z.string()), trigger: triggerOptions() }));

/** Returns the milliseconds between two transitions. Throws `MockPlatformError` if one of the inputs is invalid. */
export function intervalOf(call: string, statuses: readonly string[], trigger: TransitionTrigger): number {
  requireValid<object>(call, plannedTransitions, { statuses, trigger }, 'the input');
  return millisecondsOf(trigger.every);
}

/** An event in the schedule. */
interface Entry {
  /** The order among events that are due at the same time. */
  readonly order: number;
  readonly due: Due;
}

/** The scheduled events of an organization. */
export class Schedule {
  readonly #plans = new Map<string, Entry & { readonly due: { readonly plan: TransitionPlan } }>();
  /** The events that are to come, sorted with the next one last: a test may schedule thousands and advance by years. */
  #upcoming: Entry[] = [];
  #lastOrder = 0;
  #created: ScheduleSnapshot['created'] = null;

  addCall(call: ScheduledCall): void {
    this.#insert({ order: this.#nextOrder(), due: { at: call.at, call } });
  }

  /** Schedules transitions of a record; replaces those that were scheduled for it. */
  plan(kind: TransitionableKind, id: string, steps: readonly string[], every: number, now: number): void {
    this.end({ kind, id });
    if (steps.length > 0) this.#put({ kind, id, steps: [...steps], every, next: now + every });
  }

  planOnCreate(steps: readonly string[], every: number): void {
    this.#created = steps.length === 0 ? null : { steps: [...steps], every };
  }

  /** Schedules the transitions of a payment that a request created, if `scheduleTransitionsOnCreate` set any. */
  created(id: string, now: number): void {
    if (this.#created !== null) this.plan('payments', id, this.#created.steps, this.#created.every, now);
  }

  /** Removes and returns the first event that is due; of a plan, its next step. */
  takeDue(now: number): Due | undefined {
    const entry = this.#upcoming.at(-1);
    if (entry === undefined || entry.due.at > now) return undefined;
    this.#upcoming.pop();
    if ('plan' in entry.due) {
      const { plan } = entry.due;
      const steps = plan.steps.slice(1);
      if (steps.length === 0) this.#plans.delete(keyOf(plan));
      else this.#put({ ...plan, steps, next: plan.next + plan.every }, entry.order);
    }
    return entry.due;
  }

  /** Returns the transitions of a record that are still to come. */
  planOf(record: Pick<TransitionPlan, 'kind' | 'id'>): TransitionPlan | undefined {
    const plan = this.#plans.get(keyOf(record))?.due.plan;
    return plan?.cancelledAt === undefined ? plan : undefined;
  }

  /** Cancels transitions: they stay in the list, so that a test shows why they did not happen. */
  cancel(plan: TransitionPlan, at: number): void {
    this.end(plan);
    this.#put({ ...plan, cancelledAt: at });
  }

  /** Removes the scheduled transitions of a record. */
  end(record: Pick<TransitionPlan, 'kind' | 'id'>): void {
    const entry = this.#plans.get(keyOf(record));
    if (entry === undefined) return;
    this.#plans.delete(keyOf(record));
    if (entry.due.plan.cancelledAt === undefined) this.#upcoming.splice(this.#indexOf(entry), 1);
  }

  snapshot(): ScheduleSnapshot {
    return {
      calls: this.#upcoming.flatMap(({ due }) => ('call' in due ? due.call : [])).toReversed(),
      plans: [...this.#plans.values()].map(({ due }) => due.plan),
      created: this.#created,
    };
  }

  restore({ calls, plans, created }: ScheduleSnapshot): void {
    this.#upcoming = [];
    this.#plans.clear();
    for (const call of calls) this.addCall(call);
    for (const plan of plans) this.#put(plan);
    this.#created = created;
  }

  #nextOrder(): number {
    this.#lastOrder += 1;
    return this.#lastOrder;
  }

  #put(plan: TransitionPlan, order = this.#nextOrder()): void {
    const entry = { order, due: { at: plan.next, plan } };
    this.#plans.set(keyOf(plan), entry);
    if (plan.cancelledAt === undefined) this.#insert(entry);
  }

  #insert(entry: Entry): void {
    this.#upcoming.splice(this.#indexOf(entry), 0, entry);
  }

  /** Returns the index of an entry in the sorted list: the number of entries that are due later. */
  #indexOf({ order, due: { at } }: Entry): number {
    let [low, high] = [0, this.#upcoming.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#upcoming[middle] as Entry;
      if (other.due.at > at || (other.due.at === at && other.order > order)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const keyOf = ({ kind, id }: Pick<TransitionPlan, 'kind' | 'id'>): string => `${kind}/${id}`;

/** A transition of a record that is to happen or was canceled, or a request that a fault delayed. */
export type ScheduledEvent = {
  /** The time on the mock's clock in ISO 8601 format. */
  readonly at: string;
} & (
  | {
      readonly kind: 'transition';
      /**
       * Whether the transitions are still to happen, or were canceled at the time `at` because the status of the record
       * does not allow the next one.
       */
      readonly state: 'scheduled' | 'cancelled';
      /** The kind of the record. */
      readonly of: TransitionableKind;
      /** The id of the record. */
      readonly id: string;
      /** The next statuses, in order. */
      readonly statuses: readonly string[];
    }
  | {
      readonly kind: 'request';
      readonly endpoint: EndpointName;
      /** The id of the request. */
      readonly requestId: string;
    }
);

/** Returns the events of a schedule in the order of their times. */
export function scheduledEvents({ calls, plans }: ScheduleSnapshot): ScheduledEvent[] {
  return [...calls.map(callEvent), ...plans.map(transitionEvent)]
    .toSorted((left, right) => Date.parse(left.at) - Date.parse(right.at))
    .map(deepFreeze);
}

const callEvent = ({ at, endpoint, requestId }: ScheduledCall): ScheduledEvent => ({
  kind: 'request',
  at: new Date(at).toISOString(),
  endpoint,
  requestId,
});

const transitionEvent = ({ kind, id, steps, next, cancelledAt }: TransitionPlan): ScheduledEvent => ({
  kind: 'transition',
  state: cancelledAt === undefined ? 'scheduled' : 'cancelled',
  at: new Date(cancelledAt ?? next).toISOString(),
  of: kind,
  id,
  statuses: [...steps],
});
