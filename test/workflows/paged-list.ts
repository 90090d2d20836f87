import { Corridor, type CorridorOptions, type ListedPayment, type PaymentChange } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { virtualOptions, VirtualTime } from '../support/virtual-time.ts';

const { paymentQuote: _quote, documentIds: _documents, ...template } = createMockPlatform().payments.add();

/** The parameters of a request to the list. */
export interface ListRequest {
  readonly status: string | undefined;
  readonly createdFrom: string | undefined;
  readonly createdTo: string | undefined;
  readonly cursor: string | undefined;
  readonly at: number;
}

/** How a list compares `createdFrom` and `createdTo`. */
export interface TimeFilters {
  /** Whether they are included. */
  readonly bounds: 'inclusive' | 'exclusive';
  /** Whether times are stored, returned and compared in seconds or in milliseconds. */
  readonly precision: 'milliseconds' | 'seconds';
}

/**
 * A list of payments that is less well-behaved than the mock's: its cursors are offsets, so that pages move when
 * records change; statuses may be new ones; and `respondWith` can replace the response, or change records before
 * it is built.
 */
export class Listing {
  readonly time = new VirtualTime();
  readonly requests: ListRequest[] = [];
  pageSize = 100;
  /** The latency of one direction, in milliseconds. */
  latency = 0;
  /** How far the `Date` header is ahead of the creation times, in milliseconds. */
  dateAhead = 0;
  /** Sorts the list; undefined for newest first. */
  order: ((one: ListedPayment, other: ListedPayment) => number) | undefined;
  /** Maps a payment to its form in a response. */
  show: (payment: ListedPayment) => ListedPayment = (payment) => payment;
  respondWith: (request: ListRequest, index: number) => Response | undefined = () => undefined;
  readonly #payments: ListedPayment[] = [];
  readonly #filters: TimeFilters;

  constructor(filters: TimeFilters = { bounds: 'inclusive', precision: 'milliseconds' }) {
    this.#filters = filters;
  }

  /** A client of this list. */
  client(options: CorridorOptions = {}): Corridor {
    return new Corridor({
      baseUrl: 'https://platform.example',
      apiKey: 'key-of-the-tests',
      signer: () => Promise.resolve(new Uint8Array(256)),
      maxRetries: 0,
      ...virtualOptions(this.time, (input) => this.#carry(String(input))),
      ...options,
    });
  }

  /** Adds a payment, created now or that many milliseconds ago. */
  add(id: string, status = 'PENDING_REVIEW', age = 0): void {
    const createdAt = this.#stored(this.time.now() - age);
    this.#payments.unshift({ ...template, id, status, createdAt, updatedAt: createdAt });
  }

  /** Moves a payment to a status, now. */
  move(id: string, status: string): void {
    this.change(id, { status, updatedAt: this.#stored(this.time.now()) });
  }

  /** Changes fields of a payment. */
  change(id: string, fields: Partial<ListedPayment>): void {
    const index = this.#payments.findIndex((payment) => payment.id === id);
    this.#payments[index] = { ...(this.#payments[index] as ListedPayment), ...fields };
  }

  /** Returns the current state of a payment. */
  get(id: string): ListedPayment {
    return this.#payments.find((payment) => payment.id === id) as ListedPayment;
  }

  /** When polls began, in seconds after the first. */
  pollsAt(): number[] {
    const firsts = this.requests.filter(
      ({ status, createdFrom, createdTo }) =>
        status === undefined && createdFrom !== undefined && createdTo === undefined,
    );
    // The start reads the list of recent payments, too.
    return [...new Set(firsts.map(({ at }) => (at - (firsts[0]?.at ?? 0)) / 1000))];
  }

  #stored(time: number): string {
    const iso = new Date(time).toISOString();
    return this.#filters.precision === 'seconds' ? iso.replace(/\.\d+Z$/, 'Z') : iso;
  }

  /** Creates the filter of creation times of a request. Stored times have the precision of the list. */
  #timeFilter({ createdFrom, createdTo }: ListRequest): (createdAt: string) => boolean {
    const [from, to] = [createdFrom ?? '0001-01-01T00:00:00Z', createdTo ?? '9999-01-01T00:00:00Z'].map((time) =>
      Date.parse(this.#stored(Date.parse(time))),
    ) as [number, number];
    return (createdAt) => {
      const at = Date.parse(createdAt);
      return this.#filters.bounds === 'inclusive' ? at >= from && at <= to : at > from && at < to;
    };
  }

  async #carry(url: string): Promise<Response> {
    if (this.latency > 0) await this.time.wait(this.latency);
    const response = this.#respond(new URL(url).searchParams);
    if (this.latency > 0) await this.time.wait(this.latency);
    return response;
  }

  #respond(query: URLSearchParams): Response {
    const value = (name: string): string | undefined => query.get(name) ?? undefined;
    const request: ListRequest = {
      status: value('status'),
      createdFrom: value('createdFrom'),
      createdTo: value('createdTo'),
      cursor: value('cursor'),
      at: this.time.now(),
    };
    this.requests.push(request);
    const given = this.respondWith(request, this.requests.length - 1);
    if (given !== undefined) return given;
    const isWithin = this.#timeFilter(request);
    const listed = this.#payments.filter(
      ({ status, createdAt }) => (request.status === undefined || status === request.status) && isWithin(createdAt),
    );
    const all = this.order === undefined ? listed : listed.toSorted(this.order);
    const start = Number(request.cursor ?? 0);
    const end = start + Math.min(this.pageSize, Number(query.get('limit')));
    const hasMore = end < all.length;
    return Response.json(
      { items: all.slice(start, end).map(this.show), nextCursor: hasMore ? String(end) : null, hasMore },
      { headers: { date: new Date(this.time.now() + this.dateAhead).toUTCString() } },
    );
  }
}

/** A change as a line. */
export function line({ payment, previousStatus }: Pick<PaymentChange, 'payment' | 'previousStatus'>): string {
  return `${payment.id}: ${previousStatus ?? 'new'} -> ${payment.status}`;
}
