import type { EndpointName } from '../contract/endpoints.js';
import * as z from 'zod/mini';
import { integerFrom } from '../contract/option-schemas.js';
import { describeType } from '../contract/describe.js';
import { enumOf, memoize, type Schema } from '../contract/schema/schema.js';
import { MockPlatformError, requireEndpoint, requireValid } from './base/mock-error.js';
import type { PlannedFault } from './faults/fault-plan.js';
import { type FieldMismatch, mismatchesOf, type ValuePattern } from './faults/request-condition.js';
import type { RecordedRequest, RequestFields } from './wire/request-log.js';
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
   * Passes if no other requests were received than these, each an endpoint or an array of an endpoint and expected
   * fields.
   */
  toHaveReceivedOnly(steps: readonly ExpectedStep[]): Result;
  /**
   * Passes if requests created exactly `count` payments, or replies to tickets, that still exist. Excludes records that
   * the test added.
   */
  toHaveCreatedExactly(count: number, kind: CreatedKind): Result;
  /**
   * Passes if requests created payments, and no two of an organization that still exist have the same
   * `internalReference`, or if both have none, to the same beneficiary of the same amount: each order was paid once.
   * Excludes payments that the test added.
   */
  toHavePaidOrdersOnce(): Result;
  /** Passes if a request was rejected, optionally only to an endpoint and with an error code. */
  toHaveRejected(endpoint?: EndpointName, code?: string): Result;
  /**
   * Passes if every fault has happened: those of `next` and `sequence` as often as planned, those of `always` and
   * `rate` at least once. Passes if there are no faults.
   */
  toHaveTriggeredAllFaults(): Result;
}

/** The part of a platform or an organization that the matchers read. */
interface Subject extends SubjectOrganization {
  readonly seed: string;
  readonly requests: readonly RecordedRequest[];
  readonly organizations?: readonly SubjectOrganization[];
}

interface SubjectOrganization {
  readonly id: string;
  readonly faults: { list(): readonly PlannedFault[] };
  readonly payments: { all(): readonly MockPayment[] };
  readonly tickets: { all(): readonly MockTicket[] };
}

/** What a matcher checks, and with what. */
interface Expectation extends Pick<MatcherContext, 'equals' | 'utils'> {
  /** The name of the matcher. */
  readonly call: string;
  readonly subject: Subject;
  /** The organization, or all of the platform. */
  readonly organizations: readonly SubjectOrganization[];
}

/** Whether the subject matches, and the lines that say why, which are formatted only if they are printed. */
interface Finding {
  readonly pass: boolean;
  readonly lines: () => readonly string[];
}

/** A function for each matcher. */
const checks: {
  readonly [Name in keyof CorridorMatchers]: (on: Expectation, ...args: Parameters<CorridorMatchers[Name]>) => Finding;
} = {
  toHaveReceived: (on, endpoint, expected) => received(on, endpoint, expected),

  toHaveReceivedTimes: (on, times, endpoint, expected) => {
    requireValid(on.call, countSchema, times, 'the first argument');
    return received(on, endpoint, expected, times);
  },

  toHaveReceivedInOrder: (on, steps) => {
    const { requests } = on.subject;
    const found: RecordedRequest[] = [];
    const missing = searchSteps(on, steps).find(({ matching }) => {
      const last = requests.findLastIndex((request) => request === found.at(-1));
      const next = matching.find((request) => requests.indexOf(request, last + 1) !== -1);
      if (next !== undefined) found.push(next);
      return next === undefined;
    });
    const lines = (): string[] =>
      requestList(on, `Received ${found.length} of ${steps.length} requests in order`, found);
    return missing === undefined
      ? { pass: true, lines }
      : { pass: false, lines: () => [...lines(), 'The next step:', ...describeSearch(on, missing)] };
  },

  toHaveReceivedOnly: (on, steps) => {
    const expected = new Set(searchSteps(on, steps).flatMap(({ matching }) => matching));
    const others = on.subject.requests.filter((request) => !expected.has(request));
    const title = `Received ${pluralize(others.length, 'other request')}`;
    return { pass: others.length === 0, lines: () => requestList(on, title, others) };
  },

  toHaveCreatedExactly: (on, count, kind) => {
    requireValid(on.call, countSchema, count, 'the first argument');
    requireValid(on.call, createdKind, kind, 'kind');
    const { endpoint, singular, describeCreated } = kinds[kind];
    const records = on.organizations.flatMap(describeCreated);
    return {
      pass: records.length === count,
      lines: () => [
        ...listOf(`Requests created ${pluralize(records.length, singular, kind)}`, records),
        ...describeSearch(on, search(on, endpoint)),
      ],
    };
  },

  toHavePaidOrdersOnce: (on) => {
    const requested = on.organizations.map(({ payments }) => payments.all().filter(isRequested));
    const orderOf = ({ internalReference, amount, currencyCode, beneficiaryId }: MockPayment): string =>
      internalReference ?? `of ${amount} ${currencyCode} to ${beneficiaryId}, without an internalReference`;
    const orders = requested.flatMap((payments) => [...groupBy(payments, orderOf)]);
    const twice = orders.filter(([, payments]) => payments.length > 1);
    return {
      pass: orders.length > 0 && twice.length === 0,
      lines: () => [
        `Requests paid ${pluralize(orders.length, 'order')}` +
          `${twice.length > 0 ? `, ${twice.length} of them several times:` : '.'}`,
        ...twice.flatMap(([order, payments]) => listOf(`Order ${order}`, payments.map(describePayment))),
      ],
    };
  },

  toHaveRejected: (on, endpoint, code) => {
    if (endpoint !== undefined) requireEndpoint(on.call, endpoint);
    const requests = requestsTo(on, endpoint);
    const rejected = requests.filter(({ error }) => error !== undefined && (code === undefined || error.code === code));
    const target = endpoint === undefined ? '' : ` to ${endpoint}`;
    const rejection = `request${target} was rejected${code === undefined ? '' : ` with ${code}`}`;
    return rejected.length > 0
      ? { pass: true, lines: () => requestList(on, `A ${rejection}`, rejected) }
      : { pass: false, lines: () => [`No ${rejection}.`, ...otherRequests(on, requests)] };
  },

  toHaveTriggeredAllFaults: (on) => {
    const planned = on.organizations
      .flatMap(({ id, faults }) => faults.list().map((fault) => ({ organization: id, ...fault })))
      .filter(({ fault }) => fault !== 'ok');
    const pending = planned.filter(({ remaining, hits }) => hits === 0 || (remaining ?? 0) > 0);
    const all = pluralize(planned.length, 'fault');
    if (pending.length === 0)
      return { pass: true, lines: () => listOf(`All of ${all} happened`, planned.map(faultLine)) };
    return {
      pass: false,
      lines: () => [
        ...listOf(`${pending.length} of ${all} did not happen`, pending.map(faultLine)),
        ...otherRequests(on),
      ],
    };
  },
};

/**
 * The matchers, for test runners such as jest that pass them to `expect.extend`. For vitest, import
 * `corridor-sdk/mock/vitest` instead. With a platform of `connectMockPlatform`, matchers return a promise: `await
 * expect(platform).toHaveReceived('payments.create')`. Each matcher throws `MockPlatformError` for a value that is not
 * a platform or an organization, an unknown endpoint, or an unknown field.
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
export const corridorMatchers = Object.fromEntries(
  Object.entries(checks).map(([name, check]) => [name, matcherOf(name, check as Check)]),
) as {
  readonly [Name in keyof CorridorMatchers]: (
    this: MatcherContext,
    platform: unknown,
    ...args: Parameters<CorridorMatchers[Name]>
  ) => MatcherResult;
};

type Check = (on: Expectation, ...args: readonly unknown[]) => Finding;

/** Returns the matcher of a check. For a remote platform it returns a promise, as test runners allow. */
function matcherOf(call: string, check: Check) {
  function match({ equals, utils, isNot }: MatcherContext, value: unknown, args: readonly unknown[]): MatcherResult {
    const subject = subjectOf(call, value);
    const { organizations, seed } = subject;
    const { pass, lines } = check({ call, subject, organizations: organizations ?? [subject], equals, utils }, ...args);
    const name = organizations === undefined ? 'organization' : 'platform';
    const title = `expect(${name})${isNot === true ? '.not' : ''}.${call}${describeArguments(args)}`;
    return { pass, message: () => [title, '', ...lines(), '', `Seed: ${seed}`].join('\n') };
  }
  return function (this: MatcherContext, value: unknown, ...args: readonly unknown[]): unknown {
    if (!isRemote(value)) return match(this, value, args);
    return value[loadSubject]().then((loaded) => match(this, loaded, args));
  };
}

/** Formats the arguments of a matcher without fields and steps. */
function describeArguments(args: readonly unknown[]): string {
  const plain = args.filter((argument) => typeof argument !== 'object');
  if (plain.length === 0 && args.length > 0) return '';
  const given = plain.slice(0, 1 + plain.findLastIndex((argument) => argument !== undefined));
  return `(${given.map((argument) => (typeof argument === 'string' ? `'${argument}'` : String(argument))).join(', ')})`;
}

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

/** A matcher that replaces an expected value, such as `expect.any(String)`. */
export interface AsymmetricMatcher {
  /** Returns whether a value matches. */
  asymmetricMatch(other: unknown): boolean;
}

/** An expected field of a request: a value, a matcher or a pattern; undefined if the field must be absent. */
export type ExpectedField<Value> = Value | AsymmetricMatcher | ValuePattern | undefined;

/**
 * The expected fields of a request to an endpoint: any of the ids in its path, the filters of its query, and the fields
 * of its body, by the names that the client uses; and `headers`, with names in upper or lower case, and `body`.
 */
export type ExpectedRequest<Name extends EndpointName> = {
  readonly [Field in keyof RequestFields<Name>]?: ExpectedField<RequestFields<Name>[Field]>;
} & {
  readonly headers?: Readonly<Record<string, ExpectedField<string>>>;
  /** The fields that the body has, among others; not matchers, but patterns. */
  readonly body?: unknown;
};

/**
 * Throws `MockPlatformError` if the endpoint or a field is unknown: such an expectation could never pass, or never
 * fail.
 */
function requireExpected(call: string, endpoint: EndpointName, expected: object): void {
  requireEndpoint(call, endpoint);
  const names = [...fieldSchemas(endpoint).keys(), 'headers', 'body'];
  const fields = z.strictObject(Object.fromEntries(names.map((name) => [name, z.optional(z.unknown())])));
  requireValid<object>(call, () => fields, expected, 'the expected fields');
}

/** The kinds of records that requests create. */
export type CreatedKind = 'payments' | 'replies';

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
    describeCreated: ({ payments }: SubjectOrganization) => payments.all().filter(isRequested).map(describePayment),
  },
  replies: {
    endpoint: 'support.reply',
    singular: 'reply',
    describeCreated: ({ tickets }: SubjectOrganization) =>
      tickets
        .all()
        .flatMap(({ id: ticketId, replies }) =>
          replies.filter(isRequested).map(({ id, createdAt }) => `  ${id} to ${ticketId}, created ${createdAt}`),
        ),
  },
} as const;

const countSchema = memoize(() => integerFrom(0));
const createdKind: Schema<CreatedKind> = memoize(() => enumOf(['payments', 'replies']));

const requestsTo = ({ subject }: Expectation, endpoint: EndpointName | undefined): readonly RecordedRequest[] =>
  subject.requests.filter((request) => endpoint === undefined || request.endpoint === endpoint);

/** The requests to an endpoint, by whether they match. */
interface Search {
  readonly endpoint: EndpointName;
  readonly matching: readonly RecordedRequest[];
  readonly others: ReadonlyMap<RecordedRequest, readonly FieldMismatch[]>;
}

/** Compares the requests to an endpoint with the expected fields. */
function search(on: Expectation, endpoint: EndpointName, expected: object = {}): Search {
  requireExpected(on.call, endpoint, expected);
  const equals = (one: unknown, other: unknown): boolean => on.equals(one, other);
  const compared = requestsTo(on, endpoint).map(
    (request) => [request, mismatchesOf(request, expected, equals)] as const,
  );
  const others = new Map(compared.filter(([, mismatches]) => mismatches.length > 0));
  return { endpoint, matching: requestsTo(on, endpoint).filter((request) => !others.has(request)), others };
}

/** Finds out whether a number of matching requests was received; without one, whether there is any. */
function received(on: Expectation, endpoint: EndpointName, expected: object | undefined, times?: number): Finding {
  const found = search(on, endpoint, expected);
  const { length } = found.matching;
  return { pass: times === undefined ? length > 0 : length === times, lines: () => describeSearch(on, found) };
}

/** Describes the requests to an endpoint that match, and how the others differ; without any, all other requests. */
function describeSearch(on: Expectation, { endpoint, matching, others }: Search): string[] {
  return [
    ...requestList(on, `Received ${pluralize(matching.length, 'matching request')} to ${endpoint}`, matching),
    ...(others.size > 0 || matching.length === 0 ? otherRequests(on, [...others.keys()], others) : []),
  ];
}

/** Lists other requests than the expected ones; all requests if there are none that are similar. */
function otherRequests(
  on: Expectation,
  similar: readonly RecordedRequest[] = [],
  mismatches?: Search['others'],
): string[] {
  const requests = similar.length > 0 ? similar : on.subject.requests;
  return requestList(on, `Received ${pluralize(requests.length, 'other request')}`, requests, mismatches);
}

/** A step of `toHaveReceivedInOrder`: an endpoint, or an array of an endpoint and expected fields. */
export type ExpectedStep =
  | EndpointName
  | { readonly [Name in EndpointName]: readonly [endpoint: Name, expected?: ExpectedRequest<Name>] }[EndpointName];

/** Searches for the requests of each step. Throws `MockPlatformError` if a step is invalid. */
function searchSteps(on: Expectation, steps: readonly ExpectedStep[]): readonly Search[] {
  const given: unknown = steps;
  if (!Array.isArray(given) || given.length === 0)
    throw new MockPlatformError(
      `${on.call}: the first argument must be an array of endpoints such as ['payments.create', ` +
        `['payments.list', { limit: 10 }]] ` +
        `(received ${Array.isArray(given) ? 'an empty array' : describeType(given)})`,
    );
  return steps.map((step) => {
    const [endpoint, expected] = typeof step === 'string' ? [step] : step;
    return search(on, endpoint, expected);
  });
}

/** The largest number of requests or records that a report lists. */
const maxListed = 10;

/** Formats a number with its noun: `1 request`, `2 requests`. */
function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
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

/** Lists requests: their number in the log, status, error and fault, what is invalid, and how they differ. */
function requestList(
  { subject, utils }: Expectation,
  title: string,
  requests: readonly RecordedRequest[],
  differences?: Search['others'],
): string[] {
  const show = (value: unknown, print: (value: unknown) => string): string =>
    value === undefined ? 'nothing' : print(value);
  return listOf(
    title,
    requests.map((request) => {
      const { method, path, status = 'no response', error, fault, issues } = request;
      const reason = error === undefined ? '' : ` ${error.code}: ${error.message}`;
      const injected = fault === undefined ? '' : ` (fault ${fault})`;
      return [
        `  #${subject.requests.indexOf(request) + 1} ${method} ${path} -> ${status}${reason}${injected}`,
        ...issues.map((issue) => `       ${issue.path === '' ? 'the body' : issue.path} ${issue.message}`),
        ...(differences?.get(request) ?? []).map(
          ({ field, expected, received: actual }) =>
            `       ${field}: expected ${show(expected, utils.printExpected)}, received ${show(actual, utils.printReceived)}`,
        ),
      ];
    }),
  );
}

// Node 20 has no Map.groupBy.
function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

/** Formats a fault with its organization, its condition and its hits. */
function faultLine(planned: PlannedFault & { readonly organization: string }): string {
  const { id, endpoint, fault, when, remaining, hits, organization, mismatch } = planned;
  const condition =
    when === undefined ? '' : ` when ${typeof when === 'function' ? 'a function' : JSON.stringify(when)}`;
  const left = remaining === null ? '' : `, ${remaining} remaining`;
  const kind = fault === 'ok' ? fault : JSON.stringify(fault);
  const reason = mismatch === undefined ? '' : `; the latest request differed: ${mismatch}`;
  return `  ${id} of ${organization}: ${endpoint}${condition} ${kind} (${pluralize(hits, 'hit')}${left})${reason}`;
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
