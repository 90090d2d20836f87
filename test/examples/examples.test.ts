import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { generateKeyPairSync, sign } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Corridor, PaymentOutcomeUnknownError, type PaymentCreateParams } from 'corridor-sdk';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { replyToTicket } from '../../examples/reply-to-ticket.ts';
import { checkScreening } from '../../examples/check-screening.ts';
import { createPayment } from '../../examples/create-payment.ts';
import { deleteDocument } from '../../examples/delete-document.ts';
import { downloadDocument } from '../../examples/download-document.ts';
import { findApprovedCustomer } from '../../examples/find-approved-customer.ts';
import { corridorWithKms } from '../../examples/kms-signer.ts';
import { listCryptoMethods } from '../../examples/list-crypto-methods.ts';
import { readCustomer } from '../../examples/read-customer.ts';
import { inspectError } from '../../examples/inspect-error.ts';
import { statusTable } from '../../examples/status-table.ts';
import { summarizePayments } from '../../examples/summarize-payments.ts';
import { readNetworkNames } from '../../examples/unknown-endpoint.ts';
import { InstantDelays } from '../support/instant-delays.ts';

let served: MockPlatformServer;
let corridor: Corridor;

beforeAll(async () => {
  served = await serveMockPlatform({ seed: 1 });
});

beforeEach(() => {
  corridor = new Corridor(served.clientOptions());
});

afterEach(() => served.platform.reset());
afterAll(() => served.close());

/** A payment that the platform accepts, with all its records. */
function payable(): PaymentCreateParams {
  return served.platform.payments.createParams({
    amount: '1250.00',
    currencyCode: 'USD',
    internalReference: 'order-4711',
  });
}

test('find an approved customer: by a part of its name, and only an approved one', async () => {
  served.platform.customers.add({ companyName: 'Acme Mining', status: 'SUSPENDED' });
  const acme = served.platform.customers.add({ companyName: 'Acme Traders' });
  served.platform.customers.addMany(3, () => ({ companyName: 'Other' }));

  expect(await findApprovedCustomer(corridor, 'acme')).toEqual(acme);
  expect(await findApprovedCustomer(corridor, 'nobody')).toBeUndefined();
});

test('read a customer: its record, activity and approved beneficiaries', async () => {
  const { id } = served.platform.customers.add({ status: 'PENDING_REVIEW' });
  served.platform.customers.transition(id, 'APPROVED');
  const beneficiary = served.platform.beneficiaries.add({ customerId: id });
  served.platform.beneficiaries.add({ customerId: id, status: 'REJECTED' });

  const { customer, activity, beneficiaries } = await readCustomer(corridor, id);

  expect(customer).toEqual(served.platform.customers.get(id));
  expect(activity).toMatchObject([{ fromStatus: 'PENDING_REVIEW', toStatus: 'APPROVED' }]);
  expect(beneficiaries).toEqual([beneficiary]);
});

test('check screening: a person without a hold is clear, one with a match is not', async () => {
  const { id: customerId } = served.platform.customers.add();
  const clean = served.platform.persons.add({ customerId, runs: 12, screening: { openMatches: [] } });
  const held = served.platform.persons.add({
    customerId,
    screening: { openMatches: [{ isMatch: true }], subject: { paymentHold: true } },
  });

  expect(await checkScreening(corridor, customerId, clean.id)).toEqual({
    clear: true,
    screening: clean.screening,
    runs: clean.runs.slice(0, 10),
  });
  expect((await checkScreening(corridor, customerId, held.id)).clear).toBe(false);
});

test('list crypto methods: each token once, with its networks', async () => {
  const methods = await listCryptoMethods(corridor);

  expect(methods.map(({ token }) => token)).toEqual(['USDC', 'USDT']);
  expect(methods[0]?.networks).toContainEqual({ name: 'Polygon', nativeAsset: 'POL', feeUsd: '0.05' });
});

test('create a payment: it exists, with its quote used', async () => {
  const order = payable();

  const { payment, created } = await createPayment(corridor, 'order-4711', order);

  expect(created).toBe(true);
  expect(served.platform.payments.all()).toMatchObject([
    { id: payment.id, amount: '1250.00', internalReference: 'order-4711', documentIds: order.documentIds },
  ]);
  expect(served.platform.quotes.get(order.paymentQuoteId)?.usedAt).not.toBeNull();
});

test('create a payment: an unknown outcome is an error that says so', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => log.mockRestore());
  const silent = new Corridor({
    ...served.clientOptions(),
    ...new InstantDelays().options,
    maxRetries: 0,
    fetch: async (_url, init) => {
      await new Response(init?.body).text();
      throw new TypeError('fetch failed');
    },
  });
  await silent.ready();

  await expect(createPayment(silent, 'order-4712', payable())).rejects.toBeInstanceOf(PaymentOutcomeUnknownError);
  expect(log).toHaveBeenCalledWith('not known yet, to be reconciled:', expect.any(String));
});

test('summarize payments: every payment counted once, amounts added exactly', async () => {
  served.platform.payments.addMany(101, () => ({ status: 'COMPLETED', currencyCode: 'USD', amount: '0.10' }));
  served.platform.payments.addMany(2, () => ({ status: 'RETURNED', currencyCode: 'MXN', amount: '1000' }));

  const sums = await summarizePayments(corridor);

  expect(sums).toEqual([
    { status: 'COMPLETED', currencyCode: 'USD', count: 101, total: '10.10' },
    { status: 'RETURNED', currencyCode: 'MXN', count: 2, total: '2000' },
  ]);
  expect(statusTable(sums)).toEqual([
    '                   USD  MXN  all',
    'COMPLETED          101    ·  101',
    'RETURNED             ·    2    2',
    'all                101    2  103',
  ]);
});

test('download a document: the file has the uploaded content', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-examples-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { id } = served.platform.documents.add({ content: 'Invoice 4711', contentType: 'text/plain' });

  const path = join(folder, 'invoice.txt');
  await downloadDocument(corridor, id, path);

  expect(await readFile(path, 'utf8')).toBe('Invoice 4711');
});

test('delete a document: it is gone, and a second time says so', async () => {
  const { id } = served.platform.documents.add();

  expect(await deleteDocument(corridor, id)).toBe(true);
  expect(served.platform.documents.get(id)).toBeUndefined();
  expect(await deleteDocument(corridor, id)).toBe(false);
});

test('reply to a ticket: reads its attachment and adds the reply to the ticket', async () => {
  const ticket = served.platform.tickets.add({ attachments: [{ content: 'Which one?' }] });

  const bytes = await replyToTicket(corridor, ticket.id, ticket.attachments[0]?.id ?? '', {
    actorEmail: 'ops@partner.example',
    bodyText: 'This one.',
  });

  expect(bytes).toBe(10);
  expect(served.platform.tickets.get(ticket.id)?.replies).toMatchObject([
    { actorEmail: 'ops@partner.example', bodyText: 'This one.' },
  ]);
});

test('inspect an error: thrown by the SDK, before anything is sent', async () => {
  const lines = await inspectError(corridor, 'order-4711', { ...payable(), memo: 'x'.repeat(65) });

  expect(lines.slice(1)).toEqual([
    'code invalid-request, outcome not-sent, attempts 0',
    'memo must be a string of at most 64 characters, or null',
  ]);
  expect(served.platform.requests).toHaveLength(0);
});

test('inspect an error: thrown by the platform', async () => {
  const lines = await inspectError(corridor, 'order-4711', { ...payable(), documentIds: ['doc_unknown'] });

  expect(lines[0]).toMatch(/^UnprocessableEntityError: payments\.create failed with status 422/);
  expect(lines.at(-1)).toMatch(
    new RegExp(`^status 422, platform code \\w+, request ${served.platform.requests.at(-1)?.requestId}$`),
  );
  expect(served.platform.payments.all()).toHaveLength(0);
});

test('keep a key in a KMS: its signatures are accepted, with the key id', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const requested: string[] = [];
  const kms = await serveMockPlatform({ publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString() });
  onTestFinished(() => kms.close());
  const { baseUrl, apiKey } = kms.clientOptions();

  const client = corridorWithKms(
    {
      async sign(name, bytes) {
        requested.push(name);
        return sign('sha256', bytes, privateKey);
      },
    },
    'signing-key',
    { baseUrl, apiKey },
  );

  expect(await client.crypto.networks()).not.toHaveLength(0);
  expect(requested).toEqual(['signing-key']);
});

test('use an unknown endpoint: the response has the type of the schema', async () => {
  const names: string[] = await readNetworkNames(corridor);

  expect(names).toEqual((await corridor.crypto.networks()).map(({ displayName }) => displayName));
});
