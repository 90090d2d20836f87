import { generateKeyPairSync } from 'node:crypto';
import {
  Corridor,
  type CorridorOptions,
  type ListedPayment,
  type PaymentExport,
  type RequestEvent,
} from 'corridor-sdk';
import { createMockPlatform, type MockPlatform, type MockPlatformOptions } from 'corridor-sdk/mock';
import { onTestFinished, vi } from 'vitest';
import { VirtualTime } from '../../support/virtual-time.ts';

const keys = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

/** How the list of a platform behaves. */
export interface FixtureSettings {
  readonly listOrder: 'newest-first' | 'oldest-first' | 'shuffled';
  readonly pageSize: number;
  /** Whether `createdFrom` and `createdTo` are included. */
  readonly bounds: 'inclusive' | 'exclusive';
  /** Whether times are stored and returned in seconds or in milliseconds. */
  readonly precision: 'milliseconds' | 'seconds';
  readonly options?: MockPlatformOptions;
}

/** A page as the platform returns it. */
export interface ListPage {
  readonly items: readonly ListedPayment[];
}

/** The list of the mock as it is. */
export const plainSettings: FixtureSettings = {
  listOrder: 'newest-first',
  pageSize: 100,
  bounds: 'inclusive',
  precision: 'milliseconds',
};

/** A mock platform on virtual time whose list is cut into other pages, and whose filters compare in another way. */
export class ExportFixture {
  readonly time = new VirtualTime();
  readonly platform: MockPlatform;
  /** The URLs of all list requests. */
  readonly requests: URL[] = [];
  /** Called before each request; can respond in the platform's place. */
  respondWith: (index: number) => Response | undefined | void = () => {};
  /** Changes the pages of the platform. */
  show: (page: ListPage) => ListPage = (page) => page;
  /** How long a request takes, in milliseconds. */
  latency = 20;
  readonly #settings: FixtureSettings;
  readonly #parties: { readonly customerId: string; readonly beneficiaryId: string; readonly documentIds: string[] };

  constructor(settings: FixtureSettings = plainSettings) {
    this.#settings = settings;
    // Signatures take most of the time of thousands of requests, and are not what is tested here.
    const verify = vi.spyOn(crypto.subtle, 'verify').mockResolvedValue(true);
    onTestFinished(() => verify.mockRestore());
    const { listOrder, options } = settings;
    this.platform = createMockPlatform({ now: this.time.now, publicKey: keys.publicKey, listOrder, ...options });
    const { customerId, beneficiaryId, documentIds } = this.platform.payments.add({
      createdAt: '2001-01-01T00:00:00Z',
    });
    this.#parties = { customerId, beneficiaryId, documentIds: [...documentIds] };
  }

  /** Adds a payment that was created at a time, in milliseconds since the epoch. */
  add(at: number, status: ListedPayment['status'] = 'COMPLETED'): string {
    return this.platform.payments.add({
      ...this.#parties,
      paymentQuoteId: null,
      status: status as 'COMPLETED',
      createdAt: this.shown(new Date(at).toISOString()),
    }).id;
  }

  /** Formats a time as the platform does. */
  shown(iso: string): string {
    return this.#settings.precision === 'seconds' ? iso.replace(/\.\d+Z$/, 'Z') : iso;
  }

  /** Returns the ids of the payments that were created in a time range, both ends included. */
  idsBetween(from: number, to: number, status?: string): string[] {
    return this.platform.payments
      .all()
      .filter((payment) => Date.parse(payment.createdAt) >= from && Date.parse(payment.createdAt) <= to)
      .filter((payment) => status === undefined || payment.status === status)
      .map(({ id }) => id)
      .toSorted();
  }

  /** Creates a client, as another process would. */
  client(options: CorridorOptions = {}): Corridor {
    const { privateKey: _privateKey, ...clientOptions } = this.platform.clientOptions();
    // Time stops while a request is being signed, because hashing uses other threads.
    const signing: (() => void)[] = [];
    const onRequest = (event: RequestEvent): void => {
      signing.push(this.time.pause());
      for (const hooks of [options.hooks ?? []].flat()) hooks.onRequest?.(event);
    };
    return new Corridor({
      ...clientOptions,
      signer: async () => {
        setImmediate(() => signing.pop()?.());
        return new Uint8Array(256);
      },
      // The token signs the request that the platform receives.
      claims: ({ uri }) => ({ uri: this.#rewrite(uri) }),
      now: this.time.now,
      sleep: this.time.wait,
      fetch: (input, init) => this.#respond(String(input), init),
      ...options,
      hooks: { ...options.hooks, onRequest },
    });
  }

  /** Creates a client that uses timers and threads, for requests outside of virtual time. */
  realTimeClient(): Corridor {
    return new Corridor({ ...this.platform.clientOptions(), privateKey: keys.privateKey });
  }

  async #respond(url: string, init: RequestInit | undefined): Promise<Response> {
    const index = this.requests.push(new URL(url)) - 1;
    await Promise.race([this.time.wait(this.latency), aborted(init?.signal)]);
    if (init?.signal?.aborted === true) throw init.signal.reason;
    const response = this.respondWith(index);
    if (response !== undefined) return response;
    const { pathname, search, origin } = new URL(url);
    return this.time.busy(async () =>
      this.#shownBy(new URL(url), await this.platform.fetch(`${origin}${this.#rewrite(pathname + search)}`, init)),
    );
  }

  #rewrite(uri: string): string {
    const { pathname, searchParams } = new URL(uri, 'https://platform.example');
    if (!searchParams.has('limit')) return uri;
    searchParams.set('limit', String(Math.min(Number(searchParams.get('limit')), this.#settings.pageSize)));
    return `${pathname}?${searchParams}`;
  }

  async #shownBy({ searchParams }: URL, response: Response): Promise<Response> {
    if (!response.ok || !searchParams.has('limit')) return response;
    const [from, to] = ['createdFrom', 'createdTo'].map((name) => Date.parse(searchParams.get(name) ?? ''));
    const page = (await response.json()) as ListPage;
    const items = page.items.filter(
      ({ createdAt }) =>
        this.#settings.bounds === 'inclusive' || (Date.parse(createdAt) !== from && Date.parse(createdAt) !== to),
    );
    return Response.json(this.show({ ...page, items }), { headers: response.headers });
  }
}

function aborted(signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
}

export const [minute, day] = [60_000, 86_400_000];
export const start = Date.parse('2026-01-01T00:00:00Z');
export const january = { createdFrom: '2026-01-01T00:00:00Z', createdTo: '2026-01-31T23:59:59Z' };

export async function idsOf(fixture: ExportFixture, exported: PaymentExport): Promise<string[]> {
  const ids: string[] = [];
  await fixture.time.run(async () => {
    for await (const { id } of exported) ids.push(id);
  });
  return ids.toSorted();
}

export function evenly(fixture: ExportFixture, count: number, span = 30 * day): void {
  for (let index = 0; index < count; index += 1) fixture.add(start + Math.floor((index * span) / count));
}
