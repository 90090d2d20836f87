import { isDate } from '../../contract/objects.js';
import { functionOf } from '../../contract/option-schemas.js';
import { boolean, type OpenEnum, type UnknownValue } from '../../contract/schema/schema.js';
import { isTimestamp } from '../../contract/schema/time.js';
import { type ListedPayment, paymentStatuses, type PaymentStatus } from '../../contract/schema/payments.js';
import { AbortedError, InvalidRequestError } from '../../errors/api.js';
import { abortAtEnd, iterationEnded, linkController } from '../../core/pagination.js';
import { Deadline } from '../../transport/deadline.js';
import { assertOptions, type RequestOptions } from '../../transport/request-options.js';
import { readCheckpoint, type ChangesCheckpoint, type CheckpointData } from './checkpoint.js';
import { PaymentPoller } from './poller.js';
import {
  resolveStatuses,
  defineOptions,
  delayOption,
  listConsistencyWindow,
  timeWindow,
  unchecked,
  type WorkflowContext,
} from '../context.js';
import { PollBackoff } from '../backoff.js';

/** The options of `payments.changes`. */
export interface ChangesOptions extends RequestOptions {
  /**
   * Where to start: a checkpoint, to continue after it; or a time, to report every payment created since (an ISO 8601
   * UTC string ending in Z, or a `Date`). @default now: payments that exist already are reported only when their status
   * changes
   */
  readonly since?: ChangesCheckpoint | string | Date | undefined;
  /**
   * The delay between two polls, in milliseconds. It doubles while nothing changes and while polls fail.
   * @default 10_000
   */
  readonly pollInterval?: number | undefined;
  /** The longest delay between two polls, in milliseconds. @default 120_000 */
  readonly maxPollInterval?: number | undefined;
  /**
   * Reports everything that had changed when the call started, and ends. For a job that runs from time to time, with
   * the checkpoint of its previous run as `since`. Polls up to three times while `checkpoint.behind` is true. @default
   * false
   */
  readonly once?: boolean | undefined;
  /**
   * Reports only changes to these statuses; `unknownValue('ON_HOLD')` is one that this version does not know. @default
   * all statuses, including unknown ones
   */
  readonly statuses?: readonly (PaymentStatus | UnknownValue)[] | undefined;
  /**
   * How long after its completion a payment can still be reported as returned, in milliseconds; 0 disables it. It costs
   * one request per poll and per hundred payments that were returned in that time. Of a payment that was completed
   * before the start, its creation counts. @default 15_552_000_000 (180 days)
   */
  readonly returnWindow?: number | undefined;
  /**
   * How long after its creation a payment may take to appear in the list, in milliseconds. Every poll searches this far
   * into the past. @default the client's, or else 300_000
   */
  readonly consistencyWindow?: number | undefined;
  /**
   * Stores a checkpoint after every poll, when all its changes were consumed. It is awaited until `signal` aborts.
   * Cheaper than one per change.
   */
  readonly onCheckpoint?: ((checkpoint: ChangesCheckpoint) => void | Promise<void>) | undefined;
}

/** A new payment, or a payment whose status changed. */
export interface PaymentChange {
  /** The payment in its current state. */
  readonly payment: ListedPayment;
  /** The last known status; undefined if the payment is new. */
  readonly previousStatus: OpenEnum<PaymentStatus> | undefined;
  /** The position after this change: store it after you have processed the change. It is created when you read it. */
  readonly checkpoint: ChangesCheckpoint;
}

/**
 * The body of a webhook that `corridor follow --forward-to` posts: JSON, signed as a Standard Webhook. The header
 * `webhook-id` is the same for each delivery of a change.
 */
export interface PaymentWebhookEvent {
  /** `payment.created` if the payment is new. */
  readonly type: 'payment.created' | 'payment.status_changed';
  /** When the payment was changed, as the platform returned it. */
  readonly timestamp: string;
  /** The change. */
  readonly data: {
    /** The payment as it was read last, with the status of this change. */
    readonly payment: ListedPayment;
    /** The last known status; null if the payment is new. */
    readonly previousStatus: OpenEnum<PaymentStatus> | null;
  };
}

const changesOptions = defineOptions<ChangesOptions>('must be an object, such as { since: checkpoint }', () => ({
  since: unchecked(),
  pollInterval: delayOption(),
  maxPollInterval: delayOption(),
  once: boolean(),
  statuses: unchecked(),
  returnWindow: timeWindow(),
  consistencyWindow: timeWindow(),
  onCheckpoint: functionOf(),
}));

const endpoint = 'payments.changes';
// A poll looks up this many payments that ended; the next poll continues with the others.
const maxLookups = 50;
// A run with `once` polls again if a payment is missing from the lists, or in a state that the next poll must confirm.
const maxPolls = 3;

/** Polls for changes of payments until the caller stops iterating or aborts. */
export function changes(
  context: WorkflowContext,
  options: ChangesOptions,
): AsyncGenerator<PaymentChange, void, undefined> {
  const stop = new AbortController();
  return abortAtEnd(followUntil(stop, context, options), stop);
}

// Aborts `stop` when the caller's signal aborts.
async function* followUntil(
  stop: AbortController,
  context: WorkflowContext,
  options: ChangesOptions,
): AsyncGenerator<PaymentChange, void, undefined> {
  assertOptions(changesOptions, options);
  const { unlink } = linkController(options.signal, stop);
  try {
    yield* follow(context, { ...options, signal: stop.signal });
  } catch (error) {
    if (stop.signal.reason !== iterationEnded || !(error instanceof AbortedError)) throw error;
  } finally {
    unlink();
  }
}

async function* follow(
  context: WorkflowContext,
  options: ChangesOptions,
): AsyncGenerator<PaymentChange, void, undefined> {
  const {
    since,
    pollInterval = 10_000,
    maxPollInterval = 120_000,
    returnWindow = 180 * 24 * 60 * 60_000,
    consistencyWindow = context.options.consistencyWindow ?? listConsistencyWindow,
    once = false,
    statuses,
    onCheckpoint,
    ...request
  } = options;
  const reported =
    statuses === undefined ? undefined : resolveStatuses(endpoint, 'statuses', statuses, paymentStatuses);
  const start = parseSince(since);
  const backoff = new PollBackoff(
    pollInterval,
    maxPollInterval,
    request.maxRetryAfter ?? context.options.maxRetryAfter,
  );
  const deadline = new Deadline(context.timing, { endpoint, signal: request.signal });
  const windows = { returnWindow, consistencyWindow, maxLookups: once ? Number.POSITIVE_INFINITY : maxLookups };
  const poller = new PaymentPoller(context, request, windows, start);
  for (let polls = 0; ;) {
    let hasChanged = false;
    let failure: { readonly error: unknown } | undefined;
    try {
      for await (const { payment, previousStatus } of context.tracer.iterate(endpoint, poller.poll())) {
        deadline.throwIfAborted('its changes were being read');
        hasChanged = true;
        if (reported?.includes(payment.status) === false) continue;
        const createCheckpoint = poller.checkpoint();
        yield {
          payment,
          previousStatus,
          get checkpoint() {
            return createCheckpoint();
          },
        };
      }
    } catch (error) {
      if (error instanceof AbortedError) throw error;
      failure = { error };
    }
    // A failed poll has found changes, too, and a failed start payments: more may be missing.
    if (poller.hasPosition) {
      const checkpoint = poller.checkpoint()();
      await deadline.wait(Promise.resolve(onCheckpoint?.(checkpoint)), 'its checkpoint was being stored');
      if (failure === undefined) polls += 1;
      if (once && (!checkpoint.behind || polls === maxPolls)) return;
    }
    const delay = failure === undefined ? backoff.next(hasChanged) : backoff.nextAfterError(failure.error);
    await deadline.sleep(delay);
  }
}

function parseSince(since: unknown): CheckpointData | number | undefined {
  if (since === undefined) return undefined;
  const timestamp = isDate(since) && !Number.isNaN(since.getTime()) ? since.toISOString() : since;
  if (typeof timestamp === 'string' && isTimestamp(timestamp)) return Date.parse(timestamp);
  if (typeof since === 'object' && since !== null && !isDate(since)) return readCheckpoint(since);
  throw new InvalidRequestError(endpoint, [
    { path: 'since', message: 'must be a checkpoint, an ISO 8601 UTC date-time ending in Z, or a valid Date' },
  ]);
}
