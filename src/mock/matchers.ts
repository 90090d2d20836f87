import type { EndpointName } from '../contract/endpoints.js';
import { describeType } from '../contract/validate.js';
import { enumOf, memoize, type Schema } from '../contract/schema/schema.js';
import { MockPlatformError, requireEndpoint, requireValid } from './base/error.js';
import type { PlannedFault } from './faults/fault-plan.js';
import { type RecordedRequest, receivedFields, type RequestFields } from './wire/request-log.js';
import { fieldSchemas } from '../contract/request-fields.js';
import type { MockPayment } from './records/payments.js';
import type { MockTicket } from './records/tickets.js';

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
   * Passes if no other requests were received than these, each an endpoint or an array of an endpoint and expected fields.
   */
  toHaveReceivedOnly(steps: readonly ExpectedStep[]): Result;
  /**
   * Passes if requests created exactly `count` payments, or replies to tickets, that still exist. Excludes records that
   * the test added.
   */
  toHaveCreatedExactly(count: number, kind: CreatedKind): Result;
  /**
   * Passes if requests created payments, and no two of an organization that still exist have the same
   * `internalReference`: each order was paid once. Excludes payments that the test added, and those without a reference.
   */
  toHavePaidOrdersOnce(): Result;
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
    return result(this, subject, `toHaveReceived('${endpoint}')`, matching.length > 0, () =>
      matching.length > 0 ? describeReceived(subject, matching, endpoint, expected) : describeMissing(this, found),
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
      ...(matching.length > 0 ? describeReceived(subject, matching, endpoint, expected) : []),
      ...(matching.length < times ? describeMissing(this, found) : []),
    ]);
  },

  /** See `CorridorMatchers`. */
  toHaveReceivedInOrder(this: MatcherContext, platform: unknown, steps: readonly ExpectedStep[]): MatcherResult {
    const call = 'toHaveReceivedInOrder';
    const subject = subjectOf(call, platform);
    const searches = searchSteps(this, call, platform, steps);
    const positions = new Map(subject.requests.map((request, index) => [request, index]));
    const positionOf = (request: RecordedRequest | undefined): number => (request && positions.get(request)) ?? -1;
    const found: RecordedRequest[] = [];
    const missing = searches.find(({ matching }) => {
      const next = matching.find((request) => positionOf(request) > positionOf(found.at(-1)));
      if (next !== undefined) found.push(next);
      return next === undefined;
    });
    return result(this, subject, call, missing === undefined, () => {
      const received = `Received ${found.length} of ${steps.length} requests in order`;
      const lines = requestList(received, subject, found);
      if (missing === undefined) return lines;
      return [
        ...lines,
        `Received no matching request to ${missing.endpoint}${found.length === 0 ? '' : ' after these'}.`,
        ...(missing.matching.length === 0
          ? describeMissing(this, missing)
          : requestList('Received before', subject, missing.matching)),
      ];
    });
  },

  /** See `CorridorMatchers`. */
  toHaveReceivedOnly(this: MatcherContext, platform: unknown, steps: readonly ExpectedStep[]): MatcherResult {
    const call = 'toHaveReceivedOnly';
    const subject = subjectOf(call, platform);
    const expected = new Set(searchSteps(this, call, platform, steps).flatMap(({ matching }) => matching));
    const others = subject.requests.filter((request) => !expected.has(request));
    return result(this, subject, call, others.length === 0, () =>
      requestList(`Received ${pluralize(others.length, 'other request')}`, subject, others),
    );
  },

  /** See `CorridorMatchers`. */
  toHaveCreatedExactly(this: MatcherContext, platform: unknown, count: number, kind: CreatedKind): MatcherResult {
    requireCount('toHaveCreatedExactly', count);
    const subject = subjectOf('toHaveCreatedExactly', platform);
    requireValid('toHaveCreatedExactly', createdKind, kind, 'kind');
    const { endpoint, singular, describeCreated } = kinds[kind];
    const records = organizationsOf(subject).flatMap(describeCreated);
    const requests = subject.requests.filter((request) => request.endpoint === endpoint);
    return result(this, subject, `toHaveCreatedExactly(${count}, '${kind}')`, records.length === count, () => [
      ...listOf(`Requests created ${pluralize(records.length, singular, kind)}`, records),
      ...describeReceived(subject, requests, endpoint),
    ]);
  },

  /** See `CorridorMatchers`. */
  toHavePaidOrdersOnce(this: MatcherContext, platform: unknown): MatcherResult {
    const subject = subjectOf('toHavePaidOrdersOnce', platform);
    const ofOrganizations = organizationsOf(subject).map(({ payments }) => payments.all().filter(isRequested));
    const withoutReference = ofOrganizations.flat().filter(({ internalReference }) => internalReference === null);
    const orders = ofOrganizations.flatMap((payments) =>
      [...new Set(payments.map(({ internalReference }) => internalReference))].map(
        (reference) => [reference, payments.filter((each) => each.internalReference === reference)] as const,
      ),
    );
    const known = orders.filter(([reference]) => reference !== null);
    const twice = known.filter(([, payments]) => payments.length > 1);
    return result(this, subject, 'toHavePaidOrdersOnce()', known.length > 0 && twice.length === 0, () => [
      `Requests paid ${pluralize(known.length, 'order')}${twice.length > 0 ? `, ${twice.length} of them several times:` : '.'}`,
      ...(withoutReference.length > 0
        ? [`Of ${withoutReference.length} more, the order is not known. Pass an internalReference in their requests.`]
        : []),
      ...twice.flatMap(([reference, payments]) => listOf(`Order ${reference}`, payments.map(describePayment))),
    ]);
  },

  /** See `CorridorMatchers`. */
  toHaveRejected(this: MatcherContext, platform: unknown, endpoint?: EndpointName, code?: string): MatcherResult {
    const subject = subjectOf('toHaveRejected', platform);
    if (endpoint !== undefined) requireEndpoint('toHaveRejected', endpoint);
    const requests = subject.requests.filter((request) => endpoint === undefined || request.endpoint === endpoint);
    const rejected = requests.filter(({ error }) => error !== undefined && (code === undefined || error.code === code));
    const names =
      code === undefined && endpoint === undefined ? [] : code === undefined ? [endpoint] : [endpoint, code];
    const call = names.map((name) => (name === undefined ? 'undefined' : `'${name}'`)).join(', ');
    const rejection = `request${endpoint === undefined ? '' : ` to ${endpoint}`} was rejected${code === undefined ? '' : ` with ${code}`}`;
    return result(this, subject, `toHaveRejected(${call})`, rejected.length > 0, () => {
      if (rejected.length > 0) return requestList(`A ${rejection}`, subject, rejected);
      const received =
        requests.length === 0 ? countByEndpoint(subject.requests) : describeReceived(subject, requests, endpoint);
      return [`No ${rejection}.`, ...received];
    });
  },

  /** See `CorridorMatchers`. */
  toHaveTriggeredAllFaults(this: MatcherContext, platform: unknown): MatcherResult {
    const subject = subjectOf('toHaveTriggeredAllFaults', platform);
    const planned = organizationsOf(subject)
      .flatMap(({ id, faults }) => faults.list().map((fault) => ({ organization: id, ...fault })))
      .filter(({ fault }) => fault !== 'ok');
    const pending = planned.filter(({ remaining, hits }) => hits === 0 || (remaining ?? 0) > 0);
    const all = pluralize(planned.length, 'fault');
    return result(this, subject, 'toHaveTriggeredAllFaults()', pending.length === 0, () =>
      pending.length === 0
        ? listOf(`All of ${all} happened`, planned.map(faultLine))
        : [
            ...listOf(`${pending.length} of ${all} did not happen`, pending.map(faultLine)),
            ...countByEndpoint(subject.requests),
          ],
    );
  },
});

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
function result(
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
function requireCount(call: string, count: number): void {
  if (!Number.isInteger(count) || count < 0)
    throw new MockPlatformError(`${call}: the first argument must be an integer of 0 or more (received ${count})`);
}

/**
 * Returns a platform or an organization. Throws `MockPlatformError` if the value is neither.
 *
 * Checks the shape instead of using instanceof, because each CommonJS entry contains its own copy of the platform.
 */
function subjectOf(call: string, value: unknown): Subject {
  const { seed, requests, payments, tickets } = Object(value) as Partial<Subject>;
  if (typeof seed === 'string' && Array.isArray(requests) && payments !== undefined && tickets !== undefined)
    return value as Subject;
  throw new MockPlatformError(
    `${call}: the value must be a mock platform or one of its organizations (received ${describeType(value)})`,
  );
}

const organizationsOf = (subject: Subject): readonly SubjectOrganization[] => subject.organizations ?? [subject];

/** A matcher that replaces an expected value, such as `expect.any(String)`. */
export interface AsymmetricMatcher {
  /** Returns whether a value matches. */
  asymmetricMatch(other: unknown): boolean;
}

/** An expected field of a request: a value or a matcher; undefined if the field must be absent. */
export type ExpectedField<Value> = Value | AsymmetricMatcher | undefined;

/**
 * The expected fields of a request to an endpoint: any of the ids in its path, the filters of its query, and the fields
 * of its body, by the names that the client uses; and `headers`, with names in upper or lower case.
 */
export type ExpectedRequest<Name extends EndpointName> = {
  readonly [Field in keyof RequestFields<Name>]?: ExpectedField<RequestFields<Name>[Field]>;
} & { readonly headers?: Readonly<Record<string, ExpectedField<string>>> };

/** A field that does not match. */
export interface FieldMismatch {
  readonly field: string;
  readonly expected: unknown;
  readonly received: unknown;
}

/** Returns the fields of a request that do not match. */
function mismatchesOf(
  request: RecordedRequest,
  expected: object,
  isEqual: (received: unknown, expected: unknown) => boolean,
): FieldMismatch[] {
  const { headers = {}, ...others } = expected as { readonly headers?: Readonly<Record<string, unknown>> };
  const fields = receivedFields(request);
  const compared = [
    ...Object.entries(others).map(([field, value]): FieldMismatch => {
      return { field, expected: value, received: Object.hasOwn(fields, field) ? fields[field] : undefined };
    }),
    ...Object.entries(headers).map(([name, value]): FieldMismatch => {
      return { field: `headers.${name}`, expected: value, received: request.headers[name.toLowerCase()] };
    }),
  ];
  return compared.filter(({ expected: value, received }) => !isEqual(received, value));
}

/**
 * Throws `MockPlatformError` if the endpoint or a field is unknown: such an expectation could never pass, or never
 * fail.
 */
function requireExpected(call: string, endpoint: EndpointName, expected: object = {}): void {
  requireEndpoint(call, endpoint);
  if (typeof expected !== 'object' || expected === null)
    throw new MockPlatformError(`${call}: the expected fields must be an object (received ${describeType(expected)})`);
  const known = [...fieldSchemas(endpoint).keys(), 'headers'];
  const unknown = Object.keys(expected).find((field) => !known.includes(field));
  if (unknown === undefined) return;
  throw new MockPlatformError(`${call}: unknown field "${unknown}" of ${endpoint} (expected: ${known.join(', ')})`);
}

/** The kinds of records that requests create. */
export type CreatedKind = 'payments' | 'replies';

/** The records of an organization, including those that requests created. */
export interface CreatableRecords {
  readonly payments: { all(): readonly MockPayment[] };
  readonly tickets: { all(): readonly MockTicket[] };
}

const isRequested = ({ requested }: { readonly requested: boolean }): boolean => requested;

function describePayment(payment: MockPayment): string {
  const { id, amount, currencyCode, paymentQuoteId, status, createdAt } = payment;
  return `  ${id} ${amount} ${currencyCode} by quote ${paymentQuoteId}, ${status}, created ${createdAt}`;
}

/** The endpoint that creates each kind of records, and a line for each record that a request created. */
const kinds = {
  payments: {
    endpoint: 'payments.create',
    singular: 'payment',
    describeCreated: ({ payments }: CreatableRecords) => payments.all().filter(isRequested).map(describePayment),
  },
  replies: {
    endpoint: 'support.reply',
    singular: 'reply',
    describeCreated: ({ tickets }: CreatableRecords) =>
      tickets
        .all()
        .flatMap((ticket) =>
          ticket.replies
            .filter(isRequested)
            .map(({ id, createdAt }) => `  ${id} to ${ticket.id}, created ${createdAt}`),
        ),
  },
} as const;

const createdKind: Schema<CreatedKind> = memoize(() => enumOf(['payments', 'replies']));

/** The requests to an endpoint, by whether they match. */
export interface Search {
  readonly subject: Subject;
  readonly endpoint: EndpointName;
  /** The requests that match. */
  readonly matching: readonly RecordedRequest[];
  /** The requests to the same endpoint that do not match. */
  readonly others: readonly { readonly request: RecordedRequest; readonly mismatches: readonly FieldMismatch[] }[];
}

/** Compares the requests to an endpoint with the expected fields. */
function search(
  { equals }: MatcherContext,
  call: string,
  platform: unknown,
  endpoint: EndpointName,
  expected: object = {},
): Search {
  const subject = subjectOf(call, platform);
  requireExpected(call, endpoint, expected);
  const compared = subject.requests
    .filter((request) => request.endpoint === endpoint)
    .map((request) => ({ request, mismatches: mismatchesOf(request, expected, equals) }));
  return {
    subject,
    endpoint,
    matching: compared.filter(({ mismatches }) => mismatches.length === 0).map(({ request }) => request),
    others: compared.filter(({ mismatches }) => mismatches.length > 0),
  };
}

/** Describes received requests. */
function describeReceived(
  subject: Subject,
  requests: readonly RecordedRequest[],
  endpoint: EndpointName | undefined,
  expected?: object,
): string[] {
  const count = requests.length === 0 ? 'no request' : pluralize(requests.length, 'request');
  const target = endpoint === undefined ? '' : ` to ${endpoint}`;
  const fields = expected === undefined ? '' : ' with the expected fields';
  return requestList(`Received ${count}${target}${fields}`, subject, requests);
}

/** Describes the closest request: the one with the fewest mismatches, and the last one of these. */
function describeMissing({ utils }: MatcherContext, { subject, endpoint, matching, others }: Search): string[] {
  const [closest] = others.toReversed().toSorted((left, right) => left.mismatches.length - right.mismatches.length);
  if (closest === undefined)
    return matching.length > 0 ? [] : [`Received no request to ${endpoint}.`, ...countByEndpoint(subject.requests)];
  return [
    `${pluralize(others.length, 'request')} to ${endpoint} did not match. The closest one:`,
    ...requestLines(subject.requests, closest.request),
    ...mismatchLines(closest.mismatches, utils),
  ];
}

/** A step of `toHaveReceivedInOrder`: an endpoint, or an array of an endpoint and expected fields. */
export type ExpectedStep =
  | EndpointName
  | { readonly [Name in EndpointName]: readonly [endpoint: Name, expected?: ExpectedRequest<Name>] }[EndpointName];

/** Searches for the requests of each step. Throws `MockPlatformError` if a step is invalid. */
function searchSteps(
  context: MatcherContext,
  call: string,
  platform: unknown,
  steps: readonly ExpectedStep[],
): readonly Search[] {
  const given: unknown = steps;
  if (!Array.isArray(given) || given.length === 0)
    throw new MockPlatformError(
      `${call}: the first argument must be an array of endpoints such as ['payments.create', ['payments.list', { limit: 10 }]] (received ${Array.isArray(given) ? 'an empty array' : describeType(given)})`,
    );
  return steps.map((step) => {
    const [endpoint, expected] = typeof step === 'string' ? [step] : step;
    return search(context, call, platform, endpoint, expected);
  });
}

/** The largest number of requests or records that a report lists. */
const maxListed = 10;

/** Formats a number with its noun: `1 request`, `2 requests`. */
function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Formats a request: its number in the log, the response status, the error, and the fault that was injected. */
function requestLines(log: readonly RecordedRequest[], request: RecordedRequest): string[] {
  const { method, path, status, error, fault, issues } = request;
  const reason = error === undefined ? '' : ` ${error.code}: ${error.message}`;
  const injected = fault === undefined ? '' : ` (fault ${fault})`;
  return [
    `  #${log.indexOf(request) + 1} ${method} ${path} -> ${status ?? 'no response'}${reason}${injected}`,
    ...issues.map((issue) => `       ${issue.path === '' ? 'the body' : issue.path} ${issue.message}`),
  ];
}

/** Formats a title with its last items, each of one or more lines, and a note about the omitted ones. */
function listOf(title: string, items: readonly (string | readonly string[])[]): string[] {
  const omitted = items.length - maxListed;
  return [
    `${title}${items.length === 0 ? '.' : ':'}`,
    ...(omitted > 0 ? [`  (${omitted} more before these)`] : []),
    ...items.slice(-maxListed).flat(),
  ];
}

function requestList(title: string, { requests: log }: Subject, requests: readonly RecordedRequest[]): string[] {
  return listOf(
    title,
    requests.map((request) => requestLines(log, request)),
  );
}

/** Formats fields that do not match. */
function mismatchLines(
  mismatches: readonly FieldMismatch[],
  { printExpected, printReceived }: MatcherContext['utils'],
): string[] {
  return mismatches.map(
    ({ field, expected, received }) =>
      `       ${field}: expected ${expected === undefined ? 'nothing' : printExpected(expected)}, received ${received === undefined ? 'nothing' : printReceived(received)}`,
  );
}

/** Formats the number of received requests by endpoint. */
function countByEndpoint(requests: readonly RecordedRequest[]): string[] {
  if (requests.length === 0) return ['Received no requests at all.'];
  const counts = new Map<string, number>();
  for (const { endpoint, method, path } of requests) {
    const name = endpoint ?? `${method} ${path}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return listOf(
    'Received instead',
    [...counts].map(([name, count]) => `  ${name} (${count})`),
  );
}

/** Formats a fault with its organization, its condition and its hits. */
function faultLine(planned: PlannedFault & { readonly organization: string }): string {
  const { id, endpoint, fault, when, remaining, hits, organization } = planned;
  const condition =
    when === undefined ? '' : ` when ${typeof when === 'function' ? 'a function' : JSON.stringify(when)}`;
  const left = remaining === null ? '' : `, ${remaining} remaining`;
  const kind = fault === 'ok' ? fault : JSON.stringify(fault);
  return `  ${id} of ${organization}: ${endpoint}${condition} ${kind} (${pluralize(hits, 'hit')}${left})`;
}

/** The method of a remote platform that loads what the matchers read. Identified across copies of the package. */
export const loadSubject = Symbol.for('corridor-sdk.mock-subject');

/** A value whose state is in another process. */
export interface RemoteSubject {
  readonly [loadSubject]: () => Promise<unknown>;
}

function isRemote(value: unknown): value is RemoteSubject {
  return typeof value === 'object' && value !== null && loadSubject in value;
}

type Matcher = (this: unknown, subject: unknown, ...args: readonly unknown[]) => unknown;

/**
 * Returns the same matchers, which also accept a remote platform. For a remote platform they return a promise, as test
 * runners allow: `await expect(remote).toHaveReceived('payments.create')`.
 */
function withRemoteSubjects<Matchers extends object>(matchers: Matchers): Matchers {
  const wrapped = Object.entries(matchers).map(([name, matcher]: [string, Matcher]) => [
    name,
    function (this: unknown, subject: unknown, ...args: readonly unknown[]): unknown {
      if (!isRemote(subject)) return matcher.call(this, subject, ...args);
      return subject[loadSubject]().then((loaded) => matcher.call(this, loaded, ...args));
    },
  ]);
  return Object.fromEntries(wrapped) as Matchers;
}
