/** How a check ended; a warning is worth knowing, and no failure. */
export type Status = 'ok' | 'warning' | 'failed' | 'skipped';

/** What a check of `doctor` found. */
export interface Finding {
  /** What was looked at. */
  readonly check: string;
  /** How it ended. */
  readonly status: Status;
  /** What was seen; never a secret. */
  readonly detail: string;
  /** What to do. */
  readonly remedy?: string;
}

/** Takes findings as they come. */
export type Note = (finding: Finding) => Promise<void>;
