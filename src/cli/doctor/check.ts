/** The status of a check; a warning is not a failure. */
export type CheckStatus = 'ok' | 'warning' | 'failed' | 'skipped';

/** The result of one check of `doctor`. */
export interface CheckResult {
  /** The name of the check. */
  readonly check: string;
  /** Its status. */
  readonly status: CheckStatus;
  /** The details of the result; never contains a secret. */
  readonly detail: string;
  /** The suggested fix. */
  readonly remedy?: string;
}

/** Receives the result of each check. */
export type ReportCheck = (result: CheckResult) => Promise<void>;
