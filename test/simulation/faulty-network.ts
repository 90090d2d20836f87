import type { MockPlatform } from 'corridor-sdk/mock';
import { RandomSource } from './random-source.ts';
import { faults, type Fault, type Settings } from './settings.ts';
import type { VirtualTime } from './virtual-time.ts';

const badStatuses = [500, 502, 503, 504] as const;

function broken(code: string, syscall?: string): TypeError {
  return new TypeError('fetch failed', {
    cause: Object.assign(new Error(code), { code, ...(syscall === undefined ? {} : { syscall }) }),
  });
}

/** A network to a mock platform that loses, delays or breaks requests and responses, reproducibly per seed. */
export class FaultyNetwork {
  readonly #time: VirtualTime;
  readonly #platform: MockPlatform;
  readonly #settings: Settings;
  /** The time until which the list does not show a payment. */
  readonly #hidden = new Map<string, number>();
  /** The number of times each payment was sent. */
  readonly #sent = new Map<string, number>();
  #lastList = { at: 0, count: 0 };
  /** The faults that occurred. */
  readonly counts = { creates: 0, lists: 0, faults: new Map<Fault, number>(), failedLists: 0 };

  constructor(time: VirtualTime, platform: MockPlatform, settings: Settings) {
    this.#time = time;
    this.#platform = platform;
    this.#settings = settings;
  }

  /** A `fetch`. An aborted request rejects immediately, while the platform continues with the request it received. */
  readonly fetch: typeof globalThis.fetch = (input, init) => {
    const request = new Request(input, init);
    const { signal } = request;
    return new Promise<Response>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      this.#carry(request).then(resolve, reject);
    });
  };

  #carry(request: Request): Promise<Response> {
    return request.method === 'POST' ? this.#create(request) : this.#list(request);
  }

  async #create(request: Request): Promise<Response> {
    this.counts.creates += 1;
    const body = await this.#time.busy(() => request.clone().text());
    const random = this.#randomFor(body);
    const fault = random.hits(this.#settings.faultRate) ? random.pick(faults) : undefined;
    if (fault !== undefined) this.counts.faults.set(fault, (this.counts.faults.get(fault) ?? 0) + 1);
    if (fault === 'refused') throw broken('ECONNREFUSED', 'connect');
    await this.#travel(random);
    if (fault === 'reset-before-commit') throw broken('ECONNRESET');
    if (fault === 'status-before-commit') return new Response('busy', { status: random.pick(badStatuses) });
    if (fault === 'late-commit') {
      void this.#time.wait(random.below(this.#settings.lateCommit)).then(() => this.#commit(request, random));
      throw broken('ECONNRESET');
    }
    const response = await this.#commit(request, random);
    if (fault === 'reset-after-commit') throw broken('ECONNRESET');
    if (fault === 'hang-after-commit') return new Promise(() => {});
    await this.#time.wait(fault === 'slow-response' ? random.below(this.#settings.slowResponse) : 0);
    await this.#travel(random);
    if (fault === 'status-after-commit') return new Response('busy', { status: random.pick(badStatuses) });
    if (fault === 'html-200')
      return new Response('<html><body>Welcome</body></html>', { headers: { 'content-type': 'text/html' } });
    if (fault !== 'truncated-201' || response.status !== 201) return response;
    const text = await this.#time.busy(() => response.text());
    return new Response(text.slice(0, Math.floor(text.length * random.next())), {
      status: 201,
      headers: response.headers,
    });
  }

  async #commit(request: Request, random: RandomSource): Promise<Response> {
    return this.#time.busy(async () => {
      const response = await this.#platform.handle(request.clone());
      if (response.status === 201) {
        const { id } = (await response.clone().json()) as { readonly id: string };
        this.#hidden.set(id, this.#time.now() + random.below(this.#settings.listLag));
      }
      return response;
    });
  }

  async #list(request: Request): Promise<Response> {
    this.counts.lists += 1;
    const random = this.#randomForList();
    const fails = random.hits(this.#settings.listFaultRate);
    if (fails) this.counts.failedLists += 1;
    await this.#travel(random);
    if (fails && random.hits(0.3)) throw broken('ECONNRESET');
    if (fails) return new Response('busy', { status: random.pick(badStatuses) });
    const response = await this.#time.busy(async () => this.#shownNow(await this.#platform.handle(request)));
    await this.#travel(random);
    return response;
  }

  async #shownNow(response: Response): Promise<Response> {
    for (const [id, until] of this.#hidden) if (until <= this.#time.now()) this.#hidden.delete(id);
    if (!response.ok || this.#hidden.size === 0) return response;
    const page = (await response.json()) as { readonly items: readonly { readonly id: string }[] };
    const items = page.items.filter(({ id }) => !this.#hidden.has(id));
    return Response.json({ ...page, items }, { headers: response.headers });
  }

  #travel(random: RandomSource): Promise<void> {
    return this.#time.wait(1 + random.below(this.#settings.latency));
  }

  // The fault of a request depends on the request and the seed, not on the order of requests.
  #randomFor(body: string): RandomSource {
    const { internalReference } = JSON.parse(body) as { readonly internalReference: string };
    const attempt = (this.#sent.get(internalReference) ?? 0) + 1;
    this.#sent.set(internalReference, attempt);
    return this.#random(`${internalReference}/${attempt}`);
  }

  #randomForList(): RandomSource {
    const at = this.#time.now();
    this.#lastList = { at, count: this.#lastList.at === at ? this.#lastList.count + 1 : 1 };
    return this.#random(`list/${at}/${this.#lastList.count}`);
  }

  #random(name: string): RandomSource {
    let hash = this.#settings.seed;
    for (const letter of name) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
    return new RandomSource(hash);
  }
}
