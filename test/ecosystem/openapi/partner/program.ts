import assert from 'node:assert/strict';
import { client } from './generated/client.gen.ts';
import {
  cryptoNetworks,
  cryptoPaymentMethods,
  customersActivity,
  customersBeneficiaries,
  customersGet,
  customersList,
  documentsDelete,
  documentsDownloadUrl,
  paymentsCreate,
  paymentsList,
  screeningGet,
  screeningHistory,
  supportAttachmentUrl,
  supportReply,
  type CreatedPayment,
  type ListedPayment,
  type PaymentCreateParams,
} from './generated/index.ts';
import type { Program } from './index.ts';
import { signed } from './signing.ts';
import type { Fixture } from './fixture.ts';

// A partner's program: a client that was generated from openapi.json with its own signatures, and without
// corridor-sdk.
export const program: Program = {
  connect(signer) {
    client.setConfig({ baseUrl: signer.baseUrl });
    client.interceptors.request.clear();
    client.interceptors.request.use((request) => signed(request, signer));
  },
  disconnect: () => client.interceptors.request.clear(),
  completeAllCalls,
  async readCustomer(id) {
    const { data, error, response } = await customersGet({ path: { id } });
    return { status: response?.status, code: error?.code, customer: data };
  },
};

async function completeAllCalls(fixture: Fixture): Promise<void> {
  const { customerId, personId, ticketId, attachmentId, documentId } = fixture;
  const created: CreatedPayment[] = [];
  for (const order of fixture.orders) {
    const body: PaymentCreateParams = order;
    created.push((await paymentsCreate({ body, throwOnError: true })).data);
  }
  assert.deepEqual(
    created.map(({ status, paymentQuote }) => [status, paymentQuote.fundingType]),
    [
      ['PENDING_REVIEW', 'CRYPTO'],
      ['PENDING_REVIEW', 'BANK_ACCOUNT'],
    ],
  );

  const listed = await everyPayment();
  assert.deepEqual(
    created.filter(({ id }) => !listed.some((payment) => payment.id === id)),
    [],
  );
  await paymentsList({
    query: { status: 'COMPLETED', createdFrom: '2020-01-01T00:00Z', createdTo: '2030-01-01T00:00:00.000Z' },
    throwOnError: true,
  });

  const {
    data: {
      items: [first],
    },
  } = await customersList({ query: { status: 'APPROVED' }, throwOnError: true });
  const { data: customer } = await customersGet({ path: { id: first?.id ?? '' }, throwOnError: true });
  assert.deepEqual(customer, first);
  const {
    data: { items: changes },
  } = await customersActivity({ path: { id: customerId }, throwOnError: true });
  assert.deepEqual(changes.map(({ fromStatus, toStatus }) => [fromStatus, toStatus]).at(-1), [
    'PENDING_REVIEW',
    'APPROVED',
  ]);
  const {
    data: { items: beneficiaries, hasMore },
  } = await customersBeneficiaries({ path: { customerId }, query: { limit: 1 }, throwOnError: true });
  assert.deepEqual([beneficiaries.length, hasMore], [1, false]);

  const {
    data: { subject, historyCount },
  } = await screeningGet({ path: { customerId, personId }, throwOnError: true });
  assert.equal(subject.customerId, customerId);
  const {
    data: { items: runs },
  } = await screeningHistory({ path: { customerId, personId }, query: { limit: 100 }, throwOnError: true });
  assert.equal(runs.length, historyCount);
  const {
    data: { methods },
  } = await cryptoPaymentMethods({ throwOnError: true });
  const {
    data: { networks },
  } = await cryptoNetworks({ throwOnError: true });
  assert.deepEqual(
    methods.filter(({ network }) => !networks.some(({ id }) => id === network)),
    [],
  );

  await supportReply({
    path: { ticketId },
    body: { actorEmail: 'ops@partner.example', bodyText: 'Attached.' },
    throwOnError: true,
  });
  const links = [
    await supportAttachmentUrl({ path: { ticketId, attachmentId }, throwOnError: true }),
    await documentsDownloadUrl({ path: { id: documentId }, throwOnError: true }),
  ];
  for (const { data } of links) assert.equal((await fetch((data as { readonly url: string }).url)).status, 200);
  await documentsDelete({ path: { id: documentId }, throwOnError: true });
}

async function everyPayment(cursor?: string): Promise<ListedPayment[]> {
  const {
    data: { items, nextCursor },
  } = await paymentsList({ query: { limit: 100, cursor }, throwOnError: true });
  return nextCursor === null ? items : [...items, ...(await everyPayment(nextCursor))];
}
