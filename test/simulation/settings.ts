/** What goes wrong with a creating request. */
export const faults = [
  'refused', 'reset-before-commit', 'reset-after-commit', 'hang-after-commit', 'status-before-commit', 'status-after-commit',
  'truncated-201', 'html-200', 'late-commit', 'slow-answer',
] as const;

/** One thing that goes wrong. */
export type Fault = (typeof faults)[number];

/** What a simulated world is like. Times are in milliseconds. */
export interface Settings {
  readonly seed: number;
  readonly creates: number;
  /** Whether a quote is good for one payment or for many. */
  readonly quotes: 'single-use' | 'reusable';
  /** How many creating requests go wrong. */
  readonly faultRate: number;
  /** How many list requests go wrong. */
  readonly listFaultRate: number;
  /** How long the list may take to show a payment. */
  readonly listLag: number;
  /** How long after its connection broke a request may still be committed. */
  readonly lateCommit: number;
  /** How far the platform's clock is ahead. */
  readonly skew: number;
  /** How long one way through the network takes at most. */
  readonly latency: number;
  /** What a slow answer takes at most; longer than the timeout. */
  readonly slowAnswer: number;
  /** The time between two creates, on average. */
  readonly gap: number;
  /** How many creates one process makes before another, which knows nothing of the platform's clock, takes its place. */
  readonly processLife: number;
  /** The client's timeout. */
  readonly timeout: number;
  /** The client's token lifetime, in seconds: so long that a token is taken although our clock is off. */
  readonly tokenLifetime: number;
  /** The settle window of `createOnce`. */
  readonly settleWindow: number;
}

/** The world of the project's promise. */
export function settings(given: Pick<Settings, 'seed' | 'creates' | 'quotes'> & Partial<Settings>): Settings {
  return {
    faultRate: 0.2, listFaultRate: 0.1, listLag: 300, lateCommit: 600, skew: given.seed % 2 === 0 ? -120_000 : 120_000,
    latency: 120, slowAnswer: 8_000, gap: 10_000, processLife: 25, timeout: 5_000, tokenLifetime: 300, settleWindow: 2_000, ...given,
  };
}
