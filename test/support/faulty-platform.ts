import { Corridor, type CorridorOptions, type PaymentCreateRequest } from 'corridor-sdk';
import { createMockPlatform, type MockPayment, type MockPlatform, type MockPlatformOptions } from 'corridor-sdk/mock';
import { VirtualTime } from './virtual-time.ts';

/** A create request that has reached the platform. */
export interface Creation {
  readonly signal: AbortSignal;
  /** Processes the request and returns the platform's response. */
  commit(): Promise<Response>;
  /** Processes the request after a number of milliseconds, even if the client has given up. */
  commitAfter(milliseconds: number): void;
}

/** Decides the outcome of one create request. */
export interface Fate {
  (creation: Creation): Promise<Response>;
  /** Whether the connection fails before the body is read, so that the request never leaves the client. */
  readonly isUnread?: boolean;
}

/** Returns the error of `fetch` for a broken connection. */
export function broken(code: string, syscall?: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code, syscall }) });
}

const never = (signal: AbortSignal): Promise<Response> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

/** The platform never receives the request, which leaves the client unless its connection could not be established. */
export const lost = (end: Response | Error | 'hang'): Fate => {
  const fate = async ({ signal }: Creation): Promise<Response> => {
    if (end === 'hang') return never(signal);
    if (end instanceof Error) throw end;
    return end;
  };
  const { syscall } = Object(end instanceof Error ? end.cause : undefined) as { readonly syscall?: unknown };
  return Object.assign(fate, { isUnread: syscall === 'connect' || syscall === 'getaddrinfo' });
};

/** The platform processes the request, but the response is replaced. */
export const taken =
  (end: Response | Error | 'hang'): Fate =>
  async (creation) => {
    await creation.commit();
    return lost(end)(creation);
  };

/** The connection breaks, and the platform processes the request later. */
export const takenLate =
  (milliseconds: number, end: Response | Error | 'hang' = broken('ECONNRESET')): Fate =>
  async (creation) => {
    creation.commitAfter(milliseconds);
    return lost(end)(creation);
  };

/** Returns a response with an error status. */
export const errorResponse = (status: number, headers: Readonly<Record<string, string>> = {}): Response =>
  Response.json({ code: `status_${status}` }, { status, headers });

/**
 * A mock platform to which things happen on the way, in virtual time. Its clock may differ from that of the clients.
 */
export class FaultyPlatform {
  readonly time = new VirtualTime();
  readonly platform: MockPlatform;
  /** The bodies of the creations that left the client, in order. */
  readonly sent: string[] = [];
  /** The number of pages of the list that were requested. */
  pagesRequested = 0;
  /** How long the list does not show a new payment, in milliseconds. */
  lag = 0;
  /** Replaces or changes the responses of the list. */
  meddle: (page: Response, count: number) => Response | Promise<Response> = (page) => page;
  /** Called with the endpoint of every attempt before it is signed. */
  onAttempt: (endpoint: string) => void = () => {};
  /** Called with the endpoint of every call that fails. */
  onFailure: (endpoint: string) => void = () => {};
  /** How far the platform's clock is ahead of the clients', in milliseconds. */
  readonly #skew: number;
  readonly #reusable: boolean;
  readonly #fates: Fate[] = [];

  constructor({ skew = 0, ...options }: MockPlatformOptions & { readonly skew?: number } = {}) {
    this.#skew = skew;
    this.#reusable = options.quotes === 'reusable';
    this.platform = createMockPlatform({ now: () => this.time.now() + skew, ...options });
  }

  /** Sets the outcomes of the next create requests; later ones succeed. */
  fate(...fates: readonly Fate[]): this {
    this.#fates.push(...fates);
    return this;
  }

  /** A client of the platform. */
  client(options: CorridorOptions = {}): Corridor {
    const { fetch: _fetch, now: _now, ...own } = this.platform.clientOptions();
    // Virtual time is paused while an attempt is signed, which takes real time.
    const signing: (() => void)[] = [];
    return new Corridor({
      ...own,
      now: this.time.now,
      sleep: this.time.wait,
      hooks: {
        onRequest: ({ endpoint }) => {
          signing.push(this.time.hold());
          this.onAttempt(endpoint);
        },
        onError: ({ code, endpoint }) => {
          if (code === 'aborted') signing.pop()?.();
          this.onFailure(endpoint);
        },
        // A prefetched page can be canceled while its request is signed.
        onCancel: () => signing.pop()?.(),
      },
      fetch: (input, init) => {
        const response = this.#fetch(String(input), init ?? {});
        signing.pop()?.();
        return response;
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

  /** Returns a payment that the platform accepts, with all its records. */
  payable(replaced: Partial<PaymentCreateRequest> = {}): PaymentCreateRequest {
    return this.platform.payments.createParams({
      amount: '1250.00',
      currencyCode: 'MXN',
      purposeOfPayment: 'Machine parts',
      internalReference: 'order-4711',
      ...replaced,
    });
  }

  /** Adds a payment without this client. */
  add(payment: PaymentCreateRequest, replaced: Parameters<MockPlatform['payments']['add']>[0] = {}): MockPayment {
    return this.platform.payments.add({ ...payment, ...replaced });
  }

  /** Returns the payments after all pending requests have ended. */
  async paymentsInTheEnd(): Promise<readonly MockPayment[]> {
    await this.pass(3_600_000);
    return this.payments;
  }

  /** The payments of the platform. */
  get payments(): readonly MockPayment[] {
    return this.platform.payments.all();
  }

  async #fetch(url: string, init: RequestInit): Promise<Response> {
    const reach = (): Promise<Response> => this.time.busy(() => this.platform.fetch(url, { ...init, signal: null }));
    if (!new URL(url).pathname.endsWith('/payment')) return reach();
    if (init.method === 'GET') return this.meddle(await this.#lagging(await reach()), (this.pagesRequested += 1));
    const fate: Fate = this.#fates.shift() ?? (({ commit }) => commit());
    const body = fate.isUnread === true ? '' : String(init.body);
    if (body !== '') this.sent.push(body);
    return fate({
      signal: init.signal as AbortSignal,
      commit: reach,
      commitAfter: (milliseconds) => void this.#commitAfter(milliseconds, body),
    });
  }

  async #commitAfter(milliseconds: number, body: string): Promise<void> {
    await this.time.wait(milliseconds);
    const payment = JSON.parse(body) as PaymentCreateRequest;
    if (this.#reusable || this.platform.quotes.get(payment.paymentQuoteId)?.usedAt === null) this.add(payment);
  }

  async #lagging(page: Response): Promise<Response> {
    if (this.lag === 0 || !page.ok) return page;
    const { items, ...rest } = (await page.json()) as { readonly items: readonly { readonly createdAt: string }[] };
    const newest = this.time.now() + this.#skew - this.lag;
    return Response.json({ ...rest, items: items.filter(({ createdAt }) => Date.parse(createdAt) <= newest) });
  }
}
