import { createDownload } from './transport/download.js';
import { ServerClock, createTiming } from './transport/clock.js';
import { Authenticator } from './transport/auth/token.js';
import { createSignedFetch } from './transport/attempt.js';
import { assertRuntime } from './transport/runtime.js';
import { FixedRateLimiter, Semaphore } from './transport/limits.js';
import { createEmitter, createTracer, ignoreErrors } from './transport/events.js';
import type { CustomRequest } from './transport/request.js';
import type { RequestOptions } from './transport/request-options.js';
import { RetryBudget, createSender } from './transport/call.js';
import { toApiPromise, type ApiPromise } from './core/api-promise.js';
import { bindMethods } from './core/bind-methods.js';
import { resolveDialect } from './contract/dialect.js';
import { ProcessJournal } from './journal/process.js';
import {
  replaceOptions,
  resolveOptions,
  type CorridorOptions,
  type ReplaceableOptions,
  type ResolvedOptions,
} from './options.js';
import { InFlightPayments } from './workflows/create-once/create-once.js';
import { CryptoResource } from './resources/crypto.js';
import { ConfigurationError } from './errors/api.js';
import { Customers } from './resources/customers.js';
import { Payments } from './resources/payments.js';
import { Downloads } from './resources/downloads.js';
import { Documents } from './resources/documents.js';
import { Screening } from './resources/screening.js';
import { Support } from './resources/support.js';
import { createMask, createRedactor } from './contract/redact.js';
import { version } from './version.js';
import type { Mirror } from './mirror/mirror.js';
import { SharedReads } from './workflows/shared-reads.js';
import type { Synchronized, SyncOptions, SyncReport } from './mirror/sync.js';
import type { WorkflowContext } from './workflows/context.js';

/**
 * The client of the payment platform. Create one per organization and reuse it: it holds the imported key, the measured
 * clock offset and the retry budget.
 *
 * @example
 * ```ts
 * import { Corridor } from 'corridor-sdk';
 * const corridor = new Corridor(); // CORRIDOR_BASE_URL, CORRIDOR_API_KEY, CORRIDOR_PRIVATE_KEY
 * for await (const payment of corridor.payments.list({ status: 'COMPLETED' })) console.log(payment.id);
 * ```
 */
export class Corridor {
  readonly #shared: Shared;
  readonly #options: ResolvedOptions;
  readonly #workflow: WorkflowContext;
  /** Payments: create, list, create exactly once, find, reconcile, follow, wait and preflight. */
  readonly payments: Payments;
  /** Customers, their activity and their beneficiaries. */
  readonly customers: Customers;
  /** Screening results of persons. */
  readonly screening: Screening;
  /** Crypto payment methods and networks. */
  readonly crypto: CryptoResource;
  /** Documents: download and delete. */
  readonly documents: Documents;
  /** Support tickets: reply, and download attachments. */
  readonly support: Support;

  /**
   * Creates a client. Nothing is sent.
   *
   * @throws ConfigurationError if an option is missing or invalid.
   */
  constructor(options?: CorridorOptions);
  /** @internal */
  constructor(options: ResolvedOptions, shared: Shared);
  constructor(options: CorridorOptions | ResolvedOptions = {}, parent?: Shared) {
    // Only withOptions passes a parent. Other SDKs take the options as a second argument.
    const isDerived = parent !== undefined && 'inFlight' in parent;
    const resolved = isDerived ? (options as ResolvedOptions) : resolveOptions(options);
    const shared = isDerived ? parent : createShared(resolved);
    this.#shared = shared;
    this.#options = resolved;
    const { journal, authenticator, transport, log } = shared;
    const { timing, clock, dialect } = transport;
    const sender = createSender({ ...transport, ...senderOptions(resolved, authenticator) });
    this.#workflow = {
      sender,
      options: resolved,
      timing,
      clock,
      journal,
      log,
      tracer: createTracer(resolved.hooks, timing),
      reads: new SharedReads(),
      authenticator,
    };
    this.customers = new Customers(this.#workflow);
    this.payments = new Payments(this.#workflow, shared.inFlight);
    this.screening = new Screening(sender);
    this.crypto = new CryptoResource(sender);
    const download = createDownload({ fetch: resolved.fetch, timing, clock, dialect, limits: resolved });
    const downloads = new Downloads(sender, download);
    this.documents = new Documents(sender, downloads);
    this.support = new Support(sender, downloads);
    const api = 'corridor.request: this version knows no endpoint of them';
    bindMethods(this, { beneficiaries: 'customers.beneficiaries(customerId)', quotes: api });
  }

  /**
   * Returns a client with some options replaced, for a part of your program. It shares everything else with this one:
   * credentials, host, journal, payments in flight, limits of requests, retry budget and clock. That of a subclass is
   * one of the subclass, with copies of the fields that its constructor, which is not called again, has set.
   *
   * @throws ConfigurationError if an option is invalid, or cannot be replaced.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * const patient = corridor.withOptions({ totalTimeout: 300_000, defaultHeaders: { 'x-team': 'treasury' } });
   * console.log(await patient.payments.list({ limit: 1 }));
   * ```
   */
  withOptions(options: ReplaceableOptions): this {
    // Not by the constructor of a subclass, which may take other arguments, and create a client of other credentials.
    const parameters = [replaceOptions(this.#options, options), this.#shared];
    const client = Reflect.construct(baseClass(), parameters, this.constructor) as this;
    const descriptors = Object.entries(Object.getOwnPropertyDescriptors(this));
    const added = descriptors.filter(([name]) => !Object.hasOwn(client, name));
    return Object.defineProperties(client, Object.fromEntries(added)) as this;
  }

  /**
   * Imports and verifies the private key, which otherwise happens at the first request. Call it on startup to fail
   * early.
   *
   * @throws ConfigurationError if the key cannot be used; the message contains the fix. SigningError if the
   * `privateKey` function throws.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * await corridor.ready();
   * ```
   */
  ready(): Promise<void> {
    return this.#shared.authenticator.ready();
  }

  /**
   * Fills an own copy of all payments, customers and beneficiaries in a database, and keeps it true: follows until
   * `signal` aborts, and then resolves. With `once`, it fills or catches up, and resolves.
   *
   * It reads payments in progress at every poll, those of the last 90 days every day, and everything every week, so
   * that a difference in any field is found, and writes each difference as a row that `mirror.changes()` iterates.
   * Rows, changes and position are one transaction. Several processes can synchronize one mirror: one of them works at
   * a time, and another continues about ten seconds after it died. `once` and `dryRun` do not wait for a process that
   * follows.
   *
   * @throws ConfigurationError if the mirror belongs to another platform or organization, or an option is invalid;
   * MirrorError if the database fails, unless it follows and the failure can pass; AbortedError if `signal` aborts and
   * `once` is true; otherwise the errors of any read that do not pass.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * import { SqliteMirror } from 'corridor-sdk/mirror/sqlite';
   * const corridor = new Corridor();
   * const mirror = new SqliteMirror('corridor.sqlite');
   * await corridor.sync(mirror, { once: true });
   * const { differences } = await corridor.sync(mirror, { once: true, full: true, dryRun: true });
   * for (const { record, id, fields } of differences) console.log(record, id, fields);
   * ```
   */
  async sync(mirror: Mirror, options: SyncOptions = {}): Promise<SyncReport> {
    const { run } = Object(mirror) as Partial<Synchronized>;
    if (typeof run !== 'function')
      throw new ConfigurationError(
        'corridor.sync: the mirror must be a SqliteMirror or a PostgresMirror ' +
          `(received ${mirror === null ? 'null' : typeof mirror}). Pass new SqliteMirror('corridor.sqlite')`,
        { endpoint: 'sync' },
      );
    return run.call(mirror, this.#workflow, options);
  }

  /**
   * Calls an endpoint that this version does not know, with the same signing, timeouts and retries as any other call.
   * The path is relative to `baseUrl`; percent-encode any ids in it. A write is never sent twice. The result is
   * `unknown`: parse it before you use it.
   *
   * @throws InvalidRequestError if path, query or body cannot be sent; otherwise the errors of any call.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * const response = await corridor.request({ method: 'GET', path: '/api/v1/crypto/networks' });
   * console.log(response);
   * ```
   */
  request(request: CustomRequest, options: RequestOptions = {}): ApiPromise<unknown> {
    return toApiPromise(this.#workflow.sender.sendCustom(request, options));
  }
}

/** A class that refers to itself gets another name from the bundler, which prints with each client. */
const baseClass = (): typeof Corridor => Corridor;

/** What clients share that `withOptions` creates from one. */
type Shared = ReturnType<typeof createShared>;

function createShared(options: ResolvedOptions) {
  assertRuntime();
  const { baseUrl, fetch, concurrency, rateLimit, logger } = options;
  const authenticator = new Authenticator(options);
  const log: WorkflowContext['log'] = (level, message) => ignoreErrors(() => logger?.[level](message, {}));
  const apiKey = typeof options.apiKey === 'string' ? options.apiKey : () => authenticator.apiKey();
  const { journal = new ProcessJournal({ platform: baseUrl, fetch, apiKey }) } = options;
  const timing = createTiming(options.now, options.sleep);
  const clock = new ServerClock(timing);
  const userAgent = `corridor-sdk/${version}${options.userAgent === undefined ? '' : ` ${options.userAgent}`}`;
  return {
    authenticator,
    journal,
    log,
    inFlight: new InFlightPayments(),
    transport: {
      signedFetch: createSignedFetch({ baseUrl, authenticator, clock, fetch, userAgent }),
      origin: new URL(baseUrl).origin,
      budget: new RetryBudget(),
      semaphore: concurrency === Number.POSITIVE_INFINITY ? undefined : new Semaphore(concurrency),
      rateLimiter: rateLimit && new FixedRateLimiter(timing, rateLimit),
      random: Math.random,
      clock,
      timing,
      dialect: resolveDialect(options.dialect),
    },
  };
}

/** Returns the options of a sender that `withOptions` can replace. */
function senderOptions(options: ResolvedOptions, { secrets }: Authenticator) {
  const { validation, onDrift, maxResponseBytes, prefetch, hooks, logger, defaultHeaders = {} } = options;
  return {
    validation,
    rules: { onDrift, redact: createRedactor(secrets), createMask: () => createMask([...secrets]) },
    emit: createEmitter(hooks, logger),
    defaultHeaders,
    limits: options,
    maxResponseBytes,
    prefetch,
  };
}
