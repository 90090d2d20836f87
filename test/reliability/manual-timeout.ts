import type { CorridorOptions } from 'corridor-sdk';

const limits = { timeout: 20_000, totalTimeout: 40_000 } as const;

/** A timeout that elapses when a test calls `elapse`, and not after a duration. */
export class ManualTimeout {
  /** The options of a client. Its other timeouts never elapse, and delays between attempts end at once. */
  readonly options: CorridorOptions;
  #elapse: () => void = () => {};
  #response: Response | undefined;

  constructor(limit: keyof typeof limits = 'timeout') {
    this.options = {
      ...limits,
      sleep: (milliseconds) =>
        new Promise((resolve) => {
          if (milliseconds === limits[limit]) this.#elapse = resolve;
          else if (milliseconds < limits.timeout) resolve();
        }),
      fetch: async (input, init) => (this.#response = await globalThis.fetch(input, init)),
    };
  }

  /** Lets the timeout of the current call or attempt elapse. */
  elapse(): void {
    this.#elapse();
  }

  /** Whether the client reads the body of a response. */
  isReading(): boolean {
    return this.#response?.body?.locked === true;
  }
}
