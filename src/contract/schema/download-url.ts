/**
 * Returns the only absolute http(s) URL in a body, in any field; undefined if there are zero or several. Assumed: A-4.
 */
export function findDownloadUrl(body: unknown): string | undefined {
  const found = new Set<string>();
  const pending: unknown[] = [body];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === 'string') {
      if (/^https?:\/\/[^\s]+$/i.test(value) && URL.canParse(value)) found.add(value);
    } else if (typeof value === 'object' && value !== null) {
      for (const inner of Object.values(value) as unknown[]) pending.push(inner);
    }
  }
  const [url, ...others] = found;
  return others.length === 0 ? url : undefined;
}
