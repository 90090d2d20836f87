import { Corridor } from 'corridor-sdk';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { start } from '../fixture.ts';

let served: MockPlatformServer;
beforeAll(async () => {
  served = await serveMockPlatform({ control: true, now: () => Date.parse(start) });
});
beforeEach(() => served.platform.reset());
afterAll(() => served.close());

async function control<T = unknown>(call: string, args: readonly unknown[] = []): Promise<T> {
  const response = await fetch(`${served.url}/__mock/${call}`, { method: 'POST', body: JSON.stringify(args) });
  return (await response.json()) as T;
}

const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
const content = { base64: Buffer.from(bytes).toString('base64') };

describe('bytes in JSON are base64', () => {
  test('of documents, in both directions', async () => {
    const added = await control<{ id: string }>('documents.add', [{ content, contentType: 'image/png' }]);
    expect(added).toMatchObject({ content, contentType: 'image/png' });
    expect(served.platform.documents.get(added.id)?.content).toEqual(bytes);
    const response = await new Corridor(served.clientOptions()).documents.download(added.id);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);

    const changed = await control('documents.update', [added.id, { content: { base64: 'UERG' } }]);
    expect(changed).toMatchObject({ content: { base64: 'UERG' } });
    expect(await control('documents.all')).toEqual([changed]);
  });

  test('of attachments, and strings are still text', async () => {
    const ticket = await control('tickets.add', [{ attachments: [{ content }, { content: 'Thanks' }] }]);
    const text = { base64: Buffer.from('Thanks').toString('base64') };
    expect(ticket).toMatchObject({ attachments: [{ content }, { content: text }] });
  });

  test.each([{ base64: 'A' }, { base64: '****' }, { base64: 5 }, { base64: 'UERG', encoding: 'x' }, { '0': 37 }, []])(
    'and nothing else: %j',
    async (invalid) => {
      expect(await control('documents.add', [{ content: invalid }])).toMatchObject({
        message: expect.stringContaining('documents.add: content must be a string, a Uint8Array, or bytes such as'),
      });
    },
  );
});

describe('the size of a request', () => {
  test.each(['restore', 'configure'])('of %s is at most 32 MiB', async (call) => {
    const body = `[${' '.repeat(32 * 1024 * 1024)}{}]`;
    const response = await fetch(`${served.url}/__mock/${call}`, { method: 'POST', body });
    expect([response.status, await response.json()]).toEqual([
      413,
      {
        code: 'body_too_large',
        message: 'the body is larger than 32 MiB. Send less at once, and a snapshot as lines.',
      },
    ]);
  });

  test('of addMany is not in the response if it is large, which has the ids', async () => {
    const added = await control<readonly string[]>('documents.addMany', [1001]);
    expect(added).toHaveLength(1001);
    expect(added).toEqual(served.platform.documents.all().map(({ id }) => id));
  });
});

describe('a list of records', () => {
  test('is read page by page', async () => {
    const ids = served.platform.customers.addMany(5).map(({ id }) => id);
    const pageOf = async (query: object): Promise<string[]> =>
      (await control<{ id: string }[]>('customers.all', [query])).map(({ id }) => id);
    expect(await pageOf({ limit: 2 })).toEqual(ids.slice(0, 2));
    expect(await pageOf({ limit: 2, after: ids[1] })).toEqual(ids.slice(2, 4));
    expect(await pageOf({ after: ids[4] })).toEqual([]);
    expect(await pageOf({ order: 'newest-first', limit: 3 })).toEqual(ids.toReversed().slice(0, 3));
    expect(await pageOf({ order: 'newest-first', after: ids[1] })).toEqual([ids[0]]);
  });

  test.each(['payments', 'beneficiaries', 'quotes', 'documents', 'persons'] as const)(
    'is filtered by customer: %s',
    (kind) => {
      const { platform } = served;
      platform[kind].add();
      const { id: customerId } = platform.customers.add();
      const added = platform[kind].add({ customerId });
      expect(platform[kind].all({ customerId })).toEqual([added]);
    },
  );

  test.each(['payments', 'customers', 'beneficiaries'] as const)('is filtered by status: %s', (kind) => {
    const { platform } = served;
    platform[kind].add();
    const rejected = platform[kind].add({ status: 'REJECTED' });
    expect(platform[kind].all({ status: 'REJECTED', limit: 1 })).toEqual([rejected]);
    expect(platform[kind].all({ status: undefined })).toContainEqual(rejected);
  });

  test.each([
    ['customers', { limit: 0 }, 'customers.all: limit must be an integer of at least 1 (received 0)'],
    ['customers', { after: 'cus_0' }, 'customers.all: after "cus_0" does not exist. Omit it to start again.'],
    [
      'customers',
      { customerId: 'cus_0' },
      'customers.all: customerId is not a known field (known: limit, after, order',
    ],
    [
      'quotes',
      { status: 'ACTIVE' },
      'quotes.all: status is not a known field (known: limit, after, order, customerId)',
    ],
    ['persons', { status: 'OPEN' }, 'persons.all: status is not a known field'],
    ['documents', { status: 'OPEN' }, 'documents.all: status is not a known field'],
    ['tickets', { customerId: 'cus_0' }, 'tickets.all: customerId is not a known field'],
    ['payments', { status: 'PAID' }, 'payments.all: status must be one of PENDING_REVIEW, '],
    ['customers', { status: 'PAID' }, 'customers.all: status must be one of DRAFT, '],
    ['beneficiaries', { status: 'DRAFT' }, 'beneficiaries.all: status must be one of PENDING_REVIEW, '],
    ['payments', { state: 'PAID' }, 'payments.all: state is not a known field (known: limit, after, order, status'],
  ])('rejects an invalid query, with records and without: %s %j', async (kind, query, message) => {
    const rejection = { message: expect.stringContaining(message) as unknown };
    expect(await control(`${kind}.all`, [query])).toMatchObject(rejection);
    await control(`${kind}.add`);
    expect(await control(`${kind}.all`, [query])).toMatchObject(rejection);
  });
});

test('the requests are read page by page, by endpoint and by status', async () => {
  const { crypto, customers } = new Corridor({ ...served.clientOptions(), maxRetries: 0 });
  await crypto.networks();
  await customers.get('cus_0').catch(() => undefined);
  await crypto.networks();
  const all = await control<{ requestId: string; status: number }[]>('requests');
  expect(all.map(({ status }) => status)).toEqual([200, 404, 200]);
  expect(await control('requests', [null, { limit: 1, after: all[0]?.requestId }])).toEqual([all[1]]);
  expect(await control('requests', [null, { order: 'newest-first', limit: 2 }])).toEqual([all[2], all[1]]);
  expect(await control('requests', [null, { status: 404 }])).toEqual([all[1]]);
  expect(await control('requests', ['crypto.networks', { order: 'newest-first' }])).toEqual([all[2], all[0]]);
  expect(await control('requests', [null, { after: 'req_0' }])).toMatchObject({
    message: expect.stringContaining('requests: after "req_0" does not exist'),
  });
  expect(await control('requests', [null, { code: 404 }])).toMatchObject({
    message: expect.stringContaining('query.code is not a known field'),
  });
});
