import { withOwnJournals } from '../state/journals.js';
import { afterDueEvents, runEvent } from '../request/scheduled-events.js';
import { fetchOf } from '../request/fetch.js';
import { MockPlatformError } from '../base/mock-error.js';
import type { MockFaults, PlannedResponse, RespondOptions } from '../faults/fault-plan.js';
import type { FaultTarget, RequestCondition } from '../faults/request-condition.js';
import { populate, type PopulateSizes } from '../records/populate.js';
import { collectionOf } from '../records/builder.js';
import { beneficiaryRecords, type MockBeneficiaries } from '../records/beneficiaries.js';
import { cryptoRecords, type MockCrypto } from '../records/crypto.js';
import { customerRecords, type MockCustomers } from '../records/customers.js';
import { documentRecords, type MockDocuments } from '../records/documents.js';
import { paymentRecords, type MockPayments } from '../records/payments.js';
import { personRecords, type MockPersons } from '../records/persons.js';
import { quoteRecords, type MockQuotes } from '../records/quotes.js';
import { ticketRecords, type MockTickets } from '../records/tickets.js';
import type { MockClock } from '../state/clock.js';
import { keysOf, type MockKeys } from './keys.js';
import { createScenarios, type MockScenarios } from './load-scenario.js';
import type { MockBehavior } from '../base/mock-options.js';
import type { RecordedRequest, RequestLog } from '../wire/request-log.js';
import { scheduledEvents, type ScheduledEvent } from '../state/schedule.js';
import type { OrganizationState, PlatformState } from '../state/platform-state.js';
import type { RecordKindName, StoredRecords } from '../state/record-kinds.js';
import type { OrganizationKeys } from '../base/keys.js';

/** A `fetch` that reaches a mock platform only. */
export type MockFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Client options that reach a mock platform as one of its organizations. */
export interface MockClientOptions {
  /** The base URL of the platform. */
  readonly baseUrl: string;
  /** The organization's API key. */
  readonly apiKey: string;
  /** Returns the private key in PKCS#8 PEM format. Generates it on first use. */
  readonly privateKey: () => Promise<string>;
  /** Sends a request to the platform without a network. */
  readonly fetch: MockFetch;
  /** Returns the time of the mock's clock, so that advancing it does not expire the client's tokens. */
  readonly now: () => number;
  /**
   * Lets time pass on the mock's clock instead of waiting: delays end at once, and timeouts fire only while the mock
   * withholds a response. Absent with `time: 'real'` and on served platforms.
   */
  readonly sleep?: (milliseconds: number, signal: AbortSignal, purpose?: 'delay' | 'timeout') => Promise<void>;
}

/** The options of `clientOptions`. */
export interface MockTimeOptions {
  /**
   * Whether delays and timeouts of the client pass on the mock's clock at once, or in real time. @default 'mock'
   */
  readonly time?: 'mock' | 'real' | undefined;
}

/** The options of `waitForRequest`. */
export interface WaitForRequestOptions<Target extends FaultTarget = FaultTarget> {
  /** The fields that the request has, as for faults. @default any */
  readonly when?: RequestCondition<Target> | undefined;
  /** How long to wait, in milliseconds of real time. @default 5000 */
  readonly timeout?: number | undefined;
}

/** The credentials of an organization, for any client in any language. */
export interface MockCredentials {
  /** The base URL of the platform. */
  readonly baseUrl: string;
  /** The value of the `x-api-key` header. */
  readonly apiKey: string;
  /** The private key in PKCS#8 PEM format. */
  readonly privateKey: string;
  /** The public key in SPKI PEM format. */
  readonly publicKey: string;
}

/**
 * An organization on a mock platform: a partner with separate credentials, records and requests. Organizations cannot
 * see each other's records.
 *
 * @example
 * ```ts
 * import { createMockPlatform } from 'corridor-sdk/mock';
 * const platform = createMockPlatform();
 * const acme = platform.organization({ name: 'Acme' });
 * acme.customers.add();
 * platform.customers.all(); // does not contain Acme's customer
 * ```
 */
export class MockOrganization {
  /** The organization's id. */
  readonly id: string;
  /** The organization's name. */
  readonly name: string;
  /** The seed of all ids and data of its platform. */
  readonly seed: string;
  /** Its clock: that of the platform, unless it was added with `clock: 'own'`. */
  readonly clock: MockClock;
  /** The organization's customers. */
  readonly customers: MockCustomers;
  /** The beneficiaries of its customers. */
  readonly beneficiaries: MockBeneficiaries;
  /** The persons of its customers, with their screening. */
  readonly persons: MockPersons;
  /** Its uploaded documents. */
  readonly documents: MockDocuments;
  /** Its payment quotes. */
  readonly quotes: MockQuotes;
  /** Its payments. */
  readonly payments: MockPayments;
  /** Its support tickets. */
  readonly tickets: MockTickets;
  /** The crypto networks and payment methods that are enabled for it. */
  readonly crypto: MockCrypto;
  /** Its registered public keys and API keys. */
  readonly keys: MockKeys;
  /** The scenarios of the platform, to load into this organization. */
  readonly scenarios: MockScenarios;
  /** The faults that are injected into its requests. */
  readonly faults: MockFaults;
  /**
   * Sends a request to the platform without a network and without msw. Rejects with a `TypeError` for any other URL.
   */
  readonly fetch: MockFetch;
  readonly #platform: PlatformState;
  readonly #state: OrganizationState;

  /** @internal */
  constructor(platform: PlatformState, state: OrganizationState) {
    this.#platform = platform;
    this.#state = state;
    this.id = state.id;
    this.name = state.name;
    this.seed = platform.options.seed;
    this.clock = state.clock;
    this.customers = afterDueEvents(state, customerRecords(state));
    this.beneficiaries = afterDueEvents(state, beneficiaryRecords(state));
    this.persons = afterDueEvents(state, personRecords(state));
    this.documents = afterDueEvents(state, documentRecords(state));
    this.quotes = afterDueEvents(state, quoteRecords(state));
    this.payments = afterDueEvents(state, paymentRecords(state));
    this.tickets = afterDueEvents(state, ticketRecords(state));
    this.crypto = cryptoRecords(state);
    this.keys = keysOf(state);
    this.scenarios = createScenarios(state.platform, this);
    this.faults = state.faults;
    this.fetch = withOwnJournals<MockFetch>(fetchOf(platform), state);
  }

  /** Whether its clock is its own. @internal */
  get hasOwnClock(): boolean {
    return this.#state.hasOwnClock;
  }

  /** Returns the keys that it was added with; generates them on the first call. @internal */
  keyPair(): Promise<OrganizationKeys> {
    return this.#state.keyPair();
  }

  /** Returns the stored records of a kind, oldest first: views of them take long to create. @internal */
  stored<Kind extends RecordKindName>(kind: Kind): readonly StoredRecords[Kind][] {
    this.#state.runDueEvents(runEvent);
    return collectionOf(this.#state, kind).values();
  }

  /** The requests with this organization's API key, oldest first, including those with an invalid token. */
  get requests(): RequestLog {
    // A late commit that fails is reported in its request.
    this.#state.runDueEvents(runEvent);
    return this.#state.requests;
  }

  /**
   * Returns client options that reach the platform as this organization, with the keys that it was added with. The client does not wait in real time: its
   * delays advance the mock's clock. Throws `MockPlatformError` if `time` is neither `'mock'` nor `'real'`.
   *
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * import { createMockPlatform } from 'corridor-sdk/mock';
   * const platform = createMockPlatform();
   * platform.faults.next('payments.create', { kind: 'hang' });
   * const corridor = new Corridor(platform.clientOptions()); // the timeout passes at once, on the mock's clock
   * const order = platform.payments.createParams();
   * await corridor.payments.createOnce(order, { idempotencyKey: 'order-4711' }).catch(() => undefined);
   * const slow = new Corridor(platform.clientOptions({ time: 'real' }));
   * ```
   */
  clientOptions(options: MockTimeOptions = {}): MockClientOptions {
    const { time = 'mock' } = options;
    if (time !== 'mock' && time !== 'real')
      throw new MockPlatformError(`clientOptions: time must be 'mock' or 'real' (received ${JSON.stringify(time)})`);
    return {
      baseUrl: this.#platform.options.baseUrl,
      apiKey: this.#state.apiKey,
      privateKey: this.#state.privateKey,
      fetch: this.fetch,
      ...this.#platform.time.clientOptions(this.clock, time),
    };
  }

  /**
   * Returns the organization's credentials. Rejects with `MockPlatformError` if the organization has a public key only.
   */
  async credentials(): Promise<MockCredentials> {
    const privateKey = await this.#state.privateKey();
    const { publicKey } = await this.keyPair();
    return { baseUrl: this.#platform.options.baseUrl, apiKey: this.#state.apiKey, privateKey, publicKey };
  }

  /**
   * Adds a few hundred realistic records of every kind, status and funding type, spread over several months. Equal
   * seeds add equal records. Throws `MockPlatformError` if a size is not an integer of 0 or more, or if a record kind
   * is unknown.
   */
  populate(sizes?: PopulateSizes): void {
    populate(this.#state, sizes);
  }

  /**
   * Calls a function with each request of this organization, of the platform with all requests, after it was handled.
   * Returns a function that stops this.
   *
   * @example
   * ```ts
   * import { createMockPlatform } from 'corridor-sdk/mock';
   * const platform = createMockPlatform();
   * const stop = platform.onRequest(({ method, path, status }) => console.log(method, path, status));
   * stop();
   * ```
   */
  onRequest(listener: (request: RecordedRequest) => void): () => void {
    return this.#platform.exchanges.subscribe((change) => {
      if (change !== 'state' && this.receives(change)) listener(change);
    });
  }

  /** Returns whether a request is in `requests`. @internal */
  protected receives(request: RecordedRequest): boolean {
    return request.organization === this.id;
  }

  /**
   * Resolves with the first request to an endpoint, and with the fields of `when`, after it was handled: one that was
   * received before, or the next one. Rejects with `MockPlatformError` if there is none within `timeout`, which is 5 s
   * of real time by default.
   *
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * import { createMockPlatform } from 'corridor-sdk/mock';
   * const platform = createMockPlatform();
   * const [{ status }] = await Promise.all([
   *   platform.waitForRequest('payments.list', { when: { limit: 10 } }),
   *   new Corridor(platform.clientOptions()).payments.list({ limit: 10 }),
   * ]);
   * ```
   */
  waitForRequest<Target extends FaultTarget>(
    endpoint: Target,
    { timeout = 5000, ...options }: WaitForRequestOptions<Target> = {},
  ): Promise<RecordedRequest> {
    const matches = this.#state.faults.matcherOf('waitForRequest', endpoint, options);
    const { exchanges } = this.#platform;
    const received = this.requests.find((request) => exchanges.get(request) !== undefined && matches(request));
    if (received !== undefined) return Promise.resolve(received);
    return new Promise((resolve, reject) => {
      const stop = this.onRequest((request) => {
        if (!matches(request)) return;
        clearTimeout(timer);
        stop();
        resolve(request);
      });
      const timer = setTimeout(() => {
        stop();
        const problem = `waitForRequest: no such request to ${endpoint} was received in ${timeout} ms`;
        reject(new MockPlatformError(`${problem}. See \`requests\` for those that were, or pass a longer timeout.`));
      }, timeout);
    });
  }

  /**
   * Plans the response to requests: to all of them until it is removed, or to the next `times`. An object replaces the
   * status, headers or body, or changes fields of the body; a function returns a response, given the request and the
   * response of the platform. Those with `times` apply first, in the order in which they were planned; of the others,
   * the latest applies. What violates the contract is allowed, and is listed in `responseIssues` of the entry in
   * `requests`. A planned response is a fault of the kind `response`: `faults.list` shows it, and `faults.remove`
   * removes it by the returned id. Throws `MockPlatformError` if an argument is invalid.
   *
   * @example
   * ```ts
   * import { createMockPlatform } from 'corridor-sdk/mock';
   * const platform = createMockPlatform();
   * platform.respond('customers.get', { patch: { companyName: 'Acme' }, times: 1 });
   * platform.respond('documents.downloadUrl', { body: { link: 'https://files.example/1' } });
   * platform.respond('payments.list', ({ request, response }) =>
   *   request.query['limit'] === '1'
   *     ? { status: 503 }
   *     : { headers: { 'x-total': String(response.body.items.length) } },
   * );
   * const id = platform.respond('GET /api/v1/reports', { body: { reports: [] } });
   * platform.faults.remove(id);
   * ```
   */
  respond<Target extends FaultTarget>(
    endpoint: Target,
    response: PlannedResponse<Target>,
    options?: RespondOptions<Target>,
  ): string {
    return this.#state.faults.respond(endpoint, response, options);
  }

  /**
   * Returns the transitions and delayed requests that are still to happen, those with a time first, in the order of
   * their times; also transitions that were canceled because the record's status does not allow the next one.
   */
  scheduled(): ScheduledEvent[] {
    this.#state.runDueEvents(runEvent);
    return scheduledEvents(this.#state.schedule.snapshot());
  }

  /**
   * Changes the behavior of this organization only; undefined restores that of the platform. Throws `MockPlatformError`
   * if an option is unknown or invalid.
   *
   * @example
   * ```ts
   * import { createMockPlatform } from 'corridor-sdk/mock';
   * const acme = createMockPlatform().organization({ clock: 'own' });
   * acme.configure({ rateLimit: { requests: 5, per: { seconds: 1 } } });
   * acme.clock.advance({ minutes: 15 }); // other organizations keep their time
   * ```
   */
  configure(behavior: MockBehavior): void {
    this.#state.configure(behavior);
  }

  /**
   * Removes all records, requests, faults and used tokens of this organization, and restores its own clock and
   * behavior.
   */
  reset(): void {
    this.#state.reset();
  }
}
