import type { Facts } from './description.js';

/**
 * A path for which the contract differs from the specification, because the specification is silent.
 */
export interface Exception {
  /** The row of docs/assumptions.md that says why. */
  readonly assumption: string;
  /** The places, as the specification has them. */
  readonly at: RegExp;
  /** The path in the contract. */
  readonly place?: (specified: string) => string;
  /** The description in the contract. */
  readonly says?: (specified: string) => string;
}

const orNothing = (says: string): string => `${says}, or null, optional`;
const optional = (says: string): string => `${says}, optional`;
const notEmpty = (says: string): string => says.replace('string', 'string, at least 1 characters');
const oneOf =
  (values: readonly string[]) =>
  (says: string): string =>
    `${says}, one of ${values.toSorted().join(' | ')}`;
const filterNames: Readonly<Record<string, string>> = {
  '<status filter>': 'status',
  '<timestamp filter 1>': 'createdFrom',
  '<timestamp filter 2>': 'createdTo',
  '<page size>': 'limit',
  '<cursor>': 'cursor',
};

/** Every deliberate difference between contract and specification. */
export const exceptions: readonly Exception[] = [
  {
    assumption: 'A-1',
    at: /^[236] query\./,
    place: (place) => place.replace(/<[^>]+>/, (filter) => filterNames[filter] ?? filter),
  },
  { assumption: 'A-8', at: /^2 response\.items\[\]\.authorization\..*\w$/, says: orNothing },
  { assumption: 'A-8', at: /^5 response\.items\[\]\.\w+$/, says: orNothing },
  {
    assumption: 'A-9',
    at: /^1 response\.paymentQuote<not shown>/,
    place: (place) => place.replace('<not shown>', '<BANK_ACCOUNT>'),
  },
  {
    assumption: 'A-9',
    at: /^1 response\.paymentQuote<not shown>$/,
    says: () => 'object with fields that are not shown',
  },
  {
    assumption: 'A-9',
    at: /^1 response\.paymentQuote<not shown>\.fundingType$/,
    says: (says) => `${says}, one of BANK_ACCOUNT`,
  },
  { assumption: 'A-18', at: /^1 request\.amount$/, says: (says) => `${says}, a pattern (regex)` },
  { assumption: 'A-19', at: /^11 request\.\w+$/, says: optional },
  {
    assumption: 'A-23',
    at: /^1 request\.(?:customerId|beneficiaryId|paymentQuoteId|documentIds\[\])$/,
    says: notEmpty,
  },
  { assumption: 'A-23', at: /^[236] query\.<cursor>$|^8 query\.cursor$/, says: notEmpty },
  {
    assumption: 'A-25',
    at: /^(?:1 response|2 response\.items\[\])\.customer\.status$/,
    says: oneOf(['DRAFT', 'PENDING_REVIEW', 'CORRECTION_REQUESTED', 'APPROVED', 'REJECTED', 'SUSPENDED']),
  },
  {
    assumption: 'A-25',
    at: /^(?:1 response|2 response\.items\[\])\.beneficiary\.status$/,
    says: oneOf(['PENDING_REVIEW', 'CORRECTION_REQUESTED', 'APPROVED', 'REJECTED', 'SUSPENDED']),
  },
  { assumption: 'A-24', at: /^7 response\.openMatches\[\]\.disposition$/, says: orNothing },
];

/** Returns the expected facts of the contract: those of the specification with the exceptions applied. */
export function withExceptions(specified: Facts, list: readonly Exception[] = exceptions): Facts {
  return new Map(
    [...specified].map(([place, says]) => {
      const made = list.filter((exception) => exception.at.test(place));
      return [
        made.reduce((name, exception) => exception.place?.(name) ?? name, place),
        made.reduce((words, exception) => exception.says?.(words) ?? words, says),
      ];
    }),
  );
}
