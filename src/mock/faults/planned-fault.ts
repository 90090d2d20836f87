import * as z from 'zod/mini';
import { endpointNames } from '../../contract/endpoints.js';
import { custom, integerFrom, numberFrom } from '../../contract/options.js';
import { looseObject, memoize, nullable, optional, withMetadata, type Schema } from '../../contract/schema/schema.js';
import { MockPlatformError } from '../error.js';
import { copyOf, deepFreeze } from '../frozen.js';
import { isFaultTarget, type FaultTarget, type RequestCondition } from './condition.js';
import { faultSchema, type MockFault } from './fault.js';

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
export const faultId = ({ number }: Pick<StoredFault, 'number'>): string => `fault_${number}`;

/** Returns the public view of a fault. */
export function toPlannedFault(stored: StoredFault): PlannedFault {
  const { number: _number, draws: _draws, ...fault } = stored;
  return deepFreeze(copyOf({ id: faultId(stored), ...fault }));
}

/** Returns a fault for a snapshot. Throws `MockPlatformError` if its condition is a function that is still needed. */
export function toSnapshot(stored: StoredFault): StoredFault {
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
export const faultStep: Schema<MockFault | 'ok'> = memoize(() =>
  withMetadata(z.union([z.literal('ok'), faultSchema()]), { rule: 'must be a fault or "ok"' }),
);

/** The schema of a share of requests. */
export const probability = (): z.ZodMiniType<number> => numberFrom(0, 1);

/** The schema of the faults in a snapshot. */
export const faultPlanSchema: Schema<FaultPlanSnapshot> = memoize(() => {
  const fault = looseObject<StoredFault>({
    number: integerFrom(1),
    endpoint: faultTarget(),
    fault: faultStep(),
    when: optional(z.looseObject({}) as z.ZodMiniType<RequestCondition>),
    until: optional(z.number()),
    remaining: nullable(integerFrom(0)),
    probability: probability(),
    hits: integerFrom(0),
    draws: integerFrom(0),
  });
  return looseObject<FaultPlanSnapshot>({ count: integerFrom(0), faults: z.array(fault) });
});
