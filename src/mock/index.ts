export { corridorMatchers } from './matchers.js';
export type { AsymmetricMatcher, ExpectedField, ExpectedRequest, CreatedKind, ExpectedStep } from './matchers.js';
export type { CorridorMatchers, MatcherContext, MatcherResult } from './matchers.js';
export type { RequestFields, RequestLog, RecordedErrorResponse, RecordedRequest } from './wire/request-log.js';
export type { MockAssumption } from './platform/assumptions.js';
export { MockClock } from './state/clock.js';
export type { Duration } from '../contract/schema/time.js';
export { MockPlatformError } from './base/mock-error.js';
export type { MockHttpRequest, MockResponseDelivery, MockHttpResponse } from './wire/message.js';
export type { MockFault, MockFaultKind } from './faults/fault.js';
export type { TransitionTrigger, ScheduledEvent } from './state/schedule.js';
export type { FaultOptions, MockFaults, NextFaultOptions, PlannedFault, PlannedResponse } from './faults/fault-plan.js';
export type { RespondOptions, StandingFaultOptions } from './faults/fault-plan.js';
export type { FaultTarget, RequestCondition, ValuePattern } from './faults/request-condition.js';
export type {
  BodyOfTarget,
  MockPlatformResponse,
  MockResolvedResponse,
  MockResponse,
  MockResponseResolver,
} from './faults/response.js';
export type { ResponseFields } from './faults/response.js';
export type { Base64Content, MockFile, MockFileInput } from './data/files.js';
export type {
  MeasuredBehavior,
  MeasuredPlatform,
  MockIdentityOptions,
  MockOrganizationOptions,
  MockPlatformOptions,
} from './base/mock-options.js';
export type { MockRateLimit, MockBehavior } from './base/mock-options.js';
export type { MockClientOptions, MockCredentials, MockFetch, MockOrganization } from './platform/organization.js';
export type { MockKeys, MockPublicKey } from './platform/keys.js';
export type { MockTimeOptions, WaitForRequestOptions } from './platform/organization.js';
export { createMockPlatform, MockPlatform } from './platform/platform.js';
export type {
  MockScenario,
  ScenarioFault,
  ScenarioRecord,
  ScenarioResponse,
  ScenarioStatusRecord,
} from './platform/scenario.js';
export type { ScenarioTransitions } from './platform/scenario.js';
export { mockScenarios } from './platform/load-scenario.js';
export type { MockScenarios, MockScenarioName } from './platform/load-scenario.js';
export { replayRecording } from './replay.js';
export { connectMockPlatform } from './remote.js';
export type { AsyncMethods, RemoteMockOrganization, RemoteMockPlatform, RemoteRequests } from './remote.js';
export type { PopulateSizes } from './records/populate.js';
export type { MockBeneficiaries, MockBeneficiaryInput } from './records/beneficiaries.js';
export type { MockCrypto } from './records/crypto.js';
export type { MockCryptoInput } from './data/crypto-catalog.js';
export type { MockCustomerInput, MockCustomers } from './records/customers.js';
export type { MockDocument, MockDocumentInput, MockDocuments } from './records/documents.js';
export type { MockRecords, MockTransitions, MockListQuery, MockPageQuery, PartialInput } from './records/builder.js';
export type { MockPaymentInput, MockPaymentParamsInput, MockPayment, MockPayments } from './records/payments.js';
export type { MockPersonInput, MockScreeningInput, MockPerson, MockPersons } from './records/persons.js';
export type { MockQuote, MockQuoteInput, MockQuotes } from './records/quotes.js';
export type { MockAttachment, MockAttachmentInput, MockReplyInput } from './records/tickets.js';
export type { MockTicket, MockTicketInput, MockTickets } from './records/tickets.js';
export { snapshotFromLines, snapshotToLines } from './state/snapshot.js';
export type { PlatformSnapshot } from './state/snapshot.js';
export type { ConfigurableErrorCode, ErrorStatuses } from './base/error-statuses.js';
export type { DocumentKind, MockTicketReply, RecordKindName, StatusChange } from './state/record-kinds.js';
export type { TransitionTable } from '../contract/schema/schema.js';
export { beneficiaryTransitions } from '../contract/schema/beneficiaries.js';
export { customerTransitions } from '../contract/schema/customers.js';
export { paymentTransitions } from '../contract/schema/payments.js';
export type { TransitionOverrides } from './base/transitions.js';
