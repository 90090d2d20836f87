import { callOf, type ApiCall } from './api-call.js';
import { pathText } from './contract/check.js';
import { resolveDialect } from './contract/dialect.js';
import { masked } from './contract/sensitive.js';
import { InvalidResponseError, type Issue } from './errors.js';
import { MemoryJournal } from './journal/memory.js';
import { resolveOptions, type CorridorOptions, type ResolvedOptions } from './options.js';
import { Crypto } from './resources/crypto.js';
import { Documents } from './resources/documents.js';
import { Screening } from './resources/screening.js';
import { Support } from './resources/support.js';
import type { StandardSchema } from './standard-schema.js';
import type { AnswerInfo } from './transport/answer.js';
import { ServerClock } from './transport/clock.js';
import { Credentials } from './transport/credentials.js';
import { createDownload } from './transport/download.js';
import { createExchange } from './transport/exchange.js';
import { Gate } from './transport/gate.js';
import { createObserve } from './transport/observe.js';
import type { CustomRequest, RequestOptions } from './transport/request.js';
import { RetryBudget } from './transport/retries.js';
import { scrubber } from './transport/secrets.js';
import { createSend, type SendCustom } from './transport/send.js';
import { createTiming } from './transport/timing.js';
import { version } from './version.js';
import { CustomersWithWorkflows } from './workflows/customers.js';
import { PaymentsWithWorkflows } from './workflows/payments.js';

/**
 * The client of the payment platform. Make one per organization and keep it: it holds the imported key, what it learned of the
 * platform's clock, and its retry budget.
 *
 * @example
 * ```ts
 * import { Corridor } from 'corridor-sdk';
 * const corridor = new Corridor(); // CORRIDOR_BASE_URL, CORRIDOR_API_KEY, CORRIDOR_PRIVATE_KEY
 * for await (const payment of corridor.payments.list({ status: 'COMPLETED' })) console.log(payment.id);
 * ```
 */
export class Corridor {
  readonly #credentials: Credentials;
  readonly #sendCustom: SendCustom;
  /** Payments: create and list, and what the platform lacks: create exactly once, find, reconcile, follow, wait, check. */
  readonly payments: PaymentsWithWorkflows;
  /** Customers, their activity and their beneficiaries; and what the platform lacks: wait. */
  readonly customers: CustomersWithWorkflows;
  /** Screening of persons. */
  readonly screening: Screening;
  /** Crypto payment methods and networks. */
  readonly crypto: Crypto;
  /** Documents: download and delete. */
  readonly documents: Documents;
  /** Support tickets: reply, and download attachments. */
  readonly support: Support;

  /**
   * Makes a client; nothing is sent.
   *
   * @throws ConfigurationError where an option is missing or wrong.
   */
  constructor(options: CorridorOptions = {}) {
    const resolved = resolveOptions(options);
    this.#credentials = credentialsOf(resolved);
    const { transport, download } = transportOf(resolved, this.#credentials);
    const { send, sendCustom } = createSend(transport);
    const resource = { send, prefetch: resolved.prefetch };
    this.#sendCustom = sendCustom;
    const { timing, clock, dialect } = transport;
    const workflow = { timing, clock, dialect, journal: resolved.journal ?? new MemoryJournal(), deadline: resolved.deadline };
    this.payments = new PaymentsWithWorkflows(resource, workflow);
    this.customers = new CustomersWithWorkflows(resource, workflow);
    this.screening = new Screening(resource);
    this.crypto = new Crypto(resource);
    this.documents = new Documents(resource, download);
    this.support = new Support(resource, download);
  }

  /**
   * Imports and checks the private key, which otherwise happens at the first request: call it on start, to fail early.
   *
   * @throws ConfigurationError that says what is wrong with the key and how to mend it.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * await corridor.ready();
   * ```
   */
  ready(): Promise<void> {
    return this.#credentials.ready();
  }

  /**
   * Calls an endpoint that this version does not know, signed and bounded as any other. The path lies under `baseUrl`; ids in it
   * are yours to percent-encode. A write is never sent twice. The result is unknown unless a schema says what it is.
   *
   * @throws InvalidRequestError where path, query or body cannot be sent; InvalidResponseError where the answer does not fit the schema.
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * const corridor = new Corridor();
   * const answer = await corridor.request({ method: 'GET', path: '/api/v1/crypto/networks' });
   * console.log(answer);
   * ```
   */
  request(request: CustomRequest, options?: RequestOptions): ApiCall<unknown>;
  /** The same with a schema, of any library that follows Standard Schema: the result has its type. */
  request<Output>(request: CustomRequest & { readonly schema: StandardSchema<Output> }, options?: RequestOptions): ApiCall<Output>;
  request(request: CustomRequest & { readonly schema?: StandardSchema<unknown> }, options: RequestOptions = {}): ApiCall<unknown> {
    // Read once: what is checked is what is sent, and what is no object is refused on use.
    const taken = Object(request) === request ? { ...request } : request;
    const { schema } = { ...taken };
    return callOf(this.#sendCustom(taken, options), (data, info) => (schema === undefined ? data : checkedBy(schema, data, info)));
  }
}

function credentialsOf(options: ResolvedOptions): Credentials {
  const { apiKey, privateKey, signer, keyId, issuer, subject, audience, claims, tokenLifetime } = options;
  return new Credentials({ apiKey, privateKey, signer, keyId, issuer, subject, audience, claims, tokenLifetime });
}

function transportOf(options: ResolvedOptions, credentials: Credentials) {
  const { baseUrl, apiKey, now, wait, fetch, timeout, deadline, retries, validation, onDrift, maxResponseBytes, concurrency, userAgent } = options;
  const clock = new ServerClock(now);
  const timing = createTiming(now, wait);
  const dialect = resolveDialect(options.dialect);
  const bounds = { timeout, deadline, retries };
  const agent = `corridor-sdk/${version}${userAgent === undefined ? '' : ` ${userAgent}`}`;
  const transport = {
    exchange: createExchange({ baseUrl, credentials, clock, fetch, userAgent: agent }),
    origin: new URL(baseUrl).origin,
    rules: { validation, onDrift, scrub: scrubber([apiKey]) },
    observe: createObserve(options.hooks ?? {}, options.logger),
    budget: new RetryBudget(),
    gate: new Gate(concurrency),
    random: Math.random,
    isRuntimesFetch: fetch === undefined,
    clock, timing, dialect, bounds, maxResponseBytes,
  };
  return { transport, download: createDownload({ fetch, timing, dialect, bounds }) };
}

async function checkedBy(schema: StandardSchema<unknown>, data: unknown, { attempts, requestId }: AnswerInfo): Promise<unknown> {
  const unfit = (issues: readonly Issue[]): InvalidResponseError =>
    new InvalidResponseError('request: the answer does not fit the schema', { outcome: 'applied', endpoint: 'request', attempts, requestId, issues, body: masked(data) });
  let result: Awaited<ReturnType<(typeof schema)['~standard']['validate']>>;
  try {
    result = await schema['~standard'].validate(data);
  } catch {
    // What it throws may hold anything of the answer.
    throw unfit([{ path: '', message: 'could not be checked: the schema itself threw' }]);
  }
  if (result.issues === undefined) return result.value;
  throw unfit(result.issues.map(({ message, path = [] }) => ({ path: pathText(path.map((step) => (typeof step === 'object' ? step.key : step))), message })));
}
