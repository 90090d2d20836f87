import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endpointNames } from 'corridor-sdk';
import type { ServedMockPlatform } from 'corridor-sdk/mock/node';
import { client } from './generated/client.gen.ts';
import {
  cryptoNetworks, cryptoPaymentMethods, customersActivity, customersBeneficiaries, customersGet, customersList, documentsDelete, documentsDownloadUrl,
  paymentsCreate, paymentsList, screeningGet, screeningHistory, supportAttachmentUrl, supportReply, type ListedPayment, type PaymentCreate,
} from './generated/index.ts';
import { signed } from './signing.ts';
import { servedWorld, type World } from './world.ts';

let served: ServedMockPlatform;
let world: World;

before(async () => {
  ({ served, world } = await servedWorld());
  const signer = await served.credentials();
  client.setConfig({ baseUrl: signer.baseUrl });
  client.interceptors.request.use((request) => signed(request, signer));
});

after(() => served.close());

test('a generated client completes all 14 calls', async () => {
  const { customerId, personId, ticketId, attachmentId, documentId } = world;
  const body: PaymentCreate = world.order('BANK_ACCOUNT');
  const created = await paymentsCreate({ body, throwOnError: true });
  assert.equal(created.data.paymentQuote.fundingType, 'BANK_ACCOUNT');
  assert.equal(created.data.status, 'PENDING_REVIEW');

  const listed: ListedPayment[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await paymentsList({ query: { limit: 100, ...(cursor !== undefined && { cursor }) }, throwOnError: true });
    listed.push(...page.data.items);
    cursor = page.data.nextCursor;
  }
  assert.equal(listed.length, served.platform.payments.all().length);
  assert.deepEqual(listed.map(({ id }) => id).includes(created.data.id), true);
  await paymentsList({ query: { status: 'COMPLETED', createdFrom: '2020-01-01T00:00Z', createdTo: '2030-01-01T00:00:00.000Z' }, throwOnError: true });

  const { data: { items: [first] } } = await customersList({ query: { status: 'APPROVED' }, throwOnError: true });
  assert.equal((await customersGet({ path: { id: first?.id ?? '' }, throwOnError: true })).data.companyName, first?.companyName);
  const { data: { items: changes } } = await customersActivity({ path: { id: customerId }, throwOnError: true });
  assert.deepEqual(changes.map(({ toStatus }) => toStatus), ['APPROVED']);
  const { data: { hasMore } } = await customersBeneficiaries({ path: { customerId }, query: { limit: 1 }, throwOnError: true });
  assert.equal(hasMore, false);

  const { data: { subject, historyCount } } = await screeningGet({ path: { customerId, personId }, throwOnError: true });
  assert.equal(subject.customerId, customerId);
  const { data: { items: runs } } = await screeningHistory({ path: { customerId, personId }, query: { limit: 100 }, throwOnError: true });
  assert.equal(runs.length, historyCount);
  assert.notEqual((await cryptoPaymentMethods({ throwOnError: true })).data.methods.length, 0);
  assert.notEqual((await cryptoNetworks({ throwOnError: true })).data.networks.length, 0);

  await supportReply({ path: { ticketId }, body: { actorEmail: 'ops@partner.example', bodyText: 'Attached.' }, throwOnError: true });
  assert.equal(served.platform.tickets.get(ticketId)?.replies.length, 1);
  for (const { data } of [await supportAttachmentUrl({ path: { ticketId, attachmentId }, throwOnError: true }), await documentsDownloadUrl({ path: { id: documentId }, throwOnError: true })]) {
    const { url } = data as { readonly url: string };
    assert.equal((await fetch(url)).status, 200);
  }
  await documentsDelete({ path: { id: documentId }, throwOnError: true });
  assert.equal(served.platform.documents.get(documentId), undefined);

  const { requests } = served.platform;
  assert.deepEqual(endpointNames.filter((name) => requests.of(name).length === 0), []);
  assert.deepEqual(requests.filter(({ status = 0 }) => status >= 300), []);
});

test('a generated client is told of a refusal', async () => {
  const { data, error, response } = await customersGet({ path: { id: 'unknown' } });
  assert.deepEqual([data, error?.code, response?.status], [undefined, 'not_found', 404]);
});

test('a generated client takes what a platform may add', async () => {
  served.platform.faults.sequence('customers.get', [{ kind: 'unknown-field' }, { kind: 'unknown-status' }]);
  const path = { id: world.customerId };
  const { data: added } = await customersGet({ path, throwOnError: true });
  const { data: moved } = await customersGet({ path, throwOnError: true });
  assert.equal(added.id, world.customerId);
  assert.notEqual(moved.status, 'APPROVED');
});

test('the platform refuses a generated client whose requests are not signed', async () => {
  client.interceptors.request.clear();
  const { error, response } = await customersList();
  assert.deepEqual([error?.code, response?.status], ['missing_api_key', 401]);
});
