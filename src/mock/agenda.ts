import { endpointNames, type EndpointName } from '../contract/endpoints.js';
import { millisecondsOf, type MockDuration } from './clock.js';
import { MockPlatformError } from './error.js';
import { isCount, isList, isObject, isText, isTime } from './json.js';
import { movingKinds } from './transitions.js';

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

/** Whether something from a snapshot is an agenda. */
export function isAgendaSnapshot(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { calls, plans, created } = value;
  return isList(calls, isLateCall) && isList(plans, isStatusPlan) && (created === undefined || created === null || isMove(created));
}

const isLateCall = (value: unknown): boolean =>
  isObject(value) && isTime(value['at']) && endpointNames.includes(value['endpoint'] as EndpointName) && isObject(value['parameters']) && isText(value['base']);

const isStatusPlan = (value: unknown): boolean =>
  isMove(value) && isText(value['id']) && isTime(value['next']) && (movingKinds as readonly unknown[]).includes(value['kind']) && (value['steps'] as readonly unknown[]).length > 0;

function isMove(value: unknown): value is { readonly [field: string]: unknown } {
  if (!isObject(value) || !isList(value['steps'], isText) || !isObject(value['pace'])) return false;
  const { every, reads } = value['pace'];
  return every === undefined ? isCount(reads) && reads > 0 : reads === undefined && isTime(every) && every > 0;
}

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

/** A plan, with its place among those that are due at one time. */
interface Entry {
  readonly order: number;
  readonly plan: StatusPlan;
}

/** What an organization does by itself, on the clock or as its records are read. */
export class Agenda {
  #calls: LateCall[] = [];
  readonly #entries = new Map<string, Entry>();
  /** Those that move on the clock, the next one last: a test may plan thousands of records, and go on by years. */
  #timed: Entry[] = [];
  #planned = 0;
  #created: AgendaSnapshot['created'] = null;

  addCall(call: LateCall): void {
    this.#calls.push(call);
  }

  /** Plans a record's statuses in place of what was planned for it. */
  plan(kind: MovingKind, id: string, steps: readonly string[], pace: CheckedPace, now: number): void {
    this.end({ kind, id });
    if (steps.length > 0) this.#add({ kind, id, steps: [...steps], pace, next: 'every' in pace ? now + pace.every : pace.reads });
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
    const call = earliest(this.#calls);
    const entry = this.#timed.at(-1);
    if (call !== undefined && call.at <= now && !(entry !== undefined && entry.plan.next < call.at)) {
      this.#calls.splice(this.#calls.indexOf(call), 1);
      return { at: call.at, call };
    }
    if (entry === undefined || entry.plan.next > now) return undefined;
    const { plan } = entry;
    this.#advance(entry, plan.next + ('every' in plan.pace ? plan.pace.every : 0));
    return { at: plan.next, plan };
  }

  /** Counts that records were read, and gives the plans whose step that makes due. */
  read(kind: MovingKind, ids: readonly string[]): StatusPlan[] {
    return ids.flatMap((id) => {
      const entry = this.#entries.get(keyOf({ kind, id }));
      if (entry === undefined || !('reads' in entry.plan.pace)) return [];
      const { plan } = entry;
      if (plan.next > 1) {
        this.#replace(entry, { ...plan, next: plan.next - 1 });
        return [];
      }
      this.#advance(entry, entry.plan.pace.reads);
      return [plan];
    });
  }

  /** Ends what is planned for a record. */
  end(record: Pick<StatusPlan, 'kind' | 'id'>): void {
    const entry = this.#entries.get(keyOf(record));
    if (entry !== undefined) this.#replace(entry, undefined);
  }

  snapshot(): AgendaSnapshot {
    return { calls: [...this.#calls], plans: [...this.#entries.values()].map(({ plan }) => plan), created: this.#created };
  }

  restore({ calls, plans, created }: AgendaSnapshot): void {
    this.#calls = [...calls];
    this.#entries.clear();
    this.#timed = [];
    for (const plan of plans) this.#add(plan);
    this.#created = created ?? null;
  }

  #add(plan: StatusPlan): void {
    this.#planned += 1;
    this.#put({ order: this.#planned, plan });
  }

  #put(entry: Entry): void {
    this.#entries.set(keyOf(entry.plan), entry);
    if ('every' in entry.plan.pace) this.#timed.splice(this.#placeOf(entry), 0, entry);
  }

  #advance(entry: Entry, next: number): void {
    const steps = entry.plan.steps.slice(1);
    this.#replace(entry, steps.length === 0 ? undefined : { ...entry.plan, steps, next });
  }

  #replace(entry: Entry, by: StatusPlan | undefined): void {
    if ('every' in entry.plan.pace) this.#timed.splice(this.#placeOf(entry), 1);
    if (by === undefined) this.#entries.delete(keyOf(entry.plan));
    else this.#put({ ...entry, plan: by });
  }

  /** How many of those on the clock are due later. */
  #placeOf({ order, plan }: Entry): number {
    let [low, high] = [0, this.#timed.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#timed[middle] as Entry;
      if (other.plan.next > plan.next || (other.plan.next === plan.next && other.order > order)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const keyOf = ({ kind, id }: Pick<StatusPlan, 'kind' | 'id'>): string => `${kind}/${id}`;

function earliest(calls: readonly LateCall[]): LateCall | undefined {
  let first: LateCall | undefined;
  for (const call of calls) if (first === undefined || call.at < first.at) first = call;
  return first;
}
