export type { CustomerActivity } from '../../contract/schema/customers.js';
export type {
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
export type { ClockTime, OrganizationSummary } from '../../mock/control/calls.js';
export type { DueGroup } from '../../mock/control/due.js';
export type { Found, FoundRequests, RequestSummary } from '../../mock/control/search.js';
export type { Exchange } from '../../mock/wire/request-log.js';

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
  readonly scenario: JsonSchema;
  readonly endpoints: readonly {
    readonly name: string;
    readonly method: string;
    readonly path: string;
    /** The names of all fields of its requests. */
    readonly fields: readonly string[];
  }[];
}
