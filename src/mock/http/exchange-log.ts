import type { MockHttpRequest, MockHttpResponse, MockResponseDelivery } from './message.js';
import type { RecordedRequest } from './request-log.js';

/** A response as the platform sent it. */
export interface RecordedResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The headers, by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The first 64 KiB of the body as a string; null if there was no body or it was not text. */
  readonly body: string | null;
  /** The size of the whole body in bytes or, of text, in UTF-16 code units. */
  readonly bodySize: number;
  /** How a fault disturbed the delivery; null if the response was simply sent. */
  readonly delivery: MockResponseDelivery | null;
}

/** A request with its response. */
export interface Exchange {
  /** The number of the exchange, in the order of completion. */
  readonly sequence: number;
  /** The time of the response in real time, in milliseconds since the epoch. */
  readonly completedAt: number;
  readonly request: RecordedRequest;
  /** Some headers of the request; never the credentials. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** The response; null if the mock itself failed. */
  readonly response: RecordedResponse | null;
  /** The time from the request to the response, in milliseconds of real time. */
  readonly duration: number;
}

/** The only headers of a request that are recorded: others may contain credentials. */
const recordedHeaders = ['host', 'user-agent', 'accept', 'content-type', 'content-length'] as const;

/** The most characters of a response body that are recorded. */
const maxBody = 64 * 1024;
/** The most characters of response bodies that the log keeps in total. */
const maxTotal = 32 * 1024 * 1024;

/**
 * The requests of a platform with their responses, in the order of completion, for the console. Keeps as many as the
 * request log, and is cleared with it. Notifies its listeners of every change.
 */
export class ExchangeLog {
  /** Identifies this log: sequence numbers of another log mean nothing. */
  readonly id = crypto.randomUUID().slice(0, 8);
  readonly #size: number;
  readonly #listeners = new Set<(change: 'exchange' | 'records') => void>();
  #exchanges: Exchange[] = [];
  #sequence = 0;
  #start = 0;
  #dropped = 0;
  #characters = 0;
  #generation = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** The number of times that exchanges were removed by `clear`. */
  get generation(): number {
    return this.#generation;
  }

  /** The sequence number before the first exchange since the log was cleared. */
  get start(): number {
    return this.#start;
  }

  /** The sequence number of the last exchange that was dropped because the log was full; `start` if there is none. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Adds a request and its response, and drops the oldest ones if the log is full. */
  add(received: MockHttpRequest, request: RecordedRequest, response: MockHttpResponse | null, duration: number): void {
    this.#sequence += 1;
    const requestHeaders = Object.fromEntries(
      recordedHeaders.flatMap((name) => {
        const value = received.header(name);
        return value === null ? [] : [[name, value]];
      }),
    );
    const exchange = {
      sequence: this.#sequence,
      completedAt: Date.now(),
      request,
      requestHeaders,
      response: response === null ? null : recordedResponse(response),
      duration,
    };
    this.#exchanges.push(exchange);
    this.#characters += charactersOf(exchange);
    while (this.#exchanges.length > this.#size || this.#characters > maxTotal) this.#dropOldest();
    this.#notify('exchange');
  }

  /** Moves an exchange to the end, because its request changed after the response, so that all readers receive it again. */
  repeat(request: RecordedRequest): void {
    const position = this.#exchanges.findIndex((exchange) => exchange.request === request);
    for (const exchange of position === -1 ? [] : this.#exchanges.splice(position, 1)) {
      this.#sequence += 1;
      this.#exchanges.push({ ...exchange, sequence: this.#sequence });
      this.#notify('exchange');
    }
  }

  /** Returns the exchanges after a sequence number, oldest first. */
  after(sequence: number): Exchange[] {
    const last = this.#exchanges.findLastIndex((exchange) => exchange.sequence <= sequence);
    return this.#exchanges.slice(last + 1);
  }

  /** Returns the exchange with a request id. */
  get(requestId: string): Exchange | undefined {
    return this.#exchanges.findLast(({ request }) => request.requestId === requestId);
  }

  /** Removes the exchanges of an organization; of all by default. */
  clear(organization?: string): void {
    this.#exchanges =
      organization === undefined ? [] : this.#exchanges.filter(({ request }) => request.organization !== organization);
    this.#characters = this.#exchanges.reduce((sum, exchange) => sum + charactersOf(exchange), 0);
    if (organization === undefined) this.#start = this.#dropped = this.#sequence;
    this.#generation += 1;
    this.#notify('exchange');
  }

  /** Reports that records, faults, the clock or the behavior changed by other means than the body of a request. */
  reportChange(): void {
    this.#notify('records');
  }

  /** Calls a function after each change, and returns a function that stops this. */
  subscribe(listener: (change: 'exchange' | 'records') => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #dropOldest(): void {
    const count = Math.max(1, Math.ceil(this.#size / 10));
    for (const exchange of this.#exchanges.splice(0, count)) {
      this.#characters -= charactersOf(exchange);
      this.#dropped = exchange.sequence;
    }
  }

  #notify(change: 'exchange' | 'records'): void {
    for (const listener of this.#listeners) listener(change);
  }
}

const charactersOf = ({ response }: Exchange): number => response?.body?.length ?? 0;

function recordedResponse({ status, headers, body, delivery }: MockHttpResponse): RecordedResponse {
  return {
    status,
    headers,
    body: typeof body === 'string' ? body.slice(0, maxBody) : null,
    bodySize: body?.length ?? 0,
    delivery: delivery ?? null,
  };
}
