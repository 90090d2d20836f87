import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Output } from './terminal.js';
import type { ListedPayment, MirrorError, PaymentWebhookEvent } from '../index.js';
import type { Mirror, MirrorChange } from '../mirror/mirror.js';

/** What is forwarded, and how. */
export interface ForwardOptions {
  /** The name of the position in the mirror. */
  readonly name: string;
  readonly once: boolean;
  /** Forwards only changes to these statuses. */
  readonly statuses: readonly string[] | undefined;
  /** Receives a line if another process forwards. */
  readonly notes: Output;
  deliver(event: PaymentWebhookEvent, sequence: number): Promise<void>;
}

const pollInterval = 1_000;

/** Forwards the changes of payments in a mirror, from a position that it stores there. */
export class Forwarder {
  readonly #mirror: Mirror;
  readonly #options: ForwardOptions;
  readonly #owner = randomUUID();
  #position = 0;

  constructor(mirror: Mirror, options: ForwardOptions) {
    this.#mirror = mirror;
    this.#options = options;
  }

  /** Creates the position behind the last change, unless it exists. */
  async start(): Promise<void> {
    this.#position = (await this.#leasePosition({ isReleased: true })) ?? 0;
  }

  /**
   * Delivers each change in order until the signal aborts, or with `once` until the last one. Only one of several
   * processes delivers: if it is killed, another continues with the change that was not confirmed.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { name, once, notes } = this.#options;
    for (let hasWaited = false; !signal.aborted;) {
      try {
        const { sequence = 0, state } = (await this.#mirror.state()) ?? {};
        const isFilled = state?.filledAt !== undefined;
        if (once || (isFilled && sequence > this.#position)) {
          // What was delivered while the database failed is stored first.
          const position = await this.#leasePosition({ to: this.#position });
          if (position !== undefined) await this.#deliverAfter(position, signal);
          else if (!hasWaited)
            await notes.line(`Another process posts the webhooks of ${name}. This one continues when it ends.`);
          if (once && position !== undefined) return;
          hasWaited ||= position === undefined;
        }
      } catch (error) {
        const { code, retryable } = Object(error) as Partial<MirrorError>;
        if (once || code !== 'mirror' || retryable !== true) throw error;
      }
      await sleep(pollInterval, undefined, { signal }).catch(() => undefined);
    }
  }

  async #deliverAfter(position: number, signal: AbortSignal): Promise<void> {
    const { statuses, deliver } = this.#options;
    const ended = new AbortController();
    const renewing = this.#renewUntil(ended.signal);
    this.#position = position;
    try {
      for await (const change of this.#mirror.changes({ after: position, once: true, signal })) {
        const { record, previousStatus, status, sequence } = change;
        const isForwarded = record === 'payment' && status !== null && status !== previousStatus;
        if (isForwarded && statuses?.includes(status) !== false) {
          await deliver(this.#eventOf(change), sequence);
          this.#position = sequence;
          const stored = await this.#leasePosition({ to: sequence });
          // Otherwise, another process has taken over.
          if (stored !== sequence) return;
        }
        this.#position = sequence;
      }
    } finally {
      ended.abort();
      await renewing;
      await this.#leasePosition({ to: this.#position, isReleased: true }).catch(() => undefined);
    }
  }

  async #renewUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(this.#mirror.renewInterval, undefined, { signal }).catch(() => undefined);
      if (!signal.aborted) await this.#leasePosition().catch(() => undefined);
    }
  }

  #leasePosition(options?: { readonly to?: number; readonly isReleased?: boolean }): Promise<number | undefined> {
    return this.#mirror.leasePosition(this.#options.name, this.#owner, options);
  }

  // The payment may have changed since: each event has the status to which it changed.
  #eventOf({ data, previousStatus, status }: MirrorChange): PaymentWebhookEvent {
    const payment = { ...data, status } as ListedPayment;
    const type = previousStatus === null ? 'payment.created' : 'payment.status_changed';
    return { type, timestamp: payment.updatedAt, data: { payment, previousStatus } };
  }
}
