import * as z from 'zod/mini';
import { beneficiary } from '../../contract/schema/beneficiaries.js';
import { customer } from '../../contract/schema/customers.js';
import { custom, integerFrom } from '../../contract/options.js';
import { listedPayment } from '../../contract/schema/payments.js';
import { boolean, string, array, memoize, nullable, optional, type Schema } from '../../contract/schema/schema.js';
import { paymentQuote } from '../../contract/schema/quotes.js';
import { personScreening, screeningRun } from '../../contract/schema/screening.js';
import type {
  StoredBeneficiary,
  StoredCustomer,
  StoredDocument,
  StoredPayment,
  StoredPerson,
  StoredQuote,
  StoredRun,
  StoredTicket,
} from './records.js';

/** The records that an organization stores, by kind. */
export interface StoredRecords {
  readonly customers: StoredCustomer;
  readonly beneficiaries: StoredBeneficiary;
  readonly persons: StoredPerson;
  readonly runs: StoredRun;
  readonly documents: StoredDocument;
  readonly quotes: StoredQuote;
  readonly payments: StoredPayment;
  readonly tickets: StoredTicket;
}

/** Returns the schema of a record without fields that the mock computes when it is read. */
function without(schema: z.ZodMiniType, ...fields: readonly string[]): z.ZodMiniType {
  const mask = Object.fromEntries(fields.map((field) => [field, true]));
  return z.omit(schema as z.ZodMiniObject, mask as Readonly<Record<string, true>>) as z.ZodMiniType;
}

function isBase64(value: unknown): boolean {
  try {
    return typeof value === 'string' && atob(value).length >= 0;
  } catch {
    return false;
  }
}

const file = {
  fileName: string(),
  contentType: string(),
  content: z.nullable(custom<string>(isBase64, { rule: 'must be base64' })),
};
const objects = (): z.ZodMiniType => array(z.looseObject({}));

/** The schemas of stored records in a snapshot: what the mock reads of them later. */
export const storedSchemas: { readonly [Kind in keyof StoredRecords]: Schema<unknown> } = {
  customers: memoize(() => z.looseObject({ record: customer(), activity: objects() })),
  beneficiaries: memoize(() => z.looseObject({ record: beneficiary() })),
  persons: memoize(() =>
    z.looseObject({ id: string(), customerId: string(), screening: without(personScreening(), 'historyCount') }),
  ),
  runs: memoize(() => z.looseObject({ personId: string(), record: screeningRun() })),
  documents: memoize(() =>
    z.looseObject({ id: string(), customerId: string(), kind: string(), createdAt: string(), ...file }),
  ),
  quotes: memoize(() => z.looseObject({ record: paymentQuote(), customerId: string() })),
  payments: memoize(() =>
    z.looseObject({
      record: without(listedPayment(), 'customer', 'beneficiary', 'authorization', 'receiptUrl'),
      authorization: z.looseObject({}),
      documentIds: array(string()),
      requested: boolean(),
      unlistedReads: optional(integerFrom(0)),
      history: optional(array(z.looseObject({ status: string(), at: string() }))),
      receiptUrl: optional(nullable(string())),
    }),
  ),
  tickets: memoize(() =>
    z.looseObject({
      id: string(),
      subject: string(),
      status: string(),
      createdAt: string(),
      attachments: array(z.looseObject({ id: string(), ...file })),
      replies: objects(),
    }),
  ),
};
