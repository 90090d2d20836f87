import type { EndpointName } from 'corridor-sdk';
import type { ParamsOf } from '../../contract/examples.js';

/** The invalid values of a field, each with the rule that the message states. */
export type InvalidValues = readonly (readonly [given: unknown, rule: string])[];

export const loneSurrogate = '\ud800';
const idInBody: InvalidValues = [
  ['', 'must be a non-empty string'],
  [undefined, 'is required: it must be a non-empty string'],
  [null, 'must be a non-empty string (received null)'],
  [17, 'must be a non-empty string (received number)'],
  [loneSurrogate, 'must be well-formed Unicode (no lone surrogates)'],
];
const optionalText: InvalidValues = [
  [17, 'must be a string (received number)'],
  [['a'], 'must be a string (received array)'],
  [true, 'must be a string (received boolean)'],
  [new Date(0), 'must be JSON (received a Date)'],
];
const limit: InvalidValues = [
  [0, 'must be an integer from 1 to 100'],
  [101, 'must be an integer from 1 to 100'],
  [-1, 'must be an integer from 1 to 100'],
  [1.5, 'must be an integer from 1 to 100 (received a fractional number)'],
  ['5', 'must be an integer from 1 to 100 (received string)'],
  [null, 'must be an integer from 1 to 100 (received null)'],
  [Number.NaN, 'must be a finite number (received NaN)'],
  [Number.POSITIVE_INFINITY, 'must be a finite number (received Infinity)'],
  [5n, 'must be JSON (received bigint)'],
];
const cursor: InvalidValues = [
  [null, 'must be the nextCursor of an earlier page (null means that was the last page) (received null)'],
  ['', 'must be the nextCursor of an earlier page (null means that was the last page)'],
  [5, 'must be the nextCursor of an earlier page (null means that was the last page) (received number)'],
];
const timestampRule =
  'must be an ISO 8601 UTC date-time ending in Z with a date that exists, such as "2026-02-28T09:30:00Z", or a valid Date';
const timestamp: InvalidValues = [
  ['2026-02-28', timestampRule],
  [1_772_270_000_000, `${timestampRule} (received number)`],
  [null, `${timestampRule} (received null)`],
  [new Date(Number.NaN), 'must be a valid Date'],
];
const statusOf = (...values: readonly string[]): InvalidValues => {
  const rule = `must be one of ${values.join(', ')}`;
  return [
    ['FOO', `${rule} (received "FOO")`],
    ['approved', `${rule} (received "approved")`],
    ['', `${rule} (received "")`],
    ['X'.repeat(101), `${rule} (received "${'X'.repeat(100)}…")`],
    [null, `${rule} (received null)`],
    [['APPROVED'], `${rule} (received array)`],
  ];
};
const currencies =
  'must be one of USD, BRL, MXN, COP, HKD, CNY, NGN, KES, MWK, ZAR, XOF, XAF, UGX, TZS, ZMW, BWP, SGD, USDT, USDC, DAI, BTC';
const amountRule = 'must be a decimal string such as "1250.00"';

/** The invalid values of the fields other than ids in a path. */
export const invalidFieldValues: {
  readonly [Name in EndpointName as keyof ParamsOf<Name> extends never ? never : Name]: {
    readonly [Field in keyof ParamsOf<Name>]-?: InvalidValues;
  };
} = {
  'payments.create': {
    customerId: idInBody,
    beneficiaryId: idInBody,
    amount: [
      [10, `${amountRule} (received number)`],
      ['', amountRule],
      ['-1', amountRule],
      ['+1', amountRule],
      ['1,000.00', amountRule],
      ['1.', amountRule],
      ['.5', amountRule],
      ['1e3', amountRule],
      [' 1', amountRule],
      ['1\n', amountRule],
      ['0x10', amountRule],
      ['١٠', amountRule],
      ['NaN', amountRule],
      [undefined, `is required: it ${amountRule}`],
      [null, `${amountRule} (received null)`],
      [10n, 'must be JSON (received bigint)'],
    ],
    currencyCode: [
      ['EUR', `${currencies} (received "EUR")`],
      ['usd', `${currencies} (received "usd")`],
      ['', `${currencies} (received "")`],
      [undefined, `is required: it ${currencies}`],
      [null, `${currencies} (received null)`],
      [840, `${currencies} (received number)`],
    ],
    internalReference: optionalText,
    invoiceNumber: [...optionalText, [null, 'must be a string (received null)']],
    purposeOfPayment: [
      ['', 'must be a string of at least 1 character'],
      [undefined, 'is required: it must be a string of at least 1 character'],
      [null, 'must be a string of at least 1 character (received null)'],
      [5, 'must be a string of at least 1 character (received number)'],
    ],
    memo: [
      ['x'.repeat(65), 'must be a string of at most 64 characters, or null'],
      ['😀'.repeat(65), 'must be a string of at most 64 characters, or null'],
      [5, 'must be a string of at most 64 characters, or null (received number)'],
    ],
    documentIds: [
      [[], 'must be an array of at least 1 document id'],
      ['doc_1', 'must be an array of at least 1 document id (received string)'],
      [undefined, 'is required: it must be an array of at least 1 document id'],
      [null, 'must be an array of at least 1 document id (received null)'],
      [{ 0: 'doc_1', length: 1 }, 'must be an array of at least 1 document id (received object)'],
    ],
    paymentQuoteId: idInBody,
  },
  'payments.list': {
    status: statusOf(
      'PENDING_REVIEW',
      'CORRECTION_NEEDED',
      'APPROVED',
      'PROCESSING',
      'COMPLETED',
      'RETURNED',
      'REJECTED',
      'CANCELLED',
    ),
    createdFrom: timestamp,
    createdTo: timestamp,
    limit,
    cursor,
  },
  'customers.list': {
    status: statusOf('DRAFT', 'PENDING_REVIEW', 'CORRECTION_REQUESTED', 'APPROVED', 'REJECTED', 'SUSPENDED'),
    limit,
    cursor,
  },
  'customers.beneficiaries': {
    status: statusOf('PENDING_REVIEW', 'CORRECTION_REQUESTED', 'APPROVED', 'REJECTED', 'SUSPENDED'),
    limit,
    cursor,
  },
  'screening.history': { limit, cursor },
  'support.reply': {
    draftId: [...optionalText, [null, 'must be a string (received null)']],
    actorEmail: [
      ['ops', 'must be an e-mail address'],
      ['ops@', 'must be an e-mail address'],
      ['a b@partner.example', 'must be an e-mail address'],
      ['', 'must be an e-mail address'],
      [7, 'must be an e-mail address (received number)'],
    ],
    bodyHtml: optionalText,
    bodyText: optionalText,
  },
};
