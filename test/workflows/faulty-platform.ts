import { Corridor, type CorridorOptions, type PaymentCreate } from 'corridor-sdk';
import { createMockPlatform, type MockPayment, type MockPlatform, type MockPlatformOptions } from 'corridor-sdk/mock';
import { VirtualTime } from '../simulation/virtual-time.ts';

/** A creation that has reached the platform, and what can become of it. */
export interface Creation {
  readonly signal: AbortSignal;
  /** The platform does its work: what it would answer. */
  commit(): Promise<Response>;
  /** The platform does its work so many milliseconds later, whoever still listens. */
  commitAfter(milliseconds: number): void;
}

/** What becomes of one creation. */
export type Fate = (creation: Creation) => Promise<Response>;

/** What a broken connection looks like to a caller of `fetch`. */
export function broken(code: string, syscall = 'read'): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code, syscall }) });
}

const never = (signal: AbortSignal): Promise<Response> => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

/** The platform never takes it. */
export const lost = (end: Response | Error | 'hang'): Fate => async ({ signal }) => {
  if (end === 'hang') return never(signal);
  if (end instanceof Error) throw end;
  return end;
};

/** The platform takes it, and answers with something else than it should. */
export const taken = (end: Response | Error | 'hang'): Fate => async (creation) => {
  await creation.commit();
  return lost(end)(creation);
};

/** The connection breaks, and the platform takes it only later. */
export const takenLate = (milliseconds: number, end: Response | Error | 'hang' = broken('ECONNRESET')): Fate => async (creation) => {
  creation.commitAfter(milliseconds);
  return lost(end)(creation);
};

/** An answer with an error status. */
export const answer = (status: number, headers: Readonly<Record<string, string>> = {}): Response =>
  Response.json({ code: `status_${status}` }, { status, headers });

/** A mock platform to which things happen on the way, in virtual time. Its clock may differ from that of the clients. */
export class FaultyPlatform {
  readonly time = new VirtualTime();
  readonly platform: MockPlatform;
  /** The bodies of the creations that left the client, in order. */
  readonly sent: string[] = [];
  /** How many pages of the list were asked for. */
  pagesAsked = 0;
  /** How long the list does not show a payment, in milliseconds. */
  lag = 0;
  /** Answers in place of the list, or changes what it shows. */
  meddle: (page: Response, count: number) => Response | Promise<Response> = (page) => page;
  /** Hears of every attempt before it is signed, by the name of its endpoint. */
  onAttempt: (endpoint: string) => void = () => {};
  /** How far the platform's clock is ahead of the clients', in milliseconds. */
  readonly #skew: number;
  readonly #reusable: boolean;
  readonly #fates: Fate[] = [];

  constructor({ skew = 0, ...options }: MockPlatformOptions & { readonly skew?: number } = {}) {
    this.#skew = skew;
    this.#reusable = options.quotes === 'reusable';
    this.platform = createMockPlatform({ now: () => this.time.now() + skew, ...options });
  }

  /** What becomes of the next creations; those after are as they should be. */
  fate(...fates: readonly Fate[]): this {
    this.#fates.push(...fates);
    return this;
  }

  /** A client of the platform. */
  client(options: CorridorOptions = {}): Corridor {
    const { fetch: _fetch, now: _now, ...own } = this.platform.clientOptions();
    // While an attempt is being signed, which takes real time, virtual time stands still.
    const signing: (() => void)[] = [];
    return new Corridor({
      ...own, now: this.time.now, wait: this.time.wait,
      hooks: {
        request: ({ endpoint }) => {
          signing.push(this.time.hold());
          this.onAttempt(endpoint);
        },
        error: ({ code }) => (code === 'aborted' ? signing.pop()?.() : undefined),
      },
      fetch: (input, init) => {
        const answered = this.#fetch(String(input), init ?? {});
        signing.pop()?.();
        return answered;
      },
      ...options,
    });
  }

  /** Lets time pass until the work is done. */
  run<T>(work: () => Promise<T>): Promise<T> {
    return this.time.run(work);
  }

  /** Lets time pass. */
  async pass(milliseconds: number): Promise<void> {
    await this.run(() => this.time.wait(milliseconds));
  }

  /** A payment that the platform takes, with everything it names. */
  payable(replaced: Partial<PaymentCreate> = {}): PaymentCreate {
    const { id: customerId } = this.platform.customers.add();
    return {
      customerId,
      beneficiaryId: this.platform.beneficiaries.add({ customerId }).id,
      paymentQuoteId: this.platform.quotes.add({ customerId }).id,
      documentIds: [this.platform.documents.add({ customerId }).id],
      amount: '1250.00', currencyCode: 'MXN', purposeOfPayment: 'Machine parts', internalReference: 'order-4711', ...replaced,
    };
  }

  /** Puts a payment there by another way than this client's. */
  add(payment: PaymentCreate, replaced: Parameters<MockPlatform['payments']['add']>[0] = {}): MockPayment {
    return this.platform.payments.add({ ...payment, ...replaced });
  }

  /** The payments that the platform holds once nothing is on its way any more. */
  async paymentsInTheEnd(): Promise<readonly MockPayment[]> {
    await this.pass(3_600_000);
    return this.payments;
  }

  /** The payments that the platform holds. */
  get payments(): readonly MockPayment[] {
    return this.platform.payments.all();
  }

  async #fetch(url: string, init: RequestInit): Promise<Response> {
    const reach = (): Promise<Response> => this.time.busy(() => this.platform.fetch(url, { ...init, signal: null }));
    if (!new URL(url).pathname.endsWith('/payment')) return reach();
    if (init.method === 'GET') return this.meddle(await this.#lagging(await reach()), (this.pagesAsked += 1));
    const body = String(init.body);
    this.sent.push(body);
    const fate = this.#fates.shift() ?? (({ commit }) => commit());
    return fate({ signal: init.signal as AbortSignal, commit: reach, commitAfter: (milliseconds) => void this.#commitAfter(milliseconds, body) });
  }

  async #commitAfter(milliseconds: number, body: string): Promise<void> {
    await this.time.wait(milliseconds);
    const payment = JSON.parse(body) as PaymentCreate;
    if (this.#reusable || this.platform.quotes.get(payment.paymentQuoteId)?.usedAt === null) this.add(payment);
  }

  async #lagging(page: Response): Promise<Response> {
    if (this.lag === 0 || !page.ok) return page;
    const { items, ...rest } = (await page.json()) as { readonly items: readonly { readonly createdAt: string }[] };
    const newest = this.time.now() + this.#skew - this.lag;
    return Response.json({ ...rest, items: items.filter(({ createdAt }) => Date.parse(createdAt) <= newest) });
  }
}
