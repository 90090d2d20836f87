import { assumptionsOf, type MockAssumption } from './assumptions.js';
import { handle } from './carry.js';
import type { MockClock } from './clock.js';
import { seeded } from './error.js';
import type { Arrival, Reply } from './exchange.js';
import type { MockFaults } from './faults.js';
import { answer } from './handle.js';
import { requireOrganizationOptions, type MockOrganizationOptions, type MockPlatformOptions } from './options.js';
import { organizationOf, type MockClientOptions, type MockCredentials, type MockFetch, type MockOrganization } from './organization.js';
import type { PopulateSizes } from './populate.js';
import type { MockBeneficiaries } from './records/beneficiaries.js';
import type { MockCustomers } from './records/customers.js';
import type { MockDocuments } from './records/documents.js';
import type { MockPayments } from './records/payments.js';
import type { MockPersons } from './records/persons.js';
import type { MockQuotes } from './records/quotes.js';
import type { MockTickets } from './records/tickets.js';
import type { MockRequestLog } from './requests.js';
import { settle } from './settle.js';
import { PlatformState, type OrganizationState } from './state.js';
import type { PlatformSnapshot } from './snapshot.js';
import type { MockSwitches } from './switches.js';

/**
 * A mock of the whole platform: it keeps what it is sent, verifies every signature and holds requests and its own answers against
 * the contract. It is itself its first organization; `organization` adds others.
 */
export class MockPlatform implements MockOrganization {
  /** Where the platform answers. */
  readonly baseUrl: string;
  /** What all ids and data follow from. */
  readonly seed: string;
  /** The platform's time. */
  readonly clock: MockClock;
  readonly #state: PlatformState;
  readonly #first: MockOrganization;
  readonly #organizations = new WeakMap<OrganizationState, MockOrganization>();

  /** Throws `MockPlatformError` where an option is wrong. */
  constructor(options: MockPlatformOptions = {}) {
    this.#state = new PlatformState(options, settle);
    this.#first = this.#added(options);
    this.baseUrl = this.#state.options.baseUrl;
    this.seed = this.#state.options.seed;
    this.clock = this.#state.clock;
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

  /** What goes wrong with the requests of its first organization. */
  get faults(): MockFaults {
    return this.#first.faults;
  }

  /** Reaches the platform without a network and without msw. Rejects with a `TypeError` for any URL that is not the platform's. */
  get fetch(): MockFetch {
    return this.#first.fetch;
  }

  /** The requests of all organizations, and those with an unknown API key, oldest first. */
  get requests(): MockRequestLog {
    return this.#state.requests;
  }

  /** All organizations, oldest first, as they were made here or by `restore`. */
  get organizations(): readonly MockOrganization[] {
    return this.#state.organizations.map((organization) => this.#doorOf(organization));
  }

  /** The largest request body that is read, in bytes. */
  get maxRequestBytes(): number {
    return this.#state.options.maxRequestBytes;
  }

  /** What a client is made with to reach the platform as its first organization. */
  clientOptions(): MockClientOptions {
    return this.#first.clientOptions();
  }

  /** The credentials of its first organization as texts. Rejects with `MockPlatformError` where only a public key was given. */
  credentials(): Promise<MockCredentials> {
    return this.#first.credentials();
  }

  /**
   * Adds a realistic few hundred records to its first organization. Throws `MockPlatformError` where a size is unknown or no whole
   * number.
   */
  populate(sizes?: PopulateSizes): void {
    this.#first.populate(sizes);
  }

  /**
   * Adds an organization: another partner with credentials of its own. Throws `MockPlatformError` where an option is wrong or unknown,
   * or its id or API key is taken.
   */
  organization(options: MockOrganizationOptions = {}): MockOrganization {
    requireOrganizationOptions(options);
    return this.#added(options);
  }

  /** Answers a request: the platform as a function, for a carrier of your own. Rejects with `MockPlatformError` where the mock itself would break the contract. */
  handle(request: Request): Promise<Response> {
    return handle(this.#state, request);
  }

  /** As `handle`, for a carrier that has no `Request`. */
  receive(arrival: Arrival): Promise<Reply> {
    return answer(this.#state, arrival);
  }

  /**
   * Everything the mock decides where the platform's specification is silent, with what it does now and the option that changes it.
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
   * Sets switches of a platform that runs; the others stay as they are, and `reset` takes it back. Throws `MockPlatformError` where
   * one is wrong.
   *
   * @example
   * ```ts
   * import { createMockPlatform } from 'corridor-sdk/mock';
   * const platform = createMockPlatform();
   * platform.assume({ quotes: 'reusable', rateLimit: { requests: 5, per: { seconds: 1 } } });
   * ```
   */
  assume(switches: MockSwitches): void {
    this.#state.assume(switches);
  }

  /** Everything the platform holds, as plain JSON: records, clock, switches that were assumed and used tokens of all organizations; no keys, no requests. */
  snapshot(): PlatformSnapshot {
    return this.#state.snapshot();
  }

  /**
   * Back to a snapshot of this platform, or of one of the same seed; organizations that were added since are gone, until a snapshot that
   * has them brings them back. Throws `MockPlatformError` where it is a snapshot of another, or none; then nothing is changed.
   */
  restore(snapshot: PlatformSnapshot): void {
    seeded(this.seed, () => this.#state.restore(snapshot));
  }

  /** Back to a new platform: no records, no requests, the real clock, the switches of its options. Organizations stay, with their credentials. */
  reset(): void {
    this.#state.reset();
  }

  #added(options: MockOrganizationOptions): MockOrganization {
    return this.#doorOf(seeded(this.#state.options.seed, () => this.#state.add(options)));
  }

  #doorOf(organization: OrganizationState): MockOrganization {
    const known = this.#organizations.get(organization) ?? organizationOf(organization);
    this.#organizations.set(organization, known);
    return known;
  }
}

/**
 * Makes a mock platform. Nothing global is patched, nothing is started, no key is made before it is needed.
 *
 * Throws `MockPlatformError` where an option is wrong.
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
