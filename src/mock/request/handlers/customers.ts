import type { HandlersFor, HandlerContext } from './handler.js';
import { inListOrder, paginate } from '../../state/paginate.js';
import { notFound } from '../../wire/http-error.js';
import type { OrganizationState } from '../../state/platform-state.js';
import type { StoredCustomer } from '../../state/record-kinds.js';

function customerOf(organization: OrganizationState, id: string): StoredCustomer {
  return organization.customers.get(id) ?? notFound('customer', id);
}

function list({ organization, query }: HandlerContext<'customers.list'>) {
  const { status } = query;
  return paginate(
    {
      organization,
      list: 'customers',
      collection: organization.customers,
      query,
      keep: ({ record }) => status === undefined || record.status === status,
    },
    ({ record }) => record,
  );
}

function beneficiaries({ organization, params, query }: HandlerContext<'customers.beneficiaries'>) {
  const { customerId } = params;
  const { status } = query;
  customerOf(organization, customerId);
  return paginate(
    {
      organization,
      list: `beneficiaries/${customerId}`,
      collection: organization.beneficiaries,
      query,
      keep: ({ record }) => record.customerId === customerId && (status === undefined || record.status === status),
    },
    ({ record }) => record,
  );
}

/** The handlers of the namespace `customers`. */
export const customers: HandlersFor<'customers'> = {
  'customers.list': list,
  'customers.get': ({ organization, params }) => customerOf(organization, params.id).record,
  'customers.activity': ({ organization, params }) => ({
    items: inListOrder(organization, `activity/${params.id}`, customerOf(organization, params.id).activity),
  }),
  'customers.beneficiaries': beneficiaries,
};
