import type { ServeOptions } from 'corridor-sdk/mock/node';
import { expect, test } from 'vitest';
import type { UpstreamSummary } from '../../../src/mock/platform/platform.ts';
import { inFrontOf, inFrontOfMock, serveResponses, verdicts, type InFrontOfMock } from './fixture.ts';

const byNumber = (one = '', other = ''): number => Number(one.slice(2)) - Number(other.slice(2));

/** What a program does in a first hour: lists, an unknown id, a payment, and the list that shows it. */
async function work({ corridor, real }: InFrontOfMock): Promise<void> {
  const { authorization } = real.payments.add({ status: 'PENDING_REVIEW' });
  await corridor.customers.list();
  await corridor.payments.list({ limit: 5, status: 'COMPLETED' });
  await corridor.customers.get('cus_unknown').catch(() => undefined);
  await corridor.documents.downloadUrl(real.documents.add().id).catch(() => authorization);
  await corridor.payments.create(real.payments.createParams());
  await corridor.payments.list({ limit: 20 });
}

async function verdictsAbout(options: ServeOptions): Promise<Readonly<Record<string, string>>> {
  const front = await inFrontOfMock(options);
  front.real.populate({ customers: 40, payments: 30 });
  await work(front);
  return verdicts(front);
}

test('the traffic with a platform that behaves as assumed confirms assumptions and contradicts none', async () => {
  const seen = await verdictsAbout({});
  expect(Object.values(seen)).not.toContain('contradicted');
  expect(
    Object.keys(seen)
      .map((key) => key.split(':')[0])
      .toSorted(byNumber),
  ).toEqual('A-2 A-3 A-4 A-6 A-7 A-8 A-10 A-11 A-11 A-13 A-14 A-16 A-22 A-25 A-36'.split(' '));
});

test.each<[ServeOptions, string]>([
  [{ listOrder: 'oldest-first' }, 'A-11: the order of lists'],
  [{ listLag: { seconds: 30 } }, 'A-11: how long lists lag'],
  [{ errorBody: 'nested' }, 'A-6: the shape and codes of errors'],
  [{ errorBody: 'problem+json' }, 'A-6: the shape and codes of errors'],
  [{ createdStatus: 'APPROVED' }, 'A-10: the status after creation'],
  [{ successStatuses: { 'payments.create': 200 } }, 'A-3: success statuses'],
  [{ errorStatuses: { not_found: 410 } }, 'A-36: the statuses of errors'],
  [{ dialect: { requestIdHeaders: ['x-trace-id'] } }, 'A-13: whether responses carry a request '],
])('the traffic with a platform of %j contradicts "%s", and nothing else', async (options, question) => {
  const seen = await verdictsAbout(options);
  expect(Object.keys(seen).filter((key) => seen[key] === 'contradicted')).toEqual([question]);
});

test('a contradiction has its exchange, and a later sample does not hide it', async () => {
  const { corridor, real, control } = await inFrontOfMock({ errorBody: 'nested' });
  await corridor.customers.get('cus_unknown').catch(() => undefined);
  real.configure({ errorBody: 'plain' });
  await corridor.customers.get('cus_unknown').catch(() => undefined);

  const { rows } = await control<UpstreamSummary>('upstream');

  const [first] = rows;
  expect(first).toMatchObject({ key: 'A-6: the shape and codes of errors', verdict: 'contradicted' });
  const { request } = await control<{ request: { path: string } }>('requests.get', first?.requestId);
  expect(request.path).toBe('/api/v1/customers/cus_unknown');
});

test('a lag is measured from the response of the create to the list that has the payment', async () => {
  const { corridor, real, control } = await inFrontOfMock({ listLag: { seconds: 3600 } });
  await corridor.payments.create(real.payments.createParams());
  await corridor.payments.list();
  real.configure({ listLag: undefined });
  await corridor.payments.list();

  const { rows } = await control<UpstreamSummary>('upstream');

  expect(rows[0]).toMatchObject({ key: 'A-11: how long lists lag', evidence: 'the list had the payment after 1 s' });
});

test('headers of a rate limit, and amounts and times in other formats, contradict assumptions', async () => {
  const payment = { id: 'p1', amount: 12.5, createdAt: 1_700_000_000, updatedAt: 1_700_000_000 };
  const url = await serveResponses((_, response) => {
    response.setHeader('content-type', 'application/json').setHeader('x-ratelimit-limit', '100').removeHeader('date');
    response.end(JSON.stringify({ items: [payment], nextCursor: null }));
  });
  const front = await inFrontOf(url);

  await fetch(`${front.proxy.url}/api/v1/payment`);

  expect(await verdicts(front)).toMatchObject({
    'A-7: the format of timestamps': 'contradicted',
    'A-12: rate limits': 'contradicted',
    'A-13: whether responses carry a request ': 'contradicted',
    'A-16: whether the list shows every payme': 'contradicted',
    'A-18: the format of an amount': 'contradicted',
  });
});

test('what a planned fault responds with is no evidence about the platform', async () => {
  const front = await inFrontOfMock();
  front.proxy.platform.faults.next('customers.list', { kind: 'rate-limit' });
  await front.corridor.customers.list().catch(() => undefined);
  expect(await verdicts(front)).toEqual({});
});

test('a mock has no real platform behind it', async () => {
  const { real, control } = await inFrontOfMock();
  expect(real.upstream).toBeUndefined();
  expect(await control<UpstreamSummary>('upstream')).toMatchObject({ url: expect.stringContaining('http') as string });
});
