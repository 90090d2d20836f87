import { MockPlatformError } from './error.js';
import { mockFetch } from './carry.js';
import { populate, type PopulateSizes } from './populate.js';
import { MockBeneficiaries } from './records/beneficiaries.js';
import { MockCustomers } from './records/customers.js';
import { MockDocuments } from './records/documents.js';
import { MockPayments } from './records/payments.js';
import { MockPersons } from './records/persons.js';
import { MockQuotes } from './records/quotes.js';
import { MockTickets } from './records/tickets.js';
import type { MockRequestLog } from './requests.js';
import type { OrganizationState } from './state.js';

/** A `fetch` that reaches a mock platform. */
export type MockFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** What a client is made with to reach a mock platform as one of its organizations. */
export interface MockClientOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Gives the private key as PKCS#8 PEM text; it is made when it is first asked for. */
  readonly privateKey: () => Promise<string>;
  readonly fetch: MockFetch;
  /** The mock's clock, so that moving it does not make the client's tokens expire. */
  readonly now: () => number;
}

/** The credentials of an organization, for any client in any language. */
export interface MockCredentials {
  readonly baseUrl: string;
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
export class MockOrganization {
  /** The organization's id. */
  readonly id: string;
  /** The organization's name. */
  readonly name: string;
  readonly customers: MockCustomers;
  readonly beneficiaries: MockBeneficiaries;
  readonly persons: MockPersons;
  readonly documents: MockDocuments;
  readonly quotes: MockQuotes;
  readonly payments: MockPayments;
  readonly tickets: MockTickets;
  /** Reaches the platform without a network and without msw. */
  readonly fetch: MockFetch;
  readonly #state: OrganizationState;

  /** @internal */
  constructor(state: OrganizationState) {
    this.#state = state;
    this.id = state.id;
    this.name = state.name;
    this.customers = new MockCustomers(state);
    this.beneficiaries = new MockBeneficiaries(state);
    this.persons = new MockPersons(state);
    this.documents = new MockDocuments(state);
    this.quotes = new MockQuotes(state);
    this.payments = new MockPayments(state);
    this.tickets = new MockTickets(state);
    this.fetch = (input, init) => mockFetch(state.platform, input, init);
  }

  /** The requests with this organization's API key, oldest first, whether or not their token was accepted. */
  get requests(): MockRequestLog {
    return this.#state.requests;
  }

  /** What a client is made with to reach the platform as this organization. */
  clientOptions(): MockClientOptions {
    const { platform, apiKey } = this.#state;
    return {
      baseUrl: platform.options.baseUrl,
      apiKey,
      privateKey: () => this.#privateKey(),
      fetch: this.fetch,
      now: () => platform.clock.now(),
    };
  }

  /** The organization's credentials as texts. Throws `MockPlatformError` where only a public key was given. */
  async credentials(): Promise<MockCredentials> {
    const { platform, apiKey } = this.#state;
    const privateKey = await this.#privateKey();
    const { publicKey } = await this.#state.keys();
    return { baseUrl: platform.options.baseUrl, apiKey, privateKey, publicKey };
  }

  /** Adds a realistic few hundred records: of every kind, status and funding, spread over months. Equal seeds add equal records. */
  populate(sizes?: PopulateSizes): void {
    populate(this.#state, sizes);
  }

  /** Forgets all records, requests and used tokens of this organization. */
  reset(): void {
    this.#state.reset();
  }

  async #privateKey(): Promise<string> {
    const { privateKey } = await this.#state.keys();
    if (privateKey === undefined) throw new MockPlatformError('this organization was given a public key only: sign with the private key that belongs to it');
    return privateKey;
  }
}
