import type { EndpointName } from '../../contract/endpoints.js';
import { memoize, strictObject, withMetadata, type Schema } from '../../contract/schema/schema.js';
import { millisecondsOf, positiveDuration, type Duration } from '../../contract/schema/time.js';
import { requireValid } from '../base/error.js';
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
  readonly trigger: ResolvedTrigger;
  /** The time of the next step, in milliseconds since the epoch. */
  readonly next: number;
  /** The time when the next step became impossible, in milliseconds since the epoch; absent while the steps are to come. */
  readonly cancelledAt?: number;
}

/** A validated trigger, with its interval in milliseconds. */
export interface ResolvedTrigger {
  readonly every: number;
}

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
export const triggerOptions: Schema<TransitionTrigger> = memoize(() => {
  const rule = 'must be an object such as { every: { minutes: 5 } }';
  return withMetadata(strictObject<TransitionTrigger>({ every: positiveDuration() }), { rule });
});

/** Resolves a trigger. Throws `MockPlatformError` if it is invalid. */
export function resolveTrigger(call: string, trigger: TransitionTrigger): ResolvedTrigger {
  requireValid(call, triggerOptions, trigger, 'the trigger');
  return { every: millisecondsOf(trigger.every) };
}

/** A plan, with its order among plans that are due at the same time. */
interface ScheduledEntry {
  readonly order: number;
  readonly plan: TransitionPlan;
}

/** The scheduled events of an organization. */
export class Schedule {
  #calls: ScheduledCall[] = [];
  readonly #entries = new Map<string, ScheduledEntry>();
  /**
   * The entries that are to come, sorted with the next one last: a test may schedule thousands and advance by years.
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
    if (steps.length > 0) this.#add({ kind, id, steps: [...steps], trigger, next: now + trigger.every });
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
    const steps = plan.steps.slice(1);
    this.#replace(entry, steps.length === 0 ? undefined : { ...plan, steps, next: plan.next + plan.trigger.every });
    return { at: plan.next, plan };
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
    if (isToCome(entry)) this.#timed.splice(this.#indexOf(entry), 0, entry);
  }

  #replace(entry: ScheduledEntry, by: TransitionPlan | undefined): void {
    if (isToCome(entry)) this.#timed.splice(this.#indexOf(entry), 1);
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

const isToCome = ({ plan }: ScheduledEntry): boolean => plan.cancelledAt === undefined;

const keyOf = ({ kind, id }: Pick<TransitionPlan, 'kind' | 'id'>): string => `${kind}/${id}`;

function earliest(calls: readonly ScheduledCall[]): ScheduledCall | undefined {
  let first: ScheduledCall | undefined;
  for (const call of calls) if (first === undefined || call.at < first.at) first = call;
  return first;
}

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
