import { readMarkdown, type Section, type Table } from './markdown.js';

/**
 * The specification by its headings. Whatever it does not hold, or holds twice, fails by name: a reader that passes
 * over things proves nothing.
 */
export class Document {
  readonly #sections: ReadonlyMap<string, Section>;

  constructor(source: string) {
    this.#sections = readMarkdown(source);
  }

  lines(title: string): readonly string[] {
    return this.#section(title).lines;
  }

  /** The n-th table under a heading; without n, the only one. */
  table(title: string, n?: number): Table {
    const { tables } = this.#section(title);
    if (n === undefined && tables.length !== 1) fail(`${tables.length} tables in ${title}`);
    return tables[n ?? 0] ?? fail(`no table ${n} in ${title}`);
  }

  /** The one line under a heading that a pattern fits. */
  line(title: string, pattern: RegExp): string {
    const [line, second] = this.lines(title).filter((text) => pattern.test(text));
    if (line === undefined || second !== undefined) fail(`not one line of ${title} says ${String(pattern)}`);
    return line;
  }

  /** Returns the text after an opening in the only line that has it. */
  after(title: string, opening: RegExp): string {
    return this.line(title, opening).replace(opening, '');
  }

  #section(title: string): Section {
    return this.#sections.get(title) ?? fail(`no section ${title}`);
  }
}

/** A cell of a row, by its column. */
export function cell(row: Table[number], column: string): string {
  return row[column] ?? fail(`no column ${column}`);
}

/** Throws an error for text that cannot be parsed. */
export function fail(message: string): never {
  throw new Error(`Reading the specification: ${message}`);
}
