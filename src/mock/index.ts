export type { AsymmetricMatcher, ExpectedField, ExpectedRequest } from './matchers.js';
export type { RequestFields } from './wire/request-log.js';
export type { MockAssumption } from './platform/assumptions.js';
export { MockClock } from './state/clock.js';
export type { Duration } from '../contract/schema/time.js';
export { MockPlatformError } from './base/error.js';
export type { MockHttpRequest, MockResponseDelivery, MockHttpResponse } from './wire/message.js';
export type { MockFault, MockFaultKind } from './faults/fault.js';
export type { TransitionTrigger } from './state/schedule.js';
export type { ScheduledEvent } from './state/schedule.js';
export type { FaultTarget, RequestCondition } from './faults/fault-plan.js';
export type { FaultOptions, MockFaults, NextFaultOptions, StandingFaultOptions } from './faults/fault-plan.js';
export type { PlannedFault } from './faults/fault-plan.js';
export type { CreatedKind } from './matchers.js';
export type { ExpectedStep } from './matchers.js';
export { corridorMatchers, type CorridorMatchers, type MatcherContext, type MatcherResult } from './matchers.js';
export type { Base64Content, MockFile, MockFileInput } from './data/files.js';
export type { MeasuredBehavior, MockOrganizationOptions, MockPlatformOptions } from './base/options.js';
export type {
  MockClientOptions,
  MockCredentials,
  MockFetch,
  MockOrganization,
  MockTimeOptions,
} from './platform/organization.js';
export { createMockPlatform } from './platform/platform.js';
export { MockPlatform } from './platform/platform.js';
export type {
  MockScenario,
  ScenarioFault,
  ScenarioRecord,
  ScenarioStatusRecord,
  ScenarioTransitions,
} from './platform/scenario.js';
export type { MockScenarios } from './platform/load-scenario.js';
export { mockScenarios, type MockScenarioName } from './platform/load-scenario.js';
export { connectMockPlatform } from './remote.js';
export type { AsyncMethods, RemoteMockOrganization, RemoteMockPlatform, RemoteRequests } from './remote.js';
export type { PopulateSizes } from './records/populate.js';
export type { MockBeneficiaries, MockBeneficiaryInput } from './records/beneficiaries.js';
export type { MockCrypto } from './records/crypto.js';
export type { MockCryptoInput } from './data/crypto-catalog.js';
export type { MockCustomerInput, MockCustomers } from './records/customers.js';
export type { MockDocument, MockDocumentInput, MockDocuments } from './records/documents.js';
export type { MockRecords } from './records/builder.js';
export type { MockListQuery, MockPageQuery } from './records/builder.js';
export type { MockPaymentInput } from './records/payments.js';
export type { MockPaymentParamsInput } from './records/payments.js';
export type { MockPayment, MockPayments } from './records/payments.js';
export type { MockPersonInput, MockScreeningInput } from './records/persons.js';
export type { MockPerson, MockPersons } from './records/persons.js';
export type { MockQuote, MockQuoteInput, MockQuotes } from './records/quotes.js';
export type {
  MockAttachment,
  MockAttachmentInput,
  MockReplyInput,
  MockTicketReply,
  MockTicket,
  MockTicketInput,
  MockTickets,
} from './records/tickets.js';
export type { RequestLog, RecordedErrorResponse, RecordedRequest } from './wire/request-log.js';
export type { PlatformSnapshot } from './state/snapshot.js';
export type { ConfigurableErrorCode, ErrorStatuses } from './base/error-statuses.js';
export type { MockListLag, MockRateLimit, MockBehavior } from './base/options.js';
export type { DocumentKind, StatusChange } from './state/records.js';
export {
  beneficiaryTransitions,
  customerTransitions,
  paymentTransitions,
  type TransitionOverrides,
  type TransitionTable,
} from './base/transitions.js';
