import * as z from 'zod/mini';
import { dialectOptions, resolveDialect, type Dialect, type ResolvedDialect } from '../contract/dialect.js';
import {
  isPlainObject,
  custom,
  functionOf,
  integerFrom,
  optionsObject,
  type OptionsShape,
} from '../contract/options.js';
import { nonEmptyString, memoize, withMetadata, type Schema } from '../contract/schema/schema.js';
import { behaviorShape, resolveBehavior, type MockBehavior, type ResolvedBehavior } from './behavior.js';
import { requireValid } from './require-valid.js';

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
