import type { BeneficiaryStatus } from '../contract/beneficiaries.js';
import type { Customer, CustomerStatus } from '../contract/customers.js';
import type { PaymentStatus } from '../contract/payments.js';
import { MockPlatformError } from './error.js';
import type { Random } from './random.js';
import { createBeneficiary } from './records/beneficiaries.js';
import { createCustomer, moveCustomer } from './records/customers.js';
import { createDocument } from './records/documents.js';
import { createPayment } from './records/payments.js';
import { createPerson } from './records/persons.js';
import { createQuote } from './records/quotes.js';
import { createTicket } from './records/tickets.js';
import type { OrganizationState } from './state.js';

/** How many records of each kind `populate` adds. Payments bring their quote and their invoice. */
export interface PopulateSizes {
  /** @default 24 */
  readonly customers?: number | undefined;
  /** @default 48 */
  readonly beneficiaries?: number | undefined;
  /** @default 30 */
  readonly persons?: number | undefined;
  /** Payments of the last 180 days. @default 250 */
  readonly payments?: number | undefined;
  /** Quotes that are not used yet. @default 12 */
  readonly quotes?: number | undefined;
  /** Documents that belong to no payment yet. @default 24 */
  readonly documents?: number | undefined;
  /** @default 10 */
  readonly tickets?: number | undefined;
}

const defaults = { customers: 24, beneficiaries: 48, persons: 30, payments: 250, quotes: 12, documents: 24, tickets: 10 };

const day = 86_400_000;
/** How far back payments go, in days. Customers and beneficiaries are older. */
const history = 180;
/** How long payments may be on their way, in days. */
const unsettled = 30;

type List<T> = readonly [T, ...T[]];

// By the ways of the transition tables: what a customer's activity tells.
const customerWays: List<readonly [CustomerStatus, ...CustomerStatus[]]> = [
  ['DRAFT', 'PENDING_REVIEW', 'APPROVED'],
  ['DRAFT', 'PENDING_REVIEW', 'CORRECTION_REQUESTED', 'PENDING_REVIEW', 'APPROVED'],
  ['DRAFT'],
  ['DRAFT', 'PENDING_REVIEW', 'APPROVED'],
  ['DRAFT', 'PENDING_REVIEW'],
  ['DRAFT', 'PENDING_REVIEW', 'CORRECTION_REQUESTED'],
  ['DRAFT', 'PENDING_REVIEW', 'REJECTED'],
  ['DRAFT', 'PENDING_REVIEW', 'APPROVED', 'SUSPENDED'],
];

const beneficiaryStatuses: List<BeneficiaryStatus> = [
  'APPROVED', 'APPROVED', 'PENDING_REVIEW', 'APPROVED', 'CORRECTION_REQUESTED', 'APPROVED', 'REJECTED', 'SUSPENDED',
];

const settled: List<PaymentStatus> = ['COMPLETED', 'COMPLETED', 'COMPLETED', 'COMPLETED', 'COMPLETED', 'COMPLETED', 'RETURNED', 'REJECTED', 'CANCELLED'];
const recent: List<PaymentStatus> = ['PENDING_REVIEW', 'CORRECTION_NEEDED', 'APPROVED', 'PROCESSING', 'COMPLETED', 'COMPLETED'];

/** Adds a realistic few hundred records, drawn from the seed. */
export function populate(organization: OrganizationState, sizes: PopulateSizes = {}): void {
  const wanted = { ...defaults, ...Object.fromEntries(Object.entries(sizes).filter(([, size]: [string, unknown]) => size !== undefined)) };
  for (const [kind, size] of Object.entries(wanted)) {
    if (!Object.hasOwn(defaults, kind)) throw new MockPlatformError(`populate: ${kind} is no kind of record (${Object.keys(defaults).join(', ')})`);
    if (!Number.isInteger(size) || size < 0) throw new MockPlatformError(`populate: ${kind} must be a whole number`);
  }
  const random = organization.random('populate', organization.customers.next);
  const now = organization.platform.clock.now();
  const customers = populateCustomers(organization, random, now, wanted.customers);
  const approved = customers.filter(({ status }) => status === 'APPROVED').map(({ id }) => id);
  const [firstPayer = createCustomer(organization, { createdAt: text(now - 2 * history * day) }).record.id, ...morePayers] = approved;
  const payers: List<string> = [firstPayer, ...morePayers];
  const owners: List<string> = [firstPayer, ...customers.map(({ id }) => id)];
  for (let index = 0; index < wanted.beneficiaries; index++) {
    // Each payer has one to pay; the others are spread over all customers and statuses.
    const mine = payers[index];
    const status = mine !== undefined ? 'APPROVED' : (beneficiaryStatuses[index % beneficiaryStatuses.length] ?? 'APPROVED');
    createBeneficiary(organization, { customerId: mine ?? random.pick(owners), status, createdAt: text(now - (history + random.whole(1, history)) * day) });
  }
  for (let index = 0; index < wanted.persons; index++) {
    const screening = index % 5 === 4 ? { openMatches: [{}] } : { openMatches: [], previouslyCleared: index % 3 === 0 ? [{}] : [] };
    createPerson(organization, { customerId: random.pick(owners), runs: random.whole(1, 8), screening });
  }
  populatePayments(organization, random, now, payers, wanted.payments);
  for (let index = 0; index < wanted.quotes; index++) {
    createQuote(organization, { customerId: random.pick(payers), fundingType: index % 3 === 2 ? 'BANK_ACCOUNT' : 'CRYPTO' });
  }
  for (let index = 0; index < wanted.documents; index++) {
    createDocument(organization, { customerId: random.pick(payers), kind: index % 3 === 2 ? 'other' : 'invoice' });
  }
  populateTickets(organization, random, now, wanted.tickets);
}

const text = (at: number): string => new Date(at).toISOString();

function populateCustomers(organization: OrganizationState, random: Random, now: number, count: number): Customer[] {
  return Array.from({ length: count }, (_, index) => {
    const way = customerWays[index % customerWays.length] ?? customerWays[0];
    let at = now - (2 * history + random.whole(0, history)) * day;
    let { record } = createCustomer(organization, { status: way[0], createdAt: text(at) });
    for (const status of way.slice(1)) record = moveCustomer(organization, record.id, status, text((at += random.whole(2, 96) * 3_600_000)));
    return record;
  });
}

function populatePayments(organization: OrganizationState, random: Random, now: number, payers: List<string>, count: number): void {
  const payees = organization.beneficiaries.values().map(({ record }) => record).filter(({ status }) => status === 'APPROVED');
  // Oldest first, and never two at one time.
  for (let index = 0; index < count; index++) {
    const at = now - ((count - index - random.next() / 2) / count) * history * day;
    const status = random.pick(now - at > unsettled * day ? settled : recent);
    const customerId = random.pick(payers);
    const own = payees.filter((payee) => payee.customerId === customerId);
    const beneficiary = own[random.whole(0, own.length - 1)];
    const changed = status === 'PENDING_REVIEW' ? at : at + random.whole(1, 72) * 3_600_000;
    createPayment(organization, {
      customerId,
      beneficiaryId: beneficiary?.id,
      status,
      createdAt: text(at),
      updatedAt: text(Math.min(now, changed)),
      memo: random.chance(0.3) ? 'Thank you for your order' : null,
      paymentQuote: { fundingType: random.chance(0.5) ? 'CRYPTO' : 'BANK_ACCOUNT' },
    });
  }
}

function populateTickets(organization: OrganizationState, random: Random, now: number, count: number): void {
  const reply = { actorEmail: 'support@partner.example', bodyText: 'Thank you, we are looking into it.', bodyHtml: '<p>Thank you, we are looking into it.</p>' };
  for (let index = 0; index < count; index++) {
    createTicket(organization, {
      createdAt: text(now - random.whole(1, 60) * day),
      status: index % 3 === 0 ? 'OPEN' : 'WAITING',
      attachments: Array.from({ length: index % 3 }, () => ({})),
      replies: Array.from({ length: index % 4 }, () => reply),
    });
  }
}
