import type { Output } from '../terminal.js';

/** The progress of an export; unknown parts are undefined. */
export interface Measured {
  readonly items: number;
  readonly done?: number | undefined;
  readonly remainingSeconds?: number | undefined;
}

const width = 24;

/** Shows progress: as one line that changes on a terminal, otherwise as a line every five seconds. */
export class ProgressBar {
  readonly #output: Output;
  readonly #started = performance.now();
  readonly #firstItems: number;
  #shownAt = performance.now();

  constructor(output: Output, firstItems: number) {
    this.#output = output;
    this.#firstItems = firstItems;
  }

  /** Shows the progress, at most ten times per second. */
  async show({ items, done, remainingSeconds }: Measured): Promise<void> {
    const now = performance.now();
    if (now - this.#shownAt < (this.#output.isTerminal ? 100 : 5_000)) return;
    this.#shownAt = now;
    const rate = Math.round(((items - this.#firstItems) * 1_000) / Math.max(1, now - this.#started));
    const count = `${items.toLocaleString('en')} records, ${rate.toLocaleString('en')}/s`;
    const percent = done === undefined ? '' : `${Math.floor(done * 100)}%  `;
    const left = remainingSeconds === undefined ? '' : `, ${clock(remainingSeconds)} left`;
    if (!this.#output.isTerminal) return this.#output.line(`${percent}${count}${left}`);
    const filled = Math.round((done ?? 0) * width);
    const bar = done === undefined ? '' : `${'█'.repeat(filled)}${'░'.repeat(width - filled)}  `;
    // A line that is wider than the terminal would wrap, and could not be replaced.
    const line = `${bar}${percent}${count}${left}`.slice(0, this.#output.width - 1);
    await this.#output.write(`\r${line}\x1b[K`);
  }

  /** Removes the line. */
  async clear(): Promise<void> {
    if (this.#output.isTerminal) await this.#output.write('\r\x1b[K');
  }
}

function clock(seconds: number): string {
  const rounded = Math.ceil(seconds);
  return `${Math.floor(rounded / 60)}:${String(rounded % 60).padStart(2, '0')}`;
}
