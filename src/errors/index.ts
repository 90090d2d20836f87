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
  type StoredIntent,
} from './api.js';
export { httpStatusFor } from './http-status.js';
export { JournalError } from './journal.js';
export { LeaseLostError } from './journal.js';
export {
  DuplicatePaymentError,
  PaymentMismatchError,
  PaymentOutcomeUnknownError,
  WaitTimeoutError,
  type MismatchedField,
  type PaymentCreateIntent,
  type PaymentResult,
  type ReconcileResult,
} from './payments.js';
