import type { ListedPayment, PaymentCreateParams } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import type { RandomSource } from '../support/random-source.ts';
import type { Settings, TimestampFormat } from './settings.ts';
import type { Trace } from './trace.ts';
import type { VirtualTime } from '../support/virtual-time.ts';

/** A payment and its statuses. Times are true times, in milliseconds since the epoch. */
export interface PlatformPayment {
  readonly id: string;
  readonly request: Pick<PaymentCreateParams, 'paymentQuoteId' | 'amount' | 'internalReference'>;
  /** `createdAt`, with the precision of the platform. */
  readonly createdAt: number;
  readonly created: number;
  /** When the list shows it. */
  readonly listed: number;
  readonly history: { readonly status: string; readonly at: number }[];
  /** The call that created it; undefined if another program did. */
  readonly createdBy: string | undefined;
  /** Whether its creation time can be read, so that time filters select it. */
  readonly isTimed: boolean;
}

// Only the shape of a record comes from the mock.
const {
  paymentQuote,
  documentIds: _documents,
  requested: _requested,
  ...record
} = createMockPlatform({
  seed: 1,
}).payments.add() as ReturnType<ReturnType<typeof createMockPlatform>['payments']['add']> & { requested?: boolean };

/** The parties of every payment. */
export const { customerId, beneficiaryId } = record;
export const currencyCode = 'USD';

/** The statuses to which a payment changes, by its status. */
export const nextStatuses: Readonly<Record<string, readonly string[]>> = {
  PENDING_REVIEW: ['APPROVED', 'APPROVED', 'CORRECTION_NEEDED', 'REJECTED', 'ON_HOLD'],
  ON_HOLD: ['PENDING_REVIEW', 'APPROVED', 'CANCELLED'],
  CORRECTION_NEEDED: ['PENDING_REVIEW', 'CANCELLED'],
  APPROVED: ['PROCESSING', 'PROCESSING', 'CANCELLED', 'ON_HOLD'],
  PROCESSING: ['COMPLETED', 'COMPLETED', 'RETURNED'],
  COMPLETED: ['RETURNED'],
};

/** Statuses that the client does not know. */
export const unknownStatuses: ReadonlySet<string> = new Set(['ON_HOLD']);

/** Returns whether a payment of this status has ended. */
export const isFinal = (status: string): boolean => ['COMPLETED', 'RETURNED', 'REJECTED', 'CANCELLED'].includes(status);

/** Returns the status of a payment at a time; undefined before its creation. */
export function statusAt({ history }: PlatformPayment, at: number): string | undefined {
  return history.findLast((entry) => entry.at <= at)?.status;
}

const oddPayments = [null, 7, [], { id: '' }, { id: 'pay_odd' }] as unknown as readonly ListedPayment[];
const oddFields = ['createdAt', 'updatedAt', 'createdAt', 'updatedAt', 'amount', 'id', 'paymentQuoteId'] as const;
const [second, minute, hour] = [1_000, 60_000, 3_600_000];

/** A platform with payments that other programs create and that change by themselves. */
export class Platform {
  readonly payments: PlatformPayment[] = [];
  /** Whether everything works: no odd rows, no stale or incomplete responses. */
  isCalm = false;
  /** Whether the lists have no end. */
  isEndless = false;
  /** The present key of the organization. Its earlier keys are valid, too. */
  key = 'key-of-the-simulation';
  #lists = 0;
  #lastChanged: PlatformPayment | undefined;
  readonly #time: VirtualTime;
  readonly #settings: Settings;
  readonly #random: RandomSource;
  readonly #trace: Trace;

  readonly #prefix: string;

  constructor(time: VirtualTime, settings: Settings, random: RandomSource, trace: Trace, prefix = 'pay') {
    this.#prefix = prefix;
    this.#time = time;
    this.#settings = settings;
    this.#random = random;
    this.#trace = trace;
    const statuses = [...Object.keys(nextStatuses), 'RETURNED', 'REJECTED'];
    const frequent = random.pick(statuses);
    // Payments that a program created at the same instant: no time range divides them.
    const instant = random.hits(0.3) ? minute + random.below(10 * minute) : undefined;
    for (let count = random.below(settings.payments); count > 0; count -= 1) {
      const status = random.hits(0.5) ? frequent : random.pick(statuses);
      const age = instant ?? minute + random.below(random.pick([10 * minute, 30 * hour]));
      this.#add({ created: time.now() - age, changed: time.now() - random.below(age), status });
    }
  }

  /** Creates and changes payments until a time. */
  async live(until: number): Promise<void> {
    const { changeInterval } = this.#settings;
    for (;;) {
      await this.#time.wait(-Math.log(1 - this.#random.next()) * changeInterval);
      if (this.#time.now() >= until) return;
      if (this.#random.hits(0.3)) this.#add({});
      else this.#change();
      // Some changes follow each other closely.
      for (let left = 3; left > 0 && this.#random.hits(0.3); left -= 1) {
        await this.#time.wait(this.#random.below(0.4 * second));
        this.#change(this.#lastChanged);
      }
    }
  }

  /** Replaces the key of the organization. */
  rotateKey(): void {
    this.key = `key-of-the-simulation-${Math.floor(this.#random.below(1e6))}`;
    this.#trace.add('platform', 'replaces the API key');
  }

  /** Adds a payment that another program created so long ago that no difference of clocks explains its age. */
  addForeign(request: PaymentCreateParams): void {
    const age = (2 + this.#random.below(3)) * hour;
    this.#add({ request, created: this.#time.now() - age });
  }

  /** Handles a create request; `call` is the call that sent it. */
  create(request: PaymentCreateParams, call: string): { readonly status: number; readonly body: unknown } {
    const existing = this.payments.find((payment) => payment.request.paymentQuoteId === request.paymentQuoteId);
    if (existing !== undefined && this.#settings.quotes === 'single-use')
      return { status: 409, body: { code: 'quote_used', message: 'The quote was used' } };
    const payment = this.#add({ request, call });
    const { authorization: _authorization, ...row } = this.#row(payment, this.#time.now());
    return { status: 201, body: { ...row, paymentQuote: { ...paymentQuote, id: request.paymentQuoteId } } };
  }

  /** Handles a list request. */
  list(query: URLSearchParams): { readonly items: readonly ListedPayment[]; readonly [field: string]: unknown } {
    const { pageSize, cursors, missingCursors, oddRows, oddItems, endlessLists } = this.#settings;
    const random = this.#random;
    const isEndless = this.isEndless && !this.isCalm;
    const seenAt = this.#view();
    const rows = this.payments
      .map((payment) => ({ payment, at: seenAt(payment) }))
      .filter(({ payment, at }) => payment.listed <= at && this.#isSelected(payment, query, at))
      .map(({ payment, at }) => ({ payment, at, key: this.#sortKey(payment, at) }))
      .toSorted((one, other) => (one.key < other.key ? -1 : 1));
    const cursor = query.get('cursor');
    const start =
      cursor === null || isEndless
        ? 0
        : cursors === 'offset'
          ? Number(cursor)
          : rows.filter(({ key }) => key <= cursor).length;
    const end = start + Math.min(pageSize, Number(query.get('limit') ?? 25));
    const hasMore = end < rows.length;
    const next = cursors === 'offset' ? String(end) : rows[end - 1]?.key;
    const isLost = hasMore && !this.isCalm && random.hits(missingCursors);
    const items = rows.slice(start, end).map(({ payment, at }) => {
      const row = this.#row(payment, at);
      return !this.isCalm && random.hits(oddRows) ? this.#odd(row) : row;
    });
    if (isEndless) {
      this.#lists += 1;
      return { items: endlessLists === 'rows' ? items : [], nextCursor: `endless-${this.#lists}`, hasMore: true };
    }
    if (!this.isCalm && oddItems > 0 && random.hits(oddItems)) items.push(random.pick(oddPayments));
    return { items, nextCursor: hasMore && !isLost ? next : isLost ? random.pick([null, '']) : null, hasMore };
  }

  /** The time of the database. */
  get databaseTime(): number {
    return this.#time.now() + this.#settings.databaseSkew;
  }

  /** Returns the time at which a response shows each payment: now, an earlier time, or for some rows before a change. */
  #view(): (payment: PlatformPayment) => number {
    const { staleness } = this.#settings;
    const now = this.#time.now();
    if (this.isCalm || staleness === 0) return () => now;
    const kind = this.#random.pick(['now', 'now', 'earlier', 'mixed']);
    const earlier = now - this.#random.below(staleness);
    if (kind !== 'mixed') return () => (kind === 'now' ? now : earlier);
    return ({ history }) => {
      const changed = history.at(-1)?.at ?? 0;
      return changed > now - staleness && history.length > 1 && this.#random.hits(0.3) ? changed - 1 : now;
    };
  }

  #add({
    created = this.#time.now(),
    changed = created,
    status = 'PENDING_REVIEW',
    request,
    call,
  }: {
    readonly created?: number;
    readonly changed?: number;
    readonly status?: string;
    readonly request?: PlatformPayment['request'];
    readonly call?: string;
  }): PlatformPayment {
    const number = this.payments.length + 1;
    const { unreadableTimes } = this.#settings;
    const payment: PlatformPayment = {
      id: `${this.#prefix}_${number}`,
      request: request ?? {
        paymentQuoteId: `quo_other_${number}`,
        amount: '7.00',
        internalReference: `other-${number}`,
      },
      createdAt: this.#stored(created + this.#settings.databaseSkew),
      created,
      listed: created + this.#random.below(this.#settings.lag),
      history: [{ status, at: changed }],
      createdBy: call,
      isTimed: call !== undefined || unreadableTimes === 0 || !this.#random.hits(unreadableTimes),
    };
    this.payments.push(payment);
    this.#lastChanged = payment;
    this.#trace.add(
      'platform',
      `${payment.id} ${status} created at ${this.#format(payment.createdAt)} for ${payment.request.paymentQuoteId}${call === undefined ? '' : ` by ${call}`}`,
    );
    return payment;
  }

  #change(payment?: PlatformPayment): void {
    const open = this.payments.filter(({ history }) => !isFinal(history.at(-1)?.status ?? ''));
    const changed = payment ?? this.#random.pick(open.length > 0 && this.#random.hits(0.9) ? open : this.payments);
    const from = changed?.history.at(-1)?.status ?? '';
    const next = nextStatuses[from];
    if (changed === undefined || next === undefined) return;
    const status = this.#random.pick(next);
    changed.history.push({ status, at: this.#time.now() });
    this.#lastChanged = changed;
    this.#trace.add('platform', `${changed.id} ${from} -> ${status}`);
  }

  #isSelected(payment: PlatformPayment, query: URLSearchParams, at: number): boolean {
    const { bounds, droppedFilter } = this.#settings;
    const value = (name: string): string | null => (name === droppedFilter ? null : query.get(name));
    const [status, from, to] = [value('status'), value('createdFrom'), value('createdTo')];
    const margin = bounds === 'inclusive' ? 0 : 1;
    return (
      (status === null || statusAt(payment, at) === status) &&
      ((from === null && to === null) || payment.isTimed) &&
      (from === null || payment.createdAt >= this.#stored(Date.parse(from)) + margin) &&
      (to === null || payment.createdAt <= this.#stored(Date.parse(to)) - margin)
    );
  }

  /** Returns a string whose order is that of the list. */
  #sortKey(payment: PlatformPayment, at: number): string {
    const { sort, direction } = this.#settings;
    const number = Number(payment.id.split('_').at(-1));
    const value =
      sort === 'id'
        ? Math.imul(number, 0x9e3779b1) >>> 0
        : sort === 'createdAt'
          ? payment.createdAt
          : this.#updatedAt(payment, at);
    const [sorted, tie] = direction === 'ascending' ? [value, number] : [1e15 - value, 1e6 - number];
    return `${String(sorted).padStart(16, '0')}-${String(tie).padStart(7, '0')}`;
  }

  #updatedAt({ history, createdAt }: PlatformPayment, at: number): number {
    const changed = history.findLast((entry) => entry.at <= at)?.at;
    return changed === undefined ? createdAt : this.#stored(changed + this.#settings.databaseSkew);
  }

  #row(payment: PlatformPayment, at: number): ListedPayment {
    const { request } = payment;
    return {
      ...record,
      ...(this.#settings.newFields ? { riskScore: 7, fees: [{ kind: 'new' }], metadata: null } : {}),
      currencyCode,
      ...request,
      internalReference: request.internalReference ?? null,
      id: payment.id,
      status: statusAt(payment, at) as ListedPayment['status'],
      createdAt: payment.isTimed ? this.#format(payment.createdAt) : 'yesterday',
      updatedAt: this.#format(this.#updatedAt(payment, at)),
      authorization: {
        ...record.authorization,
        quoteId: request.paymentQuoteId,
        internalReference: request.internalReference ?? null,
      },
    };
  }

  #odd(row: ListedPayment): ListedPayment {
    const field = this.#random.pick(oddFields);
    const value = this.#random.pick([null, undefined, 1_767_225_600]);
    this.#trace.add('platform', `shows ${row.id} with ${field} ${String(value)}`);
    return { ...row, [field]: value };
  }

  #stored(time: number): number {
    const precision = ['seconds', 'offset', 'database', 'no zone'].includes(this.#settings.timestamps) ? second : 1;
    return Math.floor(time / precision) * precision;
  }

  #format(time: number): string {
    const iso = new Date(time).toISOString();
    const toSecond = iso.slice(0, 19);
    const formats: Readonly<Record<TimestampFormat, string>> = {
      milliseconds: iso,
      microseconds: iso.replace('Z', '042Z'),
      seconds: `${toSecond}Z`,
      offset: `${toSecond}+00:00`,
      database: `${toSecond.replace('T', ' ')}+00`,
      'no zone': toSecond,
    };
    return formats[this.#settings.timestamps];
  }
}
