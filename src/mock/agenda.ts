import type { EndpointName } from '../contract/endpoints.js';
import { millisecondsOf, type MockDuration } from './clock.js';
import { MockPlatformError } from './error.js';

/** The records that have a status of their own accord. */
export type MovingKind = 'payments' | 'customers' | 'beneficiaries';

/** When a record takes its next step: so long after the one before, or after it was read so many times. */
export type MockPace = { readonly every: MockDuration } | { readonly reads: number };

/** Work that an endpoint does later than it was asked to. */
export interface LateCall {
  /** When, in milliseconds since the epoch. */
  readonly at: number;
  /** What was asked. */
  readonly endpoint: EndpointName;
  /** The ids of its path. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Its query. */
  readonly query: unknown;
  /** Its body. */
  readonly body: unknown;
  /** The base URL under which it was asked. */
  readonly base: string;
}

/** How a record moves by itself, as plain JSON. */
export interface StatusPlan {
  /** The kind of record. */
  readonly kind: MovingKind;
  /** The record's id. */
  readonly id: string;
  /** The statuses it still moves to. */
  readonly steps: readonly string[];
  /** Milliseconds between two steps, or reads before each. */
  readonly pace: CheckedPace;
  /** When the next step is due, in milliseconds since the epoch; or how many reads are left before it. */
  readonly next: number;
}

/** A pace that was checked. */
export type CheckedPace = { readonly every: number } | { readonly reads: number };

/** What an organization does by itself, as plain JSON. */
export interface AgendaSnapshot {
  /** Work that is done later. */
  readonly calls: readonly LateCall[];
  /** Records that move. */
  readonly plans: readonly StatusPlan[];
  /** How payments that are created from now on will move. */
  readonly created: { readonly steps: readonly string[]; readonly pace: CheckedPace } | null;
}

/** What is due: at a time, as a call or as a step of a plan. */
export type Due = { readonly at: number; readonly call: LateCall } | { readonly at: number; readonly plan: StatusPlan };

/** The empty agenda. */
export const nothingPlanned: AgendaSnapshot = { calls: [], plans: [], created: null };

/** Throws `MockPlatformError` where a pace is none. */
export function checkedPace(call: string, pace: MockPace): CheckedPace {
  const { every, reads } = Object(pace) as { readonly every?: MockDuration; readonly reads?: number };
  if ((every === undefined) === (reads === undefined)) throw new MockPlatformError(`${call}: give a pace: { every: { minutes: 5 } } or { reads: 3 }`);
  if (reads !== undefined) {
    if (!Number.isInteger(reads) || reads < 1) throw new MockPlatformError(`${call}: reads must be a whole number above 0`);
    return { reads };
  }
  const span = millisecondsOf(call, every as MockDuration);
  if (span <= 0) throw new MockPlatformError(`${call}: every must be a span above 0`);
  return { every: span };
}

/** What an organization does by itself, on the clock or as its records are read. */
export class Agenda {
  #calls: LateCall[] = [];
  #plans: StatusPlan[] = [];
  #created: AgendaSnapshot['created'] = null;

  addCall(call: LateCall): void {
    this.#calls.push(call);
  }

  /** Plans a record's statuses in place of what was planned for it. */
  plan(kind: MovingKind, id: string, steps: readonly string[], pace: CheckedPace, now: number): void {
    this.#drop(kind, id);
    if (steps.length > 0) this.#plans.push({ kind, id, steps: [...steps], pace, next: 'every' in pace ? now + pace.every : pace.reads });
  }

  planCreated(steps: readonly string[], pace: CheckedPace): void {
    this.#created = steps.length === 0 ? null : { steps: [...steps], pace };
  }

  /** Plans a payment that was just created, as `planCreated` said. */
  created(id: string, now: number): void {
    if (this.#created !== null) this.plan('payments', id, this.#created.steps, this.#created.pace, now);
  }

  /** The first of what is due by now, taken off the agenda; of a plan, its step. */
  takeDue(now: number): Due | undefined {
    const call = earliest(this.#calls, ({ at }) => at);
    const plan = earliest(this.#plans.filter(({ pace }) => 'every' in pace), ({ next }) => next);
    if (call !== undefined && call.at <= now && !(plan !== undefined && plan.next < call.at)) {
      this.#calls.splice(this.#calls.indexOf(call), 1);
      return { at: call.at, call };
    }
    if (plan === undefined || plan.next > now || !('every' in plan.pace)) return undefined;
    this.#advance(plan, plan.next + plan.pace.every);
    return { at: plan.next, plan };
  }

  /** Counts that records were read, and gives the plans whose step that makes due. */
  read(kind: MovingKind, ids: readonly string[]): StatusPlan[] {
    if (this.#plans.length === 0) return [];
    return this.#plans.filter((plan) => {
      if (plan.kind !== kind || !('reads' in plan.pace) || !ids.includes(plan.id)) return false;
      const isDue = plan.next === 1;
      if (isDue) this.#advance(plan, plan.pace.reads);
      else this.#replace(plan, { ...plan, next: plan.next - 1 });
      return isDue;
    });
  }

  /** Ends what is planned for a record. */
  end({ kind, id }: StatusPlan): void {
    this.#drop(kind, id);
  }

  snapshot(): AgendaSnapshot {
    return { calls: this.#calls, plans: this.#plans, created: this.#created };
  }

  restore({ calls, plans, created }: AgendaSnapshot): void {
    this.#calls = [...calls];
    this.#plans = [...plans];
    this.#created = created;
  }

  #advance(plan: StatusPlan, next: number): void {
    const steps = plan.steps.slice(1);
    this.#replace(plan, steps.length === 0 ? undefined : { ...plan, steps, next });
  }

  #replace(plan: StatusPlan, by: StatusPlan | undefined): void {
    this.#plans = this.#plans.flatMap((each) => (each !== plan ? [each] : by === undefined ? [] : [by]));
  }

  #drop(kind: MovingKind, id: string): void {
    this.#plans = this.#plans.filter((plan) => plan.kind !== kind || plan.id !== id);
  }
}

function earliest<T>(list: readonly T[], at: (item: T) => number): T | undefined {
  let first: T | undefined;
  for (const item of list) if (first === undefined || at(item) < at(first)) first = item;
  return first;
}
