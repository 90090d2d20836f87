import { Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { expect, test } from 'vitest';

interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly token: object;
}

/** A client whose requests are recorded, with values that differ from run to run replaced by their kind. */
function recordingClient(sent: SentRequest[]): Corridor {
  const { privateKey } = createMockPlatform({ seed: 1 }).clientOptions();
  return new Corridor({
    baseUrl: 'https://platform.example/base',
    apiKey: 'api-key-1',
    privateKey,
    keyId: 'key-1',
    issuer: 'acme',
    subject: 'backend',
    audience: 'platform',
    userAgent: 'acme/1.0',
    tokenLifetime: 45,
    maxRetries: 0,
    now: () => Date.UTC(2026, 0, 2, 3, 4, 5),
    claims: () => ({ tenant: 'eu' }),
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const { authorization = '', ...headers } = Object.fromEntries(request.headers);
      const token = authorization.replace(/^Bearer /, '');
      sent.push({
        method: request.method,
        url: request.url,
        headers: { ...headers, 'user-agent': headers['user-agent']?.replace(/\/\d[^ ]*/, '/0.0.0') ?? '' },
        body: await request.text(),
        token: { ...decodeProtectedHeader(token), ...decodeJwt(token), jti: typeof decodeJwt(token).jti },
      });
      return Response.json({ message: 'recorded' }, { status: 400 });
    },
  });
}

test('every request has the bytes that it always had', async () => {
  const sent: SentRequest[] = [];
  const client = recordingClient(sent);
  const { payments, customers, screening, crypto, support, documents } = client;
  const full = {
    customerId: 'cus_1',
    beneficiaryId: 'ben_1',
    amount: '1250.00',
    currencyCode: 'USD',
    internalReference: 'order-4711 é',
    invoiceNumber: 'INV-1',
    purposeOfPayment: 'Goods "A"',
    memo: null,
    documentIds: ['doc_1', 'doc_2'],
    paymentQuoteId: 'quo_1',
  } as const;
  const minimal = {
    customerId: 'cus_1',
    beneficiaryId: 'ben_1',
    amount: '0.5',
    currencyCode: 'BTC',
    purposeOfPayment: 'x',
    documentIds: ['doc_1'],
    paymentQuoteId: 'quo_2',
  } as const;
  const calls: (() => PromiseLike<unknown>)[] = [
    () => payments.create(full),
    () => payments.create(minimal, { headers: { 'x-trace': 'abc' } }),
    () => payments.createOnce({ ...full, paymentQuoteId: 'quo_3' }),
    () => payments.list(),
    () =>
      payments.list({
        status: 'COMPLETED',
        createdFrom: new Date(Date.UTC(2026, 0, 1)),
        createdTo: '2026-01-02T00:00Z',
        limit: 50,
        cursor: 'a+b/c=',
      }),
    () => customers.list({ status: 'APPROVED', limit: 1, cursor: 'c' }),
    () => customers.get('cus 1/ü'),
    () => customers.activity('cus_1'),
    () => customers.beneficiaries('cus_1', { status: 'APPROVED', limit: 100, cursor: 'c' }),
    () => screening.get('cus_1', 'per_1'),
    () => screening.history('cus_1', 'per_1', { limit: 25, cursor: 'c' }),
    () => crypto.paymentMethods(),
    () => crypto.networks(),
    () => support.reply('tic_1', { draftId: 'd', actorEmail: 'a@b.example', bodyHtml: '<p>x</p>', bodyText: 'x' }),
    () => support.attachmentUrl('tic_1', 'att_1'),
    () => documents.downloadUrl('doc_1'),
    () => documents.delete('doc_1'),
    () => client.request({ method: 'POST', path: '/api/v1/other', query: { a: 'b c', d: 1 }, body: { z: [1, null] } }),
    () => client.request({ method: 'GET', path: '/api/v1/other' }),
  ];
  for (const call of calls) await Promise.resolve(call()).catch(() => {});

  expect(sent).toHaveLength(calls.length);
  await expect(`${JSON.stringify(sent, null, 2)}\n`).toMatchFileSnapshot('./wire-format.json');
});
