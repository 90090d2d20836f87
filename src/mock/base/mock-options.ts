import * as z from 'zod/mini';
import { endpointNames, endpoints, type EndpointName } from '../../contract/endpoints.js';
import { integerFrom, optionsObject, type OptionsShape, clock, custom } from '../../contract/option-schemas.js';
import { isPlainObject } from '../../contract/objects.js';
import { pageSize } from '../../contract/schema/page.js';
import { paymentStatuses, type PaymentStatus } from '../../contract/schema/payments.js';
import {
  enumOf,
  memoize,
  strictObject,
  withMetadata,
  type Schema,
  nonEmptyString,
} from '../../contract/schema/schema.js';
import { errorStatuses, resolveErrorStatuses, type ErrorStatuses } from './error-statuses.js';
import { millisecondsOf, positiveDuration, type Duration } from '../../contract/schema/time.js';
import { resolveTransitions, transitionOverrides, type TransitionOverrides } from './transitions.js';
import { dialectOptions, resolveDialect, type Dialect, type ResolvedDialect } from '../../contract/dialect.js';
import { omitUndefined } from './freeze.js';
import { requireValid } from './mock-error.js';

/** The number of requests that an organization may send within a time window. */
export interface MockRateLimit {
  /** The number of requests. */
  readonly requests: number;
  /** The length of the window, which starts with the first request. */
  readonly per: Duration;
}

/** Behavior of the platform that its specification does not define. */
export interface MockBehavior {
  /** Rows that replace those of the transition tables. @default none */
  readonly transitions?: TransitionOverrides | undefined;
  /** Whether a quote can be used for one payment or for many. @default 'single-use' */
  readonly quotes?: 'single-use' | 'reusable' | undefined;
  /**
   * Whether a payment must have the amount and currency of its quote and the currency of its beneficiary's account;
   * `'free'` accepts any. @default 'as-quoted'
   */
  readonly amounts?: 'as-quoted' | 'free' | undefined;
  /**
   * Whether a repeated create returns the existing payment instead of creating another: the one with the same quote, or
   * the one with the same `internalReference`. @default 'none'
   */
  readonly idempotency?: 'none' | 'by-quote' | 'by-reference' | undefined;
  /** How long a payment that a request created is missing from the list: `{ seconds: 2 }`. @default none */
  readonly listLag?: Duration | undefined;
  /** The order of lists; `'shuffled'` is an arbitrary but stable order. @default 'newest-first' */
  readonly listOrder?: 'newest-first' | 'oldest-first' | 'shuffled' | undefined;
  /**
   * The shape of error bodies: `{ code, message }`, `{ error: { code, message } }`, `application/problem+json`, or
   * `{ statusCode, message, error }`. @default 'plain'
   */
  readonly errorBody?: 'plain' | 'nested' | 'problem+json' | 'status-code' | undefined;
  /**
   * How many requests an organization may send before it gets a 429 with `retry-after`, such as
   * `{ requests: 100, per: { minutes: 1 } }`. @default none
   */
  readonly rateLimit?: MockRateLimit | undefined;
  /**
   * The statuses of successful responses, by endpoint, if they differ from 201 for POST, 204 for DELETE and 200
   * otherwise. @default none
   */
  readonly successStatuses?: Readonly<Partial<Record<EndpointName, number>>> | undefined;
  /** How far the `iat` of a token may be ahead of the mock's clock, in seconds; 0 is strict. @default 30 */
  readonly clockTolerance?: number | undefined;
  /** How long a quote is valid, in seconds. @default 900 */
  readonly quoteLifetime?: number | undefined;
  /** How long a signed download URL is valid, in seconds. @default 300 */
  readonly urlLifetime?: number | undefined;
  /** The number of records on a page if the request has no limit, from 1 to 100. @default 25 */
  readonly pageSize?: number | undefined;
  /** The status of a payment that a request creates. @default 'PENDING_REVIEW' */
  readonly createdStatus?: PaymentStatus | undefined;
  /**
   * Whether the customer and the beneficiary of a payment must be `APPROVED`, or can have any status.
   * @default 'approved'
   */
  readonly parties?: 'approved' | 'any' | undefined;
  /**
   * Whether the beneficiary, quote and documents of a payment must belong to its customer, or to any customer of the
   * organization. @default 'customer'
   */
  readonly ownership?: 'customer' | 'organization' | undefined;
  /**
   * The effect of a customer's person with a payment hold: none; a payment cannot become `APPROVED`, and scheduled
   * transitions wait; or creates are rejected with `payment_held`. @default 'none'
   */
  readonly paymentHold?: 'none' | 'review' | 'reject' | undefined;
  /** Whether unknown fields and query parameters of a request are rejected or ignored. @default 'reject' */
  readonly unknownFields?: 'reject' | 'ignore' | undefined;
  /**
   * The statuses of error responses by error code, such as `{ invalid_body: 422, customer_not_found: 404 }`.
   * @default none
   */
  readonly errorStatuses?: ErrorStatuses | undefined;
  /** The statuses in which a payment has a `receiptUrl`. @default ['COMPLETED', 'RETURNED'] */
  readonly receiptStatuses?: readonly PaymentStatus[] | undefined;
  /** How long a `receiptUrl` is valid, in seconds. @default forever */
  readonly receiptLifetime?: number | undefined;
}

/** An option of `MockBehavior`: the one place of its schema, its default, and the question that it answers. */
interface BehaviorOption<Value, Resolved> {
  readonly schema: Schema<Value>;
  /** Returns the value in effect: the default if it is undefined, and durations in milliseconds. */
  readonly resolve: (value: Value | undefined) => Resolved;
  /** The row of docs/assumptions.md. */
  readonly row: string;
  /** The question in that row. */
  readonly question: string;
  /** Returns the value as `assumptions()` shows it. @default the value in effect */
  readonly show?: (value: Resolved) => unknown;
}

const option = <Value, Resolved>(definition: BehaviorOption<Value, Resolved>): BehaviorOption<Value, Resolved> =>
  definition;

/** Defines an option with a default. */
const optional = <Value, Default extends Value | undefined = Value>(
  row: string,
  question: string,
  schema: Schema<Value>,
  fallback: Default,
  show: (value: Value | Default) => unknown = (shown) => shown,
): BehaviorOption<Value, Value | Default> =>
  option<Value, Value | Default>({
    schema,
    resolve: (given) => (given === undefined ? fallback : given),
    row,
    question,
    show,
  });

/** Defines an option with some values, the first of which is the default. */
const choice = <const Value extends string>(
  row: string,
  question: string,
  values: readonly [Value, ...Value[]],
): BehaviorOption<Value, Value> => optional(row, question, () => enumOf(values), values[0]);

/** A later expiry could have a year of more than four digits. */
const maxLifetime = 1e9;

const lifetime = (): z.ZodMiniType<number> =>
  withMetadata(z.number().check(z.gt(0), z.lte(maxLifetime)), {
    rule: 'must be a number of seconds greater than 0 and at most 1e9',
  });

const inSeconds = (seconds: number): string => `${seconds} s`;

/** The options that decide open questions of the specification. Validation, defaults and `assumptions()` read them. */
export const behaviorTable = {
  createdStatus: optional<PaymentStatus>(
    'A-10',
    'the status after creation',
    () => enumOf(paymentStatuses),
    'PENDING_REVIEW',
  ),
  transitions: option({
    schema: transitionOverrides,
    resolve: resolveTransitions,
    row: 'A-10',
    question: 'the allowed transitions',
  }),
  idempotency: choice('A-11', 'whether a create is idempotent', ['none', 'by-quote', 'by-reference']),
  quotes: choice('A-11', 'whether a quote can be used more than once', ['single-use', 'reusable']),
  amounts: choice('A-28', 'whether a payment, its quote and its beneficiary must agree in amount and currency', [
    'as-quoted',
    'free',
  ]),
  listLag: option({
    schema: positiveDuration,
    resolve: (lag) => lag && millisecondsOf(lag),
    row: 'A-11',
    question: 'how long lists lag',
    show: (lag) => (lag === undefined ? 'no lag' : { seconds: lag / 1000 }),
  }),
  listOrder: choice('A-11', 'the order of lists', ['newest-first', 'oldest-first', 'shuffled']),
  errorBody: choice('A-6', 'the shape and codes of errors', ['plain', 'nested', 'problem+json', 'status-code']),
  rateLimit: option({
    schema: () =>
      withMetadata(strictObject<MockRateLimit>({ requests: integerFrom(1), per: positiveDuration() }), {
        rule: 'must be an object such as { requests: 100, per: { minutes: 1 } }',
      }),
    resolve: (limited) => limited && { requests: limited.requests, span: millisecondsOf(limited.per) },
    row: 'A-12',
    question: 'rate limits',
    show: (limited) => (limited ? { requests: limited.requests, per: { seconds: limited.span / 1000 } } : 'no limits'),
  }),
  successStatuses: option({
    schema: () =>
      optionsObject<SuccessStatuses>(
        Object.fromEntries(endpointNames.map((name) => [name, successStatus(name)])) as OptionsShape<SuccessStatuses>,
        { rule: "must be an object of statuses by endpoint, such as { 'payments.create': 200 }" },
      ),
    resolve: (overrides = {}) =>
      Object.fromEntries(
        endpointNames.map((name) => [name, overrides[name] ?? endpoints[name].success]),
      ) as Required<SuccessStatuses>,
    row: 'A-3',
    question: 'success statuses',
  }),
  clockTolerance: optional(
    'A-2',
    'how far `iat` may be ahead of the clock',
    () =>
      withMetadata(z.number().check(z.gte(0), z.lte(maxLifetime)), {
        rule: 'must be a number of seconds from 0 to 1e9',
      }),
    30,
    inSeconds,
  ),
  quoteLifetime: optional('A-26', 'how long a quote is valid', lifetime, 900, inSeconds),
  urlLifetime: optional('A-27', 'how long a signed URL is valid', lifetime, 300, inSeconds),
  pageSize: optional(
    'A-12',
    'the default page size',
    () => integerFrom(pageSize.smallest, pageSize.largest),
    pageSize.default,
  ),
  parties: choice('A-32', 'whether the customer and the beneficiary of a payment must be approved', [
    'approved',
    'any',
  ]),
  ownership: choice(
    'A-33',
    'whether the beneficiary, the quote and the documents of a payment must belong to its customer',
    ['customer', 'organization'],
  ),
  paymentHold: choice('A-34', 'whether the payment hold of a person affects payments of the customer', [
    'none',
    'review',
    'reject',
  ]),
  unknownFields: choice('A-35', 'whether unknown fields and query parameters are rejected', ['reject', 'ignore']),
  errorStatuses: option({
    schema: errorStatuses,
    resolve: resolveErrorStatuses,
    row: 'A-36',
    question: 'the statuses of errors',
  }),
  receiptStatuses: optional<readonly PaymentStatus[]>(
    'A-37',
    'when a payment has a `receiptUrl`',
    () => z.array(enumOf(paymentStatuses)),
    ['COMPLETED', 'RETURNED'],
  ),
  receiptLifetime: optional('A-37', 'how long it is valid', lifetime, undefined, (seconds) =>
    seconds === undefined ? 'forever' : inSeconds(seconds),
  ),
} satisfies { readonly [Name in keyof MockBehavior]-?: unknown };

type SuccessStatuses = NonNullable<MockBehavior['successStatuses']>;

/** The behavior with all defaults applied; durations are in milliseconds. */
export type ResolvedBehavior = {
  readonly [Name in keyof typeof behaviorTable]: ReturnType<(typeof behaviorTable)[Name]['resolve']>;
};

const behaviorEntries = Object.entries(behaviorTable) as [keyof MockBehavior, BehaviorOption<unknown, unknown>][];

const behaviorShape = (): OptionsShape<MockBehavior> =>
  Object.fromEntries(
    behaviorEntries.map(([name, { schema }]) => [name, schema()]),
  ) as unknown as OptionsShape<MockBehavior>;

function successStatus(name: EndpointName): z.ZodMiniType<number> {
  if (endpoints[name].success === 204) return integerFrom(200, 299);
  return withMetadata(integerFrom(200, 299).check(z.refine((status) => status !== 204 && status !== 205)), {
    rule: 'must be an integer from 200 to 299 other than 204 and 205, which allow no body',
  });
}

/** The schema of the options that `configure` accepts. */
export const behaviorOptions: Schema<MockBehavior> = memoize(() => optionsObject<MockBehavior>(behaviorShape()));

/** Applies all defaults to valid behavior. */
export function resolveBehavior(behavior: MockBehavior): ResolvedBehavior {
  return Object.fromEntries(
    behaviorEntries.map(([name, { resolve }]) => [name, resolve(behavior[name])]),
  ) as ResolvedBehavior;
}

/** Returns the options of a platform that identify its first organization. */
export function identityOf({ id, name, apiKey, publicKey, privateKey }: MockIdentityOptions): MockIdentityOptions {
  return { id, name, apiKey, publicKey, privateKey };
}

/** Returns the behavior in the options of an organization. */
export function behaviorOf(options: MockOrganizationOptions): MockBehavior {
  return omitUndefined(
    Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(behaviorTable, name))),
  );
}

/** Options that identify an organization. Values that you omit are derived from the platform's seed. */
export interface MockIdentityOptions {
  /** The organization's id. @default one derived from the seed */
  readonly id?: string | undefined;
  /** The organization's name. @default a company name derived from the seed */
  readonly name?: string | undefined;
  /** The API key, which clients send in `x-api-key`. @default one derived from the seed */
  readonly apiKey?: string | undefined;
  /**
   * The RSA key that verifies the organization's tokens, in SPKI PEM format. @default the public part of `privateKey`
   */
  readonly publicKey?: string | undefined;
  /**
   * The RSA key that signs the organization's tokens, in PKCS#8 PEM format. @default a generated key pair, unless
   * `publicKey` is set
   */
  readonly privateKey?: string | undefined;
}

/** Options of an organization. Behavior that you omit is that of the platform. */
export interface MockOrganizationOptions extends MockIdentityOptions, MockBehavior {
  /**
   * Whether it has the clock of the platform, or its own, so that tests that share a platform move time without
   * disturbing each other. @default 'shared'
   */
  readonly clock?: 'shared' | 'own' | undefined;
}

/** Options of a mock platform. Most of them decide behavior that the specification does not define. */
export interface MockPlatformOptions extends MockIdentityOptions, MockBehavior {
  /** The seed of all ids and data: equal seeds produce equal platforms. @default 1 */
  readonly seed?: number | string | undefined;
  /** The base URL of the platform. @default 'https://api.corridor.test' */
  readonly baseUrl?: string | undefined;
  /**
   * The wire format, if the specification does not define it; pass the same dialect to the client.
   * @default the assumed dialect
   */
  readonly dialect?: Dialect | undefined;
  /** The clock that the mock's clock follows, in milliseconds since the epoch. @default Date.now */
  readonly now?: (() => number) | undefined;
  /** The largest request body that the mock reads, in bytes; it responds to larger ones with a 413. @default 1048576 */
  readonly maxRequestBytes?: number | undefined;
  /**
   * Whether records that a test adds or updates must have a currency of the platform, an amount with its decimals, and
   * an `updatedAt` not before `createdAt`; `'any'` accepts all that responses may contain. @default 'plausible'
   */
  readonly records?: 'plausible' | 'any' | undefined;
  /** The number of requests that the log keeps before it drops the oldest. @default 10000 */
  readonly logSize?: number | undefined;
  /**
   * What `corridor verify` measured on your platform: the content of `corridor.platform.json`. Other options override
   * its dialect and its behavior. @default none
   */
  readonly platform?: MeasuredPlatform | undefined;
}

/** The content of `corridor.platform.json`, which `corridor verify` writes. */
export interface MeasuredPlatform {
  /** The version of the format. @default 1 */
  readonly version?: 1 | undefined;
  /** The wire format, for the client and the mock. @default the assumed dialect */
  readonly dialect?: Dialect | undefined;
  /** The behavior, for the mock. @default the assumed behavior */
  readonly behavior?: MeasuredBehavior | undefined;
  /** The verdicts, which the mock ignores. @default none */
  readonly rows?: Readonly<Record<string, unknown>> | undefined;
}

/** The behavior that `corridor verify` measures. */
export interface MeasuredBehavior extends MockBehavior, Pick<MockPlatformOptions, 'maxRequestBytes'> {}

/** The options with all defaults applied. */
export interface ResolvedOptions extends ResolvedBehavior {
  readonly seed: string;
  readonly baseUrl: string;
  readonly dialect: ResolvedDialect;
  readonly now: (() => number) | undefined;
  readonly maxRequestBytes: number;
  readonly records: 'plausible' | 'any';
  readonly logSize: number;
}

const identityShape = (): OptionsShape<MockIdentityOptions> => {
  const name = nonEmptyString({ fix: useDefault });
  const secret = withMetadata(nonEmptyString(), {
    rule: 'must be a non-empty string',
    fix: useDefault,
    sensitive: true,
  });
  return { id: name, name, apiKey: secret, publicKey: secret, privateKey: secret };
};

const useDefault = 'Omit it to use the generated default';

/** The schema of the options of an organization. */
export const organizationOptions: Schema<MockOrganizationOptions> = memoize(() =>
  optionsObject<MockOrganizationOptions>(
    { ...identityShape(), ...behaviorShape(), clock: enumOf(['shared', 'own']) },
    { rule: "must be an object such as { name: 'Acme' }" },
  ),
);

const platformOptions: Schema<MockPlatformOptions> = memoize(() =>
  optionsObject<MockPlatformOptions>(
    {
      ...identityShape(),
      ...behaviorShape(),
      seed: withMetadata(z.union([z.string(), z.number()]), { rule: 'must be a string or a number' }),
      baseUrl: custom<string>(isBaseUrl, { rule: 'must be an http or https URL without a query or a fragment' }),
      dialect: dialectOptions(),
      now: clock(),
      maxRequestBytes: maxRequestBytes(),
      records: enumOf(['plausible', 'any']),
      logSize: integerFrom(1),
      platform: measuredPlatform(),
    },
    { hints: { onRequest: 'is a method: call platform.onRequest(listener)' } },
  ),
);

const measuredPlatform: Schema<MeasuredPlatform> = memoize(() =>
  optionsObject<MeasuredPlatform>(
    {
      version: custom<1>((value) => value === 1, { rule: 'must be 1' }),
      dialect: dialectOptions(),
      behavior: optionsObject<MeasuredBehavior>({ ...behaviorShape(), maxRequestBytes: maxRequestBytes() }),
      rows: custom<Readonly<Record<string, unknown>>>(isPlainObject, { rule: 'must be an object of verdicts by row' }),
    },
    { rule: 'must be the content of corridor.platform.json' },
  ),
);

const maxRequestBytes = (): z.ZodMiniType<number> => integerFrom(1, undefined, ' of bytes');

/** Moves what was measured to the options, which override it. */
export function withMeasuredBehavior({ platform = {}, ...options }: MockPlatformOptions): MockPlatformOptions {
  return { dialect: platform.dialect, ...platform.behavior, ...omitUndefined(options) };
}

/** Applies all defaults. Throws `MockPlatformError` if an option is unknown or invalid. */
export function resolveOptions(input: MockPlatformOptions): ResolvedOptions {
  requireValid('createMockPlatform', platformOptions, input, 'the options');
  const options = withMeasuredBehavior(input);
  const baseUrl = new URL(options.baseUrl ?? 'https://api.corridor.test');
  return {
    ...resolveBehavior(options),
    seed: String(options.seed ?? 1),
    baseUrl: `${baseUrl.origin}${baseUrl.pathname.replace(/(?<!\/)\/+$/, '')}`,
    dialect: resolveDialect(options.dialect),
    now: options.now,
    maxRequestBytes: options.maxRequestBytes ?? 1_048_576, // Assumed: A-29
    records: options.records ?? 'plausible',
    logSize: options.logSize ?? 10_000,
  };
}

function isBaseUrl(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { protocol, search, hash } = new URL(value);
  return /^https?:$/.test(protocol) && search === '' && hash === '';
}
