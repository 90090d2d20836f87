import type { AnswersOf, Call } from '../call.js';
import { inListOrder } from '../list-order.js';
import { pageOf } from '../paging.js';
import { refuseMissing } from '../refusal.js';
import type { OrganizationState } from '../state.js';
import type { StoredCustomer } from '../stored.js';

function customerOf(organization: OrganizationState, id: string): StoredCustomer {
  return organization.customers.get(id) ?? refuseMissing('customer');
}

function list({ organization, query }: Call<'customers.list'>) {
  const { status, limit, cursor } = query;
  return pageOf(
    {
      organization, list: 'customers', collection: organization.customers, limit, cursor,
      keep: ({ record }) => status === undefined || record.status === status,
    },
    ({ record }) => record,
  );
}

function beneficiaries({ organization, parameters, query }: Call<'customers.beneficiaries'>) {
  const { customerId } = parameters;
  const { status, limit, cursor } = query;
  customerOf(organization, customerId);
  return pageOf(
    {
      organization, list: `beneficiaries/${customerId}`, collection: organization.beneficiaries, limit, cursor,
      keep: ({ record }) => record.customerId === customerId && (status === undefined || record.status === status),
    },
    ({ record }) => record,
  );
}

/** The answers of the namespace `customers`. */
export const customers: AnswersOf<'customers'> = {
  'customers.list': list,
  'customers.get': ({ organization, parameters }) => customerOf(organization, parameters.id).record,
  'customers.activity': ({ organization, parameters }) => ({ items: inListOrder(organization, `activity/${parameters.id}`, customerOf(organization, parameters.id).activity) }),
  'customers.beneficiaries': beneficiaries,
};
