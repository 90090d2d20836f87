import type { EndpointName } from '../contract/endpoints.js';
import { differencesOf, requireAsked, type AskedDifference, type MockAsked } from './asked.js';
import { created, type CreationLog, type MockCreated } from './created.js';
import { MockPlatformError } from './error.js';
import { counted, differenceLines, lastLines, requestLines, requestList, tally, type ValuePrinter } from './matcher-report.js';
import type { MockRequest } from './requests.js';

/** What a test runner gives its matchers as `this`: that of vitest, and that of jest. */
export interface MatcherContext {
  /** Whether two values are equal; those such as `expect.any(String)` decide themselves. */
  equals(received: unknown, expected: unknown): boolean;
  /** Whether the matcher stands behind `.not`. */
  readonly isNot?: boolean | undefined;
  /** How values are printed. */
  readonly utils: ValuePrinter;
}

/** What a matcher found. */
export interface MatcherResult {
  /** Whether what was expected holds. */
  readonly pass: boolean;
  /** Why it does not; with `.not`, why it does. */
  message(): string;
}

/** What `expect(platform)` and `expect(organization)` offer beside the runner's own matchers. A platform stands for all its organizations. */
export interface CorridorMatchers<Result = void> {
  /** A request to the endpoint came with these ids, filters and fields of its body. Requests that were refused count. */
  toHaveReceived<Name extends EndpointName>(endpoint: Name, asked?: MockAsked<Name>): Result;
  /** So many such requests came. */
  toHaveReceivedTimes<Name extends EndpointName>(times: number, endpoint: Name, asked?: MockAsked<Name>): Result;
  /** So many payments, or replies to tickets, were created by requests and are there. What the test added does not count. */
  toHaveCreatedExactly(count: number, kind: MockCreated): Result;
  /** A request was refused: to this endpoint and with this code, where they are given. */
  toHaveRefused(endpoint?: EndpointName, code?: string): Result;
}

/** What of a platform or an organization the matchers read. */
interface Subject extends CreationLog {
  readonly seed: string;
  readonly requests: readonly MockRequest[];
  readonly organizations?: readonly CreationLog[];
}

/**
 * The matchers, for a runner whose `expect` is extended with such an object, as jest's is. For vitest import
 * `corridor-sdk/mock/vitest`, which does that. Each throws `MockPlatformError` where it is asked about something that is not there:
 * no platform, an unknown endpoint, a field that the endpoint has not.
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
export const corridorMatchers = {
  /** See `CorridorMatchers`. */
  toHaveReceived(this: MatcherContext, platform: unknown, endpoint: EndpointName, asked?: object): MatcherResult {
    const found = find(this, 'toHaveReceived', platform, endpoint, asked);
    const { subject, matching } = found;
    const pass = matching.length > 0;
    return result(this, subject, `toHaveReceived('${endpoint}')`, pass, () => (pass ? [`${came(matching.length, endpoint, asked)}:`, ...requestList(subject.requests, matching)] : missing(this, found)));
  },

  /** See `CorridorMatchers`. */
  toHaveReceivedTimes(this: MatcherContext, platform: unknown, times: number, endpoint: EndpointName, asked?: object): MatcherResult {
    requireCount('toHaveReceivedTimes', times);
    const found = find(this, 'toHaveReceivedTimes', platform, endpoint, asked);
    const { subject, matching } = found;
    return result(this, subject, `toHaveReceivedTimes(${times}, '${endpoint}')`, matching.length === times, () => [
      ...(matching.length === 0 ? [] : [`${came(matching.length, endpoint, asked)}:`, ...requestList(subject.requests, matching)]),
      ...(matching.length < times ? missing(this, found) : []),
    ]);
  },

  /** See `CorridorMatchers`. */
  toHaveCreatedExactly(this: MatcherContext, platform: unknown, count: number, kind: MockCreated): MatcherResult {
    requireCount('toHaveCreatedExactly', count);
    const subject = subjectOf('toHaveCreatedExactly', platform);
    const { endpoint, one, many, all } = created('toHaveCreatedExactly', kind);
    const records = (subject.organizations ?? [subject]).flatMap(all);
    const requests = subject.requests.filter((request) => request.endpoint === endpoint);
    return result(this, subject, `toHaveCreatedExactly(${count}, '${kind}')`, records.length === count, () => [
      `Requests created ${counted(records.length, one, many)}${records.length === 0 ? '.' : ':'}`,
      ...lastLines(records),
      requests.length === 0 ? `No request to ${endpoint} came.` : `${came(requests.length, endpoint)}:`,
      ...requestList(subject.requests, requests),
    ]);
  },

  /** See `CorridorMatchers`. */
  toHaveRefused(this: MatcherContext, platform: unknown, endpoint?: EndpointName, code?: string): MatcherResult {
    const subject = subjectOf('toHaveRefused', platform);
    if (endpoint !== undefined) requireAsked('toHaveRefused', endpoint);
    const requests = endpoint === undefined ? subject.requests : subject.requests.filter((request) => request.endpoint === endpoint);
    const refused = requests.filter(({ refusal }) => refusal !== undefined && (code === undefined || refusal.code === code));
    const call = [endpoint, code].map((text) => (text === undefined ? 'undefined' : `'${text}'`)).join(', ').replace(/(?:(?:^|, )undefined)+$/, '');
    const wanted = `request${endpoint === undefined ? '' : ` to ${endpoint}`} was refused${code === undefined ? '' : ` with ${code}`}`;
    return result(this, subject, `toHaveRefused(${call})`, refused.length > 0, () => {
      if (refused.length > 0) return [`A ${wanted}:`, ...requestList(subject.requests, refused)];
      return [`No ${wanted}.`, ...(requests.length === 0 ? tally(subject.requests) : [`${came(requests.length, endpoint)}:`, ...requestList(subject.requests, requests)])];
    });
  },
};

interface Found {
  readonly subject: Subject;
  readonly endpoint: EndpointName;
  /** The requests that are as expected. */
  readonly matching: readonly MockRequest[];
  /** Those to the same endpoint that are not, with what differs. */
  readonly others: readonly { readonly request: MockRequest; readonly differences: readonly AskedDifference[] }[];
}

function find({ equals }: MatcherContext, call: string, platform: unknown, endpoint: EndpointName, asked: object = {}): Found {
  const subject = subjectOf(call, platform);
  requireAsked(call, endpoint, asked);
  const compared = subject.requests.filter((request) => request.endpoint === endpoint)
    .map((request) => ({ request, differences: differencesOf(request, asked, (received, expected) => equals(received, expected)) }));
  return {
    subject,
    endpoint,
    matching: compared.filter(({ differences }) => differences.length === 0).map(({ request }) => request),
    others: compared.filter(({ differences }) => differences.length > 0),
  };
}

function came(count: number, endpoint: EndpointName | undefined, asked?: object): string {
  return `${counted(count, 'request')}${endpoint === undefined ? '' : ` to ${endpoint}`} came${asked === undefined ? '' : ' with what was asked for'}`;
}

/** Of several requests that differ in as many fields, the last is the nearest. */
function missing({ utils }: MatcherContext, { subject, endpoint, matching, others }: Found): string[] {
  const [nearest] = others.toReversed().toSorted((left, right) => left.differences.length - right.differences.length);
  if (nearest === undefined) return matching.length > 0 ? [] : [`No request to ${endpoint} came.`, ...tally(subject.requests)];
  return [
    `${counted(others.length, 'request')} to ${endpoint} asked for something else, the nearest is:`,
    ...requestLines(subject.requests, nearest.request),
    ...differenceLines(nearest.differences, utils),
  ];
}

function result({ isNot }: MatcherContext, { organizations, seed }: Subject, call: string, pass: boolean, lines: () => readonly string[]): MatcherResult {
  const subject = organizations === undefined ? 'organization' : 'platform';
  return { pass, message: () => [`expect(${subject})${isNot === true ? '.not' : ''}.${call}`, '', ...lines(), '', `Seed: ${seed}`].join('\n') };
}

function requireCount(call: string, count: number): void {
  if (!Number.isInteger(count) || count < 0) throw new MockPlatformError(`${call}: give a whole number first`);
}

// Not by instanceof: the CommonJS entries each carry their own copy of the platform.
function subjectOf(call: string, value: unknown): Subject {
  const { seed, requests, payments, tickets } = Object(value) as Partial<Subject>;
  if (typeof seed === 'string' && Array.isArray(requests) && payments !== undefined && tickets !== undefined) return value as Subject;
  throw new MockPlatformError(`${call}: expect a mock platform, or an organization of one`);
}
