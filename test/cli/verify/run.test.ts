import { expect, test } from 'vitest';
import { runProbes, type Probe } from '../../../src/cli/verify/probe.ts';
import { Session, type MadePayment } from '../../../src/cli/verify/session.ts';
import { evidenceOf, serveVerifiable, verifyPlatform, type Verified } from './platform.ts';

test('a probe that crashes stops no other, and its message is not in the results', async () => {
  const { served, writes } = await serveVerifiable({});
  const session = new Session({
    writes,
    client: served.clientOptions(),
    signal: new AbortController().signal,
    sleep: async () => {},
  });
  const crashing: Probe = {
    questions: [{ key: 'A-1: the names of the filters' }],
    run: () => Promise.reject(new TypeError('Jane Doe is not a function')),
  };
  const working: Probe = {
    questions: [{ key: 'A-18: the format of an amount', assumed: 1 }],
    run: async () => ({ value: 1, evidence: 'yes' }),
  };

  const { results, problem } = await runProbes(session, [crashing, working]);
  await served.close();

  const shown = Object.fromEntries(results.map(({ key, verdict, evidence }) => [key, `${verdict}: ${evidence}`]));
  expect(shown).toMatchObject({
    'A-1: the names of the filters': 'not seen: the probe failed: TypeError; please report it',
    'A-18: the format of an amount': 'confirmed: yes',
  });
  expect(problem).toBe('A-1 failed: TypeError; please report it');
});

const paymentsOf = ({ session }: Verified): readonly MadePayment[] => session.payments;

/** Accepts the payments that a platform rejects, and lists the bodies of those that it accepted. */
function acceptPayments(accepts: (body: { readonly amount?: string; readonly customerId?: string }) => boolean) {
  const accepted: unknown[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    if (request.method !== 'POST') return globalThis.fetch(request);
    const text = await request.clone().text();
    const body = text.startsWith('{"') ? (JSON.parse(text) as Parameters<typeof accepts>[0]) : {};
    if (!accepts(body)) return globalThis.fetch(request);
    accepted.push(body);
    return Response.json({ id: `pay_${accepted.length}` }, { status: 201, headers: { 'x-request-id': 'req_1' } });
  };
  return { accepted, fetch };
}

const isAmount = ({ amount = '' }): boolean => /^\d/.test(amount);
test.each([
  ['any payment', isAmount],
  [
    'a payment of a real customer',
    (body: { readonly amount?: string; readonly customerId?: string }) =>
      isAmount(body) && body.customerId !== 'corridor-verify-unknown',
  ],
  ['any body', () => true],
])(
  'a platform that accepts %s without a quote gets no other payment, and the payment is listed',
  async (_, accepts) => {
    const verifiable = await serveVerifiable({});
    const { accepted, fetch } = acceptPayments(accepts);

    const verified = await verifyPlatform(verifiable, undefined, fetch);
    await verifiable.served.close();

    const reason = 'the platform accepted an invalid payment, so this run sends no other: status 201, request req_1';
    expect(accepted).toHaveLength(1);
    expect(paymentsOf(verified)).toMatchObject([{ id: 'pay_1' }]);
    expect(evidenceOf(verified, 'A-15', 'which error responses')).toEqual([`contradicted: ${reason}`]);
    expect(evidenceOf(verified, 'A-10', 'the status after creation')).toEqual([`not seen: ${reason}`]);
  },
);

test('sends no payment after an invalid one whose response was lost, and lists it', async () => {
  const verifiable = await serveVerifiable({});
  const { platform } = verifiable.served;
  platform.faults.next('payments.create', { kind: 'reset' });

  const verified = await verifyPlatform(verifiable);
  await verifiable.served.close();

  const faults = platform.requests.to('payments.create').map(({ fault }) => fault);
  expect(faults).toEqual([undefined, 'reset']);
  expect(paymentsOf(verified)).toEqual([{ id: undefined, note: 'may exist: 1 USDC, quote corridor-verify-unknown' }]);
  expect(evidenceOf(verified, 'A-10', 'the status after creation')).toEqual([
    'not seen: this run sends no payment after one whose outcome is unknown',
  ]);
});

test.each([408, 409])('sends no payment after one that was answered with %i, and lists it', async (status) => {
  const verifiable = await serveVerifiable({});
  let posts = 0;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    if (request.method !== 'POST') return globalThis.fetch(request);
    posts += 1;
    return Response.json({ code: 'no', message: 'no' }, { status });
  };

  const verified = await verifyPlatform(verifiable, undefined, fetch);
  await verifiable.served.close();

  expect(posts).toBe(1);
  expect(paymentsOf(verified)).toMatchObject([{ id: undefined, note: expect.stringMatching(/^may exist/) as string }]);
});

const statusOf = (status: number, body: object): Response => Response.json(body, { status });

test.each([
  ['the lower amount', '12.49'],
  ['the whole amount', '12.50'],
])('sends no payment after a 409 to one of %s that the platform had committed, and lists it', async (_, amount) => {
  const verifiable = await serveVerifiable({});
  const posts: (string | undefined)[] = [];
  const verified = await verifyPlatform(verifiable, undefined, async (input, init) => {
    const request = new Request(input, init);
    const text = await request.clone().text();
    const response = await fetch(request);
    if (request.method !== 'POST') return response;
    const body = JSON.parse(text.startsWith('{"') ? text : '{}') as { readonly amount?: string };
    posts.push(body.amount);
    return body.amount === amount ? statusOf(409, { code: 'conflict', message: 'conflict' }) : response;
  });
  await verifiable.served.close();

  expect(posts.at(-1)).toBe(amount);
  const [quote] = verifiable.writes?.quotes ?? [];
  expect(paymentsOf(verified)).toEqual([
    {
      id: undefined,
      note: expect.stringMatching(`^may exist: ${amount} MXN, reference corridor-verify-.*, quote ${quote}$`) as string,
    },
  ]);
  expect(evidenceOf(verified, 'A-11', 'idempotent')).toEqual([
    'not seen: this run sends no payment after one whose outcome is unknown: status 409, conflict',
  ]);
});

test('takes a 409 to an invalid payment neither for a rejection nor for a setting of the client', async () => {
  const verifiable = await serveVerifiable({ errorStatuses: { customer_not_found: 409 } });
  const verified = await verifyPlatform(verifiable);
  await verifiable.served.close();

  expect(evidenceOf(verified, 'A-15')).toEqual([expect.stringMatching(/^not seen: this run sends no payment/)]);
  expect(verified.file.dialect).toEqual({});
});

test('takes a 409 to a repeated payment for the result of the repetition', async () => {
  const verifiable = await serveVerifiable({ errorStatuses: { quote_used: 409 } });
  const verified = await verifyPlatform(verifiable);
  await verifiable.served.close();

  expect(paymentsOf(verified)).toMatchObject([{ id: expect.stringMatching(/^pay_/) as string }]);
  expect(evidenceOf(verified, 'A-11', 'more than once')).toEqual([
    expect.stringMatching(/^confirmed: .*status 409, .*status 409, /),
  ]);
});

test('sends amounts without leading zeros', async () => {
  const verifiable = await serveVerifiable({}, { amount: '10.00' });
  await verifyPlatform(verifiable);
  await verifiable.served.close();
  const bodies = verifiable.served.platform.requests
    .to('payments.create')
    .map(({ body }) => JSON.stringify(body ?? null));
  expect(bodies.filter((body) => body.includes('"9.99"'))).not.toEqual([]);
  expect(bodies.filter((body) => body.includes('"09.99"'))).toEqual([]);
});

test('the lag of a list includes the time that the requests take', async () => {
  const verifiable = await serveVerifiable({ listLag: { seconds: 40 } });
  const { clock } = verifiable.platform;

  const verified = await verifyPlatform(verifiable, undefined, async (input, init) => {
    const request = new Request(input, init);
    const response = await fetch(request);
    if (request.method === 'GET' && request.url.includes('createdFrom')) clock.advance({ seconds: 4 });
    return response;
  });
  await verifiable.served.close();

  expect(verified.file.behavior?.listLag).toEqual({ seconds: 44 });
});

test('the cursor is tested on a platform that gets a payment meanwhile', async () => {
  const verifiable = await serveVerifiable({});
  const { platform } = verifiable;
  let lists = 0;
  const verified = await verifyPlatform({ ...verifiable, writes: undefined }, undefined, async (input, init) => {
    const request = new Request(input, init);
    if (new URL(request.url).pathname === '/api/v1/payment') lists += 1;
    if (lists === 2) platform.payments.add();
    return fetch(request);
  });
  await verifiable.served.close();

  expect(evidenceOf(verified, 'A-1')).toEqual([
    expect.stringMatching(/^confirmed: limit, cursor, status, (\w+, )*request/),
  ]);
});

test('a proxy that responds to unknown paths in its own way contradicts nothing', async () => {
  const verifiable = await serveVerifiable({});
  const verified = await verifyPlatform(verifiable, undefined, async (input, init) => {
    const request = new Request(input, init);
    return request.url.endsWith('corridor-verify')
      ? new Response('<h1>Not found</h1>', { status: 404, headers: { 'content-type': 'text/html' } })
      : fetch(request);
  });
  await verifiable.served.close();

  expect(verified.results.filter(({ verdict }) => verdict === 'contradicted')).toEqual([]);
  expect(evidenceOf(verified, 'A-13')).toEqual([expect.stringMatching(/^confirmed: request req_/)]);
});
