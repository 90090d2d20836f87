import type { OrganizationState } from '../../store/organization.js';

/** Returns whether the screening of a customer's person holds payments. */
export function isHeld({ persons }: OrganizationState, customerId: string): boolean {
  return persons.values().some((person) => person.customerId === customerId && person.screening.subject.paymentHold);
}

/** Returns whether a payment may not become APPROVED until its hold is lifted. */
export function waitsForReview(organization: OrganizationState, customerId: string, status: string): boolean {
  const { paymentHold } = organization.platform.options;
  return paymentHold === 'review' && status === 'APPROVED' && isHeld(organization, customerId);
}
