/** The types of every mirror, which both of its entries export. */
export type {
  MirrorChange,
  MirrorChangeOf,
  MirrorChangesOptions,
  MirrorFreshness,
  MirrorOptions,
  MirrorStatus,
  MirrorStatusOptions,
} from './mirror.js';
export type { HeldRecord, MirrorProblem, UnstoredRecord } from './tables.js';
export type {
  MirrorBeneficiaryRow,
  MirrorChangeRow,
  MirrorCustomerRow,
  MirrorPaymentRow,
  MirrorRecordRow,
  MirrorTablesOf,
} from './table-types.js';
