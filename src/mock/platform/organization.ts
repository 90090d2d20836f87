import { mockFetch } from '../request/deliver.js';
import { MockPlatformError } from '../base/error.js';
import type { MockFaults } from '../faults/fault-plan.js';
import { populate, type PopulateSizes } from '../records/populate.js';
import { beneficiaryRecords, type MockBeneficiaries } from '../records/beneficiaries.js';
import { cryptoRecords, type MockCrypto } from '../records/crypto.js';
import { customerRecords, type MockCustomers } from '../records/customers.js';
import { documentRecords, type MockDocuments } from '../records/documents.js';
import { paymentRecords, type MockPayments } from '../records/payments.js';
import { personRecords, type MockPersons } from '../records/persons.js';
import { quoteRecords, type MockQuotes } from '../records/quotes.js';
import { ticketRecords, type MockTickets } from '../records/tickets.js';
import type { OrganizationKeys } from '../base/keys.js';
import type { RequestLog } from '../wire/request-log.js';
import { scheduledEvents, type ScheduledEvent } from '../state/schedule.js';
import type { OrganizationState, PlatformState } from '../state/platform.js';
import type { StoredPayment, StoredQuote } from '../state/records.js';

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
export interface MockOrganization {
  /** The organization's id. */
  readonly id: string;
  /** The organization's name. */
  readonly name: string;
  /** The seed of all ids and data of its platform. */
  readonly seed: string;
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
  /** The faults that are injected into its requests. */
  readonly faults: MockFaults;
  /** The requests with this organization's API key, oldest first, including those with an invalid token. */
  readonly requests: RequestLog;
  /**
   * Sends a request to the platform without a network and without msw. Rejects with a `TypeError` for any other URL.
   */
  readonly fetch: MockFetch;
  /**
   * Returns client options that reach the platform as this organization. The client does not wait in real time: its
   * delays advance the mock's clock. Throws `MockPlatformError` if `time` is neither `'mock'` nor `'real'`.
   */
  clientOptions(options?: MockTimeOptions): MockClientOptions;
  /**
   * Returns the organization's credentials. Rejects with `MockPlatformError` if the organization has a public key only.
   */
  credentials(): Promise<MockCredentials>;
  /**
   * Adds a few hundred realistic records of every kind, status and funding type, spread over several months. Equal
   * seeds add equal records. Throws `MockPlatformError` if a size is not an integer of 0 or more, or if a record kind
   * is unknown.
   */
  populate(sizes?: PopulateSizes): void;
  /**
   * Returns the transitions and delayed requests that are still to happen, those with a time first, in the order of
   * their times; also transitions that were canceled because the record's status does not allow the next one.
   */
  scheduled(): ScheduledEvent[];
  /** Removes all records, requests, faults and used tokens of this organization. */
  reset(): void;
}

const states = new WeakMap<MockOrganization, OrganizationState>();

/** Returns the keys of an organization; without a private key if it has a public key only. */
export function keysOf(organization: MockOrganization): Promise<OrganizationKeys> {
  return stateOf(organization).keys();
}

/** Returns the stored quotes of an organization, oldest first, without the cost of `quotes.all()`. */
export function storedQuotesOf(organization: MockOrganization): readonly StoredQuote[] {
  return stateOf(organization).quotes.values();
}

/** Returns the stored payments of an organization, oldest first, without the cost of `payments.all()`. */
export function storedPaymentsOf(organization: MockOrganization): readonly StoredPayment[] {
  const state = stateOf(organization);
  state.runDueEvents();
  return state.payments.values();
}

function stateOf(organization: MockOrganization): OrganizationState {
  const state = states.get(organization);
  if (state === undefined) throw new TypeError('not an organization of a mock platform');
  return state;
}

/** Creates the public interface of an organization's state. */
export function organizationOf(platform: PlatformState, state: OrganizationState): MockOrganization {
  const { apiKey, id, name } = state;
  const { baseUrl, seed } = platform.options;
  const fetch: MockFetch = (input, init) => mockFetch(platform, input, init);
  const privateKey = async (): Promise<string> => (await state.keys()).privateKey ?? throwPublicKeyOnly();
  const organization: MockOrganization = {
    id,
    name,
    seed,
    customers: customerRecords(state),
    beneficiaries: beneficiaryRecords(state),
    persons: personRecords(state),
    documents: documentRecords(state),
    quotes: quoteRecords(state),
    payments: paymentRecords(state),
    tickets: ticketRecords(state),
    crypto: cryptoRecords(state),
    faults: state.faults,
    get requests() {
      state.runDueEvents();
      return state.requests;
    },
    fetch,
    clientOptions: ({ time = 'mock' } = {}) => ({
      baseUrl,
      apiKey,
      privateKey,
      fetch,
      now: () => platform.clock.now(),
      ...(isVirtual(time) && { sleep: platform.time.sleep }),
    }),
    credentials: async () => ({
      baseUrl,
      apiKey,
      privateKey: await privateKey(),
      publicKey: (await state.keys()).publicKey,
    }),
    populate: (sizes) => populate(state, sizes),
    scheduled: () => {
      state.runDueEvents();
      return scheduledEvents(state.schedule.snapshot());
    },
    reset: () => state.reset(),
  };
  states.set(organization, state);
  return organization;
}

function isVirtual(time: unknown): boolean {
  if (time === 'mock' || time === 'real') return time === 'mock';
  throw new MockPlatformError(`clientOptions: time must be 'mock' or 'real' (received ${JSON.stringify(time)})`);
}

function throwPublicKeyOnly(): never {
  throw new MockPlatformError(
    'this organization has a public key only. Sign with the matching private key, or pass it as privateKey.',
  );
}
