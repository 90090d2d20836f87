import { personName, type PersonName } from '../data/names.js';
import type { Random } from '../data/random.js';
import type { OrganizationState } from '../store/organization.js';

/** A user who works on the records of an organization. */
export interface StaffMember extends PersonName {
  readonly id: string;
  readonly role: string;
}

/** Who submits records, and who reviews them. */
const roles = { submitter: 'PARTNER_SUBMITTER', reviewer: 'COMPLIANCE_REVIEWER' } as const;

/** Returns one of the three users with a role. A user has the same id and name everywhere. */
export function staffMember(organization: OrganizationState, role: keyof typeof roles, random: Random): StaffMember {
  const user = organization.random(`staff/${role}`, random.int(1, 3));
  return { id: `usr_${user.alphanumeric(16)}`, role: roles[role], ...personName(user) };
}
