const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z$/;

/** Checks whether all values of a column are UTC timestamps or empty. */
export function areTimes(cells: readonly string[]): boolean {
  return cells.some((cell) => cell !== '') && cells.every((cell) => cell === '' || timestamp.test(cell));
}

/** Shortens UTC timestamps to `11-21 06:42`, or to `2025-11-21 06:42` if one of them is of another year than `now`. */
export function shortTimes(cells: readonly string[], now: Date): readonly string[] {
  const year = `${now.getUTCFullYear()}-`;
  const start = cells.every((cell) => cell === '' || cell.startsWith(year)) ? year.length : 0;
  return cells.map((cell) => cell.slice(start, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' '));
}
