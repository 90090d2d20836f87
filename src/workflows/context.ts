import type { ResolvedDialect } from '../contract/dialect.js';
import type { ListedPayment, PaymentListParams } from '../contract/schema/payments.js';
import type { Journal } from '../journal/journal.js';
import type { PagePromise, ResourceOptions } from '../core/pagination.js';
import type { Drift } from '../transport/response/parse-response.js';
import type { ServerClock } from '../transport/timing/server-clock.js';
import type { RequestOptions } from '../transport/request/request-options.js';
import type { Timing } from '../transport/timing/timers.js';
import type { WorkflowTracer } from '../transport/workflow-trace.js';

/** The dependencies of workflows besides the endpoint functions. */
export interface WorkflowContext {
  readonly timing: Timing;
  readonly clock: ServerClock;
  readonly dialect: ResolvedDialect;
  readonly journal: Journal;
  /** The client's total timeout, in milliseconds. */
  readonly totalTimeout: number;
  /** The client's consistency window, in milliseconds. */
  readonly consistencyWindow: number;
  /** Sends requests without throwing on drift, which is only reported. */
  readonly lenient: ResourceOptions;
  /** Reports workflows to observers. */
  readonly tracer: WorkflowTracer;
  /** Sends requests that other requests of the client go before. */
  readonly background: ResourceOptions;
  /** Receives drift reports. */
  readonly onDrift: ((drift: Drift) => void) | undefined;
}

/** Calls `payments.list`. */
export type ListPayments = (query: PaymentListParams, options: RequestOptions) => PagePromise<ListedPayment>;
