import { killed, Process, type Surroundings } from './process.ts';
import { isExplained } from './settings.ts';
import { describe } from './trace.ts';

const minute = 60_000;

/** A partner that lists payments. */
export class Lister {
  readonly #surroundings: Surroundings;
  #runs = 0;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  /** Lists payments again and again until a time. */
  async run(until: number): Promise<void> {
    const { time, random } = this.#surroundings;
    while (time.now() < until) {
      await time.wait(random.below(2 * minute));
      await this.#list();
    }
  }

  async #list(): Promise<void> {
    const { time, random, platform, settings, trace } = this.#surroundings;
    this.#runs += 1;
    const process = new Process(`list ${this.#runs}`, this.#surroundings);
    const began = time.now();
    try {
      const list = process.client.payments.list({ limit: random.pick([2, 10, 100]) });
      const pages = await process.run(async () => {
        const read: string[][] = [];
        for await (const page of list.pages()) read.push(page.items.map(({ id }) => id));
        return read;
      });
      if (pages === killed) return;
      const ids = pages.flat();
      trace.add(process.name, `lists ${ids.join(', ')}`);
      // Rows can move further than to the next page.
      const repeated = pages.flatMap((page, index) => page.filter((id) => pages[index - 1]?.includes(id)));
      if (repeated.length > 0) trace.fail(`list returned ${repeated.join(', ')} twice`);
      // Rows of a list that is sorted otherwise can move while it is read.
      const isStable = settings.sort === 'createdAt' && settings.staleness === 0;
      const missing = platform.payments.filter(({ id, listed }) => listed <= began && !ids.includes(id));
      if (isStable && missing.length > 0) trace.fail(`list lost ${missing.map(({ id }) => id).join(', ')}`);
    } catch (thrown) {
      trace.add(process.name, `list throws ${describe(thrown)}`);
      if (!isExplained(thrown, settings, platform.isCalm)) trace.fail(`list threw ${describe(thrown)}`);
    }
  }
}
