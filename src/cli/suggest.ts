/** The longest part in which a typed word may differ from the word that is suggested. */
const maxDifference = 2;

/** Returns a suggestion of the known word most similar to the typed one; empty if there is no similar word. */
export function suggestSimilar(typed: string, known: readonly string[], prefix = ''): string {
  const [best] = known
    .map((word) => ({ word, difference: typed.length > 1 && word.startsWith(typed) ? 0 : difference(typed, word) }))
    .filter((one) => one.difference <= maxDifference && one.difference * 2 < one.word.length)
    .toSorted((left, right) => left.difference - right.difference);
  return best === undefined ? '' : `; did you mean ${prefix}${best.word}?`;
}

/** Returns the length of the part in which two words differ, between what they begin and end with. */
function difference(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length);
  let [start, end] = [0, 0];
  while (start < shorter && one[start] === other[start]) start += 1;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  return Math.max(one.length, other.length) - start - end;
}
