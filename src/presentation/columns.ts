import type { RecordKind } from '../contract/endpoints.js';

/**
 * The columns that lists of records show besides the id, the most important one first. A field of an object in the
 * record is named by its path.
 */
export const recordColumns = {
  payments: ['amount', 'status', 'currencyCode', 'beneficiary.companyName', 'internalReference', 'createdAt'],
  quotes: ['paymentAmount', 'paymentCurrencyCode', 'fundingType', 'usedAt', 'expiresAt'],
  customers: ['companyName', 'status', 'countryOfIncorporation.name', 'registrationNumber', 'createdAt'],
  beneficiaries: ['companyName', 'status', 'currencyCode', 'bankName', 'updatedAt'],
  activity: ['createdAt', 'eventType', 'fromStatus', 'toStatus', 'createdByRole', 'note'],
  screenings: ['screeningId', 'createdAt', 'matchCount', 'dataVersion', 'errorMessage'],
  tickets: ['subject', 'status', 'createdAt'],
  networks: ['displayName', 'nativeAssetSymbol'],
  paymentMethods: ['token', 'network', 'networkFeeUsd', 'decimals'],
} as const satisfies Readonly<Record<RecordKind, readonly string[]>>;
