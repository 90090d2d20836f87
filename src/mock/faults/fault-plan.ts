import * as z from 'zod/mini';
import type { ResolvedDialect } from '../../contract/dialect.js';
import { type EndpointName, endpointNames, isEndpointName } from '../../contract/endpoints.js';
import { millisecondsOf, positiveDuration, type Duration } from '../../contract/schema/time.js';
import { integerFrom, custom, numberFrom, functionOf } from '../../contract/options.js';
import { withMetadata, memoize, optional, type Schema } from '../../contract/schema/schema.js';
import type { Random } from '../data/random.js';
import { MockPlatformError, requireValid } from '../base/error.js';
import { copyOf, deepFreeze } from '../base/freeze.js';
import { type RecordedRequest, receivedFields, type RequestFields } from '../wire/request-log.js';
import { faultSchema, type MockFault } from './fault.js';
import { fieldSchemas } from '../../contract/request-fields.js';
import { describeRule, describeType, type AnySchema } from '../../contract/validate.js';

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

/** What a plan uses of its organization. */
interface FaultSource {
  readonly random: (draw: string, sequence: number) => Random;
  readonly platform: {
    readonly options: { readonly dialect: ResolvedDialect };
    readonly clock: { readonly now: () => number };
  };
}

/** The faults of an organization. */
export class FaultPlan implements MockFaults {
  readonly #source: FaultSource;
  #count = 0;
  #planned: Entry[] = [];
  #used: Entry[] = [];

  constructor(source: FaultSource) {
    this.#source = source;
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
    const hit = standing.find((entry) =>
      this.#source.random(`faults/${entry.number}`, entry.draws).chance(entry.probability),
    );
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
    const now = this.#source.platform.clock.now();
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
      ...(duration !== undefined && { until: this.#source.platform.clock.now() + millisecondsOf(duration) }),
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
    const condition =
      when === undefined ? z.undefined() : conditionSchema(target, this.#source.platform.options.dialect);
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

/** A planned fault, or one that has happened. Plain JSON, unless its condition is a function. */
export interface PlannedFault {
  /** Its id, such as `fault_1`, which `remove` accepts. */
  readonly id: string;
  /** The endpoint, or `*` for all endpoints. */
  readonly endpoint: FaultTarget;
  /** The fault, or `'ok'` for a step of a sequence that leaves the request undisturbed. */
  readonly fault: MockFault | 'ok';
  /** The requests that it applies to. @default all requests to the endpoint */
  readonly when?: RequestCondition;
  /** The time on the mock's clock at which it ends, in milliseconds since the epoch. @default no end */
  readonly until?: number;
  /** The number of requests that it still applies to; null if there is no limit. */
  readonly remaining: number | null;
  /** The share of requests that it applies to, from 0 to 1. */
  readonly probability: number;
  /** The number of requests that it was injected into. */
  readonly hits: number;
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

/** Returns a fault for a snapshot. Throws `MockPlatformError` if its condition is a function that is still needed. */
function toSnapshot(stored: StoredFault): StoredFault {
  if (typeof stored.when !== 'function') return { ...stored };
  if (stored.remaining === 0) {
    const { when: _, ...fault } = stored;
    return fault;
  }
  throw new MockPlatformError(
    `snapshot: the condition of ${faultId(stored)} is a function, which JSON cannot represent. Remove the fault, or use fields of the request as its condition.`,
  );
}

/** The schema of an endpoint, or `*`. */
export const faultTarget: Schema<FaultTarget> = memoize(() =>
  custom(isFaultTarget, { rule: `must be one of ${endpointNames.join(', ')}, or "*" for all` }),
);

/** The schema of a step of a sequence. */
const faultStep: Schema<MockFault | 'ok'> = memoize(() =>
  withMetadata(z.union([z.literal('ok'), faultSchema()]), { rule: 'must be a fault or "ok"' }),
);

/** The schema of a share of requests. */
export const probability = (): z.ZodMiniType<number> => numberFrom(0, 1);

/** The endpoint of a fault; `*` means all endpoints. */
export type FaultTarget = EndpointName | '*';

/**
 * The requests that a fault applies to: those that have all of these fields with equal values, or those for which a
 * function returns true. The fields are the ids in the path, the filters, and the fields of the body, by the names that
 * the client uses. The control API and snapshots accept fields only.
 */
export type RequestCondition<Target extends FaultTarget = FaultTarget> =
  | ((request: RecordedRequest) => boolean)
  | (Target extends EndpointName ? Partial<RequestFields<Target>> : { readonly [field: string]: unknown });

const isFaultTarget = (value: unknown): value is FaultTarget => value === '*' || isEndpointName(value);

/**
 * Returns the schema of a condition. A field that no request of the endpoint has, or a value that the contract does not
 * allow, would never match.
 */
function conditionSchema(target: FaultTarget, dialect: ResolvedDialect): z.ZodMiniType<RequestCondition> {
  const schemas = new Map<string, AnySchema[]>();
  for (const name of target === '*' ? endpointNames : [target])
    for (const [field, schema] of fieldSchemas(name, dialect))
      schemas.set(field, [...(schemas.get(field) ?? []), schema]);
  const shape = [...schemas].map(([field, options]) => [field, optional(anyOf(options as z.ZodMiniType[]))]);
  const fields = z.strictObject(Object.fromEntries(shape) as z.core.$ZodShape);
  return withMetadata(z.union([functionOf(), fields]) as z.ZodMiniType<RequestCondition>, {
    rule: "must be an object of fields of the request, such as { amount: '1250.00' }, or in process a function of the request",
  });
}

/** Returns the schema of a field whose values differ by endpoint, such as a status. */
function anyOf(options: readonly z.ZodMiniType[]): z.ZodMiniType {
  const [first, ...others] = options;
  if (first !== undefined && others.length === 0) return first;
  return withMetadata(z.union(options), { rule: [...new Set(options.map(describeRule))].join(', or ') });
}

/** Returns whether a request fulfills the condition of a fault. Throws `MockPlatformError` if its function fails. */
function fulfills(request: RecordedRequest, condition: RequestCondition | undefined, id: string): boolean {
  if (condition === undefined) return true;
  if (typeof condition === 'function') return resultOf(condition as (request: RecordedRequest) => unknown, request, id);
  const fields = receivedFields(request);
  return Object.entries(condition).every(
    ([field, expected]) => Object.hasOwn(fields, field) && isEqual(fields[field], expected),
  );
}

function resultOf(condition: (request: RecordedRequest) => unknown, request: RecordedRequest, id: string): boolean {
  let result: unknown;
  try {
    result = condition(request);
  } catch (cause) {
    throw new MockPlatformError(`faults: the condition of ${id} threw an error: ${String(cause)}`, { cause });
  }
  if (typeof result === 'boolean') return result;
  throw new MockPlatformError(
    `faults: the condition of ${id} must return true or false (received ${describeType(result)})`,
  );
}

/** Compares two JSON values. */
function isEqual(left: unknown, right: unknown): boolean {
  if (typeof left !== 'object' || left === null || typeof right !== 'object' || right === null) return left === right;
  const [entries, others] = [Object.entries(left), Object.entries(right)];
  return (
    Array.isArray(left) === Array.isArray(right) &&
    entries.length === others.length &&
    entries.every(
      ([key, value]: [string, unknown]) =>
        Object.hasOwn(right, key) && isEqual(value, (right as { readonly [key: string]: unknown })[key]),
    )
  );
}
