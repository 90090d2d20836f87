import { ConfigurationError } from '../errors.js';
import { checkedHeaders, checkRequestOptions, type RequestOptions } from '../transport/request-options.js';
import { beforeSending, claim, settle } from './claim.js';
import { intentFor, readIntent, type PaymentIntent } from './intent.js';
import { join } from './join.js';
import type { CreateOnceResult, OnceCall, OnceSteps } from './once.js';
import { checkMilliseconds } from './pace.js';
import { defaultSettleWindow } from './reconcile.js';
import { sendOnce } from './send-once.js';

/** How a payment is created exactly once. */
export interface CreateOnceOptions extends RequestOptions {
  /**
   * Stores the intent, which is frozen, before anything is sent; awaited. What it throws is thrown, and nothing was sent. Where this call
   * joins one under way in this client, it is given that one's intent, and what it throws ends this call only. @default none
   */
  readonly onIntent?: ((intent: PaymentIntent) => void | Promise<void>) | undefined;
  /**
   * How long a payment may take to show up in the list once its creation got no sure answer, in milliseconds. It lies inside
   * `deadline`, of which the last third is kept for the last look. @default 10_000
   */
  readonly settleWindow?: number | undefined;
  /**
   * `never`: a payment whose outcome is unknown is looked for, and not sent again. `after-settle-window`: once the settle window has
   * passed since the answer failed to come, and the list, read to its end after that, does not show the payment, the same bytes are
   * sent again, against the same quote. That is safe only where the platform uses a quote once, or where the window is longer than
   * the platform ever takes to commit a payment and to list it: ask the platform. @default 'never'
   */
  readonly resend?: 'never' | 'after-settle-window' | undefined;
}

/**
 * Notes a checked request, sends it once, and finds out what became of it. `stands` is told of the intent that stands for the quote:
 * this call's, or that of the record in the journal.
 */
export async function createOnce(call: OnceCall, request: PaymentIntent['request'], stands: (intent: PaymentIntent) => void): Promise<CreateOnceResult> {
  const { clock } = call.workflow;
  const note = (): PaymentIntent => intentFor(request, clock.now(), clock.offset);
  const begin = async (intent: PaymentIntent): Promise<CreateOnceResult> => {
    stands(intent);
    await handOver(call, intent);
    return sendOnce(call, intent);
  };
  const intent = note();
  const standing = await claim(call, intent);
  if (standing === true) return begin(intent);
  stands(readIntent(standing.intent));
  return join(call, standing, { note, begin });
}

/** Checks the options of a call, whose time begins now. */
export function onceCall(steps: OnceSteps, options: CreateOnceOptions): OnceCall {
  if (typeof options !== 'object' || options === null) checkRequestOptions(options);
  const { onIntent, settleWindow = defaultSettleWindow, resend = 'never', ...given } = options;
  checkRequestOptions(given);
  checkedHeaders('payments.create', given.headers);
  checkMilliseconds('payments.create', { settleWindow }, 0);
  if (resend !== 'never' && resend !== 'after-settle-window') throw new ConfigurationError("resend must be 'never' or 'after-settle-window'");
  if (onIntent !== undefined && typeof onIntent !== 'function') throw new ConfigurationError(`onIntent must be a function (got ${typeof onIntent})`);
  const { timing } = steps.workflow;
  const { deadline = steps.workflow.deadline, ...request } = given;
  const started = timing.elapsed();
  return { ...steps, request, settleWindow, resend: resend !== 'never', onIntent, deadline, left: () => deadline - (timing.elapsed() - started) };
}

async function handOver(call: OnceCall, intent: PaymentIntent): Promise<void> {
  const { onIntent } = call;
  if (onIntent === undefined) return;
  try {
    await beforeSending(call, 'waiting for onIntent', async () => onIntent(intent));
  } catch (error) {
    await settle(call.workflow, intent, { outcome: 'not-created' }, call);
    throw error;
  }
}
