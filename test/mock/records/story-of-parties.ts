import {
  at,
  beneficiary,
  customer,
  every,
  isInOrder,
  leastVersions,
  person,
  ticket,
  type Rule,
} from './story-records.ts';

/** What holds for the other records of a populated platform. */
export const partyRules: readonly Rule[] = [
  // Customers and beneficiaries
  [
    "a customer's activity ends with its status",
    customer(({ customer: { status }, entries }) => (entries.at(-1)?.toStatus ?? 'DRAFT') === status),
  ],
  [
    "a customer's activity has no gap",
    customer(({ entries }) =>
      entries.every((entry, index) => entry.fromStatus === (entries[index - 1]?.toStatus ?? 'DRAFT')),
    ),
  ],
  [
    "a customer's activity is in order, from its creation on",
    customer(({ customer: { createdAt }, entries }) =>
      isInOrder(createdAt, ...entries.map((entry) => entry.createdAt)),
    ),
  ],
  [
    'a customer was updated by its last activity',
    customer(
      ({ customer: { createdAt, updatedAt }, entries }) => updatedAt === (entries.at(-1)?.createdAt ?? createdAt),
    ),
  ],
  [
    'submitters submit, and reviewers review',
    customer(({ entries }) =>
      entries.every(
        ({ toStatus, createdByRole }) => (createdByRole === 'PARTNER_SUBMITTER') === (toStatus === 'PENDING_REVIEW'),
      ),
    ),
  ],
  [
    'a user has one name',
    ({ activity }) => {
      const entries = activity.flatMap((each) => each.entries);
      return (
        new Set(entries.map(({ createdById }) => createdById)).size !==
        new Set(entries.map((entry) => `${entry.createdById}${entry.createdByFirstName}${entry.createdByLastName}`))
          .size
      );
    },
  ],
  [
    'a customer has an address in its country',
    customer(({ customer: each }) => each.addressCountry.alpha2 === each.countryOfIncorporation.alpha2),
  ],
  [
    'a beneficiary is younger than its customer',
    beneficiary((each, { customers }) =>
      isInOrder(customers.get(each.customerId)?.createdAt, each.createdAt, each.updatedAt),
    ),
  ],
  [
    'a beneficiary has a version for each of its statuses',
    beneficiary(({ status, version }) => version >= (leastVersions[status] ?? 2)),
  ],
  [
    'a beneficiary has a bank in its country',
    beneficiary((each) => each.bankBic.slice(4, 6) === each.bankCountryCode && each.country === each.bankCountryCode),
  ],
  [
    'a customer who was never reviewed has no beneficiaries',
    beneficiary((each, { customers }) => customers.get(each.customerId)?.status !== 'DRAFT'),
  ],
  // Screening
  [
    'a person was last screened by the newest run',
    person(({ screening, runs }) => screening.subject.lastScreenedAt === runs[0]?.createdAt),
  ],
  [
    'the newest run found the open matches',
    person(({ screening, runs }) => runs[0]?.matchCount === screening.openMatches.length),
  ],
  [
    'a cleared match was found by a run before',
    person(({ screening, runs }) =>
      screening.previouslyCleared.every(({ reviewedAt }) =>
        runs.some((run) => run.matchCount > 0 && at(run.createdAt) <= at(reviewedAt)),
      ),
    ),
  ],
  [
    'runs are at different times',
    person(({ runs }) => new Set(runs.map(({ createdAt }) => createdAt)).size === runs.length),
  ],
  [
    'the first run is younger than the customer',
    person(({ customerId, runs }, { customers }) =>
      isInOrder(customers.get(customerId)?.createdAt, runs.at(-1)?.createdAt),
    ),
  ],
  [
    'a person with open matches holds payments',
    person(({ screening }) => screening.subject.paymentHold === screening.openMatches.length > 0),
  ],
  [
    'a customer that pays has nobody with open matches',
    person(
      ({ customerId, screening }, { payments }) =>
        screening.openMatches.length === 0 || payments.every((each) => each.customerId !== customerId),
    ),
  ],
  [
    'a person is screened in the country of the customer',
    person(
      ({ customerId, screening }, { customers }) =>
        screening.query.properties.find(({ key }) => key === 'country')?.values[0] ===
        customers.get(customerId)?.countryOfIncorporation.alpha2.toLowerCase(),
    ),
  ],
  [
    'persons were not all screened at once',
    ({ persons }) =>
      new Set(persons.map(({ screening }) => screening.subject.lastScreenedAt)).size < persons.length / 2,
  ],
  // Tickets and documents
  [
    'replies follow their ticket, one after another',
    ticket(({ createdAt, replies }) =>
      replies.every((reply, index) => at(replies[index - 1]?.createdAt ?? createdAt) < at(reply.createdAt)),
    ),
  ],
  [
    'a ticket waits for the side that did not write last',
    ticket(
      ({ status, replies }) =>
        (status === 'OPEN') === (replies.at(-1)?.actorEmail ?? 'operations@partner.example').startsWith('operations'),
    ),
  ],
  [
    'no reply is from the future',
    ticket(({ replies }, { now }) => replies.every((reply) => at(reply.createdAt) <= now)),
  ],
  [
    'a document is younger than its customer',
    every(
      ({ documents }) => documents.values(),
      ({ customerId, createdAt }, { customers }) => isInOrder(customers.get(customerId)?.createdAt, createdAt),
    ),
  ],
];
