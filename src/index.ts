export { Corridor } from './client.js';
export type { CorridorOptions, ReplaceableOptions } from './options.js';
export type { ApiPromise, ApiResponse } from './core/api-promise.js';
export { Page, PagePromise } from './core/pagination.js';

export {
  AbortedError,
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConfigurationError,
  ConflictError,
  ConnectionError,
  CorridorError,
  InvalidRequestError,
  InvalidResponseError,
  NotFoundError,
  PaginationError,
  PermissionError,
  RateLimitError,
  ServerError,
  SigningError,
  TimeoutError,
  UnprocessableEntityError,
  type Attempt,
  type ErrorCode,
  type Outcome,
} from './errors/api.js';
export type {
  AcceptedPayment,
  MismatchedField,
  PaymentCreateIntent,
  PaymentResult,
  ReconcileResult,
} from './contract/intent.js';
export { JournalError } from './errors/journal.js';
export { MirrorError } from './errors/mirror.js';
export {
  DuplicatePaymentError,
  PaymentMismatchError,
  PaymentOutcomeUnknownError,
  WaitTimeoutError,
} from './errors/payments.js';
export type { Issue } from './contract/issue.js';

export type { ChangesOptions, PaymentChange, PaymentWebhookEvent } from './workflows/changes/changes.js';
export type { PaymentIssue, PaymentIssueCode } from './workflows/preflight.js';
export type { ChangesCheckpoint } from './workflows/changes/checkpoint.js';
export { PaymentExport, type ExportPage, type PaymentExportOptions } from './workflows/export/export.js';
export type { ExportCheckpoint, ExportOrder } from './workflows/export/checkpoint.js';
export type { PaymentExportParams, PaymentExportSpan } from './workflows/export/query.js';
export type { PlanExportOptions } from './workflows/export/plan.js';
export type { ExportProgress } from './workflows/export/export-run.js';
export type { CreateOnceOptions } from './workflows/create-once/call.js';
export type { CreateOnceResult } from './workflows/create-once/call.js';
export type { PaymentFindParams } from './workflows/find.js';
export type {
  OrderKey,
  ReconcileOptions,
  ReconcilePendingOptions,
  ReconciledIntent,
  ReconciledOrder,
} from './workflows/create-once/reconcile.js';
export type { AcceptOptions } from './workflows/create-once/accept.js';
export type { ReleaseOptions, ReleaseResult } from './workflows/create-once/release.js';
export type { SyncDifference, SyncOptions, SyncProgress, SyncReport } from './mirror/sync.js';
export type {
  Mirror,
  MirrorChange,
  MirrorChangeOf,
  MirrorChangesOptions,
  MirrorFreshness,
  MirrorStatus,
  MirrorStatusOptions,
} from './mirror/mirror.js';
export type { HeldRecord, MirrorPartName, MirrorProblem, RecordName, UnstoredRecord } from './mirror/tables.js';
export type { PaymentOrId, PaymentWaitOptions, WaitOptions } from './workflows/wait.js';
export type { Journal, JournalEntry, IntentResolution } from './journal/journal.js';
export { MemoryJournal } from './journal/memory.js';

export type { Payments } from './resources/payments.js';
export type { Customers } from './resources/customers.js';
export type { Screening } from './resources/screening.js';
export type { CryptoResource } from './resources/crypto.js';
export type { Documents } from './resources/documents.js';
export type { Support, SupportReplyResponse } from './resources/support.js';
export type { DownloadUrl } from './resources/downloads.js';

export type { FetchFunction, FetchInit, FetchResponse } from './transport/fetch.js';
export type { ResponseMetadata, Drift, ValidationMode } from './transport/response.js';
export type { ApiKeySource, TokenClaims, ClaimsContext } from './transport/auth/credentials.js';
export type {
  PrivateKey,
  PrivateKeyJwk,
  PrivateKeySource,
  PrivateKeyWithId,
  Signer,
  SignerResult,
  WebCryptoKey,
} from './transport/auth/key.js';
export type {
  CallEvent,
  CancelEvent,
  RequestErrorEvent,
  Hooks,
  Logger,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
  ThrottleEvent,
  WorkflowEvent,
  WorkflowObserver,
  WorkflowResult,
} from './transport/events.js';
export type { CustomRequest } from './transport/request.js';
export type { RequestOptions } from './transport/request-options.js';
export type { RateLimit } from './transport/limits.js';
export type { SleepFunction } from './transport/clock.js';
export type { Duration } from './contract/schema/time.js';

export * as amounts from './contract/amounts.js';
export type { DriftKind } from './contract/violations.js';
export type { Dialect, FilterName } from './contract/dialect.js';
export { endpointNames, type EndpointName } from './contract/endpoints.js';
export { unknownFields, unknownValue } from './contract/schema/schema.js';
export type { OpenEnum, TransitionTable, UnknownValue, Unrecognized } from './contract/schema/schema.js';
export { beneficiaryStatuses, beneficiaryTransitions, isBeneficiaryStatus } from './contract/schema/beneficiaries.js';
export type { Beneficiary, BeneficiaryListParams, BeneficiaryStatus } from './contract/schema/beneficiaries.js';
export type { CryptoNetwork, CryptoPaymentMethod } from './contract/schema/crypto.js';
export { customerStatuses, customerTransitions, isCustomerStatus } from './contract/schema/customers.js';
export type {
  ActivityEventType,
  Country,
  Customer,
  CustomerActivity,
  CustomerListParams,
  CustomerStatus,
} from './contract/schema/customers.js';
export type {
  AuthorizationDestination,
  AuthorizedDocument,
  PaymentAuthorization,
} from './contract/schema/authorization.js';
export {
  isFinalStatus,
  isPaymentCurrency,
  isPaymentStatus,
  paymentCurrencies,
  paymentStatuses,
  paymentTransitions,
  type PaymentCurrency,
  type PaymentStatus,
} from './contract/schema/payments.js';
export type {
  AmountFormat,
  BankAccountFunding,
  CreatedPayment,
  CryptoFunding,
  ListedPayment,
  Payment,
  PaymentBeneficiary,
  PaymentCreateParams,
  PaymentCreateRequest,
  PaymentCustomer,
  PaymentListParams,
  PaymentRail,
  SourceFunding,
  UnrecognizedFunding,
} from './contract/schema/payments.js';
export type {
  BankAccountQuote,
  BankAccountTotals,
  CryptoQuote,
  CryptoTotals,
  FeeGroup,
  FeeLine,
  FeeType,
  FundingFees,
  PaymentQuote,
  Payout,
  PriceBreakdown,
  QuoteBase,
  QuoteNetwork,
  QuoteToken,
  QuoteTotals,
  UnrecognizedQuote,
  UnrecognizedTotals,
} from './contract/schema/quotes.js';
export type {
  PersonScreening,
  ScreeningDisposition,
  ScreeningEvidence,
  ScreeningFeature,
  ScreeningHistoryParams,
  ScreeningMatch,
  ScreeningProperty,
  ScreeningQuery,
  ScreeningRun,
  ScreeningSubject,
} from './contract/schema/screening.js';
export type { SupportReplyParams } from './contract/schema/support.js';
