import { deepFreeze } from '../base/freeze.js';
import { maxTokenLifetime } from '../request/authenticate.js';
import { behaviorTable, type ResolvedOptions } from '../base/mock-options.js';
import type { Transitions } from '../base/transitions.js';

/** A question that the specification leaves open, and the mock's behavior. */
export interface MockAssumption {
  /** The row in the table of assumptions, such as `A-11`. */
  readonly id: string;
  /** The question that the specification leaves open. */
  readonly question: string;
  /** The mock's behavior, as plain JSON: the current value of the option if there is one, otherwise a description. */
  readonly value: unknown;
  /** The platform option that changes the behavior; undefined if there is no such option. */
  readonly option: string | undefined;
}

/** Returns the mock's assumptions, in the order of the table in docs/assumptions.md. A test compares the two. */
export function assumptionsOf(options: ResolvedOptions): MockAssumption[] {
  return [...optionAssumptions(options), ...otherAssumptions(options)]
    .toSorted((left, right) => Number(left.id.slice(2)) - Number(right.id.slice(2)))
    .map((assumption) => deepFreeze({ ...assumption, value: structuredClone(assumption.value) }));
}

/** Returns the assumptions that an option of `MockBehavior` decides. */
const optionAssumptions = (options: ResolvedOptions): MockAssumption[] =>
  Object.entries(behaviorTable).map(([option, { row, question, show = (value: unknown) => value }]) => {
    const value = options[option as keyof typeof behaviorTable];
    return { id: row, question, value: (show as (given: unknown) => unknown)(value), option };
  });

/** Returns the assumptions that other options decide, or none. */
function otherAssumptions({ dialect, transitions, maxRequestBytes }: ResolvedOptions): MockAssumption[] {
  const rows: readonly (readonly [id: string, question: string, value: unknown, option?: string])[] = [
    ['A-1', 'the names of the filters', dialect.filterNames, 'dialect'],
    [
      'A-2',
      'the claims and lifetime of the token',
      `iat, exp, jti, uri and bodyHash; a lifetime of at most ${maxTokenLifetime} s, each jti once`,
    ],
    ['A-2', 'how a key is registered', 'with the option', 'publicKey'],
    ['A-4', 'the response bodies of `support.attachmentUrl` and `documents.downloadUrl`', '{ url, expiresAt }'],
    [
      'A-5',
      'the response bodies of `support.reply` and `documents.delete`',
      'the reply with id, createdAt and ticketId; no body',
    ],
    ['A-7', 'the format of timestamps', 'ISO 8601 in UTC with milliseconds'],
    [
      'A-8',
      'whether fields of `authorization` and of activity entries may be null or absent',
      'null if there is no value',
    ],
    ['A-9', 'the fields of the bank-funded quote', "the fields that all quotes share, and fundingType 'BANK_ACCOUNT'"],
    ['A-13', 'whether responses carry a request id', dialect.requestIdHeaders.slice(0, 1), 'dialect'],
    ['A-14', 'the field that the two timestamp filters compare', 'createdAt, both ends included'],
    ['A-14', 'the clock of `createdAt`', 'that of the `Date` header'],
    ['A-15', 'which error responses to a POST mean that it was not processed', 'all 4xx responses'],
    ['A-16', 'whether the list shows every payment', 'every payment, with the quote of its request'],
    ['A-17', 'which statuses of a payment are final', finalStatuses(transitions), 'transitions'],
    ['A-18', 'the format of an amount', dialect.amountFormat, 'dialect'],
    ['A-19', 'which fields of `support.reply` are required', 'all are optional'],
    ['A-19', 'the unit of the limit of 64 of `memo`', 'Unicode code points'],
    ['A-20', 'the response to a repeated DELETE', '404'],
    ['A-21', 'how an invoice is distinguished from other documents', "by kind: 'invoice' of documents.add"],
    ['A-22', 'the content of a string field without a value', 'an empty string'],
    ['A-23', 'whether an id or a cursor in a request may be empty', 'no, the response is a 400'],
    ['A-24', 'the `disposition` of an open match without a decision', 'null'],
    ['A-25', "the values of `status` of a payment's `customer` and `beneficiary`", 'the status of that record'],
    ['A-29', 'the maximum size of a request', `${maxRequestBytes} bytes`, 'maxRequestBytes'],
    ['A-30', 'the currency of `principal` and `approvedCharge`', 'the currency of the payment'],
    ['A-31', 'the precision of the two timestamp filters', 'milliseconds'],
    ['A-38', 'whether a document of a payment can be deleted', 'yes'],
    ['A-39', 'whether a closed ticket accepts replies', 'yes: it stays closed'],
  ];
  return rows.map(([id, question, value, option]) => ({ id, question, value, option }));
}

function finalStatuses({ payments }: Transitions): string[] {
  return Object.entries(payments)
    .filter(([, next]) => next.length === 0)
    .map(([status]) => status);
}
