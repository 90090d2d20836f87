/** The faults of a creating request. */
export const faults = [
  'refused',
  'reset-before-commit',
  'reset-after-commit',
  'hang-after-commit',
  'status-before-commit',
  'status-after-commit',
  'truncated-201',
  'html-200',
  'late-commit',
  'slow-response',
] as const;

/** A fault. */
export type Fault = (typeof faults)[number];

/** The settings of a simulation. Times are in milliseconds. */
export interface Settings {
  readonly seed: number;
  readonly creates: number;
  /** Whether a quote can be used for one payment or for many. */
  readonly quotes: 'single-use' | 'reusable';
  /** The share of creating requests that fail. */
  readonly faultRate: number;
  /** The share of list requests that fail. */
  readonly listFaultRate: number;
  /** How long the list may take to show a payment. */
  readonly listLag: number;
  /** How long after its connection broke a request may still be committed. */
  readonly lateCommit: number;
  /** How far the platform's clock is ahead. */
  readonly skew: number;
  /** The maximum latency of one direction. */
  readonly latency: number;
  /** The maximum delay of a slow response; longer than the timeout. */
  readonly slowResponse: number;
  /** The time between two creates, on average. */
  readonly gap: number;
  /** The number of creates per process. A new process does not know the platform's clock. */
  readonly processLife: number;
  /** The client's timeout. */
  readonly timeout: number;
  /** The client's token lifetime, in seconds: long enough for tokens to be valid with a wrong clock. */
  readonly tokenLifetime: number;
  /** The consistency window of `createOnce`. */
  readonly consistencyWindow: number;
}

/** Returns the settings for which the project guarantees exactly-once creation. */
export function settings(overrides: Pick<Settings, 'seed' | 'creates' | 'quotes'> & Partial<Settings>): Settings {
  return {
    faultRate: 0.2,
    listFaultRate: 0.1,
    listLag: 300,
    lateCommit: 600,
    skew: overrides.seed % 2 === 0 ? -120_000 : 120_000,
    latency: 120,
    slowResponse: 8_000,
    gap: 10_000,
    processLife: 25,
    timeout: 5_000,
    tokenLifetime: 300,
    consistencyWindow: 2_000,
    ...overrides,
  };
}
