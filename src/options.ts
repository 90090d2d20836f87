import { dialectProblem, type Dialect } from './contract/dialect.js';
import { ownFields } from './contract/own.js';
import { ConfigurationError } from './errors.js';
import type { Journal } from './journal/journal.js';
import type { Drift, Validation } from './transport/answer.js';
import type { Claims, TokenRequest } from './transport/credentials.js';
import { checkKeySource, type PrivateKeySource, type Signer } from './transport/keys.js';
import type { Hooks, Logger } from './transport/observe.js';
import { checkLimits } from './transport/request-options.js';
import type { Wait } from './transport/timing.js';

/** How a client is set up. Everything but the credentials has a default; those three can come from the environment. */
export interface CorridorOptions {
  /** Where the platform is: https, or http on a loopback address only. @default the environment's CORRIDOR_BASE_URL */
  readonly baseUrl?: string | undefined;
  /** The API key, sent as `x-api-key`. @default the environment's CORRIDOR_API_KEY */
  readonly apiKey?: string | undefined;
  /**
   * The private key that signs tokens: PEM text (PKCS#8 or PKCS#1, also with escaped newlines), a JWK, a CryptoKey, or a function
   * that gives the key to use now. RSA, at least 2048 bits. @default the environment's CORRIDOR_PRIVATE_KEY
   */
  readonly privateKey?: PrivateKeySource | undefined;
  /** Signs instead of `privateKey`, for keys that live in a KMS or an HSM: RSASSA-PKCS1-v1_5 with SHA-256 over the bytes given. */
  readonly signer?: Signer | undefined;
  /** The token's `kid` header. @default none */
  readonly keyId?: string | undefined;
  /** The token's `iss` claim. @default none */
  readonly issuer?: string | undefined;
  /** The token's `sub` claim. @default none */
  readonly subject?: string | undefined;
  /** The token's `aud` claim. @default none */
  readonly audience?: string | undefined;
  /** Further claims of a token, or others in place of ours. @default none */
  readonly claims?: ((request: TokenRequest) => Claims) | undefined;
  /** How long a token lives, in whole seconds. @default 60 */
  readonly tokenLifetime?: number | undefined;
  /** How long one attempt may take, from signing to the last byte of the body, in milliseconds. @default 30_000 */
  readonly timeout?: number | undefined;
  /** How long a whole call may take, all attempts and the waits between, in milliseconds. @default 90_000 */
  readonly deadline?: number | undefined;
  /** How many further attempts may follow the first. @default 2 */
  readonly retries?: number | undefined;
  /**
   * How answers are held against the contract: `standard` throws where code that trusts the types could go wrong and tells
   * `onDrift` of additions, `strict` throws on both (for CI), `observe` throws on nothing and tells of all. @default 'standard'
   */
  readonly validation?: Validation | undefined;
  /** Hears of differences between answers and the contract: one call each, before the call resolves, never a value. @default none */
  readonly onDrift?: ((drift: Drift) => void) | undefined;
  /** The largest answer that is read, in bytes after decompression. @default 8_388_608 */
  readonly maxResponseBytes?: number | undefined;
  /** Whether iteration fetches the next page while you work on this one. @default true */
  readonly prefetch?: boolean | undefined;
  /** How many requests may be in flight at once; others wait in line. @default no limit */
  readonly concurrency?: number | undefined;
  /** Reads the clock, in milliseconds since the epoch. @default Date.now */
  readonly now?: (() => number) | undefined;
  /**
   * Pauses, in place of timers, timeouts and deadlines among them: with `now`, time can be virtual, and durations are measured by `now`. One that
   * returns at once, or moves the clock on by itself, ends every call by its timeout. @default timers
   */
  readonly wait?: Wait | undefined;
  /** Allows use in a browser, where a private key does not belong. @default false */
  readonly allowBrowser?: boolean | undefined;
  /** Where `payments.createOnce` notes what it is about to send, so that a crash loses nothing and processes that share it never pay twice. @default in memory */
  readonly journal?: Journal | undefined;
  /** Functions that hear of requests, answers, retries, errors and pages given up, for metrics and traces. @default none */
  readonly hooks?: Hooks | undefined;
  /** Where log lines go; `console` will do. They hold no ids, no bodies and no headers. @default none */
  readonly logger?: Logger | undefined;
  /** Sends requests in place of the runtime's `fetch`. It must not follow redirects when told not to. @default globalThis.fetch, looked up at each request */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** What your platform does otherwise than assumed, where its specification is silent. @default none */
  readonly dialect?: Dialect | undefined;
  /** Names your application behind ours in the `user-agent` header. @default none */
  readonly userAgent?: string | undefined;
}

type Defaulted =
  | 'baseUrl' | 'apiKey' | 'tokenLifetime' | 'timeout' | 'deadline' | 'retries' | 'validation' | 'maxResponseBytes' | 'prefetch'
  | 'concurrency' | 'now';

/** Options with every default filled in, checked. */
export type ResolvedOptions = Omit<CorridorOptions, Defaulted> & { readonly [K in Defaulted]: NonNullable<CorridorOptions[K]> };

type Known = { readonly [K in keyof Required<CorridorOptions>]: string };

// What each option must be; the keys are all there are.
const known: Known = {
  baseUrl: 'string', apiKey: 'string', privateKey: 'key', signer: 'function', keyId: 'string', issuer: 'string', subject: 'string',
  audience: 'string', claims: 'function', tokenLifetime: 'number', timeout: 'number', deadline: 'number', retries: 'number',
  validation: 'string', onDrift: 'function', maxResponseBytes: 'number', prefetch: 'boolean', concurrency: 'number', now: 'function',
  wait: 'function', allowBrowser: 'boolean', hooks: 'object', logger: 'object', journal: 'object', fetch: 'function', dialect: 'object', userAgent: 'string',
};

/** Checks the options once, early, and says what is wrong and how to mend it; never the value of a secret. */
export function resolveOptions(options: CorridorOptions): ResolvedOptions {
  checkNames(options);
  const given = ownFields(options);
  if (given.allowBrowser !== true && isBrowser()) {
    throw new ConfigurationError('this looks like a browser, where a private key does not belong: call the platform from your backend. If you know what you do (tests under jsdom, say), set allowBrowser: true');
  }
  const resolved = ownFields({
    ...given,
    baseUrl: checkBaseUrl(given.baseUrl ?? environment('CORRIDOR_BASE_URL')),
    apiKey: checkApiKey(given.apiKey ?? environment('CORRIDOR_API_KEY')),
    privateKey: given.privateKey ?? (given.signer === undefined ? environment('CORRIDOR_PRIVATE_KEY') : undefined),
    tokenLifetime: given.tokenLifetime ?? 60,
    timeout: given.timeout ?? 30_000,
    deadline: given.deadline ?? 90_000,
    retries: given.retries ?? 2,
    validation: given.validation ?? 'standard',
    maxResponseBytes: given.maxResponseBytes ?? 8 * 1024 * 1024,
    prefetch: given.prefetch ?? true,
    concurrency: given.concurrency ?? Number.POSITIVE_INFINITY,
    now: given.now ?? Date.now,
    dialect: ownFields(given.dialect ?? {}),
  } satisfies CorridorOptions);
  checkLimits(resolved);
  checkNumber('tokenLifetime', resolved.tokenLifetime, 'a whole number of seconds, at least 1');
  checkNumber('maxResponseBytes', resolved.maxResponseBytes, 'a whole number of bytes, at least 1');
  if (resolved.concurrency !== Number.POSITIVE_INFINITY) checkNumber('concurrency', resolved.concurrency, 'a whole number, at least 1');
  if (!['standard', 'strict', 'observe'].includes(resolved.validation)) throw new ConfigurationError("validation must be 'standard', 'strict' or 'observe'");
  if (resolved.privateKey !== undefined && resolved.signer !== undefined) throw new ConfigurationError('give privateKey or signer, not both');
  if (resolved.privateKey === undefined && resolved.signer === undefined) {
    throw new ConfigurationError('privateKey is missing: give it as an option or set CORRIDOR_PRIVATE_KEY (or give a signer, for a key in a KMS)');
  }
  checkParts(resolved);
  if (resolved.userAgent !== undefined && !/^[\x20-\x7e]+$/.test(resolved.userAgent)) throw new ConfigurationError('userAgent must be printable ASCII');
  return resolved;
}

function checkNames(given: CorridorOptions): void {
  if (Object.prototype.toString.call(given) !== '[object Object]') {
    throw new ConfigurationError('the options of a client must be an object, such as { baseUrl, apiKey, privateKey }');
  }
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(known, name)) throw new ConfigurationError(`${name} is not an option (options: ${Object.keys(known).join(', ')})`);
    const value = given[name as keyof CorridorOptions];
    const wanted = known[name as keyof Known];
    if (value !== undefined && wanted === 'key') checkKeySource(value);
    else if (value !== undefined && (value === null || typeof value !== wanted)) {
      throw new ConfigurationError(`${name} must be ${wanted === 'object' ? 'an' : 'a'} ${wanted} (got ${value === null ? 'null' : typeof value})`);
    }
  }
}

const hookNames: readonly string[] = ['request', 'response', 'retry', 'error', 'cancel'] satisfies readonly (keyof Hooks)[];

function checkParts({ hooks = {}, logger, journal, dialect = {} }: CorridorOptions): void {
  for (const [name, hook] of Object.entries(hooks) as [string, unknown][]) {
    if (!hookNames.includes(name)) throw new ConfigurationError(`hooks.${name} is not a hook (hooks: ${hookNames.join(', ')})`);
    if (hook !== undefined && typeof hook !== 'function') throw new ConfigurationError(`hooks.${name} must be a function (got ${typeof hook})`);
  }
  for (const level of ['debug', 'warn', 'error'] as const) {
    if (logger !== undefined && typeof logger[level] !== 'function') throw new ConfigurationError(`logger must have a function "${level}" (console will do)`);
  }
  for (const method of ['claim', 'settle', 'open'] as const) {
    if (journal !== undefined && typeof journal[method] !== 'function') throw new ConfigurationError(`journal must have a function "${method}"`);
  }
  const problem = dialectProblem(dialect);
  if (problem !== undefined) throw new ConfigurationError(`dialect.${problem}`);
}

function checkNumber(name: string, value: number, rule: string): void {
  if (!Number.isSafeInteger(value) || value < 1) throw new ConfigurationError(`${name} must be ${rule}`);
}

function checkApiKey(apiKey: string | undefined): string {
  if (apiKey === undefined || apiKey === '') throw new ConfigurationError('apiKey is missing: give it as an option or set CORRIDOR_API_KEY');
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new ConfigurationError('apiKey must be printable ASCII without white space; a newline from a file or a quote from an env file may have slipped in');
  return apiKey;
}

const loopback = /^(localhost|(.+\.)?localhost|127(\.\d{1,3}){3}|\[::1\])$/;

function checkBaseUrl(baseUrl: string | undefined): string {
  if (baseUrl === undefined || baseUrl === '') throw new ConfigurationError('baseUrl is missing: give it as an option or set CORRIDOR_BASE_URL');
  if (!URL.canParse(baseUrl)) throw new ConfigurationError('baseUrl must be an absolute URL such as https://api.example.com');
  const url = new URL(baseUrl);
  if (url.username !== '' || url.password !== '') throw new ConfigurationError('baseUrl must not hold credentials');
  if (url.search !== '' || url.hash !== '' || /[?#]/.test(baseUrl)) throw new ConfigurationError('baseUrl must not have a query or a fragment');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && loopback.test(url.hostname))) {
    throw new ConfigurationError('baseUrl must be https (http is allowed on loopback addresses only): the API key would travel in the clear');
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}

// Reached through globalThis: the core runs where there is no process too.
function environment(name: string): string | undefined {
  const { process } = globalThis as { readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> } };
  const variables = process?.env ?? {};
  const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
  return value === '' ? undefined : value;
}

function isBrowser(): boolean {
  const { window, document } = globalThis as { readonly window?: unknown; readonly document?: unknown };
  return window !== undefined || document !== undefined;
}
