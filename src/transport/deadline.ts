import type { Timing } from './clock.js';
import { AbortedError } from '../errors/api.js';

/** The reason why a call was stopped. */
export type StopReason =
  | { readonly kind: 'timeout' | 'total-timeout' }
  | { readonly kind: 'aborted'; readonly reason: unknown };

/** Thrown if a call is aborted or times out. */
export class CallStoppedError extends Error {
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(reason.kind);
    this.reason = reason;
  }
}

/**
 * The limits of one call: the caller's signal, the total timeout, and the timeout of the current attempt. Everything
 * that the call awaits goes through `race`, so that it rejects as soon as a limit is reached, even if the work never
 * settles.
 */
export class CallTimeouts {
  readonly #timing: Timing;
  readonly #signal: AbortSignal | undefined;
  readonly #started: number;
  readonly #totalTimeout: number;
  readonly #onAbort = (): void => this.#stop({ kind: 'aborted', reason: this.#signal?.reason });
  #cancelTotalTimeout: () => void = () => {};
  #cancelTimeout: () => void = () => {};
  #controller: AbortController | undefined;
  #reason: StopReason | undefined;
  #reject: ((stopped: CallStoppedError) => void) | undefined;

  constructor(timing: Timing, totalTimeout: number, signal: AbortSignal | undefined) {
    this.#timing = timing;
    this.#totalTimeout = totalTimeout;
    this.#signal = signal;
    this.#started = timing.elapsed();
    this.#cancelTotalTimeout = timing.after(totalTimeout, () => this.#stop({ kind: 'total-timeout' }));
    if (signal?.aborted === true) this.#onAbort();
    else signal?.addEventListener('abort', this.#onAbort);
  }

  /** The remainder of the total timeout, in milliseconds. */
  get remaining(): number {
    return Math.min(this.#totalTimeout, this.#totalTimeout - (this.#timing.elapsed() - this.#started));
  }

  /** Starts an attempt, which `endAttempt` ends; the returned signal aborts it. */
  startAttempt(timeout: number): AbortSignal {
    this.#controller = new AbortController();
    if (this.#reason !== undefined) this.#controller.abort();
    this.#cancelTimeout = this.#timing.after(timeout, () => this.#stop({ kind: 'timeout' }));
    return this.#controller.signal;
  }

  /**
   * Waits for work, or rejects with `CallStoppedError` as soon as a limit is reached. Call it for one promise at a
   * time.
   */
  race<T>(work: PromiseLike<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#reject = reject;
      work.then(resolve, reject);
      if (this.#reason !== undefined) reject(new CallStoppedError(this.#reason));
    });
  }

  /** Ends an attempt: its timeout stops only the attempt, and the other limits stop the call. */
  endAttempt(): void {
    this.#cancelTimeout();
    if (this.#reason?.kind === 'timeout') this.#reason = undefined;
  }

  /** Waits between two attempts. */
  sleep(milliseconds: number): Promise<void> {
    let cancel = (): void => {};
    const elapsed = new Promise<void>((resolve) => (cancel = this.#timing.after(milliseconds, resolve, 'delay')));
    return this.race(elapsed).finally(() => cancel());
  }

  /** Ends the call: clears all timers and listeners. */
  close(): void {
    this.#cancelTimeout();
    this.#cancelTotalTimeout();
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#reject = undefined;
  }

  #stop(reason: StopReason): void {
    if (this.#reason !== undefined && this.#reason.kind !== 'timeout') return;
    this.#reason = reason;
    this.#reject?.(new CallStoppedError(reason));
    this.#controller?.abort();
  }
}

/** Waits between two calls of a workflow; rejects at once if the caller's signal aborts. */
export async function sleep(
  timing: Timing,
  milliseconds: number,
  signal: AbortSignal | undefined,
  endpoint: string,
): Promise<void> {
  let cancel = (): void => {};
  const elapsed = new Promise<void>((resolve) => (cancel = timing.after(milliseconds, resolve, 'delay')));
  try {
    await unlessAborted(elapsed, signal, endpoint, 'waiting');
  } finally {
    cancel();
  }
}

/** Waits for work that may never settle; rejects at once if the caller's signal aborts. */
export async function unlessAborted<T>(
  work: PromiseLike<T>,
  signal: AbortSignal | undefined,
  endpoint: string,
  during: string,
): Promise<T> {
  let onAbort = (): void => {};
  try {
    return await new Promise<T>((resolve, reject) => {
      onAbort = () =>
        reject(
          new AbortedError(`${endpoint} was aborted while ${during}`, {
            endpoint,
            outcome: 'unknown',
            cause: signal?.reason,
          }),
        );
      work.then(resolve, reject);
      if (signal?.aborted === true) return onAbort();
      signal?.addEventListener('abort', onAbort);
    });
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}
