import type { PaymentCreateIntent } from '../../contract/intent.js';
import { releasableFrom } from '../../journal/journal.js';
import type { ServerClock } from '../../transport/clock.js';
import type { WorkflowContext } from '../context.js';
import { platformClockSpread } from '../platform-time.js';

/** Checks whether an intent is from the future: then it was created by a wrong clock, whatever it says. */
export function isFromFuture({ createdAt }: PaymentCreateIntent, clock: ServerClock): boolean {
  return Date.parse(createdAt) - clock.now() > platformClockSpread;
}

/**
 * Returns why time proves nothing about an intent; undefined if it does. A client that does not know the platform's time
 * after a response decides nothing: neither that the process no longer sends the payment, nor that the list would show
 * it. Nor does an intent from the future, or one whose process did not know that time: its clock may have been behind.
 */
export function unprovenTime(intent: PaymentCreateIntent, clock: ServerClock): string | undefined {
  if (!clock.isKnown) return `this client does not know the platform's time: ${clock.problem}. Set the machine's clock`;
  if (isFromFuture(intent, clock)) return `its createdAt, ${intent.createdAt}, is in the future: a clock was wrong`;
  if (intent.clockKnown !== true) return "the process that claimed it did not know the platform's time";
  return undefined;
}

/**
 * Returns whether the process of an intent can no longer send it, and the list shows it, if time proves that.
 */
export function isReleasable({ clock, options }: WorkflowContext, intent: PaymentCreateIntent): boolean {
  return clock.now() >= releasableFrom(intent, options.consistencyWindow);
}

/** Says how a person releases an intent about which time proves nothing. */
export const releaseByPerson =
  'Only a person can release it: ask the platform whether it has the payment, make sure that the process that ' +
  'claimed it has ended, and run corridor journal resolve, or call ' +
  "payments.releaseIntent(intent, { confirmedBy: 'your name' })";
