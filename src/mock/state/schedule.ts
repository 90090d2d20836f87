import type * as z from 'zod/mini';
import type { EndpointName } from '../../contract/endpoints.js';
import { integerFrom, optionsObject } from '../../contract/options.js';
import { memoize, type Schema } from '../../contract/schema/schema.js';
import { millisecondsOf, positiveDuration, type Duration } from '../../contract/schema/time.js';
import { requireValid } from '../base/error.js';
import { deepFreeze } from '../base/freeze.js';

/** The kinds of records with scheduled transitions. */
export type TransitionableKind = 'payments' | 'customers' | 'beneficiaries';

/**
 * When a record makes its next transition: at an interval on the mock's clock, or after a number of responses that
 * contain it.
 */
export type TransitionTrigger = { readonly every: Duration } | { readonly reads: number };

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
  /** The milliseconds between two steps, or the number of reads before each. */
  readonly trigger: ResolvedTrigger;
  /** The time of the next step, in milliseconds since the epoch; or the number of reads left before it. */
  readonly next: number;
  /** The time when the next step became impossible, in milliseconds since the epoch; absent while the steps are to come. */
  readonly cancelledAt?: number;
}

/** A validated trigger, with its interval in milliseconds. */
export type ResolvedTrigger = { readonly every: number } | { readonly reads: number };

/** A schedule as plain JSON. */
export interface ScheduleSnapshot {
  readonly calls: readonly ScheduledCall[];
  readonly plans: readonly TransitionPlan[];
  /** The transitions of payments that requests create from now on. */
  readonly created: { readonly steps: readonly string[]; readonly trigger: ResolvedTrigger } | null;
}

/** A due event: a call, or the next step of a plan. */
export type Due =
  | { readonly at: number; readonly call: ScheduledCall }
  | { readonly at: number; readonly plan: TransitionPlan };

/** The snapshot of an empty schedule. */
export const emptySchedule: ScheduleSnapshot = { calls: [], plans: [], created: null };

/** The schema of a trigger. */
export const triggerOptions: Schema<TransitionTrigger> = memoize(
  () =>
    optionsObject<{ readonly every?: Duration; readonly reads?: number }>(
      { every: positiveDuration(), reads: integerFrom(1) },
      { rule: 'must be either { every: { minutes: 5 } } or { reads: 3 }' },
      isTrigger,
    ) as z.ZodMiniType<TransitionTrigger>,
);

const isTrigger = ({ every, reads }: { readonly every?: unknown; readonly reads?: unknown }): boolean =>
  (every === undefined) !== (reads === undefined);

/** Resolves a trigger. Throws `MockPlatformError` if it is invalid. */
export function resolveTrigger(call: string, trigger: TransitionTrigger): ResolvedTrigger {
  requireValid(call, triggerOptions, trigger, 'the trigger');
  return 'every' in trigger && trigger.every !== undefined
    ? { every: millisecondsOf(trigger.every) }
    : { reads: (trigger as { readonly reads: number }).reads };
}

/** A plan, with its order among plans that are due at the same time. */
interface ScheduledEntry {
  readonly order: number;
  readonly plan: TransitionPlan;
}

/** The scheduled events of an organization, which are due by the clock or by reads. */
export class Schedule {
  #calls: ScheduledCall[] = [];
  readonly #entries = new Map<string, ScheduledEntry>();
  /**
   * The entries that are due by the clock, sorted with the next one last: a test may schedule thousands and advance by
   * years.
   */
  #timed: ScheduledEntry[] = [];
  #lastOrder = 0;
  #created: ScheduleSnapshot['created'] = null;

  addCall(call: ScheduledCall): void {
    this.#calls.push(call);
  }

  /** Schedules transitions of a record; replaces those that were scheduled for it. */
  plan(kind: TransitionableKind, id: string, steps: readonly string[], trigger: ResolvedTrigger, now: number): void {
    this.end({ kind, id });
    if (steps.length > 0)
      this.#add({
        kind,
        id,
        steps: [...steps],
        trigger,
        next: 'every' in trigger ? now + trigger.every : trigger.reads,
      });
  }

  planOnCreate(steps: readonly string[], trigger: ResolvedTrigger): void {
    this.#created = steps.length === 0 ? null : { steps: [...steps], trigger };
  }

  /** Schedules the transitions of a payment that a request created, if `scheduleTransitionsOnCreate` set any. */
  created(id: string, now: number): void {
    if (this.#created !== null) this.plan('payments', id, this.#created.steps, this.#created.trigger, now);
  }

  /** Removes and returns the first event that is due; of a plan, its next step. */
  takeDue(now: number): Due | undefined {
    const call = earliest(this.#calls);
    const entry = this.#timed.at(-1);
    if (call !== undefined && call.at <= now && !(entry !== undefined && entry.plan.next < call.at)) {
      this.#calls.splice(this.#calls.indexOf(call), 1);
      return { at: call.at, call };
    }
    if (entry === undefined || entry.plan.next > now) return undefined;
    const { plan } = entry;
    this.#advance(entry, plan.next + ('every' in plan.trigger ? plan.trigger.every : 0));
    return { at: plan.next, plan };
  }

  /** Counts records as read and returns the plans whose next step becomes due. */
  read(kind: TransitionableKind, ids: readonly string[]): TransitionPlan[] {
    return ids.flatMap((id) => {
      const entry = this.#entries.get(keyOf({ kind, id }));
      if (entry === undefined || entry.plan.cancelledAt !== undefined || !('reads' in entry.plan.trigger)) return [];
      const { plan } = entry;
      if (plan.next > 1) {
        this.#replace(entry, { ...plan, next: plan.next - 1 });
        return [];
      }
      this.#advance(entry, entry.plan.trigger.reads);
      return [plan];
    });
  }

  /** Returns the transitions of a record that are still to come. */
  planOf(record: Pick<TransitionPlan, 'kind' | 'id'>): TransitionPlan | undefined {
    const plan = this.#entries.get(keyOf(record))?.plan;
    return plan?.cancelledAt === undefined ? plan : undefined;
  }

  /** Cancels transitions: they stay in the list, so that a test shows why they did not happen. */
  cancel(plan: TransitionPlan, at: number): void {
    this.end(plan);
    this.#add({ ...plan, cancelledAt: at });
  }

  /** Removes the scheduled transitions of a record. */
  end(record: Pick<TransitionPlan, 'kind' | 'id'>): void {
    const entry = this.#entries.get(keyOf(record));
    if (entry !== undefined) this.#replace(entry, undefined);
  }

  snapshot(): ScheduleSnapshot {
    return {
      calls: [...this.#calls],
      plans: [...this.#entries.values()].map(({ plan }) => plan),
      created: this.#created,
    };
  }

  restore({ calls, plans, created }: ScheduleSnapshot): void {
    this.#calls = [...calls];
    this.#entries.clear();
    this.#timed = [];
    for (const plan of plans) this.#add(plan);
    this.#created = created;
  }

  #add(plan: TransitionPlan): void {
    this.#lastOrder += 1;
    this.#put({ order: this.#lastOrder, plan });
  }

  #put(entry: ScheduledEntry): void {
    this.#entries.set(keyOf(entry.plan), entry);
    if (isTimed(entry)) this.#timed.splice(this.#indexOf(entry), 0, entry);
  }

  #advance(entry: ScheduledEntry, next: number): void {
    const steps = entry.plan.steps.slice(1);
    this.#replace(entry, steps.length === 0 ? undefined : { ...entry.plan, steps, next });
  }

  #replace(entry: ScheduledEntry, by: TransitionPlan | undefined): void {
    if (isTimed(entry)) this.#timed.splice(this.#indexOf(entry), 1);
    if (by === undefined) this.#entries.delete(keyOf(entry.plan));
    else this.#put({ ...entry, plan: by });
  }

  /** Returns the index of an entry in the sorted list: the number of entries that are due later. */
  #indexOf({ order, plan }: ScheduledEntry): number {
    let [low, high] = [0, this.#timed.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#timed[middle] as ScheduledEntry;
      if (other.plan.next > plan.next || (other.plan.next === plan.next && other.order > order)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const isTimed = ({ plan }: ScheduledEntry): boolean => 'every' in plan.trigger && plan.cancelledAt === undefined;

const keyOf = ({ kind, id }: Pick<TransitionPlan, 'kind' | 'id'>): string => `${kind}/${id}`;

function earliest(calls: readonly ScheduledCall[]): ScheduledCall | undefined {
  let first: ScheduledCall | undefined;
  for (const call of calls) if (first === undefined || call.at < first.at) first = call;
  return first;
}

/** A transition of a record that is to happen or was canceled, or a request that a fault delayed. */
export type ScheduledEvent = {
  /** The time on the mock's clock in ISO 8601 format; null if the event waits for reads. */
  readonly at: string | null;
  /** The number of responses with the record until the transition; null if the event has a time. */
  readonly reads: number | null;
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

/** Returns the events of a schedule: those with a time in their order, then those that wait for reads. */
export function scheduledEvents({ calls, plans }: ScheduleSnapshot): ScheduledEvent[] {
  const events = [
    ...calls.map((call) => ({ due: call.at, event: callEvent(call) })),
    ...plans.map((plan) => ({
      due: plan.cancelledAt ?? ('every' in plan.trigger ? plan.next : Infinity),
      event: transitionEvent(plan),
    })),
  ];
  return events
    .toSorted((left, right) => (left.due === right.due ? 0 : left.due - right.due))
    .map(({ event }) => deepFreeze(event));
}

const callEvent = ({ at, endpoint, requestId }: ScheduledCall): ScheduledEvent => ({
  kind: 'request',
  at: new Date(at).toISOString(),
  reads: null,
  endpoint,
  requestId,
});

function transitionEvent({ kind, id, steps, trigger, next, cancelledAt }: TransitionPlan): ScheduledEvent {
  const at = cancelledAt ?? ('every' in trigger ? next : undefined);
  return {
    kind: 'transition',
    state: cancelledAt === undefined ? 'scheduled' : 'cancelled',
    at: at === undefined ? null : new Date(at).toISOString(),
    reads: at === undefined ? next : null,
    of: kind,
    id,
    statuses: [...steps],
  };
}
