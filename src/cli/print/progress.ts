import { StatusLine, type Output } from '../terminal.js';

/** Shows progress: as one line that changes on a terminal, otherwise as a line every five seconds. */
export class Progress {
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
    const text = `${done === 0 ? '' : `${Math.floor(done * 100)}%  `}${count}`;
    return this.#output.isTerminal ? this.#line.show(text) : this.#output.line(text);
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
