import * as z from 'zod/mini';
import type { ResolvedDialect } from '../../contract/dialect.js';
import type { EndpointName } from '../../contract/endpoints.js';
import { millisecondsOf, positiveDuration, type Duration } from '../../contract/schema/time.js';
import { integerFrom } from '../../contract/options.js';
import { withMetadata } from '../../contract/schema/schema.js';
import type { Random } from '../data/random.js';
import { MockPlatformError } from '../error.js';
import { copyOf } from '../frozen.js';
import type { RecordedRequest } from '../http/request-log.js';
import { requireValid } from '../require-valid.js';
import { conditionSchema, fulfills, isFaultTarget, type FaultTarget, type RequestCondition } from './condition.js';
import { faultSchema, type MockFault } from './fault.js';
import {
  emptyFaultPlan,
  faultId,
  faultStep,
  faultTarget,
  probability,
  toPlannedFault,
  toSnapshot,
  type FaultPlanSnapshot,
  type PlannedFault,
  type StoredFault,
} from './planned-fault.js';

/** The options of a planned fault. */
export interface FaultOptions<Target extends FaultTarget = FaultTarget> {
  /** The requests that the fault applies to. @default all requests to the endpoint */
  readonly when?: RequestCondition<Target> | undefined;
}

/** The options of `faults.next`. */
export interface NextFaultOptions<Target extends FaultTarget = FaultTarget> extends FaultOptions<Target> {
  /** The number of requests. @default 1 */
  readonly times?: number | undefined;
}

/** The options of `faults.always` and `faults.rate`. */
export interface StandingFaultOptions<Target extends FaultTarget = FaultTarget> extends FaultOptions<Target> {
  /** How long the fault lasts from now on, on the mock's clock. @default until it is removed */
  readonly duration?: Duration | undefined;
}

/**
 * Plans faults for the requests of an organization, by endpoint; `'*'` means all endpoints. A fault applies to a
 * request that passes authentication and validation; requests that fail these do not consume a fault. The option `when`
 * limits a fault to requests with certain fields. A fault that does not fit the response stays planned, and the entry
 * of the request in `requests` has the reason.
 *
 * All methods throw `MockPlatformError` if the endpoint, the fault or an option is unknown or invalid.
 *
 * @example
 * ```ts
 * import { createMockPlatform } from 'corridor-sdk/mock';
 * const platform = createMockPlatform();
 * platform.faults.next('payments.create', { kind: 'reset-after-commit' });
 * platform.faults.sequence('payments.list', [{ kind: 'status', status: 503 }, 'ok', { kind: 'rate-limit', retryAfter: 1 }]);
 * platform.faults.always('payments.create', { kind: 'hang' }, { when: { currencyCode: 'MXN' } });
 * const id = platform.faults.rate('*', 0.2, { kind: 'slow', delay: 50 });
 * platform.faults.always('*', { kind: 'rate-limit' }, { duration: { minutes: 1 } });
 * platform.faults.remove(id);
 * platform.faults.clear();
 * ```
 */
export interface MockFaults {
  /**
   * Returns all faults, oldest first, with their hits: those that are planned, and those that have happened since the
   * last `clear` or `reset`, at most the latest 1000 of them.
   */
  list(): PlannedFault[];
  /**
   * Plans a fault for the next request, or the next `times` requests, after the faults already planned. Returns the id
   * of the fault.
   */
  next<Target extends FaultTarget>(
    endpoint: Target,
    fault: MockFault,
    options?: number | NextFaultOptions<Target>,
  ): string;
  /**
   * Plans one fault for each of the next requests, in order; `'ok'` leaves a request undisturbed. Returns the ids of the
   * steps.
   */
  sequence<Target extends FaultTarget>(
    endpoint: Target,
    steps: readonly (MockFault | 'ok')[],
    options?: FaultOptions<Target>,
  ): string[];
  /** Plans a fault for all requests after those planned by `next` and `sequence`. Returns the id of the fault. */
  always<Target extends FaultTarget>(
    endpoint: Target,
    fault: MockFault,
    options?: StandingFaultOptions<Target>,
  ): string;
  /**
   * Plans a fault for a share of all requests, from 0 to 1; the seed determines which ones. Returns the id of the fault.
   */
  rate<Target extends FaultTarget>(
    endpoint: Target,
    probability: number,
    fault: MockFault,
    options?: StandingFaultOptions<Target>,
  ): string;
  /** Removes one fault. Throws `MockPlatformError` if the id does not exist. */
  remove(id: string): void;
  /** Removes the faults of an endpoint; of all endpoints by default. */
  clear(endpoint?: FaultTarget): void;
}

/** The number of faults that have happened and are kept. */
const maxUsed = 1000;

/** The fault of a request, if there is one. */
export interface DrawnFault {
  readonly fault: MockFault | undefined;
  /** Counts the request as a hit. */
  readonly use: () => void;
}

type Entry = { -readonly [Field in keyof StoredFault]: StoredFault[Field] };

/** The faults of an organization. */
export class FaultPlan implements MockFaults {
  readonly #random: (draw: string, sequence: number) => Random;
  readonly #dialect: () => ResolvedDialect;
  readonly #now: () => number;
  #count = 0;
  #planned: Entry[] = [];
  #used: Entry[] = [];

  constructor(random: (draw: string, sequence: number) => Random, dialect: () => ResolvedDialect, now: () => number) {
    this.#random = random;
    this.#dialect = dialect;
    this.#now = now;
  }

  list(): PlannedFault[] {
    return this.#all().map(toPlannedFault);
  }

  next(endpoint: FaultTarget, fault: MockFault, options: number | NextFaultOptions = {}): string {
    const { times = 1, ...input } = this.#validated(
      'next',
      { fault: faultSchema(), times: z.optional(integerFrom(1)) },
      { ...(typeof options === 'object' ? options : { times: options }), endpoint, fault },
    );
    return this.#add({ ...input, remaining: times });
  }

  sequence(endpoint: FaultTarget, steps: readonly (MockFault | 'ok')[], options: FaultOptions = {}): string[] {
    const { steps: valid, ...input } = this.#validated(
      'sequence',
      {
        steps: withMetadata(z.array(faultStep()), {
          rule: "must be an array of faults and 'ok', in the order of the requests",
        }),
      },
      { ...options, endpoint, steps },
    );
    return valid.map((fault) => this.#add({ ...input, fault, remaining: 1 }));
  }

  always(endpoint: FaultTarget, fault: MockFault, options: StandingFaultOptions = {}): string {
    const shape = { fault: faultSchema(), duration: z.optional(positiveDuration()) };
    return this.#add(this.#validated('always', shape, { ...options, endpoint, fault }));
  }

  rate(endpoint: FaultTarget, share: number, fault: MockFault, options: StandingFaultOptions = {}): string {
    const shape = { probability: probability(), fault: faultSchema(), duration: z.optional(positiveDuration()) };
    return this.#add(this.#validated('rate', shape, { ...options, endpoint, probability: share, fault }));
  }

  remove(id: string): void {
    const kept = (fault: Entry): boolean => faultId(fault) !== id;
    if (this.#all().every(kept))
      throw new MockPlatformError(
        `faults.remove: id ${JSON.stringify(id)} does not exist. Call faults.list for the ids of all faults.`,
      );
    this.#planned = this.#planned.filter(kept);
    this.#used = this.#used.filter(kept);
  }

  clear(endpoint?: FaultTarget): void {
    if (endpoint === undefined) return this.restore(emptyFaultPlan);
    this.#validated('clear', {}, { endpoint });
    this.#planned = this.#planned.filter((fault) => fault.endpoint !== endpoint);
    this.#used = this.#used.filter((fault) => fault.endpoint !== endpoint);
  }

  /** Returns whether the plan has a fault of a kind for an endpoint. */
  hasKind(endpoint: EndpointName, kind: MockFault['kind']): boolean {
    return this.#planned.some(
      ({ endpoint: target, fault }) => (target === endpoint || target === '*') && fault !== 'ok' && fault.kind === kind,
    );
  }

  /** Returns the fault of the current request. It stays planned until `use` is called. */
  draw(endpoint: EndpointName, request: RecordedRequest): DrawnFault {
    const now = this.#endExpired();
    const planned = ([endpoint, '*'] as const).flatMap((target) =>
      this.#planned.filter((entry) => entry.endpoint === target),
    );
    const applies = (entry: Entry): boolean => fulfills(request, entry.when, faultId(entry));
    const queued = planned.find((entry) => entry.remaining !== null && applies(entry));
    if (queued !== undefined) return { fault: faultOf(queued, now), use: () => this.#use(queued) };
    const standing = planned.filter((entry) => entry.remaining === null && applies(entry));
    const hit = standing.find((entry) => this.#random(`faults/${entry.number}`, entry.draws).chance(entry.probability));
    return {
      fault: hit && faultOf(hit, now),
      use: () => {
        for (const entry of standing) entry.draws += 1;
        if (hit !== undefined) hit.hits += 1;
      },
    };
  }

  /** Returns all faults for a snapshot. Throws `MockPlatformError` if the condition of one is a function. */
  snapshot(): FaultPlanSnapshot {
    return structuredClone({ count: this.#count, faults: this.#all().map(toSnapshot) });
  }

  restore({ count, faults }: FaultPlanSnapshot): void {
    const entries = structuredClone(faults);
    this.#count = count;
    this.#planned = entries.filter(({ remaining }) => remaining !== 0);
    this.#used = entries.filter(({ remaining }) => remaining === 0);
  }

  #all(): Entry[] {
    this.#endExpired();
    return [...this.#used, ...this.#planned].toSorted((left, right) => left.number - right.number);
  }

  #use(entry: Entry): void {
    entry.hits += 1;
    entry.remaining = (entry.remaining ?? 0) - 1;
    if (entry.remaining === 0) this.#end(entry);
  }

  /** Ends the faults whose duration is over, and returns the time. */
  #endExpired(): number {
    const now = this.#now();
    for (const entry of this.#planned.filter(({ until = Infinity }) => until <= now)) this.#end(entry);
    return now;
  }

  #end(entry: Entry): void {
    entry.remaining = 0;
    const index = this.#planned.indexOf(entry);
    // The condition of the fault may have removed it.
    if (index === -1) return;
    this.#planned.splice(index, 1);
    this.#used.push(entry);
    if (this.#used.length > maxUsed) this.#used.shift();
  }

  #add({ endpoint, fault, when, duration, remaining = null, probability: share = 1 }: NewFault): string {
    this.#count += 1;
    const limits = {
      ...(when !== undefined && { when }),
      ...(duration !== undefined && { until: this.#now() + millisecondsOf(duration) }),
    };
    const counts = { hits: 0, draws: 0 };
    const entry = { number: this.#count, endpoint, fault, ...limits, remaining, probability: share, ...counts };
    this.#planned.push(entry);
    return faultId(entry);
  }

  /** Validates and copies the input of a method, without undefined fields, as a snapshot does. */
  #validated<Input extends FaultOptions & { readonly endpoint: FaultTarget }>(
    method: keyof MockFaults,
    shape: z.core.$ZodShape,
    input: Input,
  ): Input {
    const { endpoint, when, ...rest } = input;
    const target = isFaultTarget(endpoint) ? endpoint : '*';
    const condition = when === undefined ? z.undefined() : conditionSchema(target, this.#dialect());
    const schema = z.strictObject({ endpoint: faultTarget(), ...shape, when: z.optional(condition) });
    requireValid(`faults.${method}`, () => schema, input, 'the input');
    const copy = { ...(JSON.parse(JSON.stringify(rest)) as object), endpoint };
    return (when === undefined ? copy : { ...copy, when: copyOf(when) }) as Input;
  }
}

interface NewFault extends StandingFaultOptions {
  readonly endpoint: FaultTarget;
  readonly fault: MockFault | 'ok';
  readonly remaining?: number | null;
  readonly probability?: number;
}

/** Returns the fault of an entry; that of a rate limit with the rest of its duration. */
function faultOf({ fault, until }: Entry, now: number): MockFault | undefined {
  if (fault === 'ok') return undefined;
  return fault.kind === 'rate-limit' && until !== undefined
    ? { retryAfter: Math.ceil((until - now) / 1000), ...fault }
    : fault;
}
