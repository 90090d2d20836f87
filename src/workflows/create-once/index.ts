import { functionOf, numberFrom } from '../../contract/options.js';
import { enumOf } from '../../contract/schema/primitives.js';
import {
  assertOptions,
  maxTimerDelay,
  validateHeaders,
  type RequestOptions,
} from '../../transport/request/request-options.js';
import { withDeadline, claim, resolveEntry } from './claim.js';
import type { PaymentCreateIntent } from '../../errors/payments.js';
import { createIntent, parseIntent } from './intent.js';
import { awaitOtherAttempt } from './join.js';
import type { CreateOnceResult, CreateOnceContext, CreateOnceDependencies } from './context.js';
import { defineOptions } from '../workflow-options.js';
import { sendOnce } from './send-once.js';

/** The options of `payments.createOnce`. */
export interface CreateOnceOptions extends RequestOptions {
  /**
   * Stores the intent, which is frozen, before anything is sent. It is awaited; if it throws, nothing is sent and
   * `createOnce` throws the same error. If this call joins a call in flight, it receives the intent of that call, and
   * an error ends only this call. @default undefined
   */
  readonly onIntent?: ((intent: PaymentCreateIntent) => void | Promise<void>) | undefined;
  /**
   * How long a payment may take to appear in the list after its creation got no conclusive response, in milliseconds.
   * It is part of `totalTimeout`, whose last third is reserved for the last search.
   * @default that of the client
   */
  readonly consistencyWindow?: number | undefined;
  /**
   * `never`: searches for a payment whose outcome is unknown, and does not send it again. `after-consistency-window`:
   * when the consistency window has passed since the creation failed, and the complete list does not show the payment,
   * sends the same bytes again for the same quote. That is safe only if the platform accepts a quote once, or if the
   * window is longer than the platform ever takes to commit and list a payment: ask the platform. @default 'never'
   */
  readonly resend?: 'never' | 'after-consistency-window' | undefined;
}

/**
 * Claims the quote of a validated request, sends the request once, and determines the outcome. Calls `onIntentKnown`
 * with the intent that holds the quote: that of this call or that of the existing journal entry.
 */
export async function createOnce(
  context: CreateOnceContext,
  request: PaymentCreateIntent['request'],
  onIntentKnown: (intent: PaymentCreateIntent) => void,
): Promise<CreateOnceResult> {
  const { clock } = context.workflow;
  const newIntent = (): PaymentCreateIntent => createIntent(request, clock);
  const send = async (intent: PaymentCreateIntent): Promise<CreateOnceResult> => {
    onIntentKnown(intent);
    await notifyIntent(context, intent);
    return sendOnce(context, intent);
  };
  const intent = newIntent();
  const existing = await claim(context, intent);
  if (existing === true) return send(intent);
  onIntentKnown(parseIntent(existing.intent));
  return awaitOtherAttempt(context, existing, { newIntent, send });
}

const createOnceOptions = defineOptions<CreateOnceOptions>("must be an object, such as { resend: 'never' }", () => ({
  onIntent: functionOf(),
  consistencyWindow: numberFrom(0, maxTimerDelay, ' of milliseconds'),
  resend: enumOf(['never', 'after-consistency-window']),
}));

/** Validates the options of a call and starts its total timeout. */
export function createOnceContext(dependencies: CreateOnceDependencies, options: CreateOnceOptions): CreateOnceContext {
  assertOptions(createOnceOptions, options);
  const {
    onIntent,
    consistencyWindow = dependencies.workflow.consistencyWindow,
    resend = 'never',
    ...requestOptions
  } = options;
  const { timing } = dependencies.workflow;
  const { totalTimeout = dependencies.workflow.totalTimeout, headers, ...request } = requestOptions;
  // A copy: the request may be sent long after the call.
  const sentHeaders = validateHeaders('payments.create', headers);
  const started = timing.elapsed();
  return {
    ...dependencies,
    request: { ...request, headers: sentHeaders },
    consistencyWindow,
    resend: resend !== 'never',
    onIntent,
    totalTimeout,
    remaining: () => totalTimeout - (timing.elapsed() - started),
  };
}

async function notifyIntent(context: CreateOnceContext, intent: PaymentCreateIntent): Promise<void> {
  const { onIntent } = context;
  if (onIntent === undefined) return;
  try {
    await withDeadline(context, 'waiting for onIntent', async () => onIntent(intent));
  } catch (error) {
    await resolveEntry(context.workflow, intent, { outcome: 'not-created' }, context);
    throw error;
  }
}
