import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ApiError, Corridor, endpointNames } from 'corridor-sdk';
import type { MockPlatformServer } from 'corridor-sdk/mock/node';
import { startProxy, type Proxy } from './prism.ts';
import { signed } from './partner/signing.ts';
import type { Fixture } from './partner/fixture.ts';
import { serveFixture } from './fixture.ts';
import { callExample } from '../../../scripts/specification/specification.ts';

let served: MockPlatformServer;
let fixture: Fixture;
let order: Awaited<ReturnType<typeof serveFixture>>['order'];
let proxy: Proxy;
let corridor: Corridor;

before(async () => {
  ({ served, fixture, order } = await serveFixture());
  proxy = await startProxy(served.url);
  corridor = new Corridor({
    ...served.clientOptions(),
    baseUrl: proxy.url,
    fetch: proxy.fetch,
    validation: 'strict',
    maxRetries: 0,
  });
});

after(async () => {
  await proxy.close();
  await served.close();
});

test('all calls pass Prism without a violation', async () => {
  const { ticketId, attachmentId } = fixture;
  const inCrypto = await corridor.payments.create(order('CRYPTO'));
  const fromBank = await corridor.payments.create(order('BANK_ACCOUNT'));
  assert.deepEqual(
    [inCrypto, fromBank].map(({ paymentQuote }) => paymentQuote.fundingType),
    ['CRYPTO', 'BANK_ACCOUNT'],
  );
  const payments = await corridor.payments.list({ limit: 100 }).toArray();
  assert.deepEqual(
    new Set(payments.map(({ sourceFunding }) => sourceFunding?.type)),
    new Set(['CRYPTO', 'BANK_ACCOUNT']),
  );
  assert.equal(new Set(payments.map(({ status }) => status)).size, 8);
  await corridor.payments.list({
    status: 'COMPLETED',
    createdFrom: '2020-01-01T00:00Z',
    createdTo: new Date(),
    limit: 1,
  });
  for (const { id } of await corridor.customers.list({ limit: 10 }).toArray()) {
    await corridor.customers.get(id);
    await corridor.customers.activity(id);
    await corridor.customers.beneficiaries(id).toArray();
  }
  for (const person of served.platform.persons.all()) await corridor.screening.get(person.customerId, person.id);
  await corridor.support.reply(ticketId, {});
  assert.ok((await corridor.support.attachmentUrl(ticketId, attachmentId)).url.startsWith(served.url));
  for (const name of endpointNames) await callExample(corridor, name);

  const { requests } = served.platform;
  assert.deepEqual(
    endpointNames.filter((name) => !requests.to(name).some(({ status = 0 }) => status < 300)),
    [],
  );
  assert.deepEqual(
    requests.filter(({ status = 0 }) => status >= 300),
    [],
  );
  assert.ok(requests.length > 80);
  assert.deepEqual(proxy.violations(), []);
});

test('every error response passes Prism without a violation', async () => {
  const { customerId, personId, ticketId } = fixture;
  const { faults } = served.platform;
  const used = order('CRYPTO');
  await corridor.payments.create(used);
  const stranger = new Corridor({
    ...served.clientOptions(),
    apiKey: 'unknown',
    baseUrl: proxy.url,
    fetch: proxy.fetch,
    maxRetries: 0,
  });
  const { id: expired } = served.platform.quotes.add({
    customerId,
    createdAt: '2020-01-01T00:00:00.000Z',
    expiresAt: '2020-01-01T00:15:00.000Z',
  });
  const rejected: [number, () => PromiseLike<unknown>][] = [
    [401, () => stranger.crypto.networks()],
    [401, () => stranger.payments.create(order('CRYPTO'))],
    [404, () => corridor.customers.get('unknown')],
    [404, () => corridor.customers.activity('unknown')],
    [404, () => corridor.customers.beneficiaries('unknown')],
    [404, () => corridor.screening.get(customerId, 'unknown')],
    [404, () => corridor.screening.history('unknown', personId)],
    [404, () => corridor.support.reply('unknown', {})],
    [404, () => corridor.support.attachmentUrl(ticketId, 'unknown')],
    [404, () => corridor.documents.downloadUrl('unknown')],
    [404, () => corridor.documents.delete('unknown')],
    [400, () => corridor.payments.list({ cursor: 'unknown' })],
    [409, () => corridor.payments.create(used)],
    [422, () => corridor.payments.create({ ...order('CRYPTO'), documentIds: ['unknown'] })],
    [422, () => corridor.payments.create({ ...order('CRYPTO'), paymentQuoteId: expired })],
    [413, () => corridor.payments.create({ ...order('CRYPTO'), internalReference: 'x'.repeat(1_100_000) })],
    [
      429,
      () => {
        faults.next('crypto.networks', { kind: 'rate-limit', retryAfterSeconds: 3 });
        return corridor.crypto.networks();
      },
    ],
    [
      503,
      () => {
        faults.next('payments.create', { kind: 'status', status: 503 });
        return corridor.payments.create(order('CRYPTO'));
      },
    ],
  ];
  for (const [status, call] of rejected) {
    const error = await call().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof ApiError, String(error));
    assert.equal(error.status, status);
    assert.notEqual(error.platformCode, undefined);
  }
  assert.deepEqual(proxy.violations(), []);
});

test('Prism reports a response that does not conform', async () => {
  const tolerant = new Corridor({
    ...served.clientOptions(),
    baseUrl: proxy.url,
    fetch: proxy.fetch,
    validation: 'observe',
    maxRetries: 0,
  });
  const broken: [Parameters<typeof served.platform.faults.next>[0], object, () => PromiseLike<unknown>][] = [
    ['customers.get', { status: 5 }, () => tolerant.customers.get(fixture.customerId)],
    ['payments.list', { items: { 0: { amount: 5 } } }, () => tolerant.payments.list()],
    ['payments.create', { paymentQuote: { expiresAt: 5 } }, () => tolerant.payments.create(order('BANK_ACCOUNT'))],
    [
      'screening.get',
      { subject: { paymentHold: 5 } },
      () => tolerant.screening.get(fixture.customerId, fixture.personId),
    ],
  ];
  for (const [endpoint, patch, call] of broken) {
    served.platform.faults.next(endpoint, { kind: 'response', patch });
    await assert.rejects(async () => call(), { status: 500 });
    assert.notDeepEqual(
      proxy.violations().filter((violation) => violation.startsWith('response.')),
      [],
      endpoint,
    );
  }
});

test('Prism reports a request that is not exact, and one without its two credentials', async () => {
  const signer = await served.credentials();
  const post = async (body: object, change: (headers: Headers) => void = () => {}): Promise<string> => {
    const request = await signed(
      new Request(`${proxy.url}/api/v1/payment`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
      signer,
    );
    const headers = new Headers(request.headers);
    change(headers);
    const response = await fetch(new Request(request, { headers }));
    return `${response.status} ${response.status === 201 ? '' : ((await response.json()) as { readonly title: string }).title}`;
  };
  const payment = order('CRYPTO');
  assert.equal(await post({ ...payment, colour: 'blue' }), '422 Invalid request');
  assert.equal(await post({ ...payment, currencyCode: 'EUR' }), '422 Invalid request');
  assert.equal(await post({ ...payment, memo: 'x'.repeat(65) }), '422 Invalid request');
  assert.equal(await post(payment, (headers) => headers.delete('x-api-key')), '401 Invalid security scheme used');
  assert.equal(await post(payment, (headers) => headers.delete('authorization')), '401 Invalid security scheme used');
  assert.equal(await post(payment), '201 ');
});
