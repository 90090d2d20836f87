import type { MockPlatform } from 'corridor-sdk/mock';
import { Chance } from './chance.ts';
import { faults, type Fault, type Settings } from './settings.ts';
import type { VirtualTime } from './virtual-time.ts';

const badStatuses = [500, 502, 503, 504] as const;

function broken(code: string, syscall?: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code, ...(syscall === undefined ? {} : { syscall }) }) });
}

/** The way to a mock platform on which requests and answers get lost, late or broken; the same ones for the same seed. */
export class FaultyNetwork {
  readonly #time: VirtualTime;
  readonly #platform: MockPlatform;
  readonly #settings: Settings;
  /** Until when the list does not show a payment. */
  readonly #hidden = new Map<string, number>();
  /** How often each payment was sent. */
  readonly #sent = new Map<string, number>();
  #lastList = { at: 0, count: 0 };
  /** What came to pass. */
  readonly counts = { creates: 0, lists: 0, faults: new Map<Fault, number>(), failedLists: 0 };

  constructor(time: VirtualTime, platform: MockPlatform, settings: Settings) {
    this.#time = time;
    this.#platform = platform;
    this.#settings = settings;
  }

  /** A `fetch`. An aborted request rejects at once, while the platform goes on with what it has received. */
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
    const chance = this.#chanceOf(body);
    const fault = chance.hits(this.#settings.faultRate) ? chance.pick(faults) : undefined;
    if (fault !== undefined) this.counts.faults.set(fault, (this.counts.faults.get(fault) ?? 0) + 1);
    if (fault === 'refused') throw broken('ECONNREFUSED', 'connect');
    await this.#travel(chance);
    if (fault === 'reset-before-commit') throw broken('ECONNRESET');
    if (fault === 'status-before-commit') return new Response('busy', { status: chance.pick(badStatuses) });
    if (fault === 'late-commit') {
      void this.#time.wait(chance.below(this.#settings.lateCommit)).then(() => this.#commit(request, chance));
      throw broken('ECONNRESET');
    }
    const answer = await this.#commit(request, chance);
    if (fault === 'reset-after-commit') throw broken('ECONNRESET');
    if (fault === 'hang-after-commit') return new Promise(() => {});
    await this.#time.wait(fault === 'slow-answer' ? chance.below(this.#settings.slowAnswer) : 0);
    await this.#travel(chance);
    if (fault === 'status-after-commit') return new Response('busy', { status: chance.pick(badStatuses) });
    if (fault === 'html-200') return new Response('<html><body>Welcome</body></html>', { headers: { 'content-type': 'text/html' } });
    if (fault !== 'truncated-201' || answer.status !== 201) return answer;
    const text = await this.#time.busy(() => answer.text());
    return new Response(text.slice(0, Math.floor(text.length * chance.next())), { status: 201, headers: answer.headers });
  }

  async #commit(request: Request, chance: Chance): Promise<Response> {
    return this.#time.busy(async () => {
      const answer = await this.#platform.handle(request.clone());
      if (answer.status === 201) {
        const { id } = (await answer.clone().json()) as { readonly id: string };
        this.#hidden.set(id, this.#time.now() + chance.below(this.#settings.listLag));
      }
      return answer;
    });
  }

  async #list(request: Request): Promise<Response> {
    this.counts.lists += 1;
    const chance = this.#chanceOfList();
    const fails = chance.hits(this.#settings.listFaultRate);
    if (fails) this.counts.failedLists += 1;
    await this.#travel(chance);
    if (fails && chance.hits(0.3)) throw broken('ECONNRESET');
    if (fails) return new Response('busy', { status: chance.pick(badStatuses) });
    const answer = await this.#time.busy(async () => this.#shownNow(await this.#platform.handle(request)));
    await this.#travel(chance);
    return answer;
  }

  async #shownNow(answer: Response): Promise<Response> {
    for (const [id, until] of this.#hidden) if (until <= this.#time.now()) this.#hidden.delete(id);
    if (!answer.ok || this.#hidden.size === 0) return answer;
    const page = (await answer.json()) as { readonly items: readonly { readonly id: string }[] };
    const items = page.items.filter(({ id }) => !this.#hidden.has(id));
    return Response.json({ ...page, items }, { headers: answer.headers });
  }

  #travel(chance: Chance): Promise<void> {
    return this.#time.wait(1 + chance.below(this.#settings.latency));
  }

  // What happens to a request follows from what it is and from the seed, not from the order in which requests are worked on.
  #chanceOf(body: string): Chance {
    const { internalReference } = JSON.parse(body) as { readonly internalReference: string };
    const attempt = (this.#sent.get(internalReference) ?? 0) + 1;
    this.#sent.set(internalReference, attempt);
    return this.#chance(`${internalReference}/${attempt}`);
  }

  #chanceOfList(): Chance {
    const at = this.#time.now();
    this.#lastList = { at, count: this.#lastList.at === at ? this.#lastList.count + 1 : 1 };
    return this.#chance(`list/${at}/${this.#lastList.count}`);
  }

  #chance(name: string): Chance {
    let hash = this.#settings.seed;
    for (const letter of name) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
    return new Chance(hash);
  }
}
