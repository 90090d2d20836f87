import { integerFrom, optionsObject } from '../../../contract/options.js';
import { memoize, withMetadata } from '../../../contract/schema/schema.js';
import { requireValid } from '../../require-valid.js';
import type { Random } from '../../data/random.js';
import { createDocument } from '../documents.js';
import { populateBeneficiaries, populateCustomers, populatePersons, type NonEmptyList } from './parties.js';
import { historyDays, populatePayments } from './payments.js';
import { createQuote } from '../quotes.js';
import { createTicket } from '../tickets.js';
import type { OrganizationState } from '../../store/organization.js';

/** The number of records of each kind that `populate` adds. Each payment also adds a quote and an invoice. */
export interface PopulateSizes {
  /** Customers. @default 24 */
  readonly customers?: number | undefined;
  /** Beneficiaries. @default 48 */
  readonly beneficiaries?: number | undefined;
  /** Persons. @default 30 */
  readonly persons?: number | undefined;
  /** Payments, spread over the last 180 days. @default 250 */
  readonly payments?: number | undefined;
  /** Unused quotes. @default 12 */
  readonly quotes?: number | undefined;
  /** Documents that do not belong to a payment. @default 24 */
  readonly documents?: number | undefined;
  /** Support tickets. @default 10 */
  readonly tickets?: number | undefined;
}

const defaults = {
  customers: 24,
  beneficiaries: 48,
  persons: 30,
  payments: 250,
  quotes: 12,
  documents: 24,
  tickets: 10,
};

const day = 86_400_000;
/** The most records of a kind that one call adds. */
const maxSize = 100_000;

/** The schema of the sizes. */
export const populateSizes = memoize(() => {
  const fix = 'Call populate several times to add more';
  const size = withMetadata(integerFrom(0, maxSize), { rule: `must be an integer from 0 to ${maxSize}`, fix });
  return optionsObject<PopulateSizes>({
    customers: size,
    beneficiaries: size,
    persons: size,
    payments: size,
    quotes: size,
    documents: size,
    tickets: size,
  });
});

/** Adds a few hundred realistic records, derived from the seed. */
export function populate(organization: OrganizationState, sizes: PopulateSizes = {}): void {
  requireValid('populate', populateSizes, sizes, 'the sizes');
  const counts = {
    ...defaults,
    ...Object.fromEntries(Object.entries(sizes).filter(([, size]: [string, unknown]) => size !== undefined)),
  };
  const random = organization.random('populate', organization.customers.next);
  const now = organization.platform.clock.now();
  const customers = populateCustomers(organization, random, now, counts.customers);
  const payers = customers.payers.map(({ id }) => id) as unknown as NonEmptyList<string>;
  populateBeneficiaries(organization, random, now, customers, counts.beneficiaries);
  populatePersons(organization, random, now, customers, counts.persons);
  populatePayments(organization, random, now, payers, counts.payments);
  for (let index = 0; index < counts.quotes; index++) {
    createQuote(organization, {
      customerId: random.pick(payers),
      fundingType: index % 3 === 2 ? 'BANK_ACCOUNT' : 'CRYPTO',
    });
  }
  for (let index = 0; index < counts.documents; index++) {
    createDocument(organization, {
      customerId: random.pick(payers),
      kind: index % 3 === 2 ? 'other' : 'invoice',
      createdAt: new Date(now - random.int(0, historyDays * day)).toISOString(),
    });
  }
  populateTickets(organization, random, now, counts.tickets);
}

const replies = {
  platform: {
    actorEmail: 'support@platform.example',
    bodyText: 'Thank you for the report. Can you send us the invoice?',
    bodyHtml: '<p>Thank you for the report. Can you send us the invoice?</p>',
  },
  partner: {
    actorEmail: 'operations@partner.example',
    bodyText: 'The invoice is attached.',
    bodyHtml: '<p>The invoice is attached.</p>',
  },
};

/** Adds tickets in which the platform and the partner alternate. The partner waits for the platform if it is OPEN. */
function populateTickets(organization: OrganizationState, random: Random, now: number, count: number): void {
  for (let index = 0; index < count; index++) {
    const createdAt = now - random.int(day, 60 * day);
    let repliedAt = createdAt;
    const written = Array.from({ length: index % 4 }, (_, place) => ({
      ...(place % 2 === 0 ? replies.platform : replies.partner),
      createdAt: new Date((repliedAt += random.int(1, 6) * 3_600_000)).toISOString(),
    }));
    createTicket(organization, {
      createdAt: new Date(createdAt).toISOString(),
      status: written.length % 2 === 0 ? 'OPEN' : 'WAITING',
      attachments: Array.from({ length: index % 3 }, () => ({})),
      replies: written,
    });
  }
}
