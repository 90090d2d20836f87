import { StatusLine, type Output } from '../terminal.js';

const width = 24;

/** Shows progress: as one line that changes on a terminal, otherwise as a line every five seconds. */
export class ProgressBar {
  readonly #output: Output;
  readonly #line: StatusLine;
  readonly #started = performance.now();
  readonly #firstItems: number;
  #shownAt = performance.now();

  constructor(output: Output, firstItems: number) {
    this.#output = output;
    this.#line = new StatusLine(output);
    this.#firstItems = firstItems;
  }

  /** Shows the progress, at most ten times per second. `done` is the part that is done, from 0 to 1; 0 if unknown. */
  async show(items: number, done: number): Promise<void> {
    const now = performance.now();
    if (now - this.#shownAt < (this.#output.isTerminal ? 100 : 5_000)) return;
    this.#shownAt = now;
    const elapsed = now - this.#started;
    const rate = Math.round(((items - this.#firstItems) * 1_000) / Math.max(1, elapsed));
    const count = `${items.toLocaleString('en')} records, ${rate.toLocaleString('en')}/s, ${clock(elapsed)}`;
    // A bar that stays empty until the end would look stuck.
    const percent = done === 0 ? '' : `${Math.floor(done * 100)}%  `;
    if (!this.#output.isTerminal) return this.#output.line(`${percent}${count}`);
    const filled = Math.round(done * width);
    const bar = done === 0 ? '' : `${'█'.repeat(filled)}${'░'.repeat(width - filled)}  `;
    await this.#line.show(`${bar}${percent}${count}`);
  }

  /** Removes the line. */
  clear(): Promise<void> {
    return this.#line.clear();
  }
}

function clock(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
