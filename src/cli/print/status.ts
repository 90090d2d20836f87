import type { BeneficiaryStatus, CustomerStatus, PaymentStatus } from '../../index.js';

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

type Color = 'green' | 'yellow' | 'red' | 'dim';

// The compiler requires a color for each known status.
const colors: Readonly<Record<PaymentStatus | CustomerStatus | BeneficiaryStatus, Color>> = {
  DRAFT: 'dim',
  PENDING_REVIEW: 'yellow',
  CORRECTION_NEEDED: 'yellow',
  CORRECTION_REQUESTED: 'yellow',
  PROCESSING: 'yellow',
  APPROVED: 'green',
  COMPLETED: 'green',
  RETURNED: 'red',
  REJECTED: 'red',
  SUSPENDED: 'red',
  CANCELLED: 'dim',
};

/** Checks whether a field contains a status, by its path. */
export function isStatusField(path: string): boolean {
  return /(?:^|\.)status$|Status$/.test(path);
}

/** Returns the color of a status; undefined if this version of the SDK does not know the status. */
export function statusColor(status: string): Color | undefined {
  return Object.hasOwn(colors, status) ? colors[status as keyof typeof colors] : undefined;
}
