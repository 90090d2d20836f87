/** A range of creation times: `from` is included, `to` is not. In milliseconds since the epoch. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** Adds a range to sorted ranges that do not overlap, and joins those that touch. */
export function addRange(ranges: readonly TimeRange[], added: TimeRange): readonly TimeRange[] {
  const before = ranges.filter(({ to }) => to < added.from);
  const after = ranges.filter(({ from }) => from > added.to);
  const touching = ranges.slice(before.length, ranges.length - after.length);
  const from = Math.min(added.from, ...touching.map((range) => range.from));
  const to = Math.max(added.to, ...touching.map((range) => range.to));
  return [...before, { from, to }, ...after];
}

/** Returns the parts of a range that the sorted ranges do not cover. */
export function gaps(range: TimeRange, covered: readonly TimeRange[]): readonly TimeRange[] {
  const found: TimeRange[] = [];
  let { from } = range;
  for (const { from: start, to: end } of covered) {
    if (start > from) found.push({ from, to: Math.min(start, range.to) });
    from = Math.max(from, end);
  }
  if (from < range.to) found.push({ from, to: range.to });
  return found.filter((gap) => gap.from < gap.to);
}

/** Cuts a range at the times that lie within it. */
export function cutAt(range: TimeRange, times: Iterable<number>): readonly TimeRange[] {
  const inner = [...new Set(times)].filter((time) => time > range.from && time < range.to);
  const bounds = [range.from, ...inner.toSorted((one, other) => one - other), range.to];
  return bounds.slice(1).map((to, index) => ({ from: bounds[index] ?? range.from, to }));
}
