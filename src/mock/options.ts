import { resolveDialect, type Dialect, type ResolvedDialect } from '../contract/dialect.js';
import { pageSize } from '../contract/page.js';
import { MockPlatformError } from './error.js';
import { resolveTransitions, type TransitionOverrides, type Transitions } from './transitions.js';

/** What an organization is told apart by. Whatever is not given is derived from the platform's seed. */
export interface MockOrganizationOptions {
  /** The organization's id. @default one derived from the seed */
  readonly id?: string | undefined;
  /** The organization's name. @default a company's name derived from the seed */
  readonly name?: string | undefined;
  /** The key that goes to `x-api-key`. @default one derived from the seed */
  readonly apiKey?: string | undefined;
  /** The RSA key that verifies its tokens, as SPKI PEM text. @default the public part of `privateKey` */
  readonly publicKey?: string | undefined;
  /** The RSA key that signs its tokens, as PKCS#8 PEM text. @default where no public key is given either, a pair that is made when it is first needed */
  readonly privateKey?: string | undefined;
}

/** How a mock platform behaves, most of it where the specification is silent. */
export interface MockPlatformOptions extends MockOrganizationOptions {
  /** What all ids and data follow from: equal seeds give equal platforms. @default 1 */
  readonly seed?: number | string | undefined;
  /** Where the platform answers. @default 'https://api.corridor.test' */
  readonly baseUrl?: string | undefined;
  /** What the wire looks like where the specification is silent; give the client the same. @default the assumed one */
  readonly dialect?: Dialect | undefined;
  /** The clock that the mock's follows, in milliseconds since the epoch. @default Date.now */
  readonly now?: (() => number) | undefined;
  /** Rows that replace those of the transition tables. @default none */
  readonly transitions?: TransitionOverrides | undefined;
  /** Whether a quote is good for one payment or for many. @default 'single-use' */
  readonly quotes?: 'single-use' | 'reusable' | undefined;
  /** Whether a payment's amount and currency must be those of its quote. @default 'free' */
  readonly amounts?: 'free' | 'as-quoted' | undefined;
  /** How long a quote is good, in seconds. @default 900 */
  readonly quoteLifetime?: number | undefined;
  /** How long a signed download URL is good, in seconds. @default 300 */
  readonly urlLifetime?: number | undefined;
  /** How many records a page holds where the request does not say, 1 to 100. @default 25 */
  readonly pageSize?: number | undefined;
  /** The largest request body that is read, in bytes; a larger one is a 413. @default 1048576 */
  readonly maxRequestBytes?: number | undefined;
  /** How many requests the log keeps before it drops the oldest. @default 10000 */
  readonly logSize?: number | undefined;
}

/** The options with every choice made. */
export interface ResolvedOptions {
  readonly seed: string;
  readonly baseUrl: string;
  readonly dialect: ResolvedDialect;
  readonly now: () => number;
  readonly transitions: Transitions;
  readonly quotes: 'single-use' | 'reusable';
  readonly amounts: 'free' | 'as-quoted';
  readonly quoteLifetime: number;
  readonly urlLifetime: number;
  readonly pageSize: number;
  readonly maxRequestBytes: number;
  readonly logSize: number;
}

/** Makes every choice. Throws `MockPlatformError` where one cannot be. */
export function resolveOptions(options: MockPlatformOptions): ResolvedOptions {
  return {
    seed: String(options.seed ?? 1),
    baseUrl: resolveBaseUrl(options.baseUrl ?? 'https://api.corridor.test'),
    dialect: resolveDialect(options.dialect),
    // Read at each call, so that a test's fake timers take effect whenever they are put in.
    now: options.now ?? (() => Date.now()),
    transitions: resolveTransitions(options.transitions),
    quotes: options.quotes ?? 'single-use', // Assumed: A-11
    amounts: options.amounts ?? 'free',
    quoteLifetime: positive('quoteLifetime', options.quoteLifetime ?? 900),
    urlLifetime: positive('urlLifetime', options.urlLifetime ?? 300),
    pageSize: resolvePageSize(options.pageSize ?? pageSize.default), // Assumed: A-12
    maxRequestBytes: positive('maxRequestBytes', options.maxRequestBytes ?? 1_048_576),
    logSize: positive('logSize', options.logSize ?? 10_000),
  };
}

function resolveBaseUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text)) throw new MockPlatformError(`baseUrl: ${JSON.stringify(text)} is not an http or https URL`);
  const url = new URL(text);
  if (url.search !== '' || url.hash !== '') throw new MockPlatformError('baseUrl: must have no query and no fragment');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

function positive(name: string, value: number): number {
  if (!Number.isFinite(value) || value <= 0) throw new MockPlatformError(`${name}: must be a number above 0`);
  return value;
}

function resolvePageSize(size: number): number {
  if (!Number.isInteger(size) || size < pageSize.smallest || size > pageSize.largest) {
    throw new MockPlatformError(`pageSize: must be a whole number from ${pageSize.smallest} to ${pageSize.largest}`);
  }
  return size;
}
