/** A place among the requests in flight. */
export interface Place {
  /** Resolves when the request may go. */
  readonly ready: Promise<void>;
  /** Gives the place up, whether it was reached or not. */
  leave(): void;
}

/** Lets so many requests be in flight at once; the others wait in line. */
export class Gate {
  readonly #most: number;
  readonly #waiting = new Set<() => void>();
  #inside = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Takes a place, or a place in line. */
  enter(): Place {
    let inside = this.#inside < this.#most;
    if (inside) this.#inside += 1;
    let admit = (): void => {};
    const ready = inside ? Promise.resolve() : new Promise<void>((resolve) => {
      admit = () => {
        inside = true;
        resolve();
      };
      this.#waiting.add(admit);
    });
    const leave = (): void => {
      this.#waiting.delete(admit);
      if (!inside) return;
      const [next] = this.#waiting;
      if (next === undefined) this.#inside -= 1;
      else {
        this.#waiting.delete(next);
        next();
      }
    };
    return { ready, leave };
  }
}
