import type { AnswersOf, Call } from '../call.js';
import { pageOf } from '../paging.js';
import { shownScreening } from '../records/persons.js';
import { refuseMissing } from '../refusal.js';
import type { OrganizationState } from '../state.js';
import type { StoredPerson } from '../stored.js';

interface PersonPath {
  readonly customerId: string;
  readonly personId: string;
}

function personOf(organization: OrganizationState, { customerId, personId }: PersonPath): StoredPerson {
  if (organization.customers.get(customerId) === undefined) refuseMissing('customer');
  const person = organization.persons.get(personId);
  return person?.customerId === customerId ? person : refuseMissing('person of this customer');
}

function history({ organization, parameters, query }: Call<'screening.history'>) {
  const { id } = personOf(organization, parameters);
  const { limit, cursor } = query;
  const { items, nextCursor } = pageOf(
    { organization, list: `runs/${id}`, collection: organization.runs, keep: ({ personId }) => personId === id, limit, cursor },
    ({ record }) => record,
  );
  return { items, nextCursor };
}

/** The answers of the namespace `screening`. */
export const screening: AnswersOf<'screening'> = {
  'screening.get': ({ organization, parameters }) => shownScreening(organization, personOf(organization, parameters)),
  'screening.history': history,
};
