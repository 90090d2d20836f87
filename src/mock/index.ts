export type { AsymmetricMatcher, ExpectedField, ExpectedRequest } from './matchers/expected-request.js';
export type { RequestFields } from './http/request-fields.js';
export type { MockAssumption } from './assumptions.js';
export { MockClock } from './store/clock.js';
export type { Duration } from '../contract/schema/time.js';
export { MockPlatformError } from './error.js';
export type { MockHttpRequest, MockResponseDelivery, MockHttpResponse } from './http/message.js';
export type { MockFault, MockFaultKind } from './faults/fault.js';
export type { TransitionTrigger } from './store/schedule.js';
export type { ScheduledEvent } from './store/scheduled-event.js';
export type { FaultTarget, RequestCondition } from './faults/condition.js';
export type { FaultOptions, MockFaults, NextFaultOptions, StandingFaultOptions } from './faults/fault-plan.js';
export type { PlannedFault } from './faults/planned-fault.js';
export type { CreatedKind } from './matchers/created-records.js';
export type { ExpectedStep } from './matchers/order.js';
export { corridorMatchers, type CorridorMatchers, type MatcherContext, type MatcherResult } from './matchers/index.js';
export type { Base64Content, MockFile, MockFileInput } from './data/files.js';
export type { MeasuredBehavior, MockOrganizationOptions, MockPlatformOptions } from './options.js';
export type {
  MockClientOptions,
  MockCredentials,
  MockFetch,
  MockOrganization,
  MockTimeOptions,
} from './organization.js';
export { createMockPlatform } from './create-platform.js';
export { MockPlatform } from './platform.js';
export type {
  MockScenario,
  ScenarioFault,
  ScenarioRecord,
  ScenarioStatusRecord,
  ScenarioTransitions,
} from './scenario/scenario.js';
export type { MockScenarios } from './scenario/platform-scenarios.js';
export { mockScenarios, type MockScenarioName } from './scenario/stories.js';
export { connectMockPlatform } from './remote/connect.js';
export type {
  AsyncMethods,
  RemoteMockOrganization,
  RemoteMockPlatform,
  RemoteRequests,
} from './remote/remote-platform.js';
export type { PopulateSizes } from './records/populate/populate.js';
export type { MockBeneficiaries, MockBeneficiaryInput } from './records/beneficiaries.js';
export type { MockCrypto } from './records/crypto.js';
export type { MockCryptoInput } from './data/crypto-catalog.js';
export type { MockCustomerInput, MockCustomers } from './records/customers.js';
export type { MockDocument, MockDocumentInput, MockDocuments } from './records/documents.js';
export type { MockRecords } from './records/builder.js';
export type { MockListQuery, MockPageQuery } from './records/select.js';
export type { MockPaymentInput } from './records/payment/input.js';
export type { MockPaymentParamsInput } from './records/payment/params.js';
export type { MockPayment, MockPayments } from './records/payments.js';
export type { MockPersonInput, MockScreeningInput } from './records/person-input.js';
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
export type { RequestLog, RecordedErrorResponse, RecordedRequest } from './http/request-log.js';
export type { PlatformSnapshot } from './store/snapshot.js';
export type { ConfigurableErrorCode, ErrorStatuses } from './error-statuses.js';
export type { MockListLag, MockRateLimit, MockBehavior } from './behavior.js';
export type { DocumentKind, StatusChange } from './store/records.js';
export {
  beneficiaryTransitions,
  customerTransitions,
  paymentTransitions,
  type TransitionOverrides,
  type TransitionTable,
} from './store/transitions.js';
