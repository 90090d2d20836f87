export { Corridor } from './client.js';
export type { CorridorOptions } from './options.js';
export type { ApiCall, WithResponse } from './api-call.js';
export { Page, PageRequest } from './pages.js';

export {
  AbortedError, ApiError, AuthenticationError, ConfigurationError, ConflictError, ConnectionError, CorridorError,
  InvalidRequestError, InvalidResponseError, NotFoundError, PaginationError, PermissionError, RateLimitError, ServerError,
  TimeoutError, type AnswerDetails, type Attempt, type ErrorCode, type ErrorDetails, type InvalidResponseDetails, type Issue,
  type Outcome, type StoredIntent,
} from './errors.js';
export {
  DuplicatePaymentError, PaymentMismatchError, PaymentOutcomeUnknownError, WaitTimeoutError, type Reconciliation, type UnknownOutcomeDetails,
  type WaitDetails,
} from './workflows/outcome-errors.js';

export type { CustomersWithWorkflows } from './workflows/customers.js';
export type { PaymentsWithWorkflows } from './workflows/payments.js';
export type { ChangesOptions, PaymentChange } from './workflows/changes.js';
export type { PaymentProblem, PaymentProblemCode } from './workflows/check.js';
export type { ChangesCheckpoint, RememberedPayment } from './workflows/checkpoint.js';
export type { CreateOnceOptions } from './workflows/create-once.js';
export type { CreateOnceResult } from './workflows/once.js';
export type { FindQuery } from './workflows/find.js';
export type { PaymentIntent } from './workflows/intent.js';
export type { Difference, ShownPayment } from './workflows/match.js';
export type { ReconcileOptions } from './workflows/reconcile.js';
export type { Recovery } from './workflows/recover.js';
export type { PaymentOrId, WaitForOptions, WaitOptions } from './workflows/wait-for.js';
export { journalKey, type Journal, type JournalRecord, type Settlement } from './journal/journal.js';
export { MemoryJournal } from './journal/memory.js';

export type { Payments } from './resources/payments.js';
export type { Customers } from './resources/customers.js';
export type { Screening } from './resources/screening.js';
export type { Crypto } from './resources/crypto.js';
export type { Documents } from './resources/documents.js';
export type { Support, SupportReplyReceipt } from './resources/support.js';
export type { DownloadUrl } from './resources/download-url.js';

export type { AnswerInfo, Drift, Validation } from './transport/answer.js';
export type { Claims, TokenRequest } from './transport/credentials.js';
export type { PrivateKey, PrivateKeyJwk, PrivateKeySource, Signer, WebCryptoKey } from './transport/keys.js';
export type { CallEvent, CancelEvent, ErrorEvent, Hooks, Logger, RequestEvent, ResponseEvent, RetryEvent } from './transport/observe.js';
export type { CustomRequest, RequestOptions } from './transport/request.js';
export type { Wait } from './transport/timing.js';
export type {
  StandardFailure, StandardIssue, StandardPathSegment, StandardResult, StandardSchema, StandardSuccess, StandardTypes,
} from './standard-schema.js';

export type { DriftKind } from './contract/check.js';
export type { Dialect, FilterName } from './contract/dialect.js';
export { endpointNames, type EndpointName } from './contract/endpoints.js';
export type { Open, Unrecognized } from './contract/open.js';
export type { Beneficiary, BeneficiaryListQuery, BeneficiaryStatus } from './contract/beneficiaries.js';
export type { CryptoNetwork, CryptoPaymentMethod } from './contract/crypto.js';
export type { ActivityEventType, Country, Customer, CustomerActivity, CustomerListQuery, CustomerStatus } from './contract/customers.js';
export type { AuthorizationDestination, AuthorizedDocument, PaymentAuthorization } from './contract/authorization.js';
export type {
  BankAccountFunding, CreatedPayment, CryptoFunding, ListedPayment, Payment, PaymentBeneficiary, PaymentCreate, PaymentCurrency,
  PaymentCustomer, PaymentListQuery, PaymentRail, PaymentStatus, SourceFunding, UnrecognizedFunding,
} from './contract/payments.js';
export type {
  BankAccountQuote, BankAccountTotals, CryptoQuote, CryptoTotals, FeeGroup, FeeLine, FeeType, FundingFees, PaymentQuote, Payout,
  PriceBreakdown, QuoteBase, QuoteNetwork, QuoteToken, Totals, UnrecognizedQuote, UnrecognizedTotals,
} from './contract/quotes.js';
export type {
  PersonScreening, ScreeningDisposition, ScreeningEvidence, ScreeningFeature, ScreeningHistoryQuery, ScreeningMatch,
  ScreeningProperty, ScreeningQuery, ScreeningRun, ScreeningSubject,
} from './contract/screening.js';
export type { SupportReply } from './contract/support.js';
