import type { Deadline, TimeLeft } from '../transport/deadline.js';
import type { RequestOptions } from '../transport/request-options.js';

/** One of the searches that share a read. */
interface Reader {
  readonly from: () => number | undefined;
  readonly options: RequestOptions;
  /** The limits of the search. */
  readonly deadline: Deadline;
  /** Receives each row. Returns true if it needs no more. */
  readonly visit: (row: unknown) => boolean | void;
}

/** Reads rows from a time on, in milliseconds, until `visit` returns true. */
type ReadRows = (
  scan: Pick<Reader, 'from' | 'options'> & { readonly call: TimeLeft },
  visit: Reader['visit'],
) => Promise<void>;

/** A read that has not begun. */
interface PlannedRead {
  readonly readers: Set<Reader>;
  readonly done: Promise<void>;
  /** Ends it, because nobody waits for it. */
  readonly cancel: () => void;
}

/**
 * Reads of a list that the searches of one client share, because an outage makes many calls search at the same time. A
 * search joins a read that has not begun, so that it sees what it would see alone.
 */
export class SharedReads {
  readonly #planned = new Map<string, PlannedRead>();
  readonly #running = new Map<string, Promise<void>>();

  /** Reads rows together with the searches of the same group, within the limits of this one. */
  async read(group: string, reader: Reader, readRows: ReadRows, during: string): Promise<void> {
    const { signal: _signal, ...options } = reader.options;
    const name = JSON.stringify([group, options]);
    const { readers, done, cancel } = this.#planned.get(name) ?? this.#plan(name, options, readRows);
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    const own: Reader = {
      ...reader,
      visit(row) {
        if (reader.visit(row) !== true) return;
        readers.delete(own);
        end();
      },
    };
    readers.add(own);
    try {
      await reader.deadline.wait(Promise.race([done, ended]), during);
    } finally {
      readers.delete(own);
      if (readers.size === 0) cancel();
    }
  }

  #plan(name: string, options: RequestOptions, readRows: ReadRows): PlannedRead {
    const readers = new Set<Reader>();
    const controller = new AbortController();
    const begin = async (): Promise<void> => {
      // It may have been canceled, and another one planned.
      if (readers.size === 0) return;
      this.#planned.delete(name);
      const scan = {
        from: () => {
          const starts = [...readers].map(({ from }) => from());
          return starts.includes(undefined) ? undefined : Math.min(...(starts as number[]));
        },
        options: { ...options, signal: controller.signal },
        call: {
          get remaining() {
            return Math.max(...[...readers].map(({ deadline }) => deadline.remaining));
          },
          get wholeTimeout() {
            return Math.max(...[...readers].map(({ deadline }) => deadline.wholeTimeout));
          },
        },
      };
      await readRows(scan, (row) => {
        for (const { visit } of readers) visit(row);
        return readers.size === 0;
      });
    };
    const done = (this.#running.get(name) ?? Promise.resolve()).catch(() => {}).then(begin);
    const cancel = (): void => {
      controller.abort();
      if (this.#planned.get(name) === planned) this.#planned.delete(name);
    };
    const planned: PlannedRead = { readers, done, cancel };
    this.#planned.set(name, planned);
    this.#running.set(name, done);
    const forget = (): void => {
      if (this.#running.get(name) === done) this.#running.delete(name);
    };
    done.then(forget, forget);
    return planned;
  }
}
