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

/** Pads or truncates a text to an exact width in terminal columns. */
export function padOrTruncate(text: string, width: number, side: 'left' | 'right' = 'left'): string {
  const fill = width - widthOf(text);
  if (fill >= 0) return side === 'left' ? text + ' '.repeat(fill) : ' '.repeat(fill) + text;
  let cut = '';
  for (const { segment } of graphemes.segment(text)) {
    if (widthOf(cut) + widthOf(segment) > width - 1) break;
    cut += segment;
  }
  return padOrTruncate(`${cut}…`, width, side);
}

/** Formats pairs as lines with aligned columns. */
export function alignColumns(rows: readonly (readonly [string, string])[], indent = '  '): string {
  const width = Math.max(0, ...rows.map(([name]) => widthOf(name)));
  return rows.map(([name, text]) => `${indent}${padOrTruncate(name, width)}  ${text}`.trimEnd()).join('\n');
}

/** Serializes a value as JSON that is also safe to show on a terminal. */
export function jsonText(value: unknown, indent?: number): string {
  // JSON.stringify does not escape these control characters.
  return (JSON.stringify(value, undefined, indent) ?? 'null').replaceAll(
    /[\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
