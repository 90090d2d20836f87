export { MockClock, type ClockState, type MockDuration } from './clock.js';
export type { CollectionSnapshot, Row as CollectionRow } from './collection.js';
export { MockPlatformError } from './error.js';
export type { Arrival as MockArrival, Delivery as MockDelivery, Reply as MockReply } from './exchange.js';
export type { MockFault, MockFaultKind } from './fault.js';
export type { AgendaSnapshot, CheckedPace, LateCall, MockPace, MovingKind, StatusPlan } from './agenda.js';
export type { FaultTarget, MockFaults, PlannedFaults, StandingFault } from './faults.js';
export type { MockFile, MockFileInput } from './files.js';
export type { MockOrganizationOptions, MockPlatformOptions } from './options.js';
export type { MockClientOptions, MockCredentials, MockFetch, MockOrganization } from './organization.js';
export { createMockPlatform, MockPlatform } from './platform.js';
export type { PopulateSizes } from './populate.js';
export type { MockBeneficiaries, MockBeneficiaryInput } from './records/beneficiaries.js';
export type { MockCustomerInput, MockCustomers } from './records/customers.js';
export type { MockDocument, MockDocumentInput, MockDocuments } from './records/documents.js';
export type { MockRecords, Partially } from './records/input.js';
export type { MockPayment, MockPaymentInput, MockPayments } from './records/payments.js';
export type { MockPerson, MockPersonInput, MockPersons, MockScreeningInput } from './records/persons.js';
export type { MockQuote, MockQuoteInput, MockQuotes } from './records/quotes.js';
export type { MockAttachment, MockAttachmentInput, MockReply as MockTicketReply, MockTicket, MockTicketInput, MockTickets } from './records/tickets.js';
export { MockRequestLog, type MockRefusal, type MockRequest } from './requests.js';
export type { OrganizationSnapshot, PlatformSnapshot } from './snapshot.js';
export type { DocumentKind } from './stored.js';
export {
  beneficiaryTransitions, customerTransitions, paymentTransitions, type TransitionOverrides, type TransitionTable,
} from './transitions.js';
