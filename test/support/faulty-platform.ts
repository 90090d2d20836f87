import {
  Corridor,
  MemoryJournal,
  type CorridorOptions,
  type Journal,
  type PaymentCreateIntent,
  type PaymentCreateRequest,
} from 'corridor-sdk';
import { createMockPlatform, type MockPayment, type MockPlatform, type MockPlatformOptions } from 'corridor-sdk/mock';
import { VirtualTime } from './virtual-time.ts';

export { failureOf } from './failure-of.ts';

/** A create request that has reached the platform. */
export interface Creation {
  readonly signal: AbortSignal;
  /** Processes the request and returns the platform's response. */
  commit(): Promise<Response>;
  /** Processes the request after a number of milliseconds, even if the client has given up. */
  commitAfter(milliseconds: number): void;
}

/** Handles one create request on its way to the platform. */
export interface CreateHandler {
  (creation: Creation): Promise<Response>;
  /** Whether the connection fails before the body is read, so that the request never leaves the client. */
  readonly isNotSent?: boolean;
}

/** Returns the error of `fetch` for a connection that failed. */
export function connectionError(code: string, syscall?: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code, syscall }) });
}

const never = (signal: AbortSignal): Promise<Response> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

/**
 * The platform does not process the request. The client has sent it, unless the error says that it could not connect.
 */
export const notProcessed = (end: Response | Error | 'hang'): CreateHandler => {
  const handler = async ({ signal }: Creation): Promise<Response> => {
    if (end === 'hang') return never(signal);
    if (end instanceof Error) throw end;
    return end;
  };
  const { syscall } = Object(end instanceof Error ? end.cause : undefined) as { readonly syscall?: unknown };
  return Object.assign(handler, { isNotSent: syscall === 'connect' || syscall === 'getaddrinfo' });
};

/** The platform processes the request, but the response is replaced. */
export const processed =
  (end: Response | Error | 'hang'): CreateHandler =>
  async (creation) => {
    await creation.commit();
    return notProcessed(end)(creation);
  };

/** The connection fails, and the platform processes the request later. */
export const processedLater =
  (milliseconds: number, end: Response | Error | 'hang' = connectionError('ECONNRESET')): CreateHandler =>
  async (creation) => {
    creation.commitAfter(milliseconds);
    return notProcessed(end)(creation);
  };

/** Returns a response with an error status. */
export const errorResponse = (status: number, headers: Readonly<Record<string, string>> = {}): Response =>
  Response.json({ code: `status_${status}` }, { status, headers });

/**
 * A mock platform in virtual time, with faults between it and its clients. Its clock may differ from that of the
 * clients.
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
  changePage: (page: Response, count: number) => Response | Promise<Response> = (page) => page;
  /** Replaces or changes the responses of the other endpoints, such as that of a customer. */
  changeOther: (response: Response) => Response | Promise<Response> = (response) => response;
  /** Called with the endpoint of every attempt before it is signed. */
  onAttempt: (endpoint: string) => void = () => {};
  /** Called with the endpoint of every call that fails. */
  onFailure: (endpoint: string) => void = () => {};
  /** How far the platform's clock is ahead of the clients', in milliseconds. */
  readonly #skew: number;
  readonly #reusable: boolean;
  readonly #handlers: CreateHandler[] = [];

  constructor({ skew = 0, ...options }: MockPlatformOptions & { readonly skew?: number } = {}) {
    this.#skew = skew;
    this.#reusable = options.quotes === 'reusable';
    this.platform = createMockPlatform({ now: () => this.time.now() + skew, ...options });
  }

  /** Sets the handlers of the next create requests, one each; the platform processes later ones. */
  onCreate(...handlers: readonly CreateHandler[]): this {
    this.#handlers.push(...handlers);
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
          signing.push(this.time.pause());
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
    if (!new URL(url).pathname.endsWith('/payment')) return this.changeOther(await reach());
    if (init.method === 'GET') return this.changePage(await this.#lagging(await reach()), (this.pagesRequested += 1));
    const handler: CreateHandler = this.#handlers.shift() ?? (({ commit }) => commit());
    const body = handler.isNotSent === true ? '' : String(init.body);
    if (body !== '') this.sent.push(body);
    return handler({
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
    const shown = items.filter(({ createdAt }) => Date.parse(createdAt) <= newest);
    return Response.json({ ...rest, items: shown }, { headers: { date: page.headers.get('date') ?? '' } });
  }
}

/** Creates a payment on a new platform with these handlers. */
export async function makeOnce(
  handlers: readonly CreateHandler[],
  options: Parameters<Corridor['payments']['createOnce']>[1] = {},
  arrange: (faulty: FaultyPlatform) => void = () => {},
) {
  const faulty = new FaultyPlatform().onCreate(...handlers);
  arrange(faulty);
  const corridor = faulty.client();
  const payment = faulty.payable();
  const result = faulty.run(() => corridor.payments.createOnce(payment, options));
  return { faulty, corridor, payment, result };
}

/** The intent of a payment, as another process stored it. */
export const intentOf = (payment: PaymentCreateRequest, createdAt: number): PaymentCreateIntent => ({
  version: 1,
  id: crypto.randomUUID(),
  request: { ...payment },
  sendUntil: new Date(createdAt + 60_000).toISOString(),
  createdAt: new Date(createdAt).toISOString(),
  clockOffset: 0,
  clockKnown: true,
});

export type Row = Readonly<Record<string, unknown>>;
export type Change = (row: Row) => unknown;

/** Changes the rows of the list. */
export function showRows(faulty: FaultyPlatform, change: Change): void {
  faulty.changePage = async (page) => {
    const { items, ...rest } = (await page.json()) as { readonly items: readonly Row[] };
    return Response.json({ ...rest, items: items.map(change) });
  };
}

/** Creates a payment, and responds with a changed one. */
export const processedAs =
  (change: Change): CreateHandler =>
  async (creation) => {
    const response = await creation.commit();
    return Response.json(change((await response.json()) as Row), {
      status: 201,
      headers: { date: response.headers.get('date') ?? '' },
    });
  };

/** A journal that ignores resolutions, as if the process had ended before. */
export function withoutResolutions(): Journal {
  const inner = new MemoryJournal();
  return {
    supportsIdempotencyKeys: true,
    claim: (intent) => inner.claim(intent),
    resolve: async () => {},
    listPending: () => inner.listPending(),
  };
}

/** The key of an order. */
export const key = { idempotencyKey: 'order-4711' } as const;

/** A platform that accepts every quote twice, for any amount; an order, and other quotes for it. */
export function arrangeOrder(...handlers: readonly CreateHandler[]) {
  const faulty = new FaultyPlatform({ quotes: 'reusable', amounts: 'free' }).onCreate(...handlers);
  const journal = new MemoryJournal();
  const first = faulty.payable();
  const { customerId, beneficiaryId } = first;
  const order = (): PaymentCreateRequest => faulty.payable({ customerId, beneficiaryId });
  const client = (): Corridor => faulty.client({ journal });
  /** A process that knows the platform's time, so that it claims at once. */
  const informedClient = async (): Promise<Corridor> => {
    const corridor = client();
    await faulty.run(async () => corridor.payments.list());
    return corridor;
  };
  return { faulty, journal, first, order, client, informedClient };
}
