import * as z from 'zod/mini';
import { dialectOptions, type Dialect } from './contract/dialect.js';
import { positiveDuration } from './contract/schema/time.js';
import {
  clock,
  custom,
  functionOf,
  hostName,
  integerFrom,
  numberFrom,
  objectWith,
  optionsObject,
  type OptionsShape,
} from './contract/option-schemas.js';
import { hasNoClass, isPlainObject } from './contract/objects.js';
import { array, boolean, enumOf, string, memoize, withMetadata, type Schema } from './contract/schema/schema.js';
import { formatIssues } from './contract/issue.js';
import { settingIssue, unwrapSetting } from './contract/setting.js';
import { ConfigurationError } from './errors/api.js';
import { requireOptions } from './errors/options.js';
import type { Journal } from './journal/journal.js';
import type { Drift, ValidationMode } from './transport/response.js';
import { isApiKey, type ApiKeySource, type TokenClaims, type ClaimsContext } from './transport/auth/credentials.js';
import { assertKeySource, type PrivateKeySource, type Signer } from './transport/auth/key.js';
import type { Hooks, Logger } from './transport/events.js';
import type { FetchFunction } from './transport/fetch.js';
import { headerIssues, headersOption, limits, lowercaseHeaders, maxTimerDelay } from './transport/request-options.js';
import type { RateLimit } from './transport/limits.js';
import { assertUnpollutedPrototype } from './transport/request.js';
import { isBrowser } from './transport/runtime.js';
import type { SleepFunction } from './transport/clock.js';

/**
 * The options of a client. All except the credentials have defaults; `baseUrl`, `apiKey` and `privateKey` can come from
 * the environment.
 */
export interface CorridorOptions {
  /**
   * The platform's URL, without `/api/v1`: https, or http on a loopback address. @default the environment's
   * CORRIDOR_BASE_URL
   */
  readonly baseUrl?: string | undefined;
  /**
   * The API key, sent as `x-api-key`; or a function that returns the current one, which is called for each attempt.
   * @default the environment's CORRIDOR_API_KEY
   */
  readonly apiKey?: ApiKeySource | undefined;
  /**
   * The private key that signs tokens: a PEM string (PKCS#8 or PKCS#1, also with escaped newlines or in base64), a JWK,
   * a CryptoKey, or a function that returns the current key. RSA, at least 2048 bits. @default the environment's
   * CORRIDOR_PRIVATE_KEY
   */
  readonly privateKey?: PrivateKeySource | undefined;
  /**
   * Signs tokens instead of `privateKey`, for keys in a KMS or an HSM: RSASSA-PKCS1-v1_5 with SHA-256 over the bytes
   * that it receives.
   */
  readonly signer?: Signer | undefined;
  /** The token's `kid` header. @default none */
  readonly keyId?: string | undefined;
  /** The token's `iss` claim. @default none */
  readonly issuer?: string | undefined;
  /** The token's `sub` claim. It may be the API key, which then travels in the token. @default none */
  readonly subject?: string | undefined;
  /** The token's `aud` claim. @default none */
  readonly audience?: string | undefined;
  /** Returns additional claims of a token; they override the default ones. @default none */
  readonly claims?: ((request: ClaimsContext) => TokenClaims) | undefined;
  /** How long a token is valid after it was signed, as an integer of seconds. @default 60 */
  readonly tokenLifetime?: number | undefined;
  /**
   * The maximum duration of one attempt, from signing to the last byte of the body, in milliseconds. @default 30_000
   */
  readonly timeout?: number | undefined;
  /** The maximum duration of a whole call, with all attempts and delays, in milliseconds. @default 90_000 */
  readonly totalTimeout?: number | undefined;
  /** The maximum number of retries after the first attempt. @default 2 */
  readonly maxRetries?: number | undefined;
  /**
   * The longest `Retry-After` to wait for, in milliseconds: a call throws at once if the platform requests a longer
   * delay, and the error has the delay in `retryAfterMs`. @default no limit but `totalTimeout`
   */
  readonly maxRetryAfter?: number | undefined;
  /** Headers of every request. The `headers` of a call replace them. @default none */
  readonly defaultHeaders?: Readonly<Record<string, string>> | undefined;
  /**
   * How responses are validated against the contract: `standard` throws if code that trusts the types could fail, sets
   * absent fields that may be null to null, and reports these and additions to `onDrift`; `strict` throws in both cases
   * (for CI); `observe` never throws, changes nothing and reports everything. @default 'standard'
   */
  readonly validation?: ValidationMode | undefined;
  /**
   * Called for each difference between a response and the contract, before the call resolves; never receives a value.
   * @default none
   */
  readonly onDrift?: ((drift: Drift) => void) | undefined;
  /** The maximum size of a response, in bytes after decompression. @default 8_388_608 */
  readonly maxResponseBytes?: number | undefined;
  /** Whether iteration fetches the next page while you process the current one. @default true */
  readonly prefetch?: boolean | undefined;
  /**
   * The maximum number of concurrent requests; further requests wait in order. Calls that wait to retry do not count.
   * @default no limit
   */
  readonly concurrency?: number | undefined;
  /**
   * The maximum rate of requests. A response with 429 stops all requests for its `Retry-After`, at most a minute, and
   * then lowers the rate for a minute. @default no limit
   */
  readonly rateLimit?: RateLimit | undefined;
  /** Returns the current time, in milliseconds since the epoch. @default Date.now */
  readonly now?: (() => number) | undefined;
  /**
   * How long a new payment may take to appear in the list, in milliseconds: the default of the option of this name of
   * `createOnce`, `reconcile`, `changes`, `export`, `planExport` and `sync`. @default 10_000 for `createOnce` and
   * `reconcile`, 300_000 for the others
   */
  readonly consistencyWindow?: number | undefined;
  /**
   * Replaces all timers, including timeouts; use it with `now` to run on virtual time. Durations are then measured by
   * `now`. A function that returns at once, or advances the clock by itself, ends every call with a timeout.
   * @default timers
   */
  readonly sleep?: SleepFunction | undefined;
  /** Allows use in a browser, although it exposes the private key to users. @default false */
  readonly dangerouslyAllowBrowser?: boolean | undefined;
  /**
   * The hosts whose base URL may be http, for a mock in another container: `['mock']`. Everyone on the network can read
   * the API key and change requests, so never use it for a real platform. Exact names without ports or wildcards;
   * throws if `NODE_ENV` is `production`. @default none
   */
  readonly dangerouslyAllowHttpHosts?: readonly string[] | undefined;
  /**
   * Stores the intents of `payments.createOnce`, so that a crash loses no payment and processes that share the journal
   * never pay twice. @default in memory, shared by the clients of the thread with this `baseUrl` and `apiKey`
   */
  readonly journal?: Journal | undefined;
  /**
   * Functions that are called with requests, responses, retries, errors and canceled pages, for metrics and traces. One
   * object, or a list. @default none
   */
  readonly hooks?: Hooks | readonly Hooks[] | undefined;
  /**
   * Receives log lines: `console`, a logger of pino or winston, or another object with these functions. The lines
   * contain no ids, bodies or headers.
   * @default prints to stderr if the environment's CORRIDOR_LOG is `debug`, else none
   */
  readonly logger?: Logger | undefined;
  /**
   * Sends requests instead of the runtime's `fetch`. It must support `redirect: "manual"`, send each request once, and
   * return a `Response` of the web standard. The body of a write is a stream that can be read once, so pass `init` on
   * unchanged; `String(init.body)` returns its text. Read it only to send it: the outcome of a payment whose body was
   * read is never `not-sent`. The global is read at each request. @default globalThis.fetch
   */
  readonly fetch?: FetchFunction | undefined;
  /**
   * How your platform differs from the assumptions that this package makes because the specification is silent.
   * @default none
   */
  readonly dialect?: Dialect | undefined;
  /** The name of your application, appended to the `user-agent` header. @default none */
  readonly userAgent?: string | undefined;
}

const replaceableOptions = [
  'timeout',
  'totalTimeout',
  'maxRetries',
  'maxRetryAfter',
  'defaultHeaders',
  'validation',
  'onDrift',
  'maxResponseBytes',
  'prefetch',
  'consistencyWindow',
  'hooks',
  'logger',
] as const satisfies readonly (keyof CorridorOptions)[];

/** The options that `withOptions` can replace. */
export interface ReplaceableOptions extends Pick<CorridorOptions, (typeof replaceableOptions)[number]> {}

const defaults = () =>
  ({
    tokenLifetime: 60,
    timeout: 30_000,
    totalTimeout: 90_000,
    maxRetries: 2,
    maxRetryAfter: Number.POSITIVE_INFINITY,
    validation: 'standard',
    maxResponseBytes: 8 * 1024 * 1024,
    prefetch: true,
    concurrency: Number.POSITIVE_INFINITY,
    now: Date.now,
  }) satisfies CorridorOptions;

type Defaulted = keyof ReturnType<typeof defaults> | 'baseUrl' | 'apiKey';

/** Validated options with all defaults applied. */
export type ResolvedOptions = {
  readonly [K in Exclude<keyof CorridorOptions, 'hooks' | 'fetch'>]-?: K extends Defaulted
    ? NonNullable<CorridorOptions[K]>
    : CorridorOptions[K];
} & { readonly hooks: readonly Hooks[]; readonly fetch: typeof globalThis.fetch | undefined };

// To stderr, because stdout may be the output of a program.
const print: Logger['debug'] = (...line) => globalThis.console.error(...line);
const stderrLogger: Logger = { debug: print, warn: print, error: print };

const hooksShape: OptionsShape<Hooks> = {
  onRequest: functionOf(),
  onResponse: functionOf(),
  onRetry: functionOf(),
  onError: functionOf(),
  onCancel: functionOf(),
  onThrottle: functionOf(),
  onWorkflow: functionOf(),
};

const clientOptions: Schema<CorridorOptions> = memoize(() =>
  optionsObject<CorridorOptions>(
    {
      baseUrl: string(),
      apiKey: custom((value) => typeof value === 'function' || isApiKey(value), {
        rule: 'must be printable ASCII without white space',
        fix: 'Pass the key as the platform issued it',
        sensitive: true,
      }),
      // Its forms have messages of their own.
      privateKey: z.unknown() as z.ZodMiniType<PrivateKeySource>,
      signer: functionOf(),
      keyId: string(),
      issuer: string(),
      subject: string(),
      audience: string(),
      claims: functionOf(),
      tokenLifetime: integerFrom(1, undefined, ' of seconds'),
      ...limits(),
      defaultHeaders: headersOption(),
      validation: enumOf(['standard', 'strict', 'observe']),
      onDrift: functionOf(),
      maxResponseBytes: integerFrom(1, undefined, ' of bytes'),
      prefetch: boolean(),
      concurrency: custom((value) => value === Number.POSITIVE_INFINITY || isPositiveInteger(value), {
        rule: 'must be an integer of at least 1',
      }),
      rateLimit: withMetadata(
        z.strictObject({
          requests: integerFrom(1),
          per: positiveDuration(),
          burst: z.optional(integerFrom(1)),
        }),
        { rule: 'must be an object such as { requests: 100, per: { minutes: 1 } }' },
      ),
      now: clock(),
      consistencyWindow: numberFrom(0, maxTimerDelay, ' of milliseconds'),
      sleep: functionOf(),
      dangerouslyAllowBrowser: boolean(),
      dangerouslyAllowHttpHosts: withMetadata(z.array(hostName()), {
        rule: "must be an array of host names, such as ['mock']",
      }),
      hooks: withMetadata(z.union([optionsObject<Hooks>(hooksShape), array(optionsObject<Hooks>(hooksShape))]), {
        rule: 'must be an object of functions, such as { onRequest }, or an array of such objects',
      }),
      logger: objectWith<Logger>(['debug', 'warn', 'error'], {
        rule: 'must be an object with the functions debug, warn and error, such as console',
      }),
      journal: objectWith<Journal>(['claim', 'resolve', 'listPending'], {
        rule: 'must be an object with the functions claim, resolve and listPending',
      }),
      fetch: functionOf(),
      dialect: dialectOptions(),
      userAgent: withMetadata(z.string().check(z.regex(/^[\x20-\x7e]+$/)), {
        rule: 'must be printable ASCII',
      }),
    },
    { rule: 'must be an object, such as { baseUrl, apiKey, privateKey }' },
  ),
);

const isPositiveInteger = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) > 0;

/** Validates the options and applies the defaults. Error messages contain the fix, but never the value of a secret. */
export function resolveOptions(options: CorridorOptions): ResolvedOptions {
  assertUnpollutedPrototype();
  // Read once, because an option can be a getter.
  const input = isPlainObject(options) ? { ...options } : options;
  requireValid(input);
  if (input.dangerouslyAllowBrowser !== true && isBrowser()) {
    throw new ConfigurationError(
      'this environment looks like a browser (it has window or document, and is not Node), which ' +
        'would expose the private key to users. Call the platform from your backend. If you are sure ' +
        '(for example, in tests in a browser), set dangerouslyAllowBrowser: true',
    );
  }
  if (input.privateKey !== undefined && input.signer !== undefined)
    throw new ConfigurationError('privateKey and signer are both set. Pass either privateKey or signer');
  const credentials = readCredentials(input);
  requireValid(credentials);
  const resolved: Record<string, unknown> = {
    ...input,
    ...credentials,
    baseUrl: resolveBaseUrl(unwrapSetting(credentials.baseUrl), input.dangerouslyAllowHttpHosts),
    dialect: { ...input.dialect },
    ...normalize(input),
    logger: messageFirst(input.logger) ?? (isEnvironment('CORRIDOR_LOG', 'debug') ? stderrLogger : undefined),
  } satisfies CorridorOptions;
  for (const [name, value] of Object.entries(resolved))
    if (typeof value === 'string') resolved[name] = unwrapSetting(value);
  for (const [name, value] of Object.entries<unknown>(defaults())) resolved[name] ??= value;
  return resolved as unknown as ResolvedOptions;
}

const normalize = ({ hooks, logger, defaultHeaders }: CorridorOptions) => ({
  hooks: [hooks ?? []].flat(),
  logger: messageFirst(logger),
  defaultHeaders: lowercaseHeaders(defaultHeaders),
});

/** Returns a logger that takes the message first. pino's own, which its symbol marks, take the fields first. */
function messageFirst(logger: Logger | undefined): Logger | undefined {
  if (logger === undefined || !(Symbol.for('pino.serializers') in logger)) return logger;
  const pino = logger as unknown as Record<keyof Logger, (fields: object, message: string) => void>;
  return {
    debug: (message, fields) => pino.debug(fields, message),
    warn: (message, fields) => pino.warn(fields, message),
    error: (message, fields) => pino.error(fields, message),
  };
}

/** Returns the options of a client with some of them replaced. Throws for options that the clients share. */
export function replaceOptions(options: ResolvedOptions, replaced: ReplaceableOptions): ResolvedOptions {
  const input = isPlainObject(replaced) ? { ...replaced } : replaced;
  requireValid(input);
  const given = Object.keys(input).filter((name) => input[name as keyof ReplaceableOptions] !== undefined);
  const shared = given.find((name) => !(replaceableOptions as readonly string[]).includes(name));
  if (shared !== undefined)
    throw new ConfigurationError(
      `withOptions cannot replace ${shared}, because both clients share it. Create another client with new Corridor()`,
    );
  const values: Readonly<Record<string, unknown>> = { ...input, ...normalize(input) };
  return { ...options, ...Object.fromEntries(given.map((name) => [name, values[name]])) };
}

function requireValid(options: CorridorOptions): void {
  for (const [name, value] of Object.entries(Object(options) as Readonly<Record<string, unknown>>)) {
    const issue = settingIssue(value, name === 'baseUrl' || name === 'privateKey');
    if (issue !== undefined) throw new ConfigurationError(`${name} ${issue}`);
  }
  requireOptions(clientOptions, withKnownHooks(options), 'the options of a client');
  const issues = headerIssues('defaultHeaders', options.defaultHeaders);
  if (issues.length > 0) throw new ConfigurationError(formatIssues(issues, 'defaultHeaders'));
  if (options.privateKey !== undefined) assertKeySource(options.privateKey);
}

/** Replaces hooks that are an instance of a class by its methods: its other fields are not misspelled hooks. */
function withKnownHooks(options: CorridorOptions | null): CorridorOptions | null {
  const hooks = options?.hooks;
  if (hooks === undefined) return options;
  return { ...options, hooks: Array.isArray(hooks) ? hooks.map(knownHooks) : knownHooks(hooks as Hooks) };
}

function knownHooks(hooks: Hooks): Hooks {
  if (!isPlainObject(hooks) || hasNoClass(hooks)) return hooks;
  const names = Object.keys(hooksShape) as (keyof Hooks)[];
  return Object.fromEntries(names.map((name) => [name, hooks[name]]));
}

const variables = {
  baseUrl: 'CORRIDOR_BASE_URL',
  apiKey: 'CORRIDOR_API_KEY',
  privateKey: 'CORRIDOR_PRIVATE_KEY',
} as const;

/** Reads the credentials from the options or else the environment. Throws an error that names all missing ones. */
function readCredentials({ baseUrl, apiKey, privateKey, signer }: CorridorOptions) {
  const found = {
    baseUrl: baseUrl ?? readEnvironment(variables.baseUrl) ?? '',
    apiKey: apiKey ?? readEnvironment(variables.apiKey) ?? '',
    privateKey: privateKey ?? (signer === undefined ? readEnvironment(variables.privateKey) : undefined),
  };
  const missing = Object.entries(variables)
    .filter(([name]) => isBlank(found[name as keyof typeof variables]))
    .filter(([name]) => name !== 'privateKey' || signer === undefined)
    .map(([name, variable]) => `${name} (${variable})`);
  if (missing.length > 0)
    throw new ConfigurationError(
      `missing options: ${missing.join(', ')}. Pass them (for a key in a KMS, signer in place of ` +
        'privateKey) or set the variables of the environment. Run npx corridor-sdk doctor to check the ' +
        'environment, or npx corridor-sdk mock for a platform without an account',
    );
  return found;
}

/** Returns whether a setting counts as missing, as that of `X=""` in an env file whose quotes were kept. */
const isBlank = (value: unknown): boolean =>
  value === undefined || (typeof value === 'string' && unwrapSetting(value) === '');

/** Returns a variable of the environment; undefined if it is empty or the runtime has no environment. */
function readEnvironment(name: string): string | undefined {
  // Read from globalThis, because the core also runs in runtimes without `process`.
  const { process } = globalThis as {
    readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> };
  };
  const value = process?.env?.[name];
  return isBlank(value) ? undefined : value;
}

/** Returns whether a variable of the environment has a value, in quotes or not. */
const isEnvironment = (name: string, value: string): boolean => unwrapSetting(readEnvironment(name) ?? '') === value;

const loopback = /^(localhost|(.+\.)?localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Validates a base URL, and returns it without `/api/v1`, which all paths have, and slashes at its end. */
function resolveBaseUrl(baseUrl: string, dangerouslyAllowHttpHosts: readonly string[] = []): string {
  if (dangerouslyAllowHttpHosts.length > 0 && isEnvironment('NODE_ENV', 'production'))
    throw new ConfigurationError(
      'dangerouslyAllowHttpHosts is for tests, and NODE_ENV is production. Omit it, and pass an https URL as baseUrl',
    );
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || url.username + url.password !== '' || /[?#\s]/.test(baseUrl))
    throw new ConfigurationError(
      'baseUrl must be an absolute URL without white space, credentials, query ' +
        'and fragment. Pass a URL such as https://api.example.com',
    );
  const isAllowed = dangerouslyAllowHttpHosts.some((host) => host.toLowerCase() === url.hostname);
  const allowsHttp = loopback.test(url.hostname) || isAllowed;
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && allowsHttp)) {
    throw new ConfigurationError(
      'baseUrl must be https, because http would expose the API key (http is allowed for loopback addresses ' +
        'only). Pass an https URL, or for a mock on another host, its name in dangerouslyAllowHttpHosts',
    );
  }
  return url.origin + url.pathname.replace(/(?<!\/)\/+$/, '').replace(/(?<!\/)\/+api\/v1$/, '');
}
