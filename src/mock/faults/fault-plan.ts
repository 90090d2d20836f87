import * as z from 'zod/mini';
import type { ResolvedDialect } from '../../contract/dialect.js';
import { millisecondsOf, positiveDuration, type Duration } from '../../contract/schema/time.js';
import { custom, integerFrom, numberFrom } from '../../contract/option-schemas.js';
import { withMetadata, memoize } from '../../contract/schema/schema.js';
import type { Random } from '../data/random.js';
import { MockPlatformError, requireValid } from '../base/mock-error.js';
import { copyOf, deepFreeze } from '../base/freeze.js';
import { replaceUnknownValues, withUnknownTexts } from '../base/unknown-values.js';
import type { RecordedRequest } from '../wire/request-log.js';
import { faultSchema, type MockFault } from './fault.js';
import {
  conditionSchema,
  endpointOf,
  faultTarget,
  type FaultTarget,
  isCustomTarget,
  isFor,
  mismatchOf,
  paramsOfTarget,
  type RequestCondition,
} from './request-condition.js';
import type { BodyOfTarget, MockResponse, MockResponseResolver } from './response.js';

/** The options of a planned fault. */
export interface FaultOptions<Target extends FaultTarget = FaultTarget> {
  /** The requests that the fault applies to. @default all requests to the endpoint */
  readonly when?: RequestCondition<Target> | undefined;
  /** The number of such requests before the first one that it applies to. @default 0 */
  readonly after?: number | undefined;
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

/** The options of `respond`. */
export interface RespondOptions<Target extends FaultTarget = FaultTarget> extends FaultOptions<Target> {
  /** The number of requests. @default all requests, until it is removed */
  readonly times?: number | undefined;
  /** Whether requests need no API key; only for a path that the contract does not have. @default false */
  readonly public?: boolean | undefined;
}

/** A planned response with its options, or a function that returns one. */
export type PlannedResponse<Target extends FaultTarget = FaultTarget> =
  | (MockResponse<BodyOfTarget<Target>> & RespondOptions<Target>)
  | MockResponseResolver<BodyOfTarget<Target>>;

/** The number of faults that have happened and are kept. */
const maxUsed = 1000;
/** The most ids of requests that a fault keeps. */
const maxRequestIds = 100;

/** The fault of a request, if there is one. */
export interface DrawnFault {
  readonly fault: MockFault | undefined;
  /** Counts the request as a hit. */
  readonly use: () => void;
}

type Entry = { -readonly [Field in keyof StoredFault]: StoredFault[Field] };

/** What a plan uses of its organization. */
interface FaultSource {
  readonly random: (draw: string, sequence: number) => Random;
  readonly options: { readonly dialect: ResolvedDialect };
  readonly clock: { readonly now: () => number };
}

/**
 * Plans faults for the requests of an organization, by endpoint; `'*'` means all endpoints, and downloads. A fault
 * applies to a request that passes authentication and validation; requests that fail these do not consume a fault, and
 * requests that the platform rejects do not consume one that is about their changes, such as `reset-after-commit`. The
 * option `when` limits a fault to requests with certain fields. A fault that does not fit the response stays planned,
 * and the entry of the request in `requests` has the reason.
 *
 * All methods throw `MockPlatformError` if the endpoint, the fault or an option is unknown or invalid.
 *
 * @example
 * ```ts
 * import { createMockPlatform } from 'corridor-sdk/mock';
 * const platform = createMockPlatform();
 * platform.faults.next('payments.create', { kind: 'reset-after-commit' });
 * const limited = { kind: 'rate-limit', retryAfterSeconds: 1 } as const;
 * platform.faults.sequence('payments.list', [{ kind: 'status', status: 503 }, 'ok', limited]);
 * platform.faults.always('payments.create', { kind: 'hang' }, { when: { currencyCode: 'MXN' } });
 * const id = platform.faults.rate('*', 0.2, { kind: 'slow', delay: 50 });
 * platform.faults.always('*', { kind: 'rate-limit' }, { duration: { minutes: 1 } });
 * platform.faults.remove(id);
 * platform.faults.clear();
 * ```
 */
export class MockFaults {
  readonly #source: FaultSource;
  #count = 0;
  /** Oldest first. Those that have happened have no requests left. */
  #faults: Entry[] = [];

  /** @internal */
  constructor(source: FaultSource) {
    this.#source = source;
  }

  /**
   * Returns all faults, oldest first, with their hits: those that are planned, and those that have happened since the
   * last `clear` or `reset`, at most the latest 1000 of them.
   */
  list(): PlannedFault[] {
    this.#endExpired();
    return this.#faults.map(toPlannedFault);
  }

  /**
   * Plans a fault for the next request, or the next `times` requests, after the faults already planned. Returns the id
   * of the fault.
   */
  next<Target extends FaultTarget>(
    endpoint: Target,
    fault: MockFault,
    options: number | NextFaultOptions<Target> = {},
  ): string {
    const { times = 1, ...given } = typeof options === 'number' ? { times: options } : (options ?? {});
    return this.#plan('faults.next', { times: integerFrom(1) }, { ...given, endpoint, fault, times });
  }

  /**
   * Plans one fault for each of the next requests, in order; `'ok'` leaves a request undisturbed. Returns the ids of
   * the steps.
   */
  sequence<Target extends FaultTarget>(
    endpoint: Target,
    steps: readonly (MockFault | 'ok')[],
    options: FaultOptions<Target> = {},
  ): string[] {
    const input = this.#validated('faults.sequence', { steps: faultSteps() }, { ...options, endpoint, steps });
    return steps.map((fault) => this.#add({ ...input, fault, times: 1 }));
  }

  /**
   * Plans a fault for all requests after those planned by `next` and `sequence`; the latest one applies. Returns the id
   * of the fault.
   */
  always<Target extends FaultTarget>(
    endpoint: Target,
    fault: MockFault,
    options: StandingFaultOptions<Target> = {},
  ): string {
    const shape = { duration: z.optional(positiveDuration()) };
    return this.#plan('faults.always', shape, { ...options, endpoint, fault });
  }

  /**
   * Plans a fault for a share of all requests, from 0 to 1; the seed determines which ones. Returns the id of the
   * fault.
   */
  rate<Target extends FaultTarget>(
    endpoint: Target,
    probability: number,
    fault: MockFault,
    options: StandingFaultOptions<Target> = {},
  ): string {
    const shape = { probability: numberFrom(0, 1), duration: z.optional(positiveDuration()) };
    return this.#plan('faults.rate', shape, { ...options, endpoint, probability, fault });
  }

  /** Plans a response, which is a fault of the kind `response`. @internal */
  respond<Target extends FaultTarget>(
    endpoint: Target,
    response: PlannedResponse<Target>,
    options: RespondOptions<Target> = {},
  ): string {
    const given = (typeof response === 'function' ? { resolver: response } : response) as RespondOptions;
    const { times, when, after, public: isPublic, ...fields } = given;
    const fault = { kind: 'response', ...fields };
    const input = { times, when, after, public: isPublic, ...options, endpoint, fault };
    return this.#plan('respond', { times: z.optional(integerFrom(1)), public: publicOption(endpoint) }, input);
  }

  /** Removes one fault. Throws `MockPlatformError` if the id does not exist. */
  remove(id: string): void {
    const kept = this.#faults.filter((fault) => faultId(fault) !== id);
    if (kept.length === this.#faults.length)
      throw new MockPlatformError(
        `faults.remove: id ${JSON.stringify(id)} does not exist. Call faults.list for the ids of all faults.`,
      );
    this.#faults = kept;
  }

  /** Removes the faults of an endpoint; of all endpoints by default. */
  clear(endpoint?: FaultTarget): void {
    if (endpoint === undefined) return this.restore(emptyFaultPlan);
    this.#validated('faults.clear', {}, { endpoint });
    this.#faults = this.#faults.filter((fault) => fault.endpoint !== endpoint);
  }

  /**
   * Returns the fault of the current request. It stays planned until `use` is called. `isKnown` tells whether the
   * platform can handle the request. @internal
   */
  draw(request: RecordedRequest, isKnown: boolean): DrawnFault {
    const now = this.#endExpired();
    // Those of the endpoint itself come first.
    const matching = this.#faults
      .filter(({ endpoint, remaining }) => remaining !== 0 && isFor(endpoint, request, isKnown))
      .toSorted((left, right) => Number(left.endpoint === '*') - Number(right.endpoint === '*'))
      .filter((entry) => {
        const params = paramsOfTarget(entry.endpoint, request) ?? request.params;
        const mismatch = mismatchOf({ ...request, params }, entry.when, faultId(entry));
        if (mismatch !== undefined) entry.mismatch = mismatch;
        return mismatch === undefined;
      });
    const ready = matching.filter(({ after = 0 }) => after === 0);
    const queued = ready.find(({ remaining }) => remaining !== null);
    // The latest one applies, so that a test replaces what its setup planned.
    const standing = queued === undefined ? ready.toReversed() : [];
    const drawn = standing
      .toSorted((left, right) => Number(left.endpoint === '*') - Number(right.endpoint === '*'))
      .find((entry) => this.#source.random(`faults/${entry.number}`, entry.draws).chance(entry.probability));
    const hit = queued ?? drawn;
    return {
      fault: hit && this.#faultOf(hit, now),
      use: () => {
        for (const entry of matching) if (entry.after !== undefined && entry.after > 0) entry.after -= 1;
        for (const entry of standing) entry.draws += 1;
        if (hit !== undefined) this.#use(hit, request.requestId);
      },
    };
  }

  /** Returns a function that tells whether a request is one to an endpoint with certain fields. @internal */
  matcherOf<Target extends FaultTarget>(
    call: string,
    endpoint: Target,
    options: FaultOptions<Target>,
  ): (request: RecordedRequest) => boolean {
    const valid = this.#validated(call, {}, { ...options, endpoint });
    return (request) => {
      const params = paramsOfTarget(valid.endpoint, request) ?? request.params;
      return isFor(valid.endpoint, request, true) && mismatchOf({ ...request, params }, valid.when, call) === undefined;
    };
  }

  /** Returns whether a request of a path that the contract does not have needs no API key. @internal */
  isPublic(request: RecordedRequest): boolean {
    return this.#faults.some(
      (entry) => entry.public === true && entry.remaining !== 0 && isFor(entry.endpoint, request, false),
    );
  }

  /** Returns the ids in the path of a request that the contract does not have, by the first plan for it. @internal */
  paramsOf(request: RecordedRequest): RecordedRequest['params'] {
    const planned = this.#faults.find(({ endpoint }) => endpoint !== '*' && isFor(endpoint, request, false));
    return (planned && paramsOfTarget(planned.endpoint, request)) ?? {};
  }

  /** Returns all faults for a snapshot. Throws `MockPlatformError` if the condition of one is a function. @internal */
  snapshot(): FaultPlanSnapshot {
    this.#endExpired();
    return structuredClone({ count: this.#count, faults: this.#faults.map(toSnapshot) });
  }

  /** @internal */
  restore({ count, faults }: FaultPlanSnapshot): void {
    this.#count = count;
    this.#faults = structuredClone([...faults]);
  }

  /** Returns a function that removes the faults planned since. @internal */
  savepoint(): () => void {
    const [count, faults] = [this.#count, [...this.#faults]];
    return () => {
      this.#count = count;
      this.#faults = faults;
    };
  }

  #use(entry: Entry, requestId: string): void {
    entry.hits += 1;
    entry.requestIds = [...entry.requestIds, requestId].slice(-maxRequestIds);
    if (entry.remaining !== null) entry.remaining -= 1;
    if (entry.remaining === 0) this.#forgetUsed();
  }

  /** Drops the oldest faults that have happened, if there are too many. */
  #forgetUsed(): void {
    const used = this.#faults.filter(({ remaining }) => remaining === 0);
    const dropped = new Set(used.slice(0, Math.max(0, used.length - maxUsed)));
    if (dropped.size > 0) this.#faults = this.#faults.filter((entry) => !dropped.has(entry));
  }

  /** Returns the fault of an entry: that of a rate limit with the rest of its duration, and a delay of a range. */
  #faultOf({ fault, until, number, hits }: Entry, now: number): MockFault | undefined {
    if (fault === 'ok') return undefined;
    if ('delay' in fault && typeof fault.delay === 'object') {
      const { min, max } = fault.delay;
      return { ...fault, delay: min + this.#source.random(`delays/${number}`, hits).next() * (max - min) };
    }
    return fault.kind === 'rate-limit' && until !== undefined
      ? { retryAfterSeconds: Math.ceil((until - now) / 1000), ...fault }
      : fault;
  }

  /** Ends the faults whose duration is over, and returns the time. */
  #endExpired(): number {
    const now = this.#source.clock.now();
    for (const entry of this.#faults) if (entry.until !== undefined && entry.until <= now) entry.remaining = 0;
    this.#forgetUsed();
    return now;
  }

  #plan(call: string, shape: z.core.$ZodShape, input: object): string {
    return this.#add(this.#validated(call, { fault: faultSchema(), ...shape }, input));
  }

  #add({ endpoint, fault, when, after, duration, times, probability = 1, public: isPublic }: NewFault): string {
    this.#count += 1;
    const entry: Entry = {
      number: this.#count,
      endpoint,
      fault: copyOf(fault),
      ...(when !== undefined && { when: copyOf(when) }),
      ...(after !== undefined && { after }),
      ...(isPublic === true && { public: true }),
      ...(duration !== undefined && { until: this.#source.clock.now() + millisecondsOf(duration) }),
      remaining: times ?? null,
      probability,
      hits: 0,
      requestIds: [],
      draws: 0,
    };
    this.#faults.push(entry);
    return faultId(entry);
  }

  /** Validates the input of a method, and returns it with the name of the endpoint. */
  #validated(call: string, shape: z.core.$ZodShape, given: object): NewFault {
    const { when, ...others } = given as NewFault;
    const endpoint = endpointOf(others.endpoint);
    const condition = when === undefined ? z.undefined() : conditionSchema(endpoint, this.#source.options.dialect);
    const after = z.optional(integerFrom(0));
    const schema = z.strictObject({ endpoint: faultTarget(), ...shape, after, when: z.optional(condition) });
    requireValid<unknown>(call, () => schema, { ...others, when: withUnknownTexts(when) }, 'the input');
    return { ...others, ...(when !== undefined && { when: replaceUnknownValues(when, (text) => text) }), endpoint };
  }
}

interface NewFault extends StandingFaultOptions, RespondOptions {
  readonly endpoint: FaultTarget;
  readonly fault: MockFault | 'ok';
  readonly probability?: number;
}

/** Returns the schema of the option `public`. */
const publicOption = (endpoint: FaultTarget): z.ZodMiniType =>
  z.optional(
    custom((value) => value === false || (value === true && isCustomTarget(endpointOf(endpoint))), {
      rule: 'must be a boolean, and true only for a method and a path that the contract does not have',
    }),
  );

/** A planned fault or response, or one that has happened. Plain JSON, unless a part of it is a function. */
export interface PlannedFault {
  /** Its id, such as `fault_1`, which `remove` accepts. */
  readonly id: string;
  /** The endpoint, or `*` for all endpoints. */
  readonly endpoint: FaultTarget;
  /** The fault, or `'ok'` for a step of a sequence that leaves the request undisturbed. */
  readonly fault: MockFault | 'ok';
  /** The requests that it applies to. @default all requests to the endpoint */
  readonly when?: RequestCondition;
  /** The number of requests before the first one that it applies to. @default 0 */
  readonly after?: number;
  /** Whether requests need no API key. @default false */
  readonly public?: boolean;
  /** The time on the mock's clock at which it ends, in milliseconds since the epoch. @default no end */
  readonly until?: number;
  /** The number of requests that it still applies to; null if there is no limit. */
  readonly remaining: number | null;
  /** The share of requests that it applies to, from 0 to 1. */
  readonly probability: number;
  /** The number of requests that it was injected into. */
  readonly hits: number;
  /** The ids of the latest of these requests, at most 100, oldest first. */
  readonly requestIds: readonly string[];
  /** How the latest request to the endpoint that did not fulfill `when` differed; absent if all fulfilled it. */
  readonly mismatch?: string;
}

/** A planned fault as the plan stores it. */
export interface StoredFault extends Omit<PlannedFault, 'id'> {
  /** Its number in the order of planning, which is part of its id. */
  readonly number: number;
  /** The number of requests for which it was drawn. */
  readonly draws: number;
}

/** The faults of an organization as plain JSON. */
export interface FaultPlanSnapshot {
  /** The number of the last fault. */
  readonly count: number;
  /** The faults, oldest first. */
  readonly faults: readonly StoredFault[];
}

/** The snapshot of an empty plan. */
export const emptyFaultPlan: FaultPlanSnapshot = { count: 0, faults: [] };

/** Returns the id of a fault. */
const faultId = ({ number }: Pick<StoredFault, 'number'>): string => `fault_${number}`;

/** Returns the public view of a fault. */
function toPlannedFault(stored: StoredFault): PlannedFault {
  const { number: _number, draws: _draws, ...fault } = stored;
  return deepFreeze(copyOf({ id: faultId(stored), ...fault }));
}

/** Returns a fault for a snapshot. Throws `MockPlatformError` if it has a function that is still needed. */
function toSnapshot({ fault, when, ...stored }: StoredFault): StoredFault {
  const hasResolver = fault !== 'ok' && fault.kind === 'response' && fault.resolver !== undefined;
  if (stored.remaining !== 0 && (typeof when === 'function' || hasResolver))
    throw new MockPlatformError(
      `snapshot: ${hasResolver ? 'the response' : 'the condition'} of ${faultId(stored)} ` +
        'is a function, which JSON cannot represent. Remove it with faults.remove, or ' +
        `use ${hasResolver ? 'an object' : 'fields of the request'}.`,
    );
  return {
    ...stored,
    fault: hasResolver ? { kind: 'response' } : fault,
    // A snapshot contains no requests.
    requestIds: [],
    ...(when !== undefined && typeof when !== 'function' && { when }),
  };
}

/** The schema of the steps of a sequence. */
const faultSteps = memoize(() =>
  withMetadata(z.array(withMetadata(z.union([z.literal('ok'), faultSchema()]), { rule: 'must be a fault or "ok"' })), {
    rule: "must be an array of faults and 'ok', in the order of the requests",
  }),
);
