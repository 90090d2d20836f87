import type { EndpointName } from '../../contract/endpoints.js';
import { createdRecords, type CreatedKind } from './created-records.js';
import { requireExpected, type ExpectedRequest } from './expected-request.js';
import { requireCount, result, subjectOf, type MatcherContext, type MatcherResult } from './matcher.js';
import { describeOrder, searchInOrder, type ExpectedStep } from './order.js';
import { withRemoteSubjects } from './remote-subject.js';
import { countByEndpoint, faultLine, lastLines, pluralize, requestList } from './report.js';
import { describeMissing, describeReceived, search } from './search.js';

export type { MatcherContext, MatcherResult } from './matcher.js';

/**
 * The matchers that `expect(platform)` and `expect(organization)` add. A platform includes all of its organizations.
 */
export interface CorridorMatchers<Result = void> {
  /**
   * Passes if a request to the endpoint was received with the expected ids, filters and body fields. Includes rejected
   * requests.
   */
  toHaveReceived<Name extends EndpointName>(endpoint: Name, expected?: ExpectedRequest<Name>): Result;
  /** Passes if the number of such requests is exactly `times`. */
  toHaveReceivedTimes<Name extends EndpointName>(
    times: number,
    endpoint: Name,
    expected?: ExpectedRequest<Name>,
  ): Result;
  /**
   * Passes if matching requests were received in this order, each an endpoint or an array of an endpoint and expected
   * fields. Others may be between them.
   */
  toHaveReceivedInOrder(steps: readonly ExpectedStep[]): Result;
  /**
   * Passes if requests created exactly `count` payments, or replies to tickets, that still exist. Excludes records that
   * the test added.
   */
  toHaveCreatedExactly(count: number, kind: CreatedKind): Result;
  /** Passes if a request was rejected, optionally only to an endpoint and with an error code. */
  toHaveRejected(endpoint?: EndpointName, code?: string): Result;
  /**
   * Passes if every fault has happened: those of `next` and `sequence` as often as planned, those of `always` and `rate`
   * at least once. Passes if there are no faults.
   */
  toHaveTriggeredAllFaults(): Result;
}

/**
 * The matchers, for test runners such as jest that pass them to `expect.extend`. For vitest, import
 * `corridor-sdk/mock/vitest` instead. With a platform of `connectMockPlatform`, matchers return a promise: `await
 * expect(platform).toHaveReceived('payments.create')`. Each matcher throws `MockPlatformError` for a value that is not a platform or an
 * organization, an unknown endpoint, or an unknown field.
 *
 * @example
 * ```ts
 * import { corridorMatchers, createMockPlatform } from 'corridor-sdk/mock';
 * import { expect, test } from 'vitest';
 * expect.extend(corridorMatchers);
 * test('nothing is sent', () => {
 *   expect(createMockPlatform()).not.toHaveReceived('payments.create');
 * });
 * ```
 */
export const corridorMatchers = withRemoteSubjects({
  /** See `CorridorMatchers`. */
  toHaveReceived(this: MatcherContext, platform: unknown, endpoint: EndpointName, expected?: object): MatcherResult {
    const found = search(this, 'toHaveReceived', platform, endpoint, expected);
    const { subject, matching } = found;
    const pass = matching.length > 0;
    return result(this, subject, `toHaveReceived('${endpoint}')`, pass, () =>
      pass
        ? [`${describeReceived(matching.length, endpoint, expected)}:`, ...requestList(subject.requests, matching)]
        : describeMissing(this, found),
    );
  },

  /** See `CorridorMatchers`. */
  toHaveReceivedTimes(
    this: MatcherContext,
    platform: unknown,
    times: number,
    endpoint: EndpointName,
    expected?: object,
  ): MatcherResult {
    requireCount('toHaveReceivedTimes', times);
    const found = search(this, 'toHaveReceivedTimes', platform, endpoint, expected);
    const { subject, matching } = found;
    return result(this, subject, `toHaveReceivedTimes(${times}, '${endpoint}')`, matching.length === times, () => [
      ...(matching.length === 0
        ? []
        : [`${describeReceived(matching.length, endpoint, expected)}:`, ...requestList(subject.requests, matching)]),
      ...(matching.length < times ? describeMissing(this, found) : []),
    ]);
  },

  /** See `CorridorMatchers`. */
  toHaveReceivedInOrder(this: MatcherContext, platform: unknown, steps: readonly ExpectedStep[]): MatcherResult {
    const found = searchInOrder(this, platform, steps);
    return result(this, found.subject, 'toHaveReceivedInOrder', found.missing === undefined, () =>
      describeOrder(this, found),
    );
  },

  /** See `CorridorMatchers`. */
  toHaveCreatedExactly(this: MatcherContext, platform: unknown, count: number, kind: CreatedKind): MatcherResult {
    requireCount('toHaveCreatedExactly', count);
    const subject = subjectOf('toHaveCreatedExactly', platform);
    const { endpoint, singular, plural, describeCreated } = createdRecords('toHaveCreatedExactly', kind);
    const records = (subject.organizations ?? [subject]).flatMap(describeCreated);
    const requests = subject.requests.filter((request) => request.endpoint === endpoint);
    return result(this, subject, `toHaveCreatedExactly(${count}, '${kind}')`, records.length === count, () => [
      `Requests created ${pluralize(records.length, singular, plural)}${records.length === 0 ? '.' : ':'}`,
      ...lastLines(records),
      requests.length === 0 ? `Received no request to ${endpoint}.` : `${describeReceived(requests.length, endpoint)}:`,
      ...requestList(subject.requests, requests),
    ]);
  },

  /** See `CorridorMatchers`. */
  toHaveRejected(this: MatcherContext, platform: unknown, endpoint?: EndpointName, code?: string): MatcherResult {
    const subject = subjectOf('toHaveRejected', platform);
    if (endpoint !== undefined) requireExpected('toHaveRejected', endpoint);
    const requests =
      endpoint === undefined ? subject.requests : subject.requests.filter((request) => request.endpoint === endpoint);
    const rejected = requests.filter(({ error }) => error !== undefined && (code === undefined || error.code === code));
    const call = [endpoint, code]
      .slice(0, code !== undefined ? 2 : endpoint !== undefined ? 1 : 0)
      .map((argument) => (argument === undefined ? 'undefined' : `'${argument}'`))
      .join(', ');
    const rejection = `request${endpoint === undefined ? '' : ` to ${endpoint}`} was rejected${code === undefined ? '' : ` with ${code}`}`;
    return result(this, subject, `toHaveRejected(${call})`, rejected.length > 0, () => {
      if (rejected.length > 0) return [`A ${rejection}:`, ...requestList(subject.requests, rejected)];
      return [
        `No ${rejection}.`,
        ...(requests.length === 0
          ? countByEndpoint(subject.requests)
          : [`${describeReceived(requests.length, endpoint)}:`, ...requestList(subject.requests, requests)]),
      ];
    });
  },

  /** See `CorridorMatchers`. */
  toHaveTriggeredAllFaults(this: MatcherContext, platform: unknown): MatcherResult {
    const subject = subjectOf('toHaveTriggeredAllFaults', platform);
    const planned = (subject.organizations ?? [subject])
      .flatMap(({ id, faults }) => faults.list().map((fault) => ({ organization: id, ...fault })))
      .filter(({ fault }) => fault !== 'ok');
    const pending = planned.filter(({ remaining, hits }) => hits === 0 || (remaining ?? 0) > 0);
    return result(this, subject, 'toHaveTriggeredAllFaults()', pending.length === 0, () => [
      pending.length === 0
        ? `All of ${pluralize(planned.length, 'fault')} happened${planned.length === 0 ? '.' : ':'}`
        : `${pending.length} of ${pluralize(planned.length, 'fault')} did not happen:`,
      ...lastLines((pending.length === 0 ? planned : pending).map(faultLine)),
      ...(pending.length === 0 ? [] : countByEndpoint(subject.requests)),
    ]);
  },
});
