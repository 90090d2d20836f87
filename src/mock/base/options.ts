import * as z from 'zod/mini';
import { endpointNames, endpoints, type EndpointName, type EndpointDefinition } from '../../contract/endpoints.js';
import {
  integerFrom,
  optionsObject,
  type OptionsShape,
  isPlainObject,
  custom,
  functionOf,
} from '../../contract/options.js';
import { limit, pageSize } from '../../contract/schema/pagination.js';
import { paymentStatuses, type PaymentStatus } from '../../contract/schema/payments.js';
import {
  enumOf,
  memoize,
  strictObject,
  withMetadata,
  type Schema,
  nonEmptyString,
} from '../../contract/schema/schema.js';
import {
  errorStatuses,
  resolveErrorStatuses,
  type ErrorStatuses,
  type ResolvedErrorStatuses,
} from './error-statuses.js';
import { durationShape, millisecondsOf, positiveDuration, type Duration } from '../../contract/schema/time.js';
import { resolveTransitions, transitionOverrides, type TransitionOverrides, type Transitions } from './transitions.js';
import { dialectOptions, resolveDialect, type Dialect, type ResolvedDialect } from '../../contract/dialect.js';
import { requireValid } from './error.js';

/** The number of requests that an organization may send within a time window. */
export interface MockRateLimit {
  /** The number of requests. */
  readonly requests: number;
  /** The length of the window, which starts with the first request. */
  readonly per: Duration;
}

/**
 * How long a payment that a request created is missing from the list: for a duration, or for a number of list requests.
 */
export type MockListLag = Duration | { readonly reads: number };

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
  /**
   * How long a payment that a request created is missing from the list: `{ seconds: 2 }`, or for list requests:
   * `{ reads: 2 }`. @default none
   */
  readonly listLag?: MockListLag | undefined;
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

/** The behavior with all defaults applied; durations are in milliseconds. */
export interface ResolvedBehavior {
  readonly transitions: Transitions;
  readonly quotes: NonNullable<MockBehavior['quotes']>;
  readonly amounts: NonNullable<MockBehavior['amounts']>;
  readonly idempotency: NonNullable<MockBehavior['idempotency']>;
  readonly listLag: { readonly span: number } | { readonly reads: number } | undefined;
  readonly listOrder: NonNullable<MockBehavior['listOrder']>;
  readonly errorBody: NonNullable<MockBehavior['errorBody']>;
  readonly rateLimit: { readonly requests: number; readonly span: number } | undefined;
  readonly successStatuses: { readonly [Name in EndpointName]: number };
  readonly quoteLifetime: number;
  readonly urlLifetime: number;
  readonly pageSize: number;
  readonly createdStatus: PaymentStatus;
  readonly parties: NonNullable<MockBehavior['parties']>;
  readonly ownership: NonNullable<MockBehavior['ownership']>;
  readonly paymentHold: NonNullable<MockBehavior['paymentHold']>;
  readonly unknownFields: NonNullable<MockBehavior['unknownFields']>;
  readonly errorStatuses: ResolvedErrorStatuses;
  readonly receiptStatuses: readonly PaymentStatus[];
  readonly receiptLifetime: number | undefined;
}

/** A later expiry could have a year of more than four digits. */
const maxLifetime = 1e9;

/** Returns the schemas of the options that `configure` accepts. */
export function behaviorShape(): OptionsShape<MockBehavior> {
  const lifetime = withMetadata(z.number().check(z.gt(0), z.lte(maxLifetime)), {
    rule: 'must be a number of seconds greater than 0 and at most 1e9',
  });
  return {
    transitions: transitionOverrides(),
    quotes: enumOf(['single-use', 'reusable']),
    amounts: enumOf(['as-quoted', 'free']),
    idempotency: enumOf(['none', 'by-quote', 'by-reference']),
    listLag: optionsObject<Duration & { readonly reads?: number }>(
      { ...durationShape(), reads: integerFrom(1) },
      { rule: 'must be either a duration greater than 0, such as { seconds: 2 }, or a number of reads: { reads: 2 }' },
      ({ reads, ...duration }) => (reads === undefined) === millisecondsOf(duration) > 0,
    ),
    listOrder: enumOf(['newest-first', 'oldest-first', 'shuffled']),
    errorBody: enumOf(['plain', 'nested', 'problem+json', 'status-code']),
    rateLimit: withMetadata(strictObject<MockRateLimit>({ requests: integerFrom(1), per: positiveDuration() }), {
      rule: 'must be an object such as { requests: 100, per: { minutes: 1 } }',
    }),
    successStatuses: optionsObject<NonNullable<MockBehavior['successStatuses']>>(
      Object.fromEntries(endpointNames.map((name) => [name, successStatus(name)])) as OptionsShape<
        NonNullable<MockBehavior['successStatuses']>
      >,
      { rule: "must be an object of statuses by endpoint, such as { 'payments.create': 200 }" },
    ),
    quoteLifetime: lifetime,
    urlLifetime: lifetime,
    pageSize: limit(),
    createdStatus: enumOf(paymentStatuses),
    parties: enumOf(['approved', 'any']),
    ownership: enumOf(['customer', 'organization']),
    paymentHold: enumOf(['none', 'review', 'reject']),
    unknownFields: enumOf(['reject', 'ignore']),
    errorStatuses: errorStatuses(),
    receiptStatuses: z.array(enumOf(paymentStatuses)),
    receiptLifetime: lifetime,
  };
}

function successStatus(name: EndpointName): z.ZodMiniType<number> {
  const { response }: EndpointDefinition<unknown> = endpoints[name];
  if (response === 'nothing') return integerFrom(200, 299);
  return withMetadata(integerFrom(200, 299).check(z.refine((status) => status !== 204 && status !== 205)), {
    rule: 'must be an integer from 200 to 299 other than 204 and 205, which allow no body',
  });
}

/** The schema of the options that `configure` accepts. */
export const behaviorOptions: Schema<MockBehavior> = memoize(() => optionsObject<MockBehavior>(behaviorShape()));

/** Applies all defaults to valid behavior. */
export function resolveBehavior(behavior: MockBehavior): ResolvedBehavior {
  const { rateLimit } = behavior;
  return {
    transitions: resolveTransitions(behavior.transitions),
    quotes: behavior.quotes ?? 'single-use', // Assumed: A-11
    amounts: behavior.amounts ?? 'as-quoted', // Assumed: A-28
    idempotency: behavior.idempotency ?? 'none', // Assumed: A-11
    listLag: resolveListLag(behavior.listLag), // Assumed: A-11
    listOrder: behavior.listOrder ?? 'newest-first', // Assumed: A-11
    errorBody: behavior.errorBody ?? 'plain', // Assumed: A-6
    rateLimit: rateLimit && { requests: rateLimit.requests, span: millisecondsOf(rateLimit.per) }, // Assumed: A-12
    successStatuses: resolveSuccessStatuses(behavior.successStatuses), // Assumed: A-3
    quoteLifetime: behavior.quoteLifetime ?? 900, // Assumed: A-26
    urlLifetime: behavior.urlLifetime ?? 300, // Assumed: A-27
    pageSize: behavior.pageSize ?? pageSize.default, // Assumed: A-12
    createdStatus: behavior.createdStatus ?? 'PENDING_REVIEW', // Assumed: A-10
    parties: behavior.parties ?? 'approved', // Assumed: A-32
    ownership: behavior.ownership ?? 'customer', // Assumed: A-33
    paymentHold: behavior.paymentHold ?? 'none', // Assumed: A-34
    unknownFields: behavior.unknownFields ?? 'reject', // Assumed: A-35
    errorStatuses: resolveErrorStatuses(behavior.errorStatuses), // Assumed: A-36
    receiptStatuses: behavior.receiptStatuses ?? ['COMPLETED', 'RETURNED'], // Assumed: A-37
    receiptLifetime: behavior.receiptLifetime, // Assumed: A-37
  };
}

function resolveListLag(lag: MockListLag | undefined): ResolvedBehavior['listLag'] {
  if (lag === undefined) return undefined;
  const { reads, ...duration } = lag as Duration & { readonly reads?: number };
  return reads === undefined ? { span: millisecondsOf(duration) } : { reads };
}

function resolveSuccessStatuses(overrides: MockBehavior['successStatuses'] = {}): ResolvedBehavior['successStatuses'] {
  const statuses = endpointNames.map((name) => [name, overrides[name] ?? endpoints[name].success]);
  return Object.fromEntries(statuses) as ResolvedBehavior['successStatuses'];
}

/** Options of an organization. Values that you omit are derived from the platform's seed. */
export interface MockOrganizationOptions {
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

/** Options of a mock platform. Most of them decide behavior that the specification does not define. */
export interface MockPlatformOptions extends MockOrganizationOptions, MockBehavior {
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
  /** The number of requests that the log keeps before it drops the oldest. @default 10000 */
  readonly logSize?: number | undefined;
  /**
   * The behavior of your platform as `corridor verify` measured it; other options override it. The content of
   * `corridor.platform.json` is valid as options. @default none
   */
  readonly behavior?: MeasuredBehavior | undefined;
  /** The version of the format of `corridor.platform.json`. @default 1 */
  readonly version?: 1 | undefined;
  /** The verdicts in `corridor.platform.json`, which the mock ignores. @default none */
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
  readonly logSize: number;
}

const organizationShape = (): OptionsShape<MockOrganizationOptions> => {
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
  optionsObject<MockOrganizationOptions>(organizationShape(), { rule: "must be an object such as { name: 'Acme' }" }),
);

const platformOptions: Schema<MockPlatformOptions> = memoize(() =>
  optionsObject<MockPlatformOptions>({
    ...organizationShape(),
    ...behaviorShape(),
    seed: withMetadata(z.union([z.string(), z.number()]), { rule: 'must be a string or a number' }),
    baseUrl: custom<string>(isBaseUrl, { rule: 'must be an http or https URL without a query or a fragment' }),
    dialect: dialectOptions(),
    now: functionOf(),
    maxRequestBytes: maxRequestBytes(),
    logSize: integerFrom(1),
    behavior: optionsObject<MeasuredBehavior>({ ...behaviorShape(), maxRequestBytes: maxRequestBytes() }),
    version: custom<1>((value) => value === 1, { rule: 'must be 1' }),
    rows: custom<Readonly<Record<string, unknown>>>(isPlainObject, { rule: 'must be an object of verdicts by row' }),
  }),
);

const maxRequestBytes = (): z.ZodMiniType<number> => integerFrom(1, undefined, ' of bytes');

/** Moves the measured behavior to the options, which override it. */
export function withMeasuredBehavior({ behavior, ...options }: MockPlatformOptions): MockPlatformOptions {
  return { ...behavior, ...options };
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
    logSize: options.logSize ?? 10_000,
  };
}

function isBaseUrl(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { protocol, search, hash } = new URL(value);
  return /^https?:$/.test(protocol) && search === '' && hash === '';
}
