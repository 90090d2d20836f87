import { describeText } from '../contract/violations.js';
import { InvalidRequestError } from '../errors/api.js';

/**
 * A status that this version of the SDK does not know, such as one that the platform has added since.
 *
 * @example
 * ```ts
 * import type { UnknownStatus } from 'corridor-sdk';
 * const onHold: UnknownStatus = { status: 'ON_HOLD', unknown: true };
 * ```
 */
export interface UnknownStatus {
  /** The status as the platform sends it. */
  readonly status: string;
  /** Confirms that the status is not misspelled. */
  readonly unknown: true;
}

/**
 * Returns the statuses of an option as strings. Throws an InvalidRequestError for a status that is not known, because a
 * misspelled one is never reached.
 */
export function resolveStatuses(
  endpoint: string,
  path: string,
  value: unknown,
  known: readonly string[],
): readonly string[] {
  if (!Array.isArray(value))
    throw new InvalidRequestError(endpoint, [
      { path, message: `must be an array of statuses, such as ['${known[0]}'] (received ${typeof value})` },
    ]);
  const statuses = (value as readonly unknown[]).map((entry) => statusOf(entry, known));
  const unknown = [...statuses.keys()].filter((index) => statuses[index] === undefined);
  if (unknown.length > 0)
    throw new InvalidRequestError(
      endpoint,
      unknown.map((index) => ({
        path: `${path}[${index}]`,
        message: `must be one of ${known.join(', ')} (received ${describeText((value as readonly unknown[])[index])}); for a status that the platform has added since, pass { status, unknown: true }`,
      })),
    );
  return statuses as readonly string[];
}

function statusOf(entry: unknown, known: readonly string[]): string | undefined {
  if (typeof entry === 'string') return known.includes(entry) ? entry : undefined;
  const { status, unknown } = (entry ?? {}) as Partial<Readonly<Record<keyof UnknownStatus, unknown>>>;
  return unknown === true && typeof status === 'string' && status !== '' ? status : undefined;
}
