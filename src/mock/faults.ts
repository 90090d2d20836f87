import { endpointNames, type EndpointName } from '../contract/endpoints.js';
import { MockPlatformError } from './error.js';
import { checkedFault, type MockFault } from './fault.js';
import { isCount, isList, isObject } from './json.js';
import type { Random } from './random.js';

/** The endpoint a fault is for; `*` stands for all. */
export type FaultTarget = EndpointName | '*';

/** A fault that stays until it is cleared. */
export interface StandingFault {
  /** What goes wrong. */
  readonly fault: MockFault;
  /** With which probability, 0 to 1. */
  readonly probability: number;
}

/** The faults that are planned for an endpoint, as plain JSON. */
export interface PlannedFaults {
  /** The endpoint, or `*` for all. */
  readonly endpoint: FaultTarget;
  /** What happens to the next requests, one after another. */
  readonly queue: readonly (MockFault | 'ok')[];
  /** What happens to those after them. */
  readonly standing: readonly StandingFault[];
  /** How many requests drew from what is standing. */
  readonly drawn: number;
}

/**
 * What goes wrong with an organization's requests, by endpoint; `'*'` stands for every endpoint. A fault happens to a request whose
 * credentials and body are in order; one that is refused for these is answered as ever and uses no fault up. A fault that does not fit
 * the answer stays planned, and the request's entry in `requests` says why.
 *
 * Everything throws `MockPlatformError` where the endpoint or the fault is unknown.
 *
 * @example
 * ```ts
 * import { createMockPlatform } from 'corridor-sdk/mock';
 * const platform = createMockPlatform();
 * platform.faults.next('payments.create', { kind: 'reset-after-commit' });
 * platform.faults.sequence('payments.list', [{ kind: 'status', status: 503 }, 'ok', { kind: 'rate-limit', retryAfter: 1 }]);
 * platform.faults.rate('*', 0.2, { kind: 'slow', delay: 50 });
 * platform.faults.clear();
 * ```
 */
export interface MockFaults {
  /** What is planned and has not happened yet, by endpoint, as plain JSON. */
  readonly planned: readonly PlannedFaults[];
  /** Happens to the next request, or the next several, after those planned before. */
  next(endpoint: FaultTarget, fault: MockFault, times?: number): void;
  /** Happens to the next requests one after another; `'ok'` lets one pass. */
  sequence(endpoint: FaultTarget, steps: readonly (MockFault | 'ok')[]): void;
  /** Happens to every request from now on, after those planned by `next` and `sequence`. */
  always(endpoint: FaultTarget, fault: MockFault): void;
  /** Happens to a share of the requests from now on, 0 to 1; which ones follows from the seed. */
  rate(endpoint: FaultTarget, probability: number, fault: MockFault): void;
  /** Takes back what is planned for an endpoint; without one, for all. */
  clear(endpoint?: FaultTarget): void;
}

/** How many requests one call may plan a fault for: each is an entry of every snapshot. */
const mostTimes = 100_000;

interface Plan {
  queue: (MockFault | 'ok')[];
  standing: StandingFault[];
  drawn: number;
}

/** The fault a request met, if it met one. */
export interface DrawnFault {
  readonly fault: MockFault | undefined;
  /** Takes it off the plan. */
  readonly use: () => void;
}

/** The faults of an organization. */
export class FaultPlan implements MockFaults {
  readonly #random: (draw: string, sequence: number) => Random;
  #plans = new Map<FaultTarget, Plan>();

  constructor(random: (draw: string, sequence: number) => Random) {
    this.#random = random;
  }

  get planned(): readonly PlannedFaults[] {
    return this.snapshot().filter(({ queue, standing }) => queue.length > 0 || standing.length > 0);
  }

  next(endpoint: FaultTarget, fault: MockFault, times = 1): void {
    if (!Number.isInteger(times) || times < 1 || times > mostTimes) throw new MockPlatformError(`faults.next: times must be a whole number from 1 to ${mostTimes}; for all requests there is faults.always`);
    const checked = checkedFault('faults.next', fault);
    const { queue } = this.#planOf('faults.next', endpoint);
    for (let time = 0; time < times; time += 1) queue.push(checked);
  }

  sequence(endpoint: FaultTarget, steps: readonly (MockFault | 'ok')[]): void {
    if (!Array.isArray(steps)) throw new MockPlatformError("faults.sequence: give a list of faults and 'ok'");
    const checked = (steps as readonly (MockFault | 'ok')[]).map((step) => (step === 'ok' ? step : checkedFault('faults.sequence', step)));
    const { queue } = this.#planOf('faults.sequence', endpoint);
    for (const step of checked) queue.push(step);
  }

  always(endpoint: FaultTarget, fault: MockFault): void {
    this.#planOf('faults.always', endpoint).standing.push({ fault: checkedFault('faults.always', fault), probability: 1 });
  }

  rate(endpoint: FaultTarget, probability: number, fault: MockFault): void {
    if (!isShare(probability)) throw new MockPlatformError('faults.rate: the probability must be a number from 0 to 1');
    this.#planOf('faults.rate', endpoint).standing.push({ fault: checkedFault('faults.rate', fault), probability });
  }

  clear(endpoint?: FaultTarget): void {
    if (endpoint === undefined) this.#plans.clear();
    else this.#plans.delete(requireTarget('faults.clear', endpoint));
  }

  /** What happens to the request that is here. It stays planned until it is used. */
  draw(endpoint: EndpointName): DrawnFault {
    const plans = this.#plansFor(endpoint);
    const queued = plans.find(({ plan }) => plan.queue.length > 0);
    if (queued !== undefined) {
      const [first] = queued.plan.queue;
      return { fault: first === 'ok' ? undefined : first, use: () => void queued.plan.queue.shift() };
    }
    const fault = plans.map(({ target, plan }) => this.#standing(target, plan)).find((each) => each !== undefined);
    return { fault, use: () => plans.forEach(({ plan }) => (plan.drawn += 1)) };
  }

  /** What is planned, and how much was drawn from what no longer is: what comes follows from both. */
  snapshot(): readonly PlannedFaults[] {
    return structuredClone([...this.#plans].map(([endpoint, plan]) => ({ endpoint, ...plan })));
  }

  restore(plans: readonly PlannedFaults[]): void {
    this.#plans = new Map(structuredClone(plans).map(({ endpoint, queue, standing, drawn }) => [endpoint, { queue: [...queue], standing: [...standing], drawn }]));
  }

  #plansFor(endpoint: EndpointName): { readonly target: FaultTarget; readonly plan: Plan }[] {
    return ([endpoint, '*'] as const).flatMap((target) => {
      const plan = this.#plans.get(target);
      return plan === undefined ? [] : [{ target, plan }];
    });
  }

  #standing(target: FaultTarget, { standing, drawn }: Plan): MockFault | undefined {
    const random = this.#random(`faults/${target}`, drawn);
    return standing.find(({ probability }) => random.chance(probability))?.fault;
  }

  #planOf(call: string, endpoint: FaultTarget): Plan {
    const target = requireTarget(call, endpoint);
    const plan = this.#plans.get(target) ?? { queue: [], standing: [], drawn: 0 };
    this.#plans.set(target, plan);
    return plan;
  }
}

/** Whether something from a snapshot is what is planned for an endpoint. */
export function isPlannedFaults(value: unknown): boolean {
  if (!isObject(value) || !isTarget(value['endpoint']) || !isCount(value['drawn'])) return false;
  return isList(value['queue'], (step) => step === 'ok' || isFault(step)) && isList(value['standing'], isStandingFault);
}

const isShare = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value <= 1;
const isStandingFault = (value: unknown): boolean => isObject(value) && isShare(value['probability']) && isFault(value['fault']);
const isTarget = (value: unknown): value is FaultTarget => value === '*' || endpointNames.includes(value as EndpointName);

function isFault(value: unknown): boolean {
  try {
    return checkedFault('restore', value as MockFault) !== undefined;
  } catch {
    return false;
  }
}

function requireTarget(call: string, endpoint: FaultTarget): FaultTarget {
  if (isTarget(endpoint)) return endpoint;
  throw new MockPlatformError(`${call}: ${JSON.stringify(endpoint)} is not an endpoint; there are ${endpointNames.join(', ')} and '*'`);
}
