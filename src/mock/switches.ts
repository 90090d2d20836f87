import { endpointNames, endpoints, type EndpointName } from '../contract/endpoints.js';
import type { Endpoint } from '../contract/endpoint.js';
import { pageSize } from '../contract/page.js';
import { millisecondsOf, type MockDuration } from './clock.js';
import { MockPlatformError } from './error.js';
import { isObject } from './json.js';
import { resolveTransitions, type TransitionOverrides, type Transitions } from './transitions.js';

const choices = {
  quotes: ['single-use', 'reusable'],
  amounts: ['free', 'as-quoted'],
  idempotency: ['none', 'by-quote', 'by-reference'],
  listOrder: ['newest-first', 'oldest-first', 'shuffled'],
  errorBody: ['plain', 'nested', 'problem+json', 'status-code'],
} as const;

type Choices = typeof choices;

/** What a switch may be set to. */
export type MockChoice<Name extends keyof Choices> = Choices[Name][number];

/** How many requests are answered within a span of time. */
export interface MockRateLimit {
  /** How many requests of an organization are answered. */
  readonly requests: number;
  /** Within which span, which begins with the first of them. */
  readonly per: MockDuration;
}

/** How long a payment that a request created is missing in the list: for a span of time, or in so many requests for it. */
export type MockListLag = MockDuration | { readonly reads: number };

/** What the platform does where its specification is silent. */
export interface MockSwitches {
  /** Rows that replace those of the transition tables. @default none */
  readonly transitions?: TransitionOverrides | undefined;
  /** Whether a quote is good for one payment or for many. @default 'single-use' */
  readonly quotes?: MockChoice<'quotes'> | undefined;
  /** Whether a payment's amount and currency must be those of its quote. @default 'free' */
  readonly amounts?: MockChoice<'amounts'> | undefined;
  /**
   * Whether a create that is sent again is answered with the payment that is there: one of the same quote, or of the same
   * `internalReference`. @default 'none'
   */
  readonly idempotency?: MockChoice<'idempotency'> | undefined;
  /** How long a payment that a request created is missing in the list: `{ seconds: 2 }`, or in so many requests: `{ reads: 2 }`. @default none */
  readonly listLag?: MockListLag | undefined;
  /** In which order lists are; `'shuffled'` is an order of its own that stays. @default 'newest-first' */
  readonly listOrder?: MockChoice<'listOrder'> | undefined;
  /**
   * The shape of error bodies: `{ code, message }`, `{ error: { code, message } }`, an `application/problem+json`, or
   * `{ statusCode, message, error }`. @default 'plain'
   */
  readonly errorBody?: MockChoice<'errorBody'> | undefined;
  /** How many requests an organization may send before it gets a 429 with `retry-after`, such as `{ requests: 100, per: { minutes: 1 } }`. @default none */
  readonly rateLimit?: MockRateLimit | undefined;
  /** The statuses of successful answers, by endpoint, where they differ from 201 to POST, 204 to DELETE and 200 otherwise. @default none */
  readonly success?: Readonly<Partial<Record<EndpointName, number>>> | undefined;
  /** How long a quote is good, in seconds. @default 900 */
  readonly quoteLifetime?: number | undefined;
  /** How long a signed download URL is good, in seconds. @default 300 */
  readonly urlLifetime?: number | undefined;
  /** How many records a page holds where the request does not say, 1 to 100. @default 25 */
  readonly pageSize?: number | undefined;
}

/** The switches with every choice made; spans in milliseconds. */
export interface ResolvedSwitches {
  readonly transitions: Transitions;
  readonly quotes: MockChoice<'quotes'>;
  readonly amounts: MockChoice<'amounts'>;
  readonly idempotency: MockChoice<'idempotency'>;
  readonly listLag: { readonly span: number } | { readonly reads: number } | undefined;
  readonly listOrder: MockChoice<'listOrder'>;
  readonly errorBody: MockChoice<'errorBody'>;
  readonly rateLimit: { readonly requests: number; readonly span: number } | undefined;
  readonly success: { readonly [Name in EndpointName]: number };
  readonly quoteLifetime: number;
  readonly urlLifetime: number;
  readonly pageSize: number;
}

/** The names of the switches. */
export const switchNames = [
  'transitions', 'quotes', 'amounts', 'idempotency', 'listLag', 'listOrder', 'errorBody', 'rateLimit', 'success', 'quoteLifetime', 'urlLifetime', 'pageSize',
] as const satisfies readonly (keyof MockSwitches)[];

/** Makes every choice. Throws `MockPlatformError` where one cannot be. */
export function resolveSwitches(switches: MockSwitches): ResolvedSwitches {
  return {
    transitions: resolveTransitions(switches.transitions),
    quotes: chosen('quotes', switches.quotes), // Assumed: A-11
    amounts: chosen('amounts', switches.amounts), // Assumed: A-28
    idempotency: chosen('idempotency', switches.idempotency), // Assumed: A-11
    listLag: resolveListLag(switches.listLag), // Assumed: A-11
    listOrder: chosen('listOrder', switches.listOrder), // Assumed: A-11
    errorBody: chosen('errorBody', switches.errorBody), // Assumed: A-6
    rateLimit: resolveRateLimit(switches.rateLimit), // Assumed: A-12
    success: resolveSuccess(switches.success), // Assumed: A-3
    quoteLifetime: lifetime('quoteLifetime', switches.quoteLifetime ?? 900), // Assumed: A-26
    urlLifetime: lifetime('urlLifetime', switches.urlLifetime ?? 300), // Assumed: A-27
    pageSize: resolvePageSize(switches.pageSize ?? pageSize.default), // Assumed: A-12
  };
}

/** The first choice is the default. */
function chosen<Name extends keyof Choices>(name: Name, value: MockChoice<Name> | undefined): MockChoice<Name> {
  const allowed: readonly MockChoice<Name>[] = choices[name];
  const [first = '' as MockChoice<Name>] = allowed;
  if (value === undefined) return first;
  if (allowed.includes(value)) return value;
  throw new MockPlatformError(`${name}: must be one of ${allowed.map((choice) => `'${choice}'`).join(', ')}`);
}

/** Throws `MockPlatformError` where an option is no number above 0. */
export function positive(name: string, value: number): number {
  if (!Number.isFinite(value) || value <= 0) throw new MockPlatformError(`${name}: must be a number above 0`);
  return value;
}

/** Farther than this a date soon has a year of more than four digits. */
const longestLifetime = 1e9;

function lifetime(name: string, seconds: number): number {
  if (seconds > longestLifetime) throw new MockPlatformError(`${name}: must be a number of seconds, of 1e9 at most`);
  return positive(name, seconds);
}

function wholeNumber(name: string, value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value;
  throw new MockPlatformError(`${name}: must be a whole number above 0`);
}

function span(name: string, duration: unknown): number {
  const milliseconds = millisecondsOf(name, duration as MockDuration);
  if (milliseconds <= 0) throw new MockPlatformError(`${name}: must be a span above 0, such as { seconds: 2 }`);
  return milliseconds;
}

function resolveListLag(lag: MockListLag | undefined): ResolvedSwitches['listLag'] {
  if (lag === undefined) return undefined;
  const { reads, ...duration } = Object(lag) as { readonly reads?: unknown };
  if (reads === undefined) return { span: span('listLag', lag) };
  if (Object.keys(duration).length > 0) throw new MockPlatformError('listLag: give a span, such as { seconds: 2 }, or { reads: 2 }, not both');
  return { reads: wholeNumber('listLag.reads', reads) };
}

function resolveRateLimit(limit: MockRateLimit | undefined): ResolvedSwitches['rateLimit'] {
  if (limit === undefined) return undefined;
  const { requests, per } = Object(limit) as Partial<MockRateLimit>;
  return { requests: wholeNumber('rateLimit.requests', requests), span: span('rateLimit.per', per) };
}

function resolveSuccess(given: MockSwitches['success'] = {}): ResolvedSwitches['success'] {
  if (!isObject(given)) throw new MockPlatformError("success: must be an object of statuses by endpoint, such as { 'payments.create': 200 }");
  for (const [name, status] of Object.entries(given) as [EndpointName, unknown][]) {
    if (!endpointNames.includes(name)) throw new MockPlatformError(`success: ${JSON.stringify(name)} is not an endpoint; there are ${endpointNames.join(', ')}`);
    requireSuccess(name, endpoints[name], status);
  }
  const statuses = endpointNames.map((name) => [name, given[name] ?? endpoints[name].success]);
  return Object.fromEntries(statuses) as ResolvedSwitches['success'];
}

function requireSuccess(name: string, { answer }: Endpoint<unknown>, status: unknown): void {
  const isEmpty = status === 204 || status === 205;
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 299) throw new MockPlatformError(`success: the status of ${name} must be a whole number from 200 to 299`);
  if (isEmpty && answer !== 'nothing') throw new MockPlatformError(`success: ${name} is answered with a body, which ${status} does not allow`);
}

function resolvePageSize(size: number): number {
  if (!Number.isInteger(size) || size < pageSize.smallest || size > pageSize.largest) {
    throw new MockPlatformError(`pageSize: must be a whole number from ${pageSize.smallest} to ${pageSize.largest}`);
  }
  return size;
}
