import * as z from 'zod/mini';
import * as core from 'zod/v4/core';
import { paymentAuthorization } from '../../contract/schema/authorization.js';
import { beneficiary, beneficiaryStatuses } from '../../contract/schema/beneficiaries.js';
import { customer, customerStatuses } from '../../contract/schema/customers.js';
import { integerFrom } from '../../contract/option-schemas.js';
import { listedPayment, paymentCurrencies, paymentStatuses } from '../../contract/schema/payments.js';
import { paymentQuote } from '../../contract/schema/quotes.js';
import { personScreening, screeningRun } from '../../contract/schema/screening.js';
import {
  discriminatedUnion,
  enumOf,
  memoize,
  requestId,
  string,
  timestamp,
  withMetadata,
} from '../../contract/schema/schema.js';
import { supportReplyParams } from '../../contract/schema/support.js';
import type { AnySchema } from '../../contract/predicate.js';
import type { ResolvedOptions } from '../base/mock-options.js';
import { changeParts, withMarks } from '../base/unknown-values.js';
import { decimalPattern } from '../data/amounts.js';
import { fileInput } from '../data/files.js';
import { fieldsOf } from '../records/builder.js';
import { documentHead } from '../records/documents.js';
import { maxRuns } from '../records/persons.js';
import { attachmentHead, ticketHead } from '../records/tickets.js';
import { timePattern } from '../state/clock.js';
import { triggerOptions } from '../state/schedule.js';
import type { RecordKindName } from '../state/record-kinds.js';

type Fields = Readonly<Record<string, z.ZodMiniType>>;

/** The largest number of equal records. */
const maxCount = 100_000;

/** A time by which lists can be sorted. */
export const time = memoize(() =>
  withMetadata(z.string().check(z.regex(timePattern)), {
    rule: 'must be an ISO 8601 date-time with a time zone, such as "2026-02-28T09:30:00.000Z"',
  }),
);

const decimal = memoize(() =>
  withMetadata(z.string().check(z.regex(decimalPattern)), {
    rule: 'must be a decimal string with at most 18 decimals such as "1250.00"',
  }),
);

const withTime = new WeakMap<AnySchema, z.ZodMiniType>();

/** Returns a schema of the contract whose timestamps are valid times. */
function withTimes(schema: AnySchema): z.ZodMiniType {
  const known = withTime.get(schema) ?? (schema === timestamp() ? time() : changeParts(schema, withTimes));
  withTime.set(schema, known);
  return known;
}

/** Returns a schema of the contract for a test: with valid times, and with marked values of sets. */
const forTest = (schema: AnySchema): z.ZodMiniType => withMarks(withTimes(schema));

/** Returns the fields of a record of the contract, without some of them. */
function fieldsForTest(schema: AnySchema, omitted: readonly string[] = []): Fields {
  const fields = Object.entries(fieldsOf(schema as z.ZodMiniType)).filter(([name]) => !omitted.includes(name));
  return Object.fromEntries(fields.map(([name, field]) => [name, forTest(unwrapOptional(field))]));
}

const unwrapOptional = (field: AnySchema): AnySchema =>
  field instanceof core.$ZodOptional ? field._zod.def.innerType : field;

/** Returns the schema of some fields. */
const someOf = (fields: Fields): z.ZodMiniObject => z.partial(z.strictObject(fields));

const payable = memoize(() => enumOf(paymentCurrencies));

const customerFields = (): Fields => fieldsForTest(customer());
const beneficiaryFields = (): Fields => ({ ...fieldsForTest(beneficiary()), currencyCode: payable() });

/** The fields of a quote: those of the contract, except that those of a quote for a bank account are not known. */
function quoteOf(more: Fields): z.ZodMiniType {
  const [crypto, bankAccount] = (paymentQuote() as unknown as z.core.$ZodDiscriminatedUnion)._zod.def.options;
  const decimals = { paymentAmount: decimal(), networkFeeUsd: decimal(), effectivePriceUsdPerToken: price() };
  const others = { ...decimals, paymentCurrencyCode: payable(), customerId: string(), ...more };
  const cryptoFields = { ...fieldsForTest(crypto as AnySchema), fundingType: z.literal('CRYPTO'), ...others };
  const bankFields = { ...fieldsForTest(bankAccount as AnySchema, ['fundingType']), ...others };
  return discriminatedUnion('fundingType', [
    someOf(cryptoFields),
    z.extend(z.partial(z.looseObject(bankFields)), { fundingType: z.literal('BANK_ACCOUNT') }),
  ]);
}

const price = memoize(() =>
  withMetadata(z.string().check(z.regex(decimalPattern), z.regex(/[1-9]/)), {
    rule: 'must be a decimal string greater than 0 with at most 18 decimals, such as "1.0000"',
  }),
);

/** The fields of a person. The builder generates the parts that are missing, also in objects of arrays. */
function personFields(): Fields {
  const { subject, query, openMatches, previouslyCleared, readOnlyReason } = fieldsOf(personScreening()) as Readonly<
    Record<string, AnySchema>
  >;
  const parts = (record: AnySchema | undefined): z.ZodMiniType => someOf(fieldsForTest(record as AnySchema));
  const partsOfAll = (records: AnySchema | undefined): z.ZodMiniType =>
    z.array(parts((records as z.core.$ZodArray)._zod.def.element));
  const screening = someOf({
    subject: parts(subject),
    query: parts(query),
    openMatches: partsOfAll(openMatches),
    previouslyCleared: partsOfAll(previouslyCleared),
    readOnlyReason: readOnlyReason as z.ZodMiniType,
  });
  return {
    id: requestId(),
    customerId: string(),
    screening: withMetadata(screening, {
      hints: { historyCount: 'is always the number of runs and cannot be set. Pass runs instead' },
    }),
    runs: withMetadata(z.union([integerFrom(0, maxRuns), z.array(parts(screeningRun()))]), {
      rule: `must be an integer from 0 to ${maxRuns}, or an array of objects`,
    }),
  };
}

function ticketFields(): Fields {
  const attachment = { ...fieldsOf(attachmentHead()), ...fieldsOf(fileInput()) };
  const reply = { ...fieldsForTest(supportReplyParams()), createdAt: time() };
  return {
    ...fieldsOf(ticketHead()),
    createdAt: time(),
    attachments: z.array(someOf(attachment)),
    replies: z.array(someOf(reply)),
  };
}

function paymentFields(): Fields {
  const parts = ['customer', 'beneficiary', 'paymentQuote', 'authorization'];
  return {
    ...fieldsForTest(listedPayment(), parts),
    amount: decimal(),
    currencyCode: payable(),
    customer: someOf(customerFields()),
    beneficiary: someOf(beneficiaryFields()),
    paymentQuote: quoteOf({}),
    authorization: someOf(fieldsForTest(paymentAuthorization())),
    history: z.array(z.strictObject({ status: withMarks(enumOf(paymentStatuses)), at: time() })).check(z.minLength(1)),
    documentIds: z.array(string()),
  };
}

const statusesOf = {
  customers: customerStatuses,
  beneficiaries: beneficiaryStatuses,
  payments: paymentStatuses,
} as const;

/** Returns the schema of transitions to some statuses. */
export const transitionsTo = (statuses: readonly [string, ...string[]]): z.ZodMiniType =>
  z.strictObject({
    statuses: z.array(withMarks(enumOf(statuses))).check(z.minLength(1)),
    trigger: triggerOptions(),
  });

/** The fields of a scenario's records that are no fields of the record. */
const extrasOf = (kind: RecordKindName): Fields => ({
  count: integerFrom(1, maxCount),
  ...(kind in statusesOf && { transitions: transitionsTo(statusesOf[kind as keyof typeof statusesOf]) }),
});

/** The schemas of the records of a scenario, as the options of the mock are by default. */
const records: { readonly [Kind in RecordKindName]: (extras: Fields) => z.ZodMiniType } = {
  customers: (extras) => someOf({ ...customerFields(), ...extras }),
  beneficiaries: (extras) => someOf({ ...beneficiaryFields(), ...extras }),
  persons: (extras) => someOf({ ...personFields(), ...extras }),
  quotes: quoteOf,
  documents: (extras) =>
    someOf({ ...fieldsOf(documentHead()), createdAt: time(), ...fieldsOf(fileInput()), ...extras }),
  payments: (extras) => someOf({ ...paymentFields(), ...extras }),
  tickets: (extras) => someOf({ ...ticketFields(), ...extras }),
};

/**
 * Returns the schema of the records of a kind. Records that may be any have no fixed values and times, so the builders
 * validate them.
 */
export function recordsIn(kind: RecordKindName, validation: ResolvedOptions['records']): z.ZodMiniType {
  const extras = extrasOf(kind);
  const record = validation === 'any' ? z.partial(z.looseObject(extras)) : records[kind](extras);
  return withMetadata(z.array(record), { rule: 'must be an array of objects' });
}
