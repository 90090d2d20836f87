import type { PaymentStatus } from '../../../contract/schema/payments.js';
import type { Random } from '../../data/random.js';
import { createPayment } from '../payment/create.js';
import type { NonEmptyList } from './parties.js';
import type { OrganizationState } from '../../store/organization.js';

const day = 86_400_000;
/** The age of the oldest payments, in days. Customers and beneficiaries are older. */
export const historyDays = 180;
/** The age of the oldest payments that are still in progress, in days. */
const inProgressDays = 30;

const finalStatuses: NonEmptyList<PaymentStatus> = [
  'COMPLETED',
  'COMPLETED',
  'COMPLETED',
  'COMPLETED',
  'COMPLETED',
  'COMPLETED',
  'RETURNED',
  'REJECTED',
  'CANCELLED',
];
const recentStatuses: NonEmptyList<PaymentStatus> = [
  'PENDING_REVIEW',
  'CORRECTION_NEEDED',
  'APPROVED',
  'PROCESSING',
  'COMPLETED',
  'COMPLETED',
];

/** Adds payments to the approved beneficiaries of the payers, oldest first, each at a different time. */
export function populatePayments(
  organization: OrganizationState,
  random: Random,
  now: number,
  payers: NonEmptyList<string>,
  count: number,
): void {
  const payees = new Map<string, string[]>();
  for (const { record } of organization.beneficiaries.values())
    if (record.status === 'APPROVED')
      payees.set(record.customerId, [...(payees.get(record.customerId) ?? []), record.id]);
  for (let index = 0; index < count; index++) {
    const at = now - ((count - index - random.next() / 2) / count) * historyDays * day;
    const status = random.pick(now - at > inProgressDays * day ? finalStatuses : recentStatuses);
    const customerId = random.pick(payers);
    const [first, ...more] = payees.get(customerId) ?? [];
    const duration = status === 'PENDING_REVIEW' ? 0 : random.int(1, 72) * 3_600_000;
    const { record } = createPayment(organization, {
      customerId,
      beneficiaryId: first === undefined ? undefined : random.pick([first, ...more]),
      status,
      createdAt: new Date(at).toISOString(),
      // The newest payments changed at different times before now, too.
      updatedAt: new Date(at + Math.min(duration, (now - at) / 2)).toISOString(),
      memo: random.chance(0.3) ? 'Thank you for your order' : null,
      paymentQuote: { fundingType: random.chance(0.5) ? 'CRYPTO' : 'BANK_ACCOUNT' },
    });
    if (first === undefined) payees.set(customerId, [record.beneficiaryId]);
  }
}
