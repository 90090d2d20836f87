/** A table of a document: one record per row, by the words of the header. */
export type Table = readonly Readonly<Record<string, string>>[];

/** The part of a document under one heading. */
export interface Section {
  readonly title: string;
  /** Its lines of prose; a list item is one line without its dash. */
  readonly lines: readonly string[];
  readonly tables: readonly Table[];
}

/** Reads the headings, tables and prose of a markdown document. Nothing of the contract is known here. */
export function readMarkdown(source: string): Map<string, Section> {
  const sections = new Map<string, Section>();
  for (const part of source.split(/^(?=#{1,6} )/m)) {
    const [heading = '', ...body] = part.split('\n');
    const title = heading.replace(/^#+ /, '').trim();
    if (sections.has(title)) throw new Error(`two sections are called ${title}`);
    sections.set(title, { title, lines: proseOf(body), tables: tablesOf(body) });
  }
  return sections;
}

const isRow = (line: string): boolean => line.startsWith('|');

function proseOf(lines: readonly string[]): string[] {
  return lines
    .filter((line) => line.trim() !== '' && !isRow(line))
    .map((line) => line.replace(/^(?:-|\d+\.) /, '').trim());
}

function tablesOf(lines: readonly string[]): Table[] {
  const blocks: string[][] = [];
  lines.forEach((line, index) => {
    if (!isRow(line)) return;
    if (index > 0 && isRow(lines[index - 1] ?? '')) blocks.at(-1)?.push(line);
    else blocks.push([line]);
  });
  return blocks.map(([header = '', rule = '', ...rows]) => {
    if (!/^[|\s:-]+$/.test(rule)) throw new Error(`not a table: ${header}`);
    const names = cellsOf(header);
    return rows.map((row) => {
      const cells = cellsOf(row);
      if (cells.length !== names.length)
        throw new Error(`a row of ${cells.length} cells under ${names.length} headings: ${row}`);
      return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '']));
    });
  });
}

function cellsOf(row: string): string[] {
  return row
    .replace(/^\|/, '')
    .replace(/\|\s*$/, '')
    .split('|')
    .map((cell) => cell.trim());
}
