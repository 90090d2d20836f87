import { brotliCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { FoundRequests } from '../../../src/mock/control/search.ts';
import { send } from '../sign.ts';
import { inFrontOf, inFrontOfMock, recordingOf, serveResponses } from './fixture.ts';

const apiKey = 'partner_key_0123456789abcdef';

test('an exchange has its endpoint, claims, duration, status and bodies', async () => {
  const { corridor, real, lastExchange } = await inFrontOfMock();
  const order = real.payments.createParams();

  await corridor.payments.create(order);

  const { request, response, duration } = await lastExchange();
  expect(request).toMatchObject({
    endpoint: 'payments.create',
    body: order,
    claims: { uri: '/api/v1/payment', jti: expect.any(String) as string },
    status: 201,
    issues: [],
    responseIssues: [],
  });
  expect(request.keyId).toBeUndefined();
  expect(JSON.parse(response?.body ?? '')).toMatchObject({ paymentQuoteId: order.paymentQuoteId });
  expect(duration).toBeGreaterThan(0);
});

test('the contract says which fields of a request and of a response differ', async () => {
  const customer = { id: 'cus_1', status: 'FROZEN', fax: '1', companyName: null };
  const url = await serveResponses((_, response) => {
    response.setHeader('content-type', 'application/json').setHeader('content-encoding', 'br');
    response.end(brotliCompressSync(JSON.stringify({ items: [customer], nextCursor: null })));
  });
  const { proxy, lastExchange } = await inFrontOf(url);

  await fetch(`${proxy.url}/api/v1/customers?limit=many&page=2`);

  const { request } = await lastExchange();
  expect(request.issues.map(({ path }) => path)).toEqual(['page', 'limit']);
  expect(request.responseIssues).toEqual(
    expect.arrayContaining([
      { path: 'items[0].status', message: 'is a value not in the contract' },
      { path: 'items[0].fax', message: 'is not in the contract' },
    ]),
  );
});

test('the requests of one createOnce are found together', async () => {
  const { corridor, real, proxy, control } = await inFrontOfMock();
  proxy.platform.faults.next('payments.create', { kind: 'reset-after-commit' });
  const order = real.payments.createParams();
  await corridor.payments.createOnce(order, { idempotencyKey: 'order-4711' });
  await corridor.customers.list();

  const { records } = await control<FoundRequests>('requests.search', { quoteId: order.paymentQuoteId });

  expect(records.map(({ endpoint, status }) => [endpoint, status])).toEqual([
    ['payments.list', '200'],
    ['payments.create', 'reset'],
  ]);
});

test('a 401 has the reason of the platform, and the claims of its token', async () => {
  const { real, proxy, lastExchange } = await inFrontOfMock();
  const signer = { ...real.clientOptions(), fetch, baseUrl: proxy.url };

  await send(signer, { path: '/api/v1/customers', claims: { uri: '/other', sub: signer.apiKey } });

  const { request } = await lastExchange();
  expect(request.error).toMatchObject({ status: 401, code: 'uri_mismatch' });
  expect(request.claims).toMatchObject({ uri: '/other', sub: '[secret]' });
});

test('no key, token or signature of a URL is in the log, the lines of a recording, the faults or an error', async () => {
  const token = `eyJhbGciOiJSUzI1NiJ9.eyJpYXQiOjF9.${'Ab1'.repeat(120)}`;
  const url = await serveResponses((request, response) => {
    const { authorization = '', 'x-api-key': key = '' } = request.headers;
    const url = `https://files.example/x?X-Amz-Signature=${'0a'.repeat(32)}`;
    response.writeHead(request.url?.includes('fail') === true ? 400 : 200, {
      'content-type': 'application/json',
      'set-cookie': 'session=secret-cookie',
      'x-echo': `${String(key)} ${authorization}`,
      location: url,
    });
    const echoed = { code: key, message: `${authorization} of ${btoa(`user:${String(key)}`)}`, url, [String(key)]: 1 };
    response.end(JSON.stringify({ ...echoed, echo: request.url }));
  });
  const { proxy, control } = await inFrontOf(url);
  const lines = recordingOf(proxy, true);
  const headers = { 'x-api-key': apiKey, authorization: `Bearer ${token}`, cookie: 'session=secret-cookie' };
  const query = `?signature=${'0a'.repeat(32)}&key=${apiKey}`;
  const body = JSON.stringify({ memo: `${apiKey} ${token}` });

  const responses = [
    await fetch(`${proxy.url}/api/v1/documents/doc_1${query}`, { headers }),
    await fetch(`${proxy.url}/api/v1/customers/${apiKey}/fail`, { headers }),
    await fetch(`${proxy.url}/api/v1/payment`, { method: 'POST', headers, body }),
    await fetch(`${proxy.url}/without-key/${apiKey}`),
    await fetch(`${proxy.url}/api/v1/customers/${apiKey}`),
  ];

  // The client gets what the platform sent.
  expect(await responses[0]?.text()).toContain(apiKey);
  const requests = await control<readonly { readonly requestId: string }[]>('requests');
  const all = await Promise.all(requests.map(({ requestId }) => control('requests.get', requestId)));
  const shown = JSON.stringify([lines, requests, all, await control('upstream'), await control('requests.search')]);
  expect(lines).toHaveLength(5);
  for (const secret of [apiKey, token, 'Ab1Ab1Ab1', '0a0a0a0a', 'secret-cookie', btoa(apiKey).slice(0, 20)])
    expect(shown).not.toContain(secret);
});

test('a key of fewer characters than a secret usually has is masked, too', async () => {
  const url = await serveResponses(
    (request, response) => void response.end(`{"k":"${String(request.headers['x-api-key'])}"}`),
  );
  const { proxy, lastExchange } = await inFrontOf(url);
  await fetch(`${proxy.url}/api/v1/payment`, { headers: { 'x-api-key': 'k3y' } });
  expect(JSON.stringify(await lastExchange())).not.toContain('k3y');
});
