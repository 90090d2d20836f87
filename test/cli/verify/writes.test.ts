import { expect, test } from 'vitest';
import { evidenceOf, serveVerifiable, verifyPlatform } from './platform.ts';

interface Listed {
  readonly id: string;
}

/** Changes the pages of payments: a function returns the payment to show, or undefined to hide it. */
function changeLists(change: (payment: Listed, isNew: boolean) => object | undefined): typeof globalThis.fetch {
  const created = new Set<string>();
  return async (input, init) => {
    const request = new Request(input, init);
    const response = await fetch(request);
    if (!response.ok || new URL(request.url).pathname !== '/api/v1/payment') return response;
    const body = (await response.json()) as Listed & { readonly items?: readonly Listed[] };
    const { status, headers } = response;
    const init2 = { status, headers: new Headers(headers) };
    init2.headers.delete('content-length');
    if (body.items === undefined) {
      created.add(body.id);
      return Response.json(body, init2);
    }
    const items = body.items.flatMap((item) => change(item, created.has(item.id)) ?? []);
    return Response.json({ ...body, items }, init2);
  };
}

test.each([
  ['hides it', () => undefined, 'contradicted: the list did not have the payment of this run after 60 s: status 201'],
  [
    'shows it with the quote null',
    (payment: Listed) => ({ ...payment, paymentQuoteId: null }),
    'contradicted: the list has the payment of this run without its quote: status 201',
  ],
  [
    'shows it without a quote',
    (payment: Listed) => ({ ...payment, paymentQuoteId: undefined }),
    'contradicted: the list has the payment of this run without its quote: status 201',
  ],
])('A-16 is contradicted by the payment of the run if the list %s', async (_, change, evidence) => {
  const verifiable = await serveVerifiable({});
  const fetch = changeLists((payment, isNew) => (isNew ? change(payment) : payment));
  const verified = await verifyPlatform(verifiable, undefined, fetch);
  await verifiable.served.close();

  expect(verified.problem).toBeUndefined();
  expect(evidenceOf(verified, 'A-16')).toEqual([expect.stringContaining(evidence)]);
});

test('A-16 says whether it is confirmed by a payment of the run or by the listed ones', async () => {
  const verifiable = await serveVerifiable({});
  const withPayment = await verifyPlatform(verifiable);
  const withoutPayment = await verifyPlatform({ ...verifiable, writes: undefined });
  await verifiable.served.close();

  expect(evidenceOf(withPayment, 'A-16')).toEqual([
    expect.stringMatching(/^confirmed: the list has the payment of this run with its quote; \d+ of \d+ listed/),
  ]);
  expect(evidenceOf(withoutPayment, 'A-16')).toEqual([
    expect.stringMatching(/; not tested with a new payment: needs --allow-writes, --payment, --quote and --document$/),
  ]);
});

test('a payment without an id is not repeated, and nothing is concluded from it', async () => {
  const verifiable = await serveVerifiable({ quotes: 'reusable' });
  const verified = await verifyPlatform(verifiable, undefined, async (input, init) => {
    const request = new Request(input, init);
    const response = await fetch(request);
    if (request.method !== 'POST' || response.status !== 201) return response;
    const { id: _, ...payment } = (await response.json()) as Listed;
    return Response.json(payment, { status: 201 });
  });
  await verifiable.served.close();

  expect(verifiable.platform.requests.to('payments.create').filter(({ status }) => status === 201)).toHaveLength(1);
  expect(verified.session.payments).toMatchObject([{ id: undefined }]);
  for (const question of ['idempotent', 'more than once', 'lag'])
    expect(evidenceOf(verified, 'A-11', question)).toEqual(['not seen: the accepted payment has no id: status 201']);
  expect(evidenceOf(verified, 'A-16')).toEqual([
    expect.stringMatching(/; not tested with a new payment: the accepted payment has no id: status 201$/),
  ]);
});

test('the lag of a list does not include the rejected lower payment', async () => {
  const verifiable = await serveVerifiable({ listLag: { seconds: 3 } });
  const { clock } = verifiable.platform;

  const { file } = await verifyPlatform(verifiable, undefined, async (input, init) => {
    const request = new Request(input, init);
    const isLower = request.method === 'POST' && (await request.clone().text()).includes('"12.49"');
    const response = await fetch(request);
    if (isLower) clock.advance({ seconds: 20 });
    return response;
  });
  await verifiable.served.close();

  expect(file.behavior.listLag).toEqual({ seconds: 3 });
});

test('the response to a repeated create says nothing about that to a new one', async () => {
  const verifiable = await serveVerifiable({ idempotency: 'by-reference' });
  const seen = new Set<string>();
  const verified = await verifyPlatform(verifiable, undefined, async (input, init) => {
    const request = new Request(input, init);
    const response = await fetch(request);
    if (request.method !== 'POST' || response.status !== 201) return response;
    const payment = (await response.json()) as Listed;
    const isRepeated = seen.has(payment.id);
    seen.add(payment.id);
    return Response.json(isRepeated ? { ...payment, status: 'COMPLETED' } : payment, {
      status: isRepeated ? 200 : 201,
    });
  });
  await verifiable.served.close();

  expect(evidenceOf(verified, 'A-11', 'idempotent')).toEqual([
    expect.stringMatching(/^contradicted: idempotent by-reference: repeated payments: status 200/),
  ]);
  expect(evidenceOf(verified, 'A-3')).toEqual([expect.stringMatching(/^confirmed/)]);
  expect(evidenceOf(verified, 'A-10', 'the status after creation')).toEqual([expect.stringMatching(/^confirmed/)]);
});
