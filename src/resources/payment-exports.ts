import type { WorkflowContext } from '../workflows/context.js';
import type { PaymentExportParams } from '../workflows/export/export-query.js';
import { PaymentExport, type PaymentExportOptions } from '../workflows/export/index.js';
import { planExport, type ExportSpan, type PlanExportOptions } from '../workflows/export/plan.js';

/** The exports of payments, which are part of `corridor.payments`. */
export class PaymentExports {
  readonly #workflow: WorkflowContext;

  /** @internal */
  constructor(workflow: WorkflowContext) {
    this.#workflow = workflow;
  }

  /**
   * Exports the payments of a time range, read with several concurrent requests. Nothing is sent until you iterate the
   * export, or its `pages()`.
   *
   * It yields each payment that the platform lists and whose `createdAt` is in the range exactly once; without
   * `createdTo`, the range ends `consistencyWindow` before the platform's time. Pass a checkpoint to continue after a
   * crash: only the pages that were being processed are repeated. A slow consumer stops the requests. Responses with
   * 429 lower the rate of its requests. Requests of the same client that do not belong to an export go first.
   *
   * @throws InvalidRequestError if a filter breaks a rule; ConfigurationError if an option is invalid, or if the
   * checkpoint belongs to another export; InvalidResponseError if a payment is outside of the requested time range;
   * otherwise the errors of any read.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * for await (const payment of corridor.payments.export({ createdFrom: '2026-01-01T00:00Z' }, { concurrency: 8 })) {
   *   console.log(payment.id, payment.createdAt);
   * }
   * ```
   * Calls `GET /api/v1/payment`.
   */
  export(params: PaymentExportParams = {}, options: PaymentExportOptions = {}): PaymentExport {
    return new PaymentExport(this.#workflow, params, options);
  }

  /**
   * Splits an export into spans, as plain JSON, so that a queue can distribute them over machines. Each payment belongs
   * to one span. Sends one request per span, and one for each time that it splits a span.
   *
   * @throws InvalidRequestError if a filter breaks a rule; otherwise the errors of any read.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * const spans = await corridor.payments.planExport({ createdFrom: '2026-01-01T00:00Z' });
   * for (const span of spans) console.log(JSON.stringify(span));
   * ```
   * Calls `GET /api/v1/payment`.
   */
  async planExport(params: PaymentExportParams = {}, options: PlanExportOptions = {}): Promise<ExportSpan[]> {
    return planExport(this.#workflow, params, options);
  }

  /**
   * Exports one span of a plan, with one request at a time by default. It can run again after a crash: it yields the
   * same payments.
   *
   * @throws InvalidRequestError if the span is not one of `planExport`; otherwise the errors of `export`.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * const [span] = await corridor.payments.planExport({ createdFrom: '2026-01-01T00:00Z' });
   * if (span !== undefined) for await (const payment of corridor.payments.exportSpan(span)) console.log(payment.id);
   * ```
   * Calls `GET /api/v1/payment`.
   */
  exportSpan(span: ExportSpan, options: PaymentExportOptions = {}): PaymentExport {
    return PaymentExport.ofSpan(this.#workflow, span, options);
  }
}
