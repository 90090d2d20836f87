import type { Timing } from './timing.js';

/** Why a call was stopped from outside its own work. */
export type Stop = { readonly kind: 'timeout' | 'deadline' } | { readonly kind: 'aborted'; readonly reason: unknown };

/** Thrown to whoever waits for work of a call that was stopped. */
export class Stopped extends Error {
  readonly stop: Stop;

  constructor(stop: Stop) {
    super(stop.kind);
    this.stop = stop;
  }
}

/**
 * What bounds one call: the caller's signal, the deadline over everything, and the timeout of the attempt under way. Whatever
 * the call waits for, it waits for here, so that it ends at once when one of the three does, even if the work never settles.
 */
export class Limits {
  readonly #timing: Timing;
  readonly #signal: AbortSignal | undefined;
  readonly #started: number;
  readonly #deadline: number;
  readonly #onAbort = (): void => this.#halt({ kind: 'aborted', reason: this.#signal?.reason });
  #cancelDeadline: () => void = () => {};
  #cancelTimeout: () => void = () => {};
  #controller: AbortController | undefined;
  #stop: Stop | undefined;
  #fail: ((stopped: Stopped) => void) | undefined;

  constructor(timing: Timing, deadline: number, signal: AbortSignal | undefined) {
    this.#timing = timing;
    this.#deadline = deadline;
    this.#signal = signal;
    this.#started = timing.elapsed();
    this.#cancelDeadline = timing.after(deadline, () => this.#halt({ kind: 'deadline' }));
    if (signal?.aborted === true) this.#onAbort();
    else signal?.addEventListener('abort', this.#onAbort);
  }

  /** How much of the deadline is left, in milliseconds. */
  get remaining(): number {
    return Math.min(this.#deadline, this.#deadline - (this.#timing.elapsed() - this.#started));
  }

  /** Begins an attempt; the signal tells it to give up. */
  begin(timeout: number): AbortSignal {
    this.#endAttempt();
    this.#controller = new AbortController();
    if (this.#stop !== undefined) this.#controller.abort();
    this.#cancelTimeout = this.#timing.after(timeout, () => this.#halt({ kind: 'timeout' }));
    return this.#controller.signal;
  }

  /** Waits for work, or throws `Stopped` as soon as a limit is reached. One wait at a time. */
  run<T>(work: PromiseLike<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#fail = reject;
      work.then(resolve, reject);
      if (this.#stop !== undefined) reject(new Stopped(this.#stop));
    });
  }

  /** Pauses between two attempts. */
  pause(milliseconds: number): Promise<void> {
    this.#endAttempt();
    let cancel = (): void => {};
    const paused = new Promise<void>((resolve) => (cancel = this.#timing.after(milliseconds, resolve)));
    return this.run(paused).finally(() => cancel());
  }

  /** Ends the call: no timer and no listener is left. */
  close(): void {
    this.#cancelTimeout();
    this.#cancelDeadline();
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#fail = undefined;
  }

  // A timeout stops its attempt only; the other limits stop the call.
  #endAttempt(): void {
    this.#cancelTimeout();
    if (this.#stop?.kind === 'timeout') this.#stop = undefined;
  }

  #halt(stop: Stop): void {
    if (this.#stop !== undefined && this.#stop.kind !== 'timeout') return;
    this.#stop = stop;
    this.#fail?.(new Stopped(stop));
    this.#controller?.abort();
  }
}
