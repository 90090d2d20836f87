/** One rule that a value breaks, and the path of the value. Never contains the value itself. */
export interface Issue {
  /** The path, such as `documentIds[0]`; empty for the value as a whole. */
  readonly path: string;
  /** The rule, such as `must be a string (received number)`. */
  readonly message: string;
}

/**
 * Joins issues to the text of an error message; `name` is that of the whole value. A list of the known fields appears
 * only once.
 */
export function formatIssues(issues: readonly Issue[], name: string): string {
  const listed = new Set<string>();
  const first = (list: string): string => (listed.has(list) ? '' : (listed.add(list), list));
  return issues
    .map(({ path, message }) => `${path === '' ? name : path} ${message.replace(/ \(known: [^()]*\)/, first)}`)
    .join('; ');
}
