import type { Issue } from 'corridor-sdk';
import type * as z from 'zod';

/** Returns the issues of a parsed value with their paths as the client writes them; none if it is valid. */
export function issuesOf({ error }: z.ZodSafeParseResult<unknown>): readonly Issue[] {
  return (error?.issues ?? []).map(({ path, message }) => ({ path: textOf(path), message }));
}

const textOf = (path: readonly PropertyKey[]): string =>
  path.map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${String(key)}`)).join('');
