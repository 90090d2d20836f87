import type { HandlersFor, HandlerContext } from './handler.js';
import { paginate } from '../../state/paginate.js';
import { runCollection, toWireScreening } from '../../records/persons.js';
import { notFound } from '../../wire/http-error.js';
import type { OrganizationState } from '../../state/platform-state.js';
import type { StoredPerson } from '../../state/record-kinds.js';

interface PersonPath {
  readonly customerId: string;
  readonly personId: string;
}

function personOf(organization: OrganizationState, { customerId, personId }: PersonPath): StoredPerson {
  if (organization.customers.get(customerId) === undefined) notFound('customer', customerId);
  const person = organization.persons.get(personId);
  return person?.customerId === customerId ? person : notFound('person of this customer', personId);
}

function history({ organization, params, query }: HandlerContext<'screening.history'>) {
  const { id, runs } = personOf(organization, params);
  const collection = runCollection(runs);
  const page = paginate({ organization, list: `runs/${id}`, collection, keep: () => true, query }, (run) => run);
  return { items: page.items, nextCursor: page.nextCursor };
}

/** The handlers of the namespace `screening`. */
export const screening: HandlersFor<'screening'> = {
  'screening.get': ({ organization, params }) => toWireScreening(personOf(organization, params)),
  'screening.history': history,
};
