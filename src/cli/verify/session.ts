import { endpoints } from '../../contract/endpoints.js';
import {
  ApiError,
  Corridor,
  CorridorError,
  type ApiPromise,
  type CorridorOptions,
  type CustomRequest,
  type Dialect,
  type Drift,
  type EndpointName,
  type RequestOptions,
  type FetchFunction,
  type FetchResponse,
} from '../../index.js';
import type { ErrorStatuses } from '../../mock/index.js';
import {
  describeResponse,
  fieldsOf,
  isSuccess,
  requestOf,
  type Fields,
  type ObservedResponse,
} from '../../mock/upstream/observed-exchange.js';

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

/** Thrown instead of sending a payment after an invalid one was accepted, or after one whose outcome is unknown. */
export class PaymentsStoppedError extends Error {
  /** The response that accepted the invalid payment; undefined if there was none. */
  readonly accepted: ObservedResponse | undefined;

  /** `response` is the last one; undefined if it was lost or is that of a failed platform. */
  constructor(response?: ObservedResponse) {
    const isAccepted = response !== undefined && isSuccess(response);
    const reason = isAccepted
      ? 'the platform accepted an invalid payment, so this run sends no other'
      : 'this run sends no payment after one whose outcome is unknown';
    super(response === undefined ? reason : `${reason}: ${describeResponse(response)}`);
    this.accepted = isAccepted ? response : undefined;
  }
}

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

/** The requests of one run, and what the probes share. */
export class Session {
  readonly writes: Writes | undefined;
  readonly signal: AbortSignal;
  readonly sleep: SessionOptions['sleep'];
  /** The first response to a request with each error. */
  readonly errors = new Map<keyof ErrorStatuses, ObservedResponse>();
  readonly drift: Drift[] = [];
  readonly payments: MadePayment[] = [];
  /** An amount in the format of the platform, as far as it was found. */
  amount = '1.00';
  /** The number of requests, retries included. */
  requests = 0;
  /** The number of responses. */
  responses = 0;
  readonly #client: CorridorOptions;
  readonly #onPayment: SessionOptions['onPayment'];
  readonly #shared = new Map<string, Promise<unknown>>();
  #dialect: Dialect = {};
  /** The client, with the dialect that was found so far. */
  corridor: Corridor;
  #stopped: PaymentsStoppedError | undefined;
  /** The quotes and references of the accepted payments. */
  readonly #paid = new Set<unknown>();

  constructor({ writes, client = {}, signal, sleep, onPayment }: SessionOptions) {
    this.writes = writes;
    this.signal = signal;
    this.sleep = sleep;
    this.#onPayment = onPayment;
    const { fetch = (...input: Parameters<FetchFunction>) => globalThis.fetch(...input) } = client;
    this.#client = {
      userAgent: 'corridor-verify',
      timeout: 15_000,
      totalTimeout: 120_000,
      maxRetries: 3,
      validation: 'observe',
      onDrift: (drift) => void this.drift.push(drift),
      ...client,
      fetch: (...input) => this.#count(fetch, input),
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

  async #count(fetch: FetchFunction, input: Parameters<FetchFunction>): Promise<FetchResponse> {
    this.requests += 1;
    const response = await fetch(...input);
    this.responses += 1;
    return response;
  }

  /** Calls an endpoint with any query. Throws if there is no usable response, or if its status is 429 or 5xx. */
  call(
    endpoint: Exclude<EndpointName, 'payments.create'>,
    query: CustomRequest['query'] = {},
  ): Promise<ObservedResponse> {
    const { method, path } = endpoints[endpoint];
    return this.#send({ method, path, query });
  }

  /** Reads the endpoint of one record. Throws as `call` does. */
  callWithId(endpoint: EndpointName, id: string): Promise<ObservedResponse> {
    return this.get(endpoints[endpoint].path.replace(/\{\w+\}/, encodeURIComponent(id)));
  }

  /** Reads any path. Throws as `call` does. */
  get(path: string): Promise<ObservedResponse> {
    return this.#send({ method: 'GET', path });
  }

  /** Throws `PaymentsStoppedError` if no further payment may be sent. */
  assertNotStopped(): void {
    if (this.#stopped !== undefined) throw this.#stopped;
  }

  /**
   * Sends a payment, once, and records it if it exists or may exist. Throws as `call` does, and `PaymentsStoppedError`
   * if an invalid payment was accepted, this one or an earlier one, if the outcome of an earlier one is unknown, or if
   * that of this one is because of a 409, unless its quote or its reference is that of an accepted payment, which the
   * 409 is then about.
   */
  async pay(body: Fields, kind: 'valid' | 'invalid'): Promise<ObservedResponse> {
    this.assertNotStopped();
    const { method, path } = endpoints['payments.create'];
    const { amount, currencyCode, internalReference: reference, paymentQuoteId: quote } = body;
    const note =
      `${String(amount)} ${String(currencyCode)}` +
      `${reference === undefined ? '' : `, reference ${String(reference)}`}`;
    const stopAsUnknown = async (received?: ObservedResponse): Promise<void> => {
      this.#stopped = new PaymentsStoppedError(received);
      await this.#record({ id: undefined, note: `may exist: ${note}, quote ${String(quote)}` });
    };
    let response: ObservedResponse;
    try {
      response = await this.#send({ method, path, body });
    } catch (error) {
      if (mayHaveTakenEffect(error)) await stopAsUnknown();
      throw error;
    }
    if (response.status === 409 && !this.#paid.has(quote) && !this.#paid.has(reference)) await stopAsUnknown(response);
    this.assertNotStopped();
    if (!isSuccess(response)) return response;
    for (const key of [quote, reference]) if (key !== undefined) this.#paid.add(key);
    if (kind === 'invalid') this.#stopped = new PaymentsStoppedError(response);
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

  async #send(request: CustomRequest): Promise<ObservedResponse> {
    if (request.method !== 'GET' && this.writes === undefined) throw new Error('a write without --allow-writes');
    try {
      const { data: body, ...response } = await this.corridor.request(request, { signal: this.signal }).withResponse();
      return { ...response, body };
    } catch (error) {
      if (
        !(error instanceof ApiError) ||
        error.status >= 500 ||
        error.status < 400 ||
        [408, 429].includes(error.status)
      )
        throw error;
      const { status, requestId, headers, body, platformCode: code } = error;
      return { status, requestId, headers, body, code };
    }
  }

  /** Notes the response to a request with a certain error, unless it is a success. */
  noteError(code: keyof ErrorStatuses, response: ObservedResponse): ObservedResponse {
    if (!isSuccess(response) && !this.errors.has(code)) this.errors.set(code, response);
    return response;
  }

  /** Returns the response to a call of the client, which reports drift. */
  async read(
    call: (corridor: Corridor, options: RequestOptions) => Pick<ApiPromise<unknown>, 'withResponse'>,
  ): Promise<ObservedResponse> {
    const { data: body, ...response } = await call(this.corridor, { signal: this.signal }).withResponse();
    return { ...response, body };
  }

  async #record(payment: MadePayment): Promise<void> {
    this.payments.push(payment);
    await this.#onPayment?.(payment);
  }

  /** Returns the result of a function that runs once, whichever probe needs it first. */
  share<T>(name: string, load: () => Promise<T>): Promise<T> {
    const known = this.#shared.get(name) ?? load();
    this.#shared.set(name, known);
    return known as Promise<T>;
  }
}

/** Checks whether a write may have taken effect although it failed: a rejected or unsent request changed nothing. */
const mayHaveTakenEffect = (error: unknown): boolean =>
  !(error instanceof CorridorError) || (error.outcome !== 'rejected' && error.outcome !== 'not-sent');
