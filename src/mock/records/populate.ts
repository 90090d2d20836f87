import { integerFrom, optionsObject, type OptionsShape } from '../../contract/option-schemas.js';
import { memoize, withMetadata, type TransitionTable } from '../../contract/schema/schema.js';
import { requireValid } from '../base/mock-error.js';
import type { Random } from '../data/random.js';
import { createDocument } from './documents.js';
import { createQuote } from './quotes.js';
import { createTicket } from './tickets.js';
import { omitUndefined } from '../base/freeze.js';
import type { OrganizationState } from '../state/platform-state.js';
import { beneficiaryStatuses, beneficiaryTransitions } from '../../contract/schema/beneficiaries.js';
import { type Customer, customerStatuses, customerTransitions } from '../../contract/schema/customers.js';
import { createBeneficiary } from './beneficiaries.js';
import { changeCustomer, createCustomer } from './customers.js';
import { createPerson } from './persons.js';
import { paymentStatuses, paymentTransitions, type PaymentStatus } from '../../contract/schema/payments.js';
import { createPayment } from './payments.js';

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

/** The milliseconds in an hour and a day. */
const [hour, day] = [3_600_000, 86_400_000];
/** The most records of a kind that one call adds. */
const maxSize = 100_000;

/** The schema of the sizes. */
export const populateSizes = memoize(() => {
  const fix = 'Call populate several times to add more';
  const size = withMetadata(integerFrom(0, maxSize), { rule: `must be an integer from 0 to ${maxSize}`, fix });
  const shape = Object.fromEntries(Object.keys(defaults).map((kind) => [kind, size]));
  return optionsObject<PopulateSizes>(shape as OptionsShape<PopulateSizes>);
});

/** What the records of one call are derived from. */
interface Source {
  readonly organization: OrganizationState;
  readonly random: Random;
  /** The time of the mock's clock, in milliseconds since the epoch. */
  readonly now: number;
}

/** Adds a few hundred realistic records, derived from the seed. */
export function populate(organization: OrganizationState, sizes: PopulateSizes = {}): void {
  requireValid('populate', populateSizes, sizes, 'the sizes');
  const counts = { ...defaults, ...omitUndefined(sizes) };
  const random = organization.random('populate', organization.customers.next);
  const now = organization.clock.now();
  const source = { organization, random, now };
  const customers = populateCustomers(source, counts.customers);
  populateBeneficiaries(source, customers, counts.beneficiaries);
  populatePersons(source, customers, counts.persons);
  const { payers } = customers;
  populatePayments(source, payers, counts.payments);
  for (let index = 0; index < counts.quotes; index++) {
    createQuote(organization, {
      customerId: random.pick(payers).id,
      fundingType: index % 3 === 2 ? 'BANK_ACCOUNT' : 'CRYPTO',
    });
  }
  for (let index = 0; index < counts.documents; index++) {
    createDocument(organization, {
      customerId: random.pick(payers).id,
      kind: index % 3 === 2 ? 'other' : 'invoice',
      createdAt: timestamp(now - random.int(0, historyDays * day)),
    });
  }
  populateTickets(source, counts.tickets);
}

const replies = [
  { actorEmail: 'support@platform.example', bodyText: 'Thank you for the report. Can you send us the invoice?' },
  { actorEmail: 'operations@partner.example', bodyText: 'The invoice is attached.' },
];

/** Adds tickets in which the platform and the partner alternate. The partner waits for the platform if it is OPEN. */
function populateTickets({ organization, random, now }: Source, count: number): void {
  for (let index = 0; index < count; index++) {
    const createdAt = now - random.int(day, 60 * day);
    let repliedAt = createdAt;
    const written = Array.from({ length: index % 4 }, (_, place) => ({
      ...replies[place % 2],
      bodyHtml: `<p>${replies[place % 2]?.bodyText}</p>`,
      createdAt: timestamp((repliedAt += random.int(1, 6) * hour)),
    }));
    createTicket(organization, {
      createdAt: timestamp(createdAt),
      status: written.length % 2 === 0 ? 'OPEN' : 'WAITING',
      attachments: Array.from({ length: index % 3 }, () => ({})),
      replies: written,
    });
  }
}

/** The customers of a populated organization. */
interface PopulatedCustomers {
  /** Those that are approved, at least one. */
  readonly payers: readonly Customer[];
  /** Those that were reviewed but are not approved now. */
  readonly others: readonly Customer[];
}

/** Returns the shortest way from a status to another that the platform allows. */
function pathTo<Status extends string>(table: TransitionTable<Status>, from: Status, to: Status): readonly Status[] {
  let paths: (readonly Status[])[] = [[from]];
  for (;;) {
    const found = paths.find((path) => path.at(-1) === to);
    if (found !== undefined) return found;
    paths = paths.flatMap((path) => table[path.at(-1) ?? from].map((next) => [...path, next]));
  }
}

/** Returns the status of the record with an index: most are approved, and the others have all statuses in turn. */
const statusAt = <Status extends string>(index: number, statuses: readonly Status[]): Status =>
  statuses[(index / 2 - 1) % statuses.length] ?? ('APPROVED' as Status);

const timestamp = (at: number): string => new Date(at).toISOString();

/** Adds customers that are one to two years old, with the activity that led to their status. */
function populateCustomers({ organization, random, now }: Source, count: number): PopulatedCustomers {
  const customers = Array.from({ length: count }, (_, index) => {
    const [first, ...statuses] = pathTo(customerTransitions, 'DRAFT', statusAt(index, customerStatuses));
    let at = now - random.int(400, 700) * day;
    let stored = createCustomer(organization, { status: first, createdAt: timestamp(at) });
    for (const status of statuses) {
      const updatedAt = timestamp((at += random.int(2, 96) * hour));
      stored = changeCustomer(organization, stored, { status, updatedAt });
    }
    organization.customers.update(stored.record.id, () => stored);
    return stored.record;
  });
  const payers = customers.filter(({ status }) => status === 'APPROVED');
  if (payers.length === 0) payers.push(createCustomer(organization, { createdAt: timestamp(now - 400 * day) }).record);
  return {
    payers,
    others: customers.filter(({ status }) => status !== 'APPROVED' && status !== 'DRAFT'),
  };
}

/** Adds beneficiaries that are older than all payments: first an approved one for each payer. */
function populateBeneficiaries(
  { organization, random, now }: Source,
  { payers, others }: PopulatedCustomers,
  count: number,
): void {
  for (let index = 0; index < count; index++) {
    const payer = payers[index];
    const status = payer === undefined ? statusAt(index, beneficiaryStatuses) : 'APPROVED';
    const statuses = pathTo(beneficiaryTransitions, 'PENDING_REVIEW', status);
    const owner = payer ?? random.pick([...payers, ...others]);
    const createdAt = now - random.int(200, 360) * day;
    const changes = Array.from({ length: statuses.length - 1 }, () => random.int(2, 96) * hour);
    createBeneficiary(organization, {
      customerId: owner.id,
      status,
      version: statuses.length,
      createdAt: timestamp(createdAt),
      updatedAt: timestamp(changes.reduce((sum, change) => sum + change, createdAt)),
    });
  }
}

/** Adds persons that were screened every month. Open matches hold only customers that do not pay. */
function populatePersons(
  { organization, random, now }: Source,
  { payers, others }: PopulatedCustomers,
  count: number,
): void {
  for (let index = 0; index < count; index++) {
    const isHeld = index % 5 === 4 && others.length > 0;
    const owner = random.pick(isHeld ? others : payers);
    const screening = isHeld
      ? { openMatches: [{}] }
      : { openMatches: [], previouslyCleared: index % 3 === 0 ? [{}] : [] };
    const lastRun = now - random.int(0, 29 * day);
    createPerson(organization, { customerId: owner.id, runs: random.int(2, 8), screening }, timestamp(lastRun));
  }
}

/** The age of the oldest payments, in days. Customers and beneficiaries are older. */
const historyDays = 180;
/** The age of the oldest payments that are still in progress, in days. */
const inProgressDays = 30;

/** Adds payments to the approved beneficiaries of the payers, oldest first, each at a different time. */
function populatePayments({ organization, random, now }: Source, payers: readonly Customer[], count: number): void {
  const final = paymentStatuses.filter((status) => paymentTransitions[status].length === 0);
  const others = paymentStatuses.filter((status) => !final.includes(status));
  const payees = new Map<string, string[]>();
  for (const { record } of organization.beneficiaries.values())
    if (record.status === 'APPROVED')
      payees.set(record.customerId, [...(payees.get(record.customerId) ?? []), record.id]);
  for (let index = 0; index < count; index++) {
    const at = now - ((count - index - random.next() / 2) / count) * historyDays * day;
    const isRecent = now - at <= inProgressDays * day;
    const status = isRecent ? random.pick(others) : random.chance(2 / 3) ? 'COMPLETED' : random.pick(final);
    const { id: customerId } = random.pick(payers);
    const known = payees.get(customerId) ?? [];
    const duration = status === 'PENDING_REVIEW' ? 0 : random.int(1, 72) * hour;
    // The newest payments changed at different times before now, too.
    const lasted = Math.min(duration, (now - at) / 2);
    const way = (to: PaymentStatus) => pathTo(paymentTransitions, 'PENDING_REVIEW', to);
    const [, ...steps] = status === 'RETURNED' ? [...way('COMPLETED'), status] : way(status);
    const { record } = createPayment(organization, {
      customerId,
      beneficiaryId: known.length === 0 ? undefined : random.pick(known),
      status,
      createdAt: timestamp(at),
      updatedAt: timestamp(at + lasted),
      history: [
        { status: 'PENDING_REVIEW', at: timestamp(at) },
        ...steps.map((step, place) => ({ status: step, at: timestamp(at + (lasted * (place + 1)) / steps.length) })),
      ],
      memo: random.chance(0.3) ? 'Thank you for your order' : null,
      paymentQuote: { fundingType: random.chance(0.5) ? 'CRYPTO' : 'BANK_ACCOUNT' },
    });
    if (known.length === 0) payees.set(customerId, [record.beneficiaryId]);
  }
}
