import type { ListedPayment } from '../../contract/schema/payments.js';
import { functionOf, integerFrom } from '../../contract/option-schemas.js';
import { enumOf } from '../../contract/schema/schema.js';
import { ignoreErrors, prefetchCanceled } from '../../transport/events.js';
import { copyFields, linkController } from '../../core/pagination.js';
import { assertOptions, type RequestOptions } from '../../transport/request-options.js';
import { hasOptions } from '../../transport/call.js';
import { Deadline } from '../../transport/deadline.js';
import { accountOf } from '../account.js';
import { defineOptions, listConsistencyWindow, timeWindow, unchecked, type WorkflowContext } from '../context.js';
import {
  readPosition,
  toCheckpoint,
  type ExportCheckpoint,
  type ExportOrder,
  type ExportPosition,
} from './checkpoint.js';
import { parseExportQuery, type PaymentExportParams, resolveRange } from './query.js';
import type { SpanHandlers } from './read-span.js';
import { ExportRun, progressOf, type ExportProgress, createThrottledList } from './export-run.js';

/** The options of `payments.export`. `timeout`, `totalTimeout` and `maxRetries` apply to each page. */
export interface PaymentExportOptions extends RequestOptions {
  /** The maximum number of concurrent requests. @default 4 */
  readonly concurrency?: number | undefined;
  /**
   * `any` delivers pages as they arrive; `created` delivers all payments in the order of their creation and keeps some
   * pages per request in memory to do so. @default 'any'
   */
  readonly order?: ExportOrder | undefined;
  /**
   * How long after its creation a payment may take to appear in the list, in milliseconds. Without `createdTo`, the
   * export ends this long before it was started. @default the client's, or else 300_000
   */
  readonly consistencyWindow?: number | undefined;
  /** Continues an export after this checkpoint. @default starts from the beginning */
  readonly checkpoint?: ExportCheckpoint | undefined;
  /**
   * Stores a checkpoint after each page, when all its payments were consumed. It is awaited, and an error that it
   * throws or rejects with ends the export. @default none
   */
  readonly onCheckpoint?: ((checkpoint: ExportCheckpoint) => void | Promise<void>) | undefined;
  /** Called after each page. Errors that it throws or rejects with are ignored. @default none */
  readonly onProgress?: ((progress: ExportProgress) => void) | undefined;
}

/** A batch of exported payments. */
export interface ExportPage {
  /** The payments. */
  readonly items: readonly ListedPayment[];
  /** The position after this page: store it together with the payments. It is created when you read it. */
  readonly checkpoint: ExportCheckpoint;
}

const exportOptions = defineOptions<PaymentExportOptions>('must be an object, such as { concurrency: 8 }', () => ({
  concurrency: integerFrom(1, 100),
  order: enumOf(['any', 'created']),
  consistencyWindow: timeWindow(),
  checkpoint: unchecked(),
  onCheckpoint: functionOf(),
  onProgress: functionOf(),
}));

const endpoint = 'payments.export';

/**
 * An export of payments. Nothing is checked or sent until you iterate it: for all payments, or for `pages()`. Each
 * iteration starts again.
 *
 * @example
 * ```ts
 * import { Corridor } from 'corridor-sdk';
 * const corridor = new Corridor();
 * let count = 0;
 * for await (const page of corridor.payments.export({ createdFrom: '2026-01-01T00:00Z' }).pages())
 *   count += page.items.length;
 * console.log(count);
 * ```
 */
export class PaymentExport implements AsyncIterable<ListedPayment> {
  readonly #context: WorkflowContext;
  readonly #params: PaymentExportParams;
  readonly #options: PaymentExportOptions;
  readonly #handlers: SpanHandlers | undefined;

  /** @internal */
  constructor(
    context: WorkflowContext,
    params: PaymentExportParams,
    options: PaymentExportOptions,
    handlers?: SpanHandlers,
  ) {
    this.#handlers = handlers;
    this.#context = context;
    this.#params = copyFields(params);
    this.#options = copyFields(options);
  }

  /** Iterates all payments. */
  async *[Symbol.asyncIterator](): AsyncGenerator<ListedPayment, void, undefined> {
    for await (const { items } of this.pages()) for (const item of items) yield item;
  }

  /**
   * Iterates the payments in pages, which cost less than single payments. A page has the payments of one response, or
   * of several that have waited. Leaving the loop cancels the requests.
   */
  pages(): AsyncGenerator<ExportPage, void, undefined> {
    return this.#context.tracer.iterate(endpoint, this.#pages());
  }

  async *#pages(): AsyncGenerator<ExportPage, void, undefined> {
    const query = parseExportQuery(endpoint, this.#params);
    if (hasOptions(this.#options)) assertOptions(exportOptions, this.#options);
    const {
      concurrency = 4,
      order = 'any',
      consistencyWindow = this.#context.options.consistencyWindow ?? listConsistencyWindow,
      checkpoint,
      onCheckpoint,
      onProgress,
      ...request
    } = this.#options;
    const { timing } = this.#context;
    const { controller, unlink } = linkController(request.signal);
    const deadline = new Deadline(timing, { endpoint, signal: controller.signal });
    try {
      let requests = 0;
      const started = timing.elapsed();
      const onRequests = (count: number): number => (requests += count);
      const { filters } = query;
      const stored = checkpoint === undefined ? undefined : readPosition(checkpoint, query, order);
      const account = accountOf(this.#context, endpoint, stored);
      const list = createThrottledList(account.context, deadline, request, onRequests, this.#handlers && 'observe');
      const inner = { ...request, signal: controller.signal };
      await account.verify(inner);
      await account.findCustomer(inner);
      const { account: storedAccount, seen, items } = stored ?? {};
      const isOther = seen === undefined && storedAccount !== undefined && storedAccount !== account.fingerprint;
      const start: ExportPosition = {
        order,
        filters,
        items: 0,
        done: [],
        ...(stored ?? (await resolveRange(account.context, query, consistencyWindow, list, inner))),
        // Another account can have payments where the one of the checkpoint had none.
        ...(items === 0 && isOther ? { done: [] } : {}),
      };
      const openStart = start.isOpenStart ? start.range.from : undefined;
      const source = { list, request: inner, filters, openStart, handlers: this.#handlers };
      const run = new ExportRun({ concurrency, source, position: start, deadline });
      const afterPage = async (page: ExportPage): Promise<void> => {
        if (onCheckpoint !== undefined)
          await deadline.wait(Promise.resolve(onCheckpoint(page.checkpoint)), 'its checkpoint was being stored');
        ignoreErrors(() => onProgress?.(progressOf(start, run.position, requests, timing.elapsed() - started)));
      };
      for await (const payments of run.batches()) {
        const page = pageOf(payments, { ...run.position, ...account.checkpoint });
        yield page;
        await afterPage(page);
      }
      // The last spans can have no payments.
      await afterPage(pageOf([], { ...run.position, ...account.checkpoint }));
    } finally {
      unlink();
      controller.abort(prefetchCanceled);
    }
  }
}

function pageOf(items: readonly ListedPayment[], position: ExportPosition): ExportPage {
  let created: ExportCheckpoint | undefined;
  return {
    items,
    get checkpoint() {
      return (created ??= toCheckpoint(position));
    },
  };
}
