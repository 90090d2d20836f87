import type { CustomerActivity } from '../../contract/schema/customers.js';
import type {
  MockAssumption,
  MockBeneficiaries,
  MockCustomers,
  MockFault,
  MockPayment,
  MockPerson,
  MockQuote,
  MockTicket,
  MockDocument,
  RecordedRequest,
  ScheduledEvent,
  StatusChange,
} from '../../mock/index.js';
import type { DueEvent, DueEvents, StatusCounts } from '../../mock/control/calls.js';
import type { RequestSummary } from '../../mock/control/events.js';
import type { RecordedResponse } from '../../mock/wire/request-log.js';

export type {
  CustomerActivity,
  DueEvent,
  DueEvents,
  MockAssumption,
  MockDocument,
  MockFault,
  MockPayment,
  MockPerson,
  MockQuote,
  MockTicket,
  RequestSummary,
  ScheduledEvent,
  StatusChange,
  StatusCounts,
};

export type Customer = ReturnType<MockCustomers['all']>[number];
export type Beneficiary = ReturnType<MockBeneficiaries['all']>[number];

/** The result of `requests.get`. */
export interface RequestDetails {
  readonly request: RecordedRequest;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly response: RecordedResponse | null;
  readonly duration: number;
  readonly completedAt: number;
}

/** An entry of `organizations`. */
export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly apiKey: string;
}

/** The result of `credentials`. */
export interface Credentials {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly privateKey: string;
}

/** The result of `transitions`. */
export type Transitions = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** A part of a JSON Schema that the forms understand. */
export interface JsonSchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
}

/** The result of `schemas`. */
export interface Schemas {
  readonly fault: JsonSchema;
  readonly behavior: JsonSchema;
  readonly endpoints: readonly { readonly name: string; readonly method: string; readonly path: string }[];
}

/** The result of the clock's calls. */
export interface ClockTime {
  readonly now: string;
  readonly running: boolean;
}
