/** The right to send one request. */
export interface Permit {
  /** Resolves when the request may be sent. */
  readonly ready: Promise<void>;
  /** Releases the permit, whether or not it was granted; further calls have no effect. */
  release(): void;
}

/** Limits the number of concurrent requests; further requests wait in order, those of the background after all others. */
export class Semaphore {
  readonly #capacity: number;
  readonly #waiting = new Set<() => void>();
  readonly #background = new Set<() => void>();
  #acquired = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Requests a permit. */
  acquire(isBackground = false): Permit {
    const queue = isBackground ? this.#background : this.#waiting;
    let isGranted = this.#acquired < this.#capacity;
    if (isGranted) this.#acquired += 1;
    let grant = (): void => {};
    const ready = isGranted
      ? Promise.resolve()
      : new Promise<void>((resolve) => {
          grant = () => {
            isGranted = true;
            resolve();
          };
          queue.add(grant);
        });
    const release = (): void => {
      queue.delete(grant);
      if (!isGranted) return;
      isGranted = false;
      const others = this.#waiting.size > 0 ? this.#waiting : this.#background;
      const [next] = others;
      if (next === undefined) this.#acquired -= 1;
      else {
        others.delete(next);
        next();
      }
    };
    return { ready, release };
  }
}
