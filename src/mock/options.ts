import { dialectProblem, resolveDialect, type Dialect, type ResolvedDialect } from '../contract/dialect.js';
import { MockPlatformError } from './error.js';
import { positive, resolveSwitches, switchNames, type MockSwitches, type ResolvedSwitches } from './switches.js';

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
export interface MockPlatformOptions extends MockOrganizationOptions, MockSwitches {
  /** What all ids and data follow from: equal seeds give equal platforms. @default 1 */
  readonly seed?: number | string | undefined;
  /** Where the platform answers. @default 'https://api.corridor.test' */
  readonly baseUrl?: string | undefined;
  /** What the wire looks like where the specification is silent; give the client the same. @default the assumed one */
  readonly dialect?: Dialect | undefined;
  /** The clock that the mock's follows, in milliseconds since the epoch. @default Date.now */
  readonly now?: (() => number) | undefined;
  /** The largest request body that is read, in bytes; a larger one is a 413. @default 1048576 */
  readonly maxRequestBytes?: number | undefined;
  /** How many requests the log keeps before it drops the oldest. @default 10000 */
  readonly logSize?: number | undefined;
}

/** The options with every choice made. */
export interface ResolvedOptions extends ResolvedSwitches {
  readonly seed: string;
  readonly baseUrl: string;
  readonly dialect: ResolvedDialect;
  readonly now: () => number;
  readonly maxRequestBytes: number;
  readonly logSize: number;
}

const organizationOptionNames = ['id', 'name', 'apiKey', 'publicKey', 'privateKey'] as const satisfies readonly (keyof MockOrganizationOptions)[];

const optionNames: readonly string[] = [
  ...organizationOptionNames, 'seed', 'baseUrl', 'dialect', 'now', 'maxRequestBytes', 'logSize', ...switchNames,
] satisfies readonly (keyof MockPlatformOptions)[];

/** Makes every choice. Throws `MockPlatformError` where one cannot be. */
export function resolveOptions(options: MockPlatformOptions): ResolvedOptions {
  requireKnown('createMockPlatform', options, optionNames);
  return {
    ...resolveSwitches(options),
    seed: String(options.seed ?? 1),
    baseUrl: resolveBaseUrl(options.baseUrl ?? 'https://api.corridor.test'),
    dialect: checkedDialect(options.dialect),
    // Read at each call, so that a test's fake timers take effect whenever they are put in.
    now: options.now ?? (() => Date.now()),
    maxRequestBytes: positive('maxRequestBytes', options.maxRequestBytes ?? 1_048_576), // Assumed: A-29
    logSize: positive('logSize', options.logSize ?? 10_000),
  };
}

/** Throws `MockPlatformError` where there is an option that is none: misspelt, it would do nothing. */
export function requireKnown(call: string, options: object, names: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new MockPlatformError(`${call}: ${unknown} is not an option; there are ${names.join(', ')}`);
}

/** Throws `MockPlatformError` where an option of an organization is none: what is misspelt would do nothing. */
export function requireOrganizationOptions(options: MockOrganizationOptions): void {
  if (typeof options !== 'object' || options === null) throw new MockPlatformError('organization: give an object of options');
  requireKnown('organization', options, organizationOptionNames);
}

/** Throws `MockPlatformError` where an organization is given what is no text. */
export function requireTexts(options: MockOrganizationOptions): void {
  for (const name of organizationOptionNames) {
    const value: unknown = options[name];
    if (value !== undefined && (typeof value !== 'string' || value === '')) throw new MockPlatformError(`${name}: must be a string that is not empty; leave it out for the mock's own`);
  }
}

function checkedDialect(dialect: Dialect = {}): ResolvedDialect {
  if (typeof dialect !== 'object' || dialect === null) throw new MockPlatformError('dialect: must be an object');
  const problem = dialectProblem(dialect);
  if (problem !== undefined) throw new MockPlatformError(`dialect.${problem}`);
  return resolveDialect(dialect);
}

function resolveBaseUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text)) throw new MockPlatformError(`baseUrl: ${JSON.stringify(text)} is not an http or https URL`);
  const url = new URL(text);
  if (url.search !== '' || url.hash !== '') throw new MockPlatformError('baseUrl: must have no query and no fragment');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
