import { longestLifetime, aheadAllowed } from './credentials.js';
import type { ResolvedOptions } from './options.js';
import type { Transitions } from './transitions.js';

/** Something that the specification does not show, and what the mock does there. */
export interface MockAssumption {
  /** Its row in the table of assumptions, such as `A-11`. */
  readonly id: string;
  /** What the specification does not show. */
  readonly notShown: string;
  /** What the mock does, as plain JSON: the present value of the option where there is one, otherwise in words. */
  readonly value: unknown;
  /** The option of the platform that changes it; undefined where none does. */
  readonly option: string | undefined;
}

type Entry = readonly [id: string, notShown: string, value: unknown, option?: string];

/** Everything the mock decides where the specification is silent, in the order of the table in docs/assumptions.md, which a test holds beside it. */
export function assumptionsOf(options: ResolvedOptions): MockAssumption[] {
  return entriesOf(options).map(([id, notShown, value, option]) => ({ id, notShown, value: structuredClone(value), option }));
}

function entriesOf({ dialect, ...options }: ResolvedOptions): Entry[] {
  return [
    ['A-1', 'names of the filters', dialect.filters, 'dialect'],
    ['A-2', 'claims and lifetime of the token', `iat, exp, jti, uri and bodyHash; at most ${longestLifetime} s of life, at most ${aheadAllowed} s ahead of the clock, each jti once`],
    ['A-2', 'how a key gets registered', 'by the option', 'publicKey'],
    ['A-3', 'success statuses', options.success, 'success'],
    ['A-4', 'the bodies of `support.attachmentUrl` and `documents.downloadUrl`', '{ url, expiresAt }'],
    ['A-5', 'the bodies of `support.reply` and `documents.delete`', 'the reply with id, createdAt and ticketId; no body'],
    ['A-6', 'shape and codes of errors', options.errorBody, 'errorBody'],
    ['A-7', 'the format of timestamps', 'ISO 8601 in UTC with milliseconds'],
    ['A-8', 'whether fields of `authorization` and of activity entries may be null or absent', 'null where there is nothing to tell'],
    ['A-9', 'the bank-funded quote', "the fields that all quotes share, and fundingType 'BANK_ACCOUNT'"],
    ['A-10', 'the status after creation', 'PENDING_REVIEW'],
    ['A-10', 'which status may follow which', options.transitions, 'transitions'],
    ['A-11', 'whether a create is idempotent', options.idempotency, 'idempotency'],
    ['A-11', 'whether a quote is good for one payment', options.quotes, 'quotes'],
    ['A-11', 'how lists lag', lagOf(options), 'listLag'],
    ['A-11', 'in which order they are', options.listOrder, 'listOrder'],
    ['A-12', 'rate limits', options.rateLimit === undefined ? 'none' : { requests: options.rateLimit.requests, per: { seconds: options.rateLimit.span / 1000 } }, 'rateLimit'],
    ['A-12', 'default page size', options.pageSize, 'pageSize'],
    ['A-13', 'whether answers carry the id of their request', dialect.requestIdHeaders.slice(0, 1), 'dialect'],
    ['A-14', 'what the two timestamp filters compare', 'createdAt, both ends included'],
    ['A-15', 'which answers to a POST mean that it was not taken', 'nothing is taken that is answered with 4xx'],
    ['A-16', 'whether the list shows every payment', 'every one, with the quote of its request'],
    ['A-17', 'which statuses of a payment are final', finalStatuses(options.transitions), 'transitions'],
    ['A-18', 'what an amount looks like', String(dialect.amount), 'dialect'],
    ['A-19', 'which fields of `support.reply` are required', 'none'],
    ['A-19', 'what the 64 of `memo` counts', 'Unicode code points'],
    ['A-20', 'what a repeated DELETE is answered with', '404'],
    ['A-21', 'how an invoice is told from other documents', "by kind: 'invoice' of documents.add"],
    ['A-22', 'what stands where a field is a string and there is nothing to tell', 'an empty string'],
    ['A-23', 'whether an id or a cursor in a request may be empty', 'it is refused with 400'],
    ['A-24', 'what stands as `disposition` of an open match that nobody decided yet', 'null'],
    ['A-25', "which values the `status` of a payment's `customer` and `beneficiary` takes", 'the status of that record'],
    ['A-26', 'how long a quote is good', `${options.quoteLifetime} s`, 'quoteLifetime'],
    ['A-27', 'how long a signed URL is good', `${options.urlLifetime} s`, 'urlLifetime'],
    ['A-28', "whether a payment's amount and currency must be those of its quote", options.amounts, 'amounts'],
    ['A-29', 'how large a request may be', `${options.maxRequestBytes} bytes`, 'maxRequestBytes'],
  ];
}

function lagOf({ listLag }: Pick<ResolvedOptions, 'listLag'>): unknown {
  if (listLag === undefined) return 'not at all';
  return 'reads' in listLag ? listLag : { seconds: listLag.span / 1000 };
}

function finalStatuses({ payments }: Transitions): string[] {
  return Object.entries(payments).filter(([, next]) => next.length === 0).map(([status]) => status);
}
