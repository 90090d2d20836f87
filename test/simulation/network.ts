import type { ListedPayment, PaymentCreateParams } from 'corridor-sdk';
import { customerId, isFinal, unknownStatuses, Platform } from './platform.ts';
import { RandomSource } from '../support/random-source.ts';
import type { Settings } from './settings.ts';
import { Trace } from './trace.ts';
import type { VirtualTime } from '../support/virtual-time.ts';

/** The key of another organization. */
export const foreignKey = 'key-of-another-organization';

/** The header with the name of the call that sends a create request. */
export const callHeader = 'x-simulated-call';

/** Thrown if a client sends requests without end. */
export class TooManyRequestsError extends Error {}

const maxRequests = 15_000;

interface Fault {
  readonly name: string;
  /** How the exchange ends; `response` is that of the platform, if it processed the request. */
  readonly end: (response: Response | undefined) => Promise<Response> | Response;
}

function broken(code: string, details: object = {}): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }, details) });
}

const never = new Promise<never>(() => {});

const status = (code: number, headers: Readonly<Record<string, string>> = {}): Fault => ({
  name: String(code),
  end: () => Response.json({ code: `status_${code}`, message: 'failed' }, { status: code, headers }),
});

const error = (name: string, create: () => Error): Fault => ({
  name,
  end: () => {
    throw create();
  },
});

/** A success whose body breaks after some bytes. */
const brokenBody = (name: string, create: () => Error): Fault => ({
  name,
  end: async (response) => {
    const text = (await response?.text()) ?? '{"id":"pay_0"}';
    const half = new TextEncoder().encode(text.slice(0, text.length / 2));
    const body = new ReadableStream({
      pull(controller) {
        if (sent) controller.error(create());
        else controller.enqueue(half);
        sent = true;
      },
    });
    let sent = false;
    return new Response(body, { status: response?.status ?? 200, headers: { 'content-type': 'application/json' } });
  },
});

const conflict = status(409);
/** A dispatcher loses the response, sends the request again, and returns the second response. */
const repeated: Fault = { name: 'sent twice by a dispatcher', end: (response) => response ?? never };
const connecting = { syscall: 'connect' };

/** Failures before anything of the request has left. */
const unsent: readonly Fault[] = [
  error('connection refused', () => broken('ECONNREFUSED', connecting)),
  error('no such host', () => broken('ENOTFOUND', { syscall: 'getaddrinfo' })),
  error('connection reset in the handshake', () => broken('ECONNRESET', { syscall: 'read' })),
];

/** Failures that prove that the platform did not process the request. */
const harmless: readonly Fault[] = [
  ...unsent,
  status(429, { 'retry-after': '1' }),
  status(400),
  status(403),
  status(422),
];

/** Failures after the status of a response, which says what the platform did. */
const brokenBodies: readonly Fault[] = [
  brokenBody('reset in the body', () => broken('ECONNRESET', { syscall: 'read' })),
  brokenBody('refused in the body', () => broken('ECONNREFUSED', connecting)),
  brokenBody('connect timeout in the body', () => broken('UND_ERR_CONNECT_TIMEOUT')),
];

/** Failures after which the platform may have processed the request. */
const ambiguous: readonly Fault[] = [
  error('connection reset', () => broken('ECONNRESET', { syscall: 'read' })),
  // A dispatcher that repeats a request whose response was lost reports the last failure.
  error('connection refused to a repetition', () => broken('ECONNREFUSED', connecting)),
  error('no such host for a repetition', () => broken('ENOTFOUND', { syscall: 'getaddrinfo' })),
  error('timeout with an empty list of errors', () => broken('ETIMEDOUT', { errors: [] })),
  error('reset with an empty list of errors', () => broken('ECONNRESET', { errors: [] })),
  { name: 'no response', end: () => never },
  status(408),
  conflict,
  status(421),
  status(500),
  status(502),
  status(503, { 'retry-after': '1' }),
  status(504),
  { name: 'HTML', end: () => new Response('<html></html>', { headers: { 'content-type': 'text/html' } }) },
  ...brokenBodies,
];

/** The connection between the clients and a platform. */
export class Network {
  /** The calls with a create request that failed. */
  readonly disturbed = new Set<string>();
  /** The calls whose create request was answered with a conflict, whatever happened to it. */
  readonly conflicts = new Set<string>();
  requests = 0;
  /** The payments that each process was shown in an open status that the client knows, except in lookups of others. */
  readonly shown = new Map<string, Set<string>>();
  /** The requests of each process while the lists have no end. */
  readonly endless = new Map<string, number>();
  readonly #time: VirtualTime;
  readonly #platform: Platform;
  readonly #otherPlatform: Platform;
  readonly #settings: Settings;
  readonly #random: RandomSource;
  readonly #trace: Trace;

  constructor(time: VirtualTime, platform: Platform, settings: Settings, random: RandomSource, trace: Trace) {
    this.#time = time;
    this.#platform = platform;
    this.#settings = settings;
    this.#random = random;
    this.#trace = trace;
    // The payments of another organization, which do not change.
    this.#otherPlatform = new Platform(time, settings, new RandomSource(1), new Trace(time), 'foreign');
  }

  /** Sends a request of a process. If it is aborted, the platform continues with what it received. */
  send(process: string, url: URL, init: RequestInit): Promise<Response> {
    if (this.#platform.isEndless) this.endless.set(process, (this.endless.get(process) ?? 0) + 1);
    else this.requests += 1;
    const isForeign = new Headers(init.headers).get('x-api-key') === foreignKey;
    if (this.requests > maxRequests) throw new TooManyRequestsError(`more than ${maxRequests} requests`);
    const exchanged =
      init.method === 'POST'
        ? this.#create(process, init)
        : url.pathname.includes('/customers')
          ? this.#customer(url, isForeign)
          : this.#list(process, url, isForeign);
    const aborted = new Promise<never>((_, reject) =>
      init.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error), { once: true }),
    );
    aborted.catch(() => {});
    return Promise.race([exchanged, aborted]);
  }

  async #create(process: string, init: RequestInit): Promise<Response> {
    const random = this.#random;
    const call = new Headers(init.headers).get(callHeader) ?? '';
    const faults = this.#settings.quotes === 'single-use' ? [...ambiguous, repeated, repeated] : ambiguous;
    const fault = this.#faultOf(this.#settings.createFaults, random.hits(0.3) ? harmless : faults);
    const text = fault !== undefined && unsent.includes(fault) ? '' : String(init.body);
    const commit = (): Response => {
      const { status: code, body } = this.#platform.create(JSON.parse(text) as PaymentCreateParams, call);
      return Response.json(body, { status: code });
    };
    await this.#travel();
    if (fault !== undefined) this.disturbed.add(call);
    if (fault === conflict || fault === repeated) this.conflicts.add(call);
    const takes =
      fault === undefined || harmless.includes(fault)
        ? 'no'
        : fault === repeated || brokenBodies.includes(fault)
          ? 'first'
          : random.pick(['first', 'later', 'no'] as const);
    this.#trace.add(
      process,
      `POST ${call}: ${fault === undefined ? 'arrives' : `${fault.name}, ${commitNames[takes]}`}`,
    );
    if (takes === 'later') void this.#time.wait(random.below(this.#settings.lateCommit)).then(commit);
    let response = fault === undefined || takes === 'first' ? commit() : undefined;
    if (fault === repeated) response = commit();
    await this.#travel();
    return this.#dated(fault === undefined ? (response as Response) : await fault.end(response));
  }

  async #customer({ pathname }: URL, isForeign: boolean): Promise<Response> {
    await this.#travel();
    const id = pathname.split('/').at(-1);
    const items = isForeign ? [] : [{ id: customerId }];
    if (id === 'customers') return this.#dated(Response.json({ items, nextCursor: null, hasMore: false }));
    return this.#dated(id === customerId && !isForeign ? Response.json({ id }) : Response.json({}, { status: 404 }));
  }

  async #list(process: string, url: URL, isForeign: boolean): Promise<Response> {
    const fault = this.#faultOf(this.#settings.readFaults, [...harmless.slice(0, 4), ...ambiguous]);
    await this.#travel();
    const query = [...url.searchParams].map(([name, value]) => `${name}=${value}`).join(' ');
    if (fault !== undefined) {
      this.#trace.add(process, `GET ${query}: ${fault.name}`);
      return this.#dated(await fault.end(undefined));
    }
    const page = (isForeign ? this.#otherPlatform : this.#platform).list(url.searchParams);
    const rows = page.items
      .map((row) => {
        const { id, status: shown } = Object(row) as Partial<ListedPayment>;
        return `${String(id)} ${String(shown)}`;
      })
      .join(', ');
    this.#trace.add(
      process,
      `GET ${query}: ${rows || 'no rows'}${page['hasMore'] === true ? ` … ${page['nextCursor']}` : ''}`,
    );
    await this.#travel();
    const isLookup = !url.searchParams.has('status') && !url.searchParams.has('createdFrom');
    const open = (isLookup ? [] : page.items).filter((row) => {
      const { status: shown } = Object(row) as Partial<ListedPayment>;
      return typeof shown === 'string' && !isFinal(shown) && !unknownStatuses.has(shown);
    });
    this.shown.set(process, new Set([...(this.shown.get(process) ?? []), ...open.map(({ id }) => id)]));
    return this.#dated(Response.json(page));
  }

  #faultOf(rate: number, faults: readonly Fault[]): Fault | undefined {
    return !this.#platform.isCalm && this.#random.hits(rate) ? this.#random.pick(faults) : undefined;
  }

  #travel(): Promise<void> {
    return this.#time.wait(1 + this.#random.below(this.#settings.latency));
  }

  #dated(response: Response): Response {
    const { date, dateSkew, wrongDates } = this.#settings;
    if (date === 'absent') return response;
    const isWrong = !this.#platform.isCalm && this.#random.hits(wrongDates);
    const ahead = dateSkew + (isWrong ? 6 * 3_600_000 : 0) - (date === 'cached' ? 20 * 60_000 : 0);
    response.headers.set('date', new Date(this.#platform.databaseTime + ahead).toUTCString());
    if (date === 'cached') response.headers.set('age', '1200');
    return response;
  }
}

const commitNames = { first: 'processed', later: 'processed later', no: 'not processed' };
