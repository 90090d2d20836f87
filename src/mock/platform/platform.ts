import { assumptionsOf, type MockAssumption } from './assumptions.js';
import { type Wait, handle } from '../request/deliver.js';
import type { MockClock } from '../state/clock.js';
import type { MockHttpRequest, MockHttpResponse } from '../wire/message.js';
import type { MockFaults } from '../faults/fault-plan.js';
import { handleRequest, runDueEvents } from '../request/handle.js';
import {
  organizationOptions,
  type MockOrganizationOptions,
  type MockPlatformOptions,
  type MockBehavior,
} from '../base/options.js';
import { requireValid } from '../base/error.js';
import {
  organizationOf,
  type MockClientOptions,
  type MockCredentials,
  type MockFetch,
  type MockOrganization,
  type MockTimeOptions,
} from './organization.js';
import type { PopulateSizes } from '../records/populate.js';
import type { MockBeneficiaries } from '../records/beneficiaries.js';
import type { MockCrypto } from '../records/crypto.js';
import type { MockCustomers } from '../records/customers.js';
import type { MockDocuments } from '../records/documents.js';
import type { MockPayments } from '../records/payments.js';
import type { MockPersons } from '../records/persons.js';
import type { MockQuotes } from '../records/quotes.js';
import type { MockTickets } from '../records/tickets.js';
import type { ExchangeLog, RequestLog } from '../wire/request-log.js';
import type { ScheduledEvent } from '../state/schedule.js';
import { createScenarios, type MockScenarios } from './load-scenario.js';
import { PlatformState, type OrganizationState } from '../state/platform.js';
import type { PlatformSnapshot } from '../state/snapshot.js';

/**
 * A stateful mock of the whole platform. It stores what clients create, verifies every signature, and validates
 * requests and its own responses against the contract. The platform object is also its first organization;
 * `organization` adds others.
 */
export class MockPlatform implements MockOrganization {
  /** The base URL of the platform. */
  readonly baseUrl: string;
  /** The seed of all ids and data. */
  readonly seed: string;
  /** The platform's clock. */
  readonly clock: MockClock;
  /** The scenarios that can be loaded into its first organization. */
  readonly scenarios: MockScenarios;
  readonly #state: PlatformState;
  readonly #first: MockOrganization;
  readonly #organizations = new WeakMap<OrganizationState, MockOrganization>();

  /** Creates a platform. Throws `MockPlatformError` if an option is invalid. */
  constructor(options: MockPlatformOptions = {}) {
    this.#state = new PlatformState(options, runDueEvents);
    this.#first = this.#facadeOf(this.#state.add(options));
    this.baseUrl = this.#state.options.baseUrl;
    this.seed = this.#state.options.seed;
    this.clock = this.#state.clock;
    this.scenarios = createScenarios(this.#state, this.#first);
  }

  /** The id of its first organization. */
  get id(): string {
    return this.#first.id;
  }

  /** The name of its first organization. */
  get name(): string {
    return this.#first.name;
  }

  /** The customers of its first organization. */
  get customers(): MockCustomers {
    return this.#first.customers;
  }

  /** The beneficiaries of its first organization's customers. */
  get beneficiaries(): MockBeneficiaries {
    return this.#first.beneficiaries;
  }

  /** The persons of its first organization's customers, with their screening. */
  get persons(): MockPersons {
    return this.#first.persons;
  }

  /** The uploaded documents of its first organization. */
  get documents(): MockDocuments {
    return this.#first.documents;
  }

  /** The quotes of its first organization. */
  get quotes(): MockQuotes {
    return this.#first.quotes;
  }

  /** The payments of its first organization. */
  get payments(): MockPayments {
    return this.#first.payments;
  }

  /** The support tickets of its first organization. */
  get tickets(): MockTickets {
    return this.#first.tickets;
  }

  /** The crypto networks and payment methods that are enabled for its first organization. */
  get crypto(): MockCrypto {
    return this.#first.crypto;
  }

  /** The faults that are injected into requests of its first organization. */
  get faults(): MockFaults {
    return this.#first.faults;
  }

  /**
   * Sends a request to the platform without a network and without msw. Rejects with a `TypeError` for any other URL.
   */
  get fetch(): MockFetch {
    return this.#first.fetch;
  }

  /** The requests of all organizations, including those with an unknown API key, oldest first. */
  get requests(): RequestLog {
    // A late commit that fails is reported in its request.
    this.#state.runAllDueEvents();
    return this.#state.requests;
  }

  /** All organizations, oldest first. */
  get organizations(): readonly MockOrganization[] {
    return this.#state.organizations.map((organization) => this.#facadeOf(organization));
  }

  /** The largest request body that the mock reads, in bytes. */
  get maxRequestBytes(): number {
    return this.#state.options.maxRequestBytes;
  }

  /**
   * Returns client options that reach the platform as its first organization. The client does not wait in real time: its
   * delays advance the mock's clock. Throws `MockPlatformError` if `time` is neither `'mock'` nor `'real'`.
   *
   * @example
   * ```ts
   * import { Corridor } from 'corridor-sdk';
   * import { createMockPlatform } from 'corridor-sdk/mock';
   * const platform = createMockPlatform();
   * platform.faults.next('payments.create', { kind: 'hang' });
   * const corridor = new Corridor(platform.clientOptions()); // the timeout passes at once, on the mock's clock
   * await corridor.payments.createOnce(platform.payments.createParams()).catch(() => undefined);
   * const slow = new Corridor(platform.clientOptions({ time: 'real' }));
   * ```
   */
  clientOptions(options?: MockTimeOptions): MockClientOptions {
    return this.#first.clientOptions(options);
  }

  /**
   * Returns the credentials of its first organization. Rejects with `MockPlatformError` if the organization has a
   * public key only.
   */
  credentials(): Promise<MockCredentials> {
    return this.#first.credentials();
  }

  /**
   * Adds a few hundred realistic records to its first organization. Throws `MockPlatformError` if a size is not an
   * integer of 0 or more, or if a record kind is unknown.
   */
  populate(sizes?: PopulateSizes): void {
    this.#first.populate(sizes);
  }

  /**
   * Returns the transitions and delayed requests of its first organization that are still to happen, those with a time
   * first; also transitions that were canceled because the record's status does not allow the next one.
   */
  scheduled(): ScheduledEvent[] {
    return this.#first.scheduled();
  }

  /**
   * Adds an organization, which is another partner with separate credentials and records. Throws `MockPlatformError` if
   * an option is unknown or invalid, or if the id or API key already exists.
   */
  organization(options: MockOrganizationOptions = {}): MockOrganization {
    requireValid('organization', organizationOptions, options, 'the options');
    return this.#facadeOf(this.#state.add(options));
  }

  /**
   * Removes an organization with its records; its credentials are then unknown. Throws `MockPlatformError` if the id
   * does not exist, or if it is the first organization.
   */
  removeOrganization(id: string): void {
    this.#state.remove(id);
  }

  /**
   * Handles a request and returns the response, for custom adapters. Rejects with `MockPlatformError` if the mock's
   * response would violate the contract.
   */
  handle(request: Request): Promise<Response> {
    return handle(this.#state, request);
  }

  /** Handles a request of an adapter that has no `Request` object. @internal */
  handleRaw(request: MockHttpRequest): Promise<MockHttpResponse> {
    return this.#state.time.process(() => handleRequest(this.#state, request));
  }

  /** Waits on the mock's clock, for the clients that do; undefined if there are none. @internal */
  get wait(): Wait | undefined {
    return this.#state.time.wait;
  }

  /**
   * Runs what is due in all organizations, and calls a function that returns records with signed URLs of a base URL.
   * @internal
   */
  callAt<T>(baseUrl: string, run: () => T): T {
    this.#state.runAllDueEvents();
    return this.#state.atBaseUrl(baseUrl, run);
  }

  /** Records the responses of requests from now on, for the console. @internal */
  recordExchanges(): ExchangeLog {
    return this.#state.recordExchanges();
  }

  /**
   * Returns every question that the platform's specification leaves open, with the mock's current behavior and the
   * option that changes it.
   *
   * @example
   * ```ts
   * import { createMockPlatform } from 'corridor-sdk/mock';
   * const platform = createMockPlatform({ quotes: 'reusable' });
   * console.table(platform.assumptions().filter(({ option }) => option !== undefined));
   * ```
   */
  assumptions(): MockAssumption[] {
    return assumptionsOf(this.#state.options);
  }

  /**
   * Changes the behavior of a running platform. Options that you omit keep their values; `reset` restores those of the
   * constructor. Throws `MockPlatformError` if an option is unknown or invalid.
   *
   * @example
   * ```ts
   * import { createMockPlatform } from 'corridor-sdk/mock';
   * const platform = createMockPlatform();
   * platform.configure({ quotes: 'reusable', rateLimit: { requests: 5, per: { seconds: 1 } } });
   * ```
   */
  configure(behavior: MockBehavior): void {
    this.#state.configure(behavior);
  }

  /**
   * Returns the state of the platform as plain JSON: the clock, configured behavior, and the records, faults and used
   * tokens of all organizations, with their API keys. RSA keys and requests are not included.
   */
  snapshot(): PlatformSnapshot {
    return this.#state.snapshot();
  }

  /**
   * Restores a snapshot of this platform, or of another one with the same seed. Removes organizations that the snapshot
   * does not contain. Throws `MockPlatformError` if the value is not a snapshot, was edited, or has a different seed; the
   * state is then left unchanged.
   */
  restore(snapshot: PlatformSnapshot): void {
    this.#state.restore(snapshot);
  }

  /**
   * Removes all records, requests and faults, and restores the real clock and the behavior of the constructor's
   * options. Organizations keep their credentials.
   */
  reset(): void {
    this.#state.reset();
  }

  #facadeOf(organization: OrganizationState): MockOrganization {
    const facade = this.#organizations.get(organization) ?? organizationOf(this.#state, organization);
    this.#organizations.set(organization, facade);
    return facade;
  }
}

/**
 * Creates a mock platform. Does not patch globals or start a server, and generates keys on first use only. Throws
 * `MockPlatformError` if an option is invalid.
 *
 * @example
 * ```ts
 * import { Corridor } from 'corridor-sdk';
 * import { createMockPlatform } from 'corridor-sdk/mock';
 * const platform = createMockPlatform({ seed: 1 });
 * const corridor = new Corridor(platform.clientOptions());
 * platform.payments.addMany(3);
 * const page = await corridor.payments.list();
 * ```
 */
export function createMockPlatform(options: MockPlatformOptions = {}): MockPlatform {
  return new MockPlatform(options);
}
