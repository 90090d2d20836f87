import { noteIntent } from '../error.js';
import { AbortedError, CorridorError, InvalidRequestError, TimeoutError, type ErrorCode } from '../errors.js';
import { Limits, Stopped, type Stop } from '../transport/limits.js';
import { createOnce } from './create-once.js';
import { intentFor, type PaymentIntent } from './intent.js';
import { sameRequest } from './join.js';
import type { CreateOnceResult, OnceCall } from './once.js';
import { unknownOutcome } from './send-once.js';

/** A payment under way, as a call that joins it sees it. */
interface Course {
  readonly call: OnceCall;
  readonly request: PaymentIntent['request'];
  /** The intent that stands for the quote, once that is known. */
  readonly standing: Promise<PaymentIntent>;
  readonly result: Promise<CreateOnceResult>;
  /** Whether it failed by the `onIntent` of its own caller. */
  failedByCaller(): boolean;
}

/** The payments that a client has under way, by their quotes: a second call for a quote joins the first. */
export class PaymentsUnderWay {
  readonly #courses = new Map<string, Course>();

  /** Creates a payment of a checked request, or joins the call that does. */
  async createOnce(call: OnceCall, request: PaymentIntent['request']): Promise<CreateOnceResult> {
    for (;;) {
      const first = this.#courses.get(request.paymentQuoteId);
      if (first === undefined) return this.#begin(call, request);
      if (!sameRequest(first.request, request)) {
        throw new InvalidRequestError('payments.create', [{ path: 'paymentQuoteId', message: 'is the quote of another payment that is under way in this client, with a different request' }]);
      }
      const result = await follow(call, first);
      if (result !== undefined) return { ...result, created: false };
    }
  }

  #begin(call: OnceCall, request: PaymentIntent['request']): Promise<CreateOnceResult> {
    const { onIntent } = call;
    let failed = false;
    const watched = async (intent: PaymentIntent): Promise<void> => {
      try {
        await onIntent?.(intent);
      } catch (error) {
        failed = true;
        throw error;
      }
    };
    let stands: (intent: PaymentIntent) => void = () => {};
    const standing = new Promise<PaymentIntent>((resolve) => (stands = resolve));
    const key = request.paymentQuoteId;
    const result = createOnce({ ...call, onIntent: onIntent && watched }, request, (intent) => stands(intent)).finally(() => this.#courses.delete(key));
    this.#courses.set(key, { call, request, standing, result, failedByCaller: () => failed });
    return result;
  }
}

// It ended for a reason of its own caller's, which is none of another's: a signal, a time limit, an option.
const ownReasons: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['aborted', 'timeout', 'configuration', 'invalid-request']);

/** Waits for the call under way, by the limits of this one; undefined where that ended for reasons of its own, so that this one must see for itself. */
async function follow(call: OnceCall, first: Course): Promise<CreateOnceResult | undefined> {
  const { timing, clock } = call.workflow;
  const limits = new Limits(timing, Math.max(1, call.left()), call.request.signal);
  let intent: PaymentIntent | undefined;
  const ended = first.result.catch((error: unknown) => {
    if (first.failedByCaller() || (error instanceof CorridorError && (ownReasons.has(error.code) || hadLessTime(first.call, call, error)))) return undefined;
    throw error;
  });
  try {
    intent = await limits.run(Promise.race([first.standing, first.result.then(() => undefined, () => undefined)]));
    if (intent !== undefined) await limits.run(handOn(call, intent));
    return await limits.run(ended);
  } catch (thrown) {
    throw thrown instanceof Stopped ? stopped(call, intent ?? intentFor(first.request, clock.now(), clock.offset), thrown.stop) : thrown;
  } finally {
    limits.close();
    ended.catch(() => {});
  }
}

function hadLessTime(first: OnceCall, call: OnceCall, error: CorridorError): boolean {
  return error.code === 'payment-outcome-unknown' && (first.deadline < call.deadline || first.settleWindow < call.settleWindow);
}

async function handOn({ onIntent }: OnceCall, intent: PaymentIntent): Promise<void> {
  await onIntent?.(intent);
}

// This call has sent nothing, but the one that it waits for may have.
function stopped(call: OnceCall, intent: PaymentIntent, stop: Stop): CorridorError {
  const endpoint = 'payments.create';
  const during = 'waiting for the call under way for the same quote (whether the payment was made is not known)';
  if (stop.kind !== 'aborted') {
    const cause = new TimeoutError(`${endpoint} was not done within its deadline of ${call.deadline} ms: it was still ${during}`, { endpoint, outcome: 'unknown' });
    return unknownOutcome(call, intent, { cause, listAsked: false });
  }
  const error = new AbortedError(`${endpoint} was aborted while ${during}`, { endpoint, outcome: 'unknown', cause: stop.reason });
  noteIntent(error, intent);
  return error;
}
