const exactly = 64;

/**
 * The cursors a walk has come by, in constant memory: the last 64 exactly, and a landmark that is set anew after 1, 2, 4, 8 …
 * pages, by which a longer circle is found on its second round.
 */
export class Trail {
  readonly #recent: readonly string[];
  readonly #landmark: string | undefined;
  readonly #steps: number;

  constructor(recent: readonly string[], landmark: string | undefined, steps: number) {
    this.#recent = recent;
    this.#landmark = landmark;
    this.#steps = steps;
  }

  /** The trail one page on; undefined where the cursor leads back to where the walk has been. */
  follow(cursor: string): Trail | undefined {
    if (this.#landmark === cursor || this.#recent.includes(cursor)) return undefined;
    const steps = this.#steps + 1;
    const isLandmark = Number.isInteger(Math.log2(steps));
    return new Trail([...this.#recent.slice(1 - exactly), cursor], isLandmark ? cursor : this.#landmark, steps);
  }
}

/** The trail of a walk that begins at a cursor, or at the start. */
export function start(cursor: string | undefined): Trail {
  return new Trail(cursor === undefined ? [] : [cursor], undefined, 0);
}
