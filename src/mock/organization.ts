import { mockFetch } from './carry.js';
import { allSeeded, MockPlatformError, seeded } from './error.js';
import type { MockFaults } from './faults.js';
import { populate, type PopulateSizes } from './populate.js';
import { beneficiaryRecords, type MockBeneficiaries } from './records/beneficiaries.js';
import { customerRecords, type MockCustomers } from './records/customers.js';
import { documentRecords, type MockDocuments } from './records/documents.js';
import { paymentRecords, type MockPayments } from './records/payments.js';
import { personRecords, type MockPersons } from './records/persons.js';
import { quoteRecords, type MockQuotes } from './records/quotes.js';
import { ticketRecords, type MockTickets } from './records/tickets.js';
import type { MockRequestLog } from './requests.js';
import type { OrganizationState } from './state.js';

/** A `fetch` that reaches a mock platform, and nothing else. */
export type MockFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** What a client is made with to reach a mock platform as one of its organizations. */
export interface MockClientOptions {
  /** Where the platform answers. */
  readonly baseUrl: string;
  /** The organization's API key. */
  readonly apiKey: string;
  /** Gives the private key as PKCS#8 PEM text; it is made when it is first asked for. */
  readonly privateKey: () => Promise<string>;
  /** Reaches the platform without a network. */
  readonly fetch: MockFetch;
  /** The mock's clock, so that moving it does not make the client's tokens expire. */
  readonly now: () => number;
}

/** The credentials of an organization, for any client in any language. */
export interface MockCredentials {
  /** Where the platform answers. */
  readonly baseUrl: string;
  /** What goes to `x-api-key`. */
  readonly apiKey: string;
  /** PKCS#8 PEM text. */
  readonly privateKey: string;
  /** SPKI PEM text. */
  readonly publicKey: string;
}

/**
 * An organization on a mock platform: a partner with its own credentials, records and requests. What belongs to one organization
 * does not exist for another.
 *
 * @example
 * ```ts
 * import { createMockPlatform } from 'corridor-sdk/mock';
 * const platform = createMockPlatform();
 * const acme = platform.organization({ name: 'Acme' });
 * acme.customers.add();
 * platform.customers.all(); // none of Acme's
 * ```
 */
export interface MockOrganization {
  /** The organization's id. */
  readonly id: string;
  /** The organization's name. */
  readonly name: string;
  /** What all ids and data of its platform follow from. */
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
  /** What goes wrong with its requests. */
  readonly faults: MockFaults;
  /** The requests with this organization's API key, oldest first, whether or not their token was accepted. */
  readonly requests: MockRequestLog;
  /** Reaches the platform without a network and without msw. Rejects with a `TypeError` for any URL that is not the platform's. */
  readonly fetch: MockFetch;
  /** What a client is made with to reach the platform as this organization. */
  clientOptions(): MockClientOptions;
  /** The organization's credentials as texts. Rejects with `MockPlatformError` where only a public key was given. */
  credentials(): Promise<MockCredentials>;
  /**
   * Adds a realistic few hundred records: of every kind, status and funding, spread over months. Equal seeds add equal records.
   * Throws `MockPlatformError` where a size is unknown or no whole number.
   */
  populate(sizes?: PopulateSizes): void;
  /** Forgets all records, requests, faults and used tokens of this organization. */
  reset(): void;
}

/** The door to an organization's state. */
export function organizationOf(state: OrganizationState): MockOrganization {
  const { platform, apiKey, id, name } = state;
  const { baseUrl, seed } = platform.options;
  const fetch: MockFetch = (input, init) => mockFetch(platform, input, init);
  const privateKey = async (): Promise<string> => (await state.keys()).privateKey ?? refuseUngiven();
  return {
    id,
    name,
    seed,
    customers: allSeeded(seed, customerRecords(state)),
    beneficiaries: allSeeded(seed, beneficiaryRecords(state)),
    persons: allSeeded(seed, personRecords(state)),
    documents: allSeeded(seed, documentRecords(state)),
    quotes: allSeeded(seed, quoteRecords(state)),
    payments: allSeeded(seed, paymentRecords(state)),
    tickets: allSeeded(seed, ticketRecords(state)),
    faults: state.faults,
    requests: state.requests,
    fetch,
    clientOptions: () => ({ baseUrl, apiKey, privateKey, fetch, now: () => platform.clock.now() }),
    credentials: async () => ({ baseUrl, apiKey, privateKey: await privateKey(), publicKey: (await state.keys()).publicKey }),
    populate: (sizes) => seeded(seed, () => populate(state, sizes)),
    reset: () => state.reset(),
  };
}

function refuseUngiven(): never {
  throw new MockPlatformError('this organization was given a public key only: sign with the private key that belongs to it');
}
