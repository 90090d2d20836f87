import type { ResolvedDialect } from '../contract/dialect.js';
import type { ListedPayment, PaymentListQuery } from '../contract/payments.js';
import type { Journal } from '../journal/journal.js';
import type { PageRequest } from '../pages.js';
import type { ServerClock } from '../transport/clock.js';
import type { RequestOptions } from '../transport/request.js';
import type { Timing } from '../transport/timing.js';

/** What workflows need beside resources. */
export interface WorkflowOptions {
  readonly timing: Timing;
  readonly clock: ServerClock;
  readonly dialect: ResolvedDialect;
  readonly journal: Journal;
  /** The client's deadline, in milliseconds. */
  readonly deadline: number;
}

/** The list of payments, as a workflow walks it. */
export type ListPayments = (query: PaymentListQuery, options: RequestOptions) => PageRequest<ListedPayment>;
