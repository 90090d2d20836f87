/** A question that suggests the known word nearest to the one that was typed; empty where none is near. */
export function nearest(typed: string, known: readonly string[], prefix = ''): string {
  const limit = Math.max(2, Math.floor(typed.length / 3));
  const [best] = known
    .map((word) => ({ word, distance: word.startsWith(typed) && typed.length > 1 ? 0 : distance(typed.toLowerCase(), word.toLowerCase()) }))
    .filter((one) => one.distance <= limit && one.distance < one.word.length)
    .toSorted((left, right) => left.distance - right.distance);
  return best === undefined ? '' : `; did you mean ${prefix}${best.word}?`;
}

/** How many letters must be added, dropped, replaced or swapped with their neighbour to get from one word to the other. */
function distance(from: string, to: string): number {
  let before: number[] = [];
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const ways = [(above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, (above[column - 1] ?? 0) + (same ? 0 : 1)];
      current.push(Math.min(...ways, swapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY));
    }
    before = above;
    above = current;
  }
  return above[to.length] ?? 0;
}
