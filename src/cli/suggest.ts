/** Returns a suggestion of the known word most similar to the typed one; empty if there is no similar word. */
export function suggestSimilar(typed: string, known: readonly string[], prefix = ''): string {
  const limit = Math.max(2, Math.floor(typed.length / 3));
  const [best] = known
    .map((word) => ({
      word,
      distance: word.startsWith(typed) && typed.length > 1 ? 0 : distance(typed.toLowerCase(), word.toLowerCase()),
    }))
    .filter((one) => one.distance <= limit && one.distance * 2 < one.word.length)
    .toSorted((left, right) => left.distance - right.distance);
  return best === undefined ? '' : `; did you mean ${prefix}${best.word}?`;
}

/** Returns the Damerau-Levenshtein distance (optimal string alignment) of two words. */
function distance(from: string, to: string): number {
  let secondLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const costs = [(last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, (last[column - 1] ?? 0) + (same ? 0 : 1)];
      current.push(Math.min(...costs, swapped ? (secondLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY));
    }
    secondLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}
