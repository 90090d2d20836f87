import { expect, test } from 'vitest';
import { Corridor, InvalidRequestError, unknownFields, type PaymentCreateIntent } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { failureOf } from '../../support/failure-of.ts';
import { scripted } from '../../support/scripted-fetch.ts';

const platform = createMockPlatform();
const order = platform.payments.createParams();
const added = { purposeCode: 'GDDS', priority: 2, tags: ['a'], details: { unit: 'kg' }, note: null, gone: undefined };
const { gone: _, ...expected } = added;
const empty = { items: [], nextCursor: null, hasMore: false };

test.each(['create', 'createOnce'] as const)('%s sends marked fields as they are', async (method) => {
  const { corridor, sent } = scripted(({ body }) => Response.json({ id: 'pay_1', ...(body as object) }));
  await corridor.payments[method]({ ...order, ...unknownFields(added) }).then(undefined, () => undefined);
  expect(sent.find(({ method: verb }) => verb === 'POST')?.body).toEqual({ ...order, ...expected });
});

test('the intent of createOnce has them as they are sent, for a later search', async () => {
  const { corridor } = scripted(() => empty);
  const intents: PaymentCreateIntent[] = [];
  const onIntent = (intent: PaymentCreateIntent): Promise<never> => {
    intents.push(intent);
    return Promise.reject(new Error('enough'));
  };
  await failureOf(corridor.payments.createOnce({ ...order, ...unknownFields(added) }, { onIntent }));
  expect(intents[0]?.request).toEqual({ ...order, ...expected });
});

test('a filter that this version does not know is in the query of every page', async () => {
  const { corridor, sent } = scripted(({ url }) =>
    url.searchParams.has('cursor') ? empty : { items: [], nextCursor: 'next', hasMore: true },
  );
  const filters = unknownFields({ currency: 'USD', archived: false });
  await corridor.payments.list({ status: 'COMPLETED', ...filters }).toArray({ max: 10 });
  expect(sent.map(({ url }) => url.search)).toEqual([
    '?status=COMPLETED&currency=USD&archived=false',
    expect.stringMatching(/^\?status=COMPLETED&currency=USD&archived=false&cursor=next$/),
  ]);
});

test('a mark is plain JSON, as in a file or on the command line', async () => {
  const { corridor, sent } = scripted(() => empty);
  const stored = JSON.parse(JSON.stringify({ ...unknownFields({ currency: 'USD' }) })) as object;
  expect(stored).toEqual({ currency: { unknownField: 'USD' } });
  await corridor.payments.list(stored);
  expect(sent[0]?.url.search).toBe('?currency=USD');
});

const issuesOf = async (params: object): Promise<readonly unknown[]> => {
  const { corridor, sent } = scripted(() => empty);
  const error = await failureOf(corridor.payments.list(params));
  expect(sent).toEqual([]);
  expect(error).toBeInstanceOf(InvalidRequestError);
  return (error as InvalidRequestError).issues;
};

test('a field without a mark is rejected, and the message says how to send it', async () => {
  expect(await issuesOf({ currency: 'USD' })).toEqual([
    {
      path: 'currency',
      message: expect.stringMatching(/^is not a known field \(known: status, .*; others with unknownFields\)$/),
    },
  ]);
});

test('the same name without a mark is still rejected afterwards', async () => {
  const { corridor } = scripted(() => empty);
  await corridor.payments.list({ ...unknownFields({ currency: 'USD' }) });
  const error = await failureOf(corridor.payments.list({ currency: 'USD' } as object));
  expect(error).toMatchObject({ issues: [{ path: 'currency' }] });
});

test.each<[string, object, string]>([
  ['a known field', unknownFields({ limit: 5 }), 'limit'],
  ['an object in a filter', unknownFields({ currency: { in: ['USD'] } }), 'currency'],
  ['null in a filter', unknownFields({ currency: null }), 'currency'],
  ['a known set', unknownFields({ status: 'STATUS_OF_TESTS' }), 'status'],
])('%s cannot be marked', async (__, params, path) => {
  expect(await issuesOf(params)).toMatchObject([{ path }]);
});

test('a workflow that reads lists by filters of its own takes none', async () => {
  const { corridor, sent } = scripted(() => empty);
  const range = { createdFrom: '2026-01-01T00:00Z', createdTo: '2026-01-31T00:00Z' };
  const pages = corridor.payments.export({ ...range, ...unknownFields({ currency: 'USD' }) }).pages();
  expect(await failureOf(pages.next())).toMatchObject({ issues: [{ path: 'currency' }] });
  expect(sent).toEqual([]);
});

test('a value that JSON would lose is rejected', async () => {
  const failure = failureOf(
    new Corridor(platform.clientOptions()).payments.create({ ...order, ...unknownFields({ since: new Map() }) }),
  );
  expect(await failure).toMatchObject({
    issues: [{ path: 'since.unknownField', message: 'must be JSON (received a Map)' }],
  });
});

test('the mock does not know such a field, as a platform that has not added it', async () => {
  const failure = new Corridor(platform.clientOptions()).payments.create({ ...order, ...unknownFields(added) });
  expect(await failureOf(failure)).toMatchObject({ status: 400, outcome: 'rejected' });
});
