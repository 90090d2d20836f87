import { describeType } from '../../contract/validate.js';
import { MockPlatformError } from '../error.js';
import type { PlannedFault } from '../faults/planned-fault.js';
import type { RecordedRequest } from '../http/request-log.js';
import type { CreatableRecords } from './created-records.js';

/** The `this` of matchers in vitest and jest. */
export interface MatcherContext {
  /** Returns whether two values are equal, using asymmetric matchers such as `expect.any(String)`. */
  equals(received: unknown, expected: unknown): boolean;
  /** Whether the matcher is negated by `.not`. */
  readonly isNot?: boolean | undefined;
  /** The functions that format values. */
  readonly utils: {
    /** Formats an expected value. */
    printExpected(value: unknown): string;
    /** Formats a received value. */
    printReceived(value: unknown): string;
  };
}

/** The result of a matcher. */
export interface MatcherResult {
  /** Whether the value matches. */
  readonly pass: boolean;
  /** Returns the failure message; with `.not`, the reason why the value matches. */
  message(): string;
}

/** The part of a platform or an organization that the matchers read. */
export interface Subject extends SubjectOrganization {
  readonly seed: string;
  readonly requests: readonly RecordedRequest[];
  readonly organizations?: readonly SubjectOrganization[];
}

interface SubjectOrganization extends CreatableRecords {
  readonly id: string;
  readonly faults: { list(): readonly PlannedFault[] };
}

/** Creates the result of a matcher; the message is formatted only if it is printed. */
export function result(
  { isNot }: MatcherContext,
  { organizations, seed }: Subject,
  call: string,
  pass: boolean,
  lines: () => readonly string[],
): MatcherResult {
  const subject = organizations === undefined ? 'organization' : 'platform';
  return {
    pass,
    message: () =>
      [`expect(${subject})${isNot === true ? '.not' : ''}.${call}`, '', ...lines(), '', `Seed: ${seed}`].join('\n'),
  };
}

/** Throws `MockPlatformError` if a value is not a number of requests or records. */
export function requireCount(call: string, count: number): void {
  if (!Number.isInteger(count) || count < 0)
    throw new MockPlatformError(`${call}: the first argument must be an integer of 0 or more (received ${count})`);
}

/**
 * Returns a platform or an organization. Throws `MockPlatformError` if the value is neither.
 *
 * Checks the shape instead of using instanceof, because each CommonJS entry contains its own copy of the platform.
 */
export function subjectOf(call: string, value: unknown): Subject {
  const { seed, requests, payments, tickets } = Object(value) as Partial<Subject>;
  if (typeof seed === 'string' && Array.isArray(requests) && payments !== undefined && tickets !== undefined)
    return value as Subject;
  throw new MockPlatformError(
    `${call}: the value must be a mock platform or one of its organizations (received ${describeType(value)})`,
  );
}
