/** Control characters and those that turn the direction of text: what comes from elsewhere could use them to take over the terminal. */
const unprintable = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;
const wide = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uff01-\uff60]/u;

const graphemes = new Intl.Segmenter();

/** Foreign text, fit to stand on one line of a terminal. */
export function plain(text: string): string {
  return text.replaceAll(unprintable, ' ').trim();
}

/** How many columns of a terminal a text takes. */
export function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += wide.test(segment) ? 2 : 1;
  return width;
}

/** A text that takes exactly so many columns: cut, or filled up with spaces. */
export function fitted(text: string, width: number, side: 'left' | 'right' = 'left'): string {
  const fill = width - widthOf(text);
  if (fill >= 0) return side === 'left' ? text + ' '.repeat(fill) : ' '.repeat(fill) + text;
  let cut = '';
  for (const { segment } of graphemes.segment(text)) {
    if (widthOf(cut) + widthOf(segment) > width - 1) break;
    cut += segment;
  }
  return fitted(`${cut}…`, width, side);
}

/** Pairs as lines, the second ones below each other. */
export function aligned(rows: readonly (readonly [string, string])[], indent = '  '): string {
  const width = Math.max(0, ...rows.map(([name]) => widthOf(name)));
  return rows.map(([name, text]) => `${indent}${fitted(name, width)}  ${text}`.trimEnd()).join('\n');
}

/** A value as JSON text that is safe to show on a terminal, too. */
export function jsonText(value: unknown, indent?: number): string {
  // JSON.stringify leaves the second block of control characters as they are.
  return (JSON.stringify(value, undefined, indent) ?? 'null').replaceAll(/[\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A path as a word of a POSIX shell, in quotes where it needs them, and never taken for an option. */
export function shellPath(path: string): string {
  const named = path.startsWith('-') ? `./${path}` : path;
  return /^[\w./-]+$/.test(named) ? named : `'${named.replaceAll("'", String.raw`'\''`)}'`;
}
