import { Corridor, type CorridorOptions, type ListedPayment, type PaymentChange } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { virtualOptions, VirtualTime } from '../simulation/virtual-time.ts';

const { paymentQuote: _quote, documentIds: _documents, ...template } = createMockPlatform().payments.add();

/** What a request to a listing asks for. */
export interface Asked {
  readonly status: string | undefined;
  readonly createdFrom: string | undefined;
  readonly createdTo: string | undefined;
  readonly cursor: string | undefined;
  readonly at: number;
}

/**
 * A list of payments that is less well-behaved than the mock's: its cursors are offsets, so that pages move when records come or
 * go; statuses may be new ones; and `meddle` can answer in its place, or change something just before it answers.
 */
export class Listing {
  readonly time = new VirtualTime();
  readonly asked: Asked[] = [];
  pageSize = 100;
  /** How long one way to the platform takes, in milliseconds. */
  latency = 0;
  /** What a payment looks like in an answer. */
  show: (payment: ListedPayment) => ListedPayment = (payment) => payment;
  meddle: (asked: Asked, index: number) => Response | undefined = () => undefined;
  readonly #payments: ListedPayment[] = [];

  /** A client of this list. */
  client(options: CorridorOptions = {}): Corridor {
    return new Corridor({
      baseUrl: 'https://platform.example', apiKey: 'key-of-the-tests', signer: () => Promise.resolve(new Uint8Array(256)), retries: 0,
      ...virtualOptions(this.time, (input) => this.#carry(String(input))), ...options,
    });
  }

  /** Adds a payment, created now or that many milliseconds ago. */
  add(id: string, status = 'PENDING_REVIEW', age = 0): void {
    const createdAt = new Date(this.time.now() - age).toISOString();
    this.#payments.unshift({ ...template, id, status, createdAt, updatedAt: createdAt });
  }

  /** Moves a payment to a status, now. */
  move(id: string, status: string): void {
    this.change(id, { status, updatedAt: new Date(this.time.now()).toISOString() });
  }

  /** Changes fields of a payment. */
  change(id: string, fields: Partial<ListedPayment>): void {
    const index = this.#payments.findIndex((payment) => payment.id === id);
    this.#payments[index] = { ...(this.#payments[index] as ListedPayment), ...fields };
  }

  /** A payment as it stands. */
  get(id: string): ListedPayment {
    return this.#payments.find((payment) => payment.id === id) as ListedPayment;
  }

  /** When polls began, in seconds after the first. */
  pollsAt(): number[] {
    const firsts = this.asked.filter(({ status, createdFrom, createdTo }) => status === undefined && createdFrom !== undefined && createdTo === undefined);
    return firsts.map(({ at }) => (at - (firsts[0]?.at ?? 0)) / 1000);
  }

  async #carry(url: string): Promise<Response> {
    if (this.latency > 0) await this.time.wait(this.latency);
    const answer = this.#answer(new URL(url).searchParams);
    if (this.latency > 0) await this.time.wait(this.latency);
    return answer;
  }

  #answer(query: URLSearchParams): Response {
    const value = (name: string): string | undefined => query.get(name) ?? undefined;
    const asked: Asked = { status: value('status'), createdFrom: value('createdFrom'), createdTo: value('createdTo'), cursor: value('cursor'), at: this.time.now() };
    this.asked.push(asked);
    const given = this.meddle(asked, this.asked.length - 1);
    if (given !== undefined) return given;
    const { status, createdFrom = '', createdTo = '9' } = asked;
    const all = this.#payments.filter((payment) => (status === undefined || payment.status === status) && payment.createdAt >= createdFrom && payment.createdAt <= createdTo);
    const start = Number(asked.cursor ?? 0);
    const end = start + Math.min(this.pageSize, Number(query.get('limit')));
    const hasMore = end < all.length;
    return Response.json({ items: all.slice(start, end).map(this.show), nextCursor: hasMore ? String(end) : null, hasMore }, { headers: { date: new Date(this.time.now()).toUTCString() } });
  }
}

/** A change as a line. */
export function line({ payment, previousStatus }: Pick<PaymentChange, 'payment' | 'previousStatus'>): string {
  return `${payment.id}: ${previousStatus ?? 'new'} -> ${payment.status}`;
}
