import { isTimestamp } from '../contract/timestamp.js';
import type { Open } from '../contract/open.js';
import type { ListedPayment, PaymentStatus } from '../contract/payments.js';
import { AbortedError, InvalidRequestError } from '../errors.js';
import { pause, unlessAborted } from '../transport/pause.js';
import type { RequestOptions } from '../transport/request.js';
import { readCheckpoint, type ChangesCheckpoint } from './checkpoint.js';
import { Feed } from './feed.js';
import { walk } from './lookup.js';
import { checkMilliseconds, Pace } from './pace.js';
import type { ListPayments, WorkflowOptions } from './workflow.js';

/** What is followed, and how often the platform is asked. */
export interface ChangesOptions extends RequestOptions {
  /**
   * Where to begin: the checkpoint of an earlier feed, to go on where that stood; or a time, to hear of every payment created since
   * (an ISO 8601 UTC text ending in Z, or a `Date`). @default now: of payments that are there already, only changes are told
   */
  readonly since?: ChangesCheckpoint | string | Date | undefined;
  /** The pause between two polls, in milliseconds. It doubles while nothing happens and while polls fail. @default 10_000 */
  readonly interval?: number | undefined;
  /** The longest pause between two polls, in milliseconds. @default 120_000 */
  readonly longestInterval?: number | undefined;
  /** Only changes to these statuses are told. @default all, those too that are not known today */
  readonly statuses?: readonly Open<PaymentStatus>[] | undefined;
  /**
   * How long after its creation a completed payment is followed, in milliseconds, because it may yet be returned. It costs one request
   * per poll and per hundred payments returned in that time, however many were completed; 0 follows none. @default 2_592_000_000 (30 days)
   */
  readonly followCompleted?: number | undefined;
  /** How long after its creation a payment may take to show up in the list, in milliseconds: so far back every poll looks for new ones. @default 300_000 */
  readonly settleWindow?: number | undefined;
  /** Takes a checkpoint after every poll, once all its changes were taken; awaited, until `signal` aborts. The cheapest moment to store one. @default none */
  readonly onCheckpoint?: ((checkpoint: ChangesCheckpoint) => void | Promise<void>) | undefined;
}

/** One change of one payment. */
export interface PaymentChange {
  /** The payment as it is now. */
  readonly payment: ListedPayment;
  /** The status it was last seen in; undefined where it is new. */
  readonly previousStatus: Open<PaymentStatus> | undefined;
  /** Where the feed stands with this change taken: store it once the change is dealt with. It is written when it is read. */
  readonly checkpoint: ChangesCheckpoint;
}

const endpoint = 'payments.changes';

/** Follows payments by polling, until the caller breaks off or aborts. */
export async function* changes(workflow: WorkflowOptions, list: ListPayments, options: ChangesOptions): AsyncGenerator<PaymentChange, void, undefined> {
  if (Object(options) !== options) throw new InvalidRequestError(endpoint, [{ path: 'options', message: 'must be an object, such as { since: checkpoint }' }]);
  const {
    since, interval = 10_000, longestInterval = 120_000, followCompleted = 30 * 24 * 60 * 60_000, settleWindow = 300_000,
    statuses, onCheckpoint, ...request
  } = options;
  checkMilliseconds(endpoint, { interval, longestInterval });
  checkMilliseconds(endpoint, { followCompleted, settleWindow }, 0, Number.MAX_SAFE_INTEGER);
  const isStatuses = Array.isArray(statuses) && statuses.every((status: unknown) => typeof status === 'string');
  if (statuses !== undefined && !isStatuses) throw new InvalidRequestError(endpoint, [{ path: 'statuses', message: 'must be a list of statuses' }]);
  if (onCheckpoint !== undefined && typeof onCheckpoint !== 'function') throw new InvalidRequestError(endpoint, [{ path: 'onCheckpoint', message: 'must be a function' }]);
  const at = startOf(since);
  const pace = new Pace(interval, longestInterval);
  const feed = new Feed(workflow, (query) => walk(list, query, request), { followCompleted, settleWindow });
  if (typeof at === 'object') feed.resume(at);
  for (;;) {
    let wait: number;
    let failed = false;
    try {
      if (typeof at !== 'object') await feed.start(at);
      let happened = false;
      for await (const { payment, previousStatus } of feed.poll()) {
        happened = true;
        if (statuses?.includes(payment.status) === false) continue;
        const written = feed.mark();
        yield { payment, previousStatus, get checkpoint() { return written(); } };
      }
      wait = pace.after(happened);
    } catch (error) {
      if (error instanceof AbortedError) throw error;
      wait = pace.afterFailure(error);
      failed = true;
    }
    if (!failed) await unlessAborted(Promise.resolve(onCheckpoint?.(feed.mark()())), request.signal, endpoint, 'its checkpoint was being stored');
    await pause(workflow.timing, wait, request.signal, endpoint);
  }
}

function startOf(since: unknown): ChangesCheckpoint | number | undefined {
  if (since === undefined) return undefined;
  const text = since instanceof Date && !Number.isNaN(since.getTime()) ? since.toISOString() : since;
  if (typeof text === 'string' && isTimestamp(text)) return Date.parse(text);
  if (typeof since === 'object' && since !== null && !(since instanceof Date)) return readCheckpoint(since);
  throw new InvalidRequestError(endpoint, [{ path: 'since', message: 'must be a checkpoint, an ISO 8601 UTC date-time ending in Z, or a valid Date' }]);
}
