/** Control and text direction characters, with which untrusted text could manipulate the terminal. */
const unprintable = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;
const wide =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uff01-\uff60]/u;

const graphemes = new Intl.Segmenter();

/** Makes untrusted text safe for one line of a terminal. */
export function toPrintable(text: string): string {
  return text.replaceAll(unprintable, ' ').trim();
}

/** Returns the width of a text in terminal columns. */
export function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += wide.test(segment) ? 2 : 1;
  return width;
}

/** Pads a text to a width in terminal columns, on the right unless `align` is `right`. */
export function pad(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const fill = ' '.repeat(Math.max(0, width - widthOf(text)));
  return align === 'left' ? text + fill : fill + text;
}

/** Formats pairs as lines with aligned columns. */
export function alignColumns(rows: readonly (readonly [string, string])[], indent = '  '): string {
  const width = Math.max(0, ...rows.map(([name]) => widthOf(name)));
  return rows.map(([name, text]) => `${indent}${pad(name, width)}  ${text}`.trimEnd()).join('\n');
}

/** The largest width of a text that is easy to read. */
export const maxTextWidth = 120;

/** Breaks a text between words into lines of at most `width` columns; only a longer word exceeds it. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(last) + 1 + widthOf(word) <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Wraps a help text: lines of prose are joined first, and the second column of a table keeps its indent. */
export function wrapHelp(text: string, width: number): string {
  if (width === Number.POSITIVE_INFINITY) return text;
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    const last = lines.at(-1);
    // A line of prose that ends within a sentence continues on the next one.
    if (last !== undefined && /^\S/.test(line) && /^\S/.test(last) && /[^.:]$/.test(last))
      lines[lines.length - 1] = `${last} ${line}`;
    else lines.push(line);
  }
  return lines
    .flatMap((line) => {
      const [start = ''] = /^ *(?:(?<= )(?:\S+ )*\S+ {2,})?/.exec(line) ?? [];
      const rest = line.slice(start.length);
      const indent = ' '.repeat(/^ */.exec(start)?.[0].length ?? 0);
      const hang = (words: string, first: string, others: string): string[] =>
        wrap(words, width - others.length).map((part, index) => (index === 0 ? first : others) + part);
      // The rest of a command is indented more than the next command.
      if (start === indent) return hang(rest, indent, indent === '' ? '' : `${indent}  `);
      if (start.length <= width / 2) return hang(rest, start, ' '.repeat(start.length));
      const deep = `${indent}    `;
      return [...hang(start.trim(), indent, deep), ...hang(rest, deep, deep)];
    })
    .join('\n');
}

/** Serializes a value as JSON that is also safe to show on a terminal. */
export function jsonText(value: unknown, indent?: number): string {
  // JSON.stringify does not escape these control characters.
  return (JSON.stringify(value, undefined, indent) ?? 'null').replaceAll(
    /[\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
