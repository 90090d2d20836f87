/** The statuses that a record may move to, by its current status. */
export type TransitionRows = Readonly<Record<string, readonly string[]>>;

/** Returns the shortest sequence of statuses that leads from one status to another; undefined if none does. */
export function shortestPath(rows: TransitionRows, from: string, to: string): readonly string[] | undefined {
  const paths: (readonly string[])[] = [[from]];
  const seen = new Set([from]);
  for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
    const last = path.at(-1) ?? from;
    if (last === to) return path.slice(1);
    for (const next of rows[last] ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      paths.push([...path, next]);
    }
  }
  return undefined;
}
