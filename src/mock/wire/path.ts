const patterns = new Map<string, RegExp>();

/**
 * Returns the ids in a path by their names in a pattern such as `/api/v1/customers/{id}`; undefined if the path does
 * not match, or an id is not percent-encoded.
 */
export function paramsOf(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const names = [...pattern.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const expression = patterns.get(pattern) ?? expressionOf(pattern);
  patterns.set(pattern, expression);
  const [match, ...ids] = expression.exec(path) ?? [];
  if (match === undefined) return undefined;
  try {
    return Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(ids[index] ?? '')]));
  } catch {
    return undefined;
  }
}

/** Everything but the ids is literal. */
function expressionOf(pattern: string): RegExp {
  const literals = pattern.split(/\{\w+\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${literals.join('([^/]+)')}$`);
}
