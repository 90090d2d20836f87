import type { Exchange, ExchangeLog, RecordedErrorResponse, RecordedRequest } from '../wire/request-log.js';

/** A request in the list of the console. `requests.get` returns all of it. */
export interface RequestSummary {
  readonly sequence: number;
  readonly requestId: string;
  /** The time on the mock's clock when the request was received, in milliseconds since the epoch. */
  readonly receivedAt: number;
  /** The time of the response in real time, in milliseconds since the epoch. */
  readonly completedAt: number;
  readonly organization: string | null;
  readonly endpoint: string | null;
  readonly method: string;
  readonly path: string;
  /** The filters in the query by the contract's names, independent of the dialect. */
  readonly filters: RecordedRequest['filters'];
  readonly status: number | null;
  readonly error: RecordedErrorResponse | null;
  readonly fault: string | null;
  /** How the fault disturbed the delivery, such as `reset`. */
  readonly delivery: string | null;
  /** The time from the request to the response, in milliseconds. */
  readonly duration: number;
  /** The quote of a payment, which all attempts to create it have in common. */
  readonly quoteId: string | null;
}

function summaryOf({ sequence, completedAt, request, response, duration }: Exchange): RequestSummary {
  const body = Object(request.body) as { readonly paymentQuoteId?: unknown };
  return {
    sequence,
    requestId: request.requestId,
    receivedAt: request.receivedAt,
    completedAt,
    organization: request.organization ?? null,
    endpoint: request.endpoint ?? null,
    method: request.method,
    path: request.path,
    filters: request.filters,
    status: request.status ?? null,
    error: request.error ?? null,
    fault: request.fault ?? null,
    delivery: response?.delivery?.kind ?? null,
    duration: Math.round(duration * 100) / 100,
    quoteId:
      request.endpoint === 'payments.create' && typeof body.paymentQuoteId === 'string' ? body.paymentQuoteId : null,
  };
}

/** The most requests in one chunk of the stream, so that a slow reader is noticed. */
const maxBatch = 200;

/**
 * The server-sent events of one reader. `request` reports a request, `dropped` the number of requests that the log no
 * longer has, `reset` that the log starts again, and `changed` that records, faults, behavior or the clock changed.
 * The ids are those of the log, so that a reader resumes with the header `last-event-id`.
 */
export class EventReader {
  readonly #log: ExchangeLog;
  #position = 0;
  #generation = -1;
  #hasChanges = false;

  constructor(log: ExchangeLog, lastEventId: string | undefined) {
    this.#log = log;
    const [id, generation, position] = (lastEventId ?? '').split('-');
    if (id !== log.id || generation !== String(log.generation)) return;
    this.#generation = log.generation;
    this.#position = Number(position);
  }

  /** Calls a function when there is something to read, and returns a function that stops this. */
  subscribe(listener: () => void): () => void {
    return this.#log.subscribe((change) => {
      if (change === 'records') this.#hasChanges = true;
      listener();
    });
  }

  /** Returns the next events in the format `text/event-stream`; undefined if there are no more for now. */
  read(): string | undefined {
    const log = this.#log;
    const events: string[] = [];
    if (this.#generation !== log.generation) {
      this.#generation = log.generation;
      this.#position = log.start;
      events.push(this.#format('reset', { log: log.id }));
    }
    if (this.#position < log.dropped) {
      const requests = log.dropped - this.#position;
      this.#position = log.dropped;
      events.push(this.#format('dropped', { requests }));
    }
    for (const exchange of log.after(this.#position).slice(0, maxBatch)) {
      this.#position = exchange.sequence;
      events.push(this.#format('request', summaryOf(exchange)));
    }
    if (this.#hasChanges) {
      this.#hasChanges = false;
      events.push(this.#format('changed', {}));
    }
    return events.length === 0 ? undefined : events.join('');
  }

  #format(event: string, data: object): string {
    const id = `${this.#log.id}-${this.#generation}-${this.#position}`;
    return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
  }
}
