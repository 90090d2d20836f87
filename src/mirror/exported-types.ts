/** The types of every mirror, which both of its entries export. */
export type {
  HeldRecord,
  MirrorChange,
  MirrorChangeOf,
  MirrorChangesOptions,
  MirrorFreshness,
  MirrorOptions,
  MirrorProblem,
  MirrorStatus,
  MirrorStatusOptions,
  UnstoredRecord,
} from './mirror.js';
export type {
  MirrorBeneficiaryRow,
  MirrorChangeRow,
  MirrorCustomerRow,
  MirrorPaymentRow,
  MirrorRecordRow,
  MirrorTablesOf,
} from './table-types.js';
