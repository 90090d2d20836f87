import type { CustomerActivity } from '../../contract/schema/customers.js';
import type {
  MockAssumption,
  MockCredentials,
  MockFault,
  MockPayment,
  MockPerson,
  MockQuote,
  MockTicket,
  ScheduledEvent,
  StatusChange,
} from '../../mock/index.js';
import type { ClockTime, OrganizationSummary } from '../../mock/control/calls.js';
import type { DueEvent, DueGroup } from '../../mock/control/due.js';
import type { FoundRecords, FoundRequests, RequestSummary } from '../../mock/control/search.js';
import type { Exchange } from '../../mock/wire/request-log.js';

export type {
  ClockTime,
  CustomerActivity,
  DueEvent,
  DueGroup,
  FoundRecords,
  FoundRequests,
  MockAssumption,
  MockFault,
  MockPayment,
  MockPerson,
  MockQuote,
  MockTicket,
  Exchange,
  MockCredentials,
  OrganizationSummary,
  RequestSummary,
  ScheduledEvent,
  StatusChange,
};

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
  readonly items?: JsonSchema;
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
