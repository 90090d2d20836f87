import { endpoints } from '../../contract/endpoints.js';
import {
  ApiError,
  ConnectionError,
  Corridor,
  CorridorError,
  TimeoutError,
  type CorridorOptions,
  type CustomRequest,
  type Dialect,
  type EndpointName,
} from '../../index.js';
import type { ErrorStatuses } from '../../mock/index.js';
import { Evidence } from '../../mock/upstream/evidence.js';
import {
  describeResponse,
  fieldsOf,
  isSuccess,
  requestOf,
  type Fields,
  type ObservedExchange,
} from '../../mock/upstream/observed-exchange.js';
import type { Question } from '../../mock/upstream/probes.js';

/** The payment that the writes create, without its quote. */
export interface PaymentTemplate {
  readonly amount: string;
  readonly currencyCode: string;
  readonly documentIds: readonly string[];
  readonly [field: string]: unknown;
}

/** What the writes may use. */
export interface Writes {
  readonly payment: PaymentTemplate | undefined;
  /** The quotes that may be used up. */
  readonly quotes: readonly string[];
}

/** The options that allow what a probe can need: to send payments that are invalid, or also valid ones. */
export const optionsOf = {
  writes: '--allow-writes',
  payment: '--allow-writes, --payment, --quote and --document',
} as const;
export type Flag = keyof typeof optionsOf;

/** Thrown if a probe cannot continue. Its message is the reason, without data of the platform. */
export class ProbeError extends Error {}

/** The statuses of rejected payments. */
export const rejections: Question = {
  key: 'A-15: which error responses to a POST mean that it was not processed',
  assumed: 'as assumed',
  setting: 'dialect.rejectedStatuses',
  meaning:
    'The client treats these as payments that may exist, and searches for them. ' +
    'Pass this dialect if the platform confirms that they do not.',
};

/** A payment that the run created, or that may exist: then `id` is undefined. */
export interface MadePayment {
  readonly id: string | undefined;
  /** How to find the payment. */
  readonly note: string;
}

/** What a session needs. */
export interface SessionOptions {
  /** What the writes may use; undefined without --allow-writes. */
  readonly writes: Writes | undefined;
  /** The credentials and the connection; by default those of the environment. */
  readonly client?: CorridorOptions;
  readonly signal: AbortSignal;
  /** Waits for a number of milliseconds. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Is called for each payment as soon as it is made. */
  readonly onPayment?: (payment: MadePayment) => Promise<void>;
}

/** After this many failed connections without a response in between, the platform is down. */
const maxFailures = 2;

/** The requests of one run, and what they show. */
export class Session {
  readonly writes: Writes | undefined;
  readonly signal: AbortSignal;
  readonly sleep: SessionOptions['sleep'];
  /** What all exchanges show. */
  readonly evidence = new Evidence();
  /** The first response to a request with each error. */
  readonly errors = new Map<keyof ErrorStatuses, ObservedExchange>();
  readonly payments: MadePayment[] = [];
  /** An amount in the format of the platform, as far as it was found. */
  amount = '1.00';
  /** The number of requests, retries included. */
  requests = 0;
  readonly #client: CorridorOptions;
  readonly #onPayment: SessionOptions['onPayment'];
  readonly #shared = new Map<string, Promise<unknown>>();
  #dialect: Dialect = {};
  /** The client, with the dialect that was found so far. */
  corridor: Corridor;
  #failures = 0;
  #stopped: ProbeError | undefined;
  /** The quotes and references of the accepted payments. */
  readonly #paid = new Set<unknown>();

  constructor({ writes, client, signal, sleep, onPayment }: SessionOptions) {
    this.writes = writes;
    this.signal = signal;
    this.sleep = sleep;
    this.#onPayment = onPayment;
    this.#client = {
      userAgent: 'corridor-verify',
      timeout: 15_000,
      totalTimeout: 120_000,
      maxRetries: 3,
      validation: 'observe',
      hooks: { onRequest: () => void (this.requests += 1) },
      ...client,
    };
    this.corridor = new Corridor(this.#client);
  }

  /** Checks whether the run may do what a probe needs. */
  has(need: Flag): boolean {
    return (need === 'writes' ? this.writes : this.writes?.payment) !== undefined;
  }

  /** Returns the name of a filter on the wire, as far as it was found. */
  filterName(name: keyof NonNullable<Dialect['filterNames']>): string {
    return this.#dialect.filterNames?.[name] ?? name;
  }

  /** Uses a part of the dialect in all later requests. */
  useDialect(dialect: Dialect): void {
    this.#dialect = { ...this.#dialect, ...dialect };
    this.corridor = new Corridor({ ...this.#client, dialect: this.#dialect });
  }

  /** Returns the time of this machine, in milliseconds since the epoch. */
  now(): number {
    return this.#client.now?.() ?? Date.now();
  }

  /**
   * Calls an endpoint, or reads any other path, with any query. Throws if there is no usable response, or if its status
   * is 408, 429 or 5xx.
   */
  call(
    endpoint: Exclude<EndpointName, 'payments.create'> | `/${string}`,
    query: CustomRequest['query'] = {},
    id = '',
  ): Promise<ObservedExchange> {
    if (endpoint.startsWith('/')) return this.#send(undefined, { method: 'GET', path: endpoint, query });
    const name = endpoint as EndpointName;
    const { method, path } = endpoints[name];
    return this.#send(name, { method, path: path.replace(/\{\w+\}/, encodeURIComponent(id)), query });
  }

  /** Throws `ProbeError` if no further payment may be sent. */
  assertNotStopped(): void {
    if (this.#stopped !== undefined) throw this.#stopped;
  }

  /**
   * Sends a payment, once, and records it if it exists or may exist. Throws as `call` does, and `ProbeError` if an
   * invalid payment was accepted, this one or an earlier one, if the outcome of an earlier one is unknown, or if that of
   * this one is because of a 409, unless its quote or its reference is that of an accepted payment, which the 409 is
   * then about.
   */
  async pay(body: Fields, kind: 'new' | 'repeated' | 'invalid'): Promise<ObservedExchange> {
    this.assertNotStopped();
    const { method, path } = endpoints['payments.create'];
    const { amount, currencyCode, internalReference: reference, paymentQuoteId: quote } = body;
    const note =
      `${String(amount)} ${String(currencyCode)}` +
      `${reference === undefined ? '' : `, reference ${String(reference)}`}`;
    const stopAsUnknown = async (received?: ObservedExchange): Promise<void> => {
      const response = received === undefined ? '' : `: ${describeResponse(received)}`;
      this.#stopped = new ProbeError(`this run sends no payment after one whose outcome is unknown${response}`);
      await this.#record({ id: undefined, note: `may exist: ${note}, quote ${String(quote)}` });
    };
    let response: ObservedExchange;
    try {
      response = await this.#send('payments.create', { method, path, body }, kind === 'new');
    } catch (error) {
      if (mayHaveTakenEffect(error)) await stopAsUnknown();
      throw error;
    }
    if (response.status === 409 && !this.#paid.has(quote) && !this.#paid.has(reference)) await stopAsUnknown(response);
    this.assertNotStopped();
    if (!isSuccess(response)) return response;
    for (const key of [quote, reference]) if (key !== undefined) this.#paid.add(key);
    if (kind === 'invalid') {
      const evidence = `the platform accepted an invalid payment, so this run sends no other: ${describeResponse(response)}`;
      const meaning = 'Report it, and look for the payment. Do not pass --allow-writes for this platform.';
      this.evidence.conclude(rejections, { value: 'accepted', evidence, meaning });
      this.#stopped = new ProbeError(evidence);
    }
    const { id } = fieldsOf(response.body);
    const isKnown = typeof id === 'string';
    if (!isKnown || !this.payments.some((payment) => payment.id === id))
      await this.#record({
        id: isKnown ? id : undefined,
        note: [note, ...requestOf(response.requestId)].join(', '),
      });
    this.assertNotStopped();
    return response;
  }

  /** Notes the response to a request with a certain error, unless it is a success. */
  noteError(code: keyof ErrorStatuses, response: ObservedExchange): void {
    if (!isSuccess(response) && !this.errors.has(code)) this.errors.set(code, response);
  }

  /** Returns the result of a function that runs once, whichever probe needs it first. */
  share<T>(name: string, load: () => Promise<T>): Promise<T> {
    const known = this.#shared.get(name) ?? load();
    this.#shared.set(name, known);
    return known as Promise<T>;
  }

  /** Sends a request. A success is not an example of those to its endpoint unless `isExample`. */
  async #send(endpoint: EndpointName | undefined, request: CustomRequest, isExample = true): Promise<ObservedExchange> {
    if (request.method !== 'GET' && this.writes === undefined) throw new Error('a write without --allow-writes');
    if (this.#failures >= maxFailures) throw new ProbeError('the platform does not respond');
    const response = await this.corridor
      .request(request, { signal: this.signal })
      .withResponse()
      .then(
        ({ data: body, ...others }) => ({ ...others, body }),
        (error: unknown) => {
          if (error instanceof ApiError) return error;
          const isLost = error instanceof ConnectionError || error instanceof TimeoutError;
          this.#failures = isLost ? this.#failures + 1 : 0;
          throw error;
        },
      );
    this.#failures = 0;
    const { status, requestId, headers, body } = response;
    const exchange = { endpoint, status, requestId, headers, body };
    if (isExample || !isSuccess(exchange)) this.evidence.add(exchange);
    if (response instanceof ApiError && (status >= 500 || status < 400 || [408, 429].includes(status))) throw response;
    return exchange;
  }

  async #record(payment: MadePayment): Promise<void> {
    this.payments.push(payment);
    await this.#onPayment?.(payment);
  }
}

/** Checks whether a write may have taken effect although it failed: a rejected or unsent request changed nothing. */
const mayHaveTakenEffect = (error: unknown): boolean =>
  !(error instanceof CorridorError) || (error.outcome !== 'rejected' && error.outcome !== 'not-sent');
