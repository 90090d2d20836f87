import { Corridor, type Dialect, type EndpointName } from 'corridor-sdk';
import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import { describe, expect, test } from 'vitest';
import { resolveDialect } from '../../../src/contract/dialect.ts';
import { platformAtStart } from '../fixture.ts';
import { call } from '../sign.ts';

interface Listed {
  readonly items: readonly { readonly id?: string; readonly screeningId?: string }[];
  readonly nextCursor: string | null;
  readonly hasMore?: boolean;
}

/** Every list: its path, and a function that adds a record to it. */
interface List {
  readonly endpoint: EndpointName;
  readonly path: (owner: string) => string;
  readonly add: (platform: MockPlatform, owner: string, createdAt?: string) => string;
}

const lists: readonly List[] = [
  {
    endpoint: 'payments.list',
    path: () => '/api/v1/payment',
    add: (platform, customerId, createdAt) => platform.payments.add({ customerId, createdAt }).id,
  },
  {
    endpoint: 'customers.list',
    path: () => '/api/v1/customers',
    add: (platform, _, createdAt) => platform.customers.add({ createdAt }).id,
  },
  {
    endpoint: 'customers.beneficiaries',
    path: (owner) => `/api/v1/customers/${owner}/beneficiaries`,
    add: (platform, customerId, createdAt) => platform.beneficiaries.add({ customerId, createdAt }).id,
  },
];

async function page(
  platform: MockPlatform,
  path: string,
): Promise<{ ids: string[]; nextCursor: string | null; hasMore: boolean | undefined }> {
  const { status, body } = await call<Listed>(platform.clientOptions(), { path });
  expect(status).toBe(200);
  return {
    ids: body.items.map(({ id, screeningId }) => id ?? screeningId ?? ''),
    nextCursor: body.nextCursor,
    hasMore: body.hasMore,
  };
}

describe.each(lists)('$endpoint', ({ path, add }) => {
  const owned = (): { platform: MockPlatform; owner: string } => {
    const platform = platformAtStart();
    return { platform, owner: platform.customers.add({ createdAt: '2020-01-01T00:00:00Z' }).id };
  };

  test('is newest first; records of the same time are listed in reverse order of insertion', async () => {
    const { platform, owner } = owned();
    const oldest = add(platform, owner, '2026-01-01T00:00:00Z');
    const newest = add(platform, owner, '2026-02-01T00:00:00Z');
    const middle = add(platform, owner, '2026-01-15T00:00:00Z');
    const middleToo = add(platform, owner, '2026-01-15T00:00:00Z');
    expect((await page(platform, path(owner))).ids.slice(0, 4)).toEqual([newest, middleToo, middle, oldest]);
  });

  test('has pages until hasMore is false', async () => {
    const { platform, owner } = owned();
    const ids = Array.from({ length: 4 }, () => add(platform, owner)).toReversed();
    const first = await page(
      platform,
      `${path(owner)}?limit=2&status=${path(owner).endsWith('payment') ? 'PENDING_REVIEW' : 'APPROVED'}`,
    );
    expect(first).toMatchObject({ ids: ids.slice(0, 2), hasMore: true });
    const second = await page(platform, `${path(owner)}?limit=2&cursor=${first.nextCursor}`);
    expect(second.ids).toEqual(ids.slice(2));
  });

  test('skips and repeats nothing when records are added, deleted and changed between two pages', async () => {
    const { platform, owner } = owned();
    const ids = Array.from({ length: 6 }, () => add(platform, owner)).toReversed();
    const first = await page(platform, `${path(owner)}?limit=3`);
    add(platform, owner);
    add(platform, owner);
    const second = await page(platform, `${path(owner)}?limit=3&cursor=${first.nextCursor}`);
    expect([...first.ids, ...second.ids]).toEqual(ids);
  });

  test('has 25 items per page by default, and as many as the option says', async () => {
    for (const [options, size] of [
      [{}, 25],
      [{ pageSize: 7 }, 7],
    ] as const) {
      const platform = platformAtStart(options);
      const owner = platform.customers.add().id;
      for (let index = 0; index < 30; index++) add(platform, owner);
      expect((await page(platform, path(owner))).ids).toHaveLength(size);
    }
  });

  test.each([
    ['limit=0', 'limit', 'must be an integer from 1 to 100'],
    ['limit=101', 'limit', 'must be an integer from 1 to 100'],
    ['limit=-1', 'limit', 'must be an integer from 1 to 100'],
    ['limit=1.5', 'limit', 'must be an integer from 1 to 100 (received string)'],
    ['limit=ten', 'limit', 'must be an integer from 1 to 100 (received string)'],
    ['limit=', 'limit', 'must be an integer from 1 to 100 (received string)'],
    ['limit=1&limit=2', 'limit', 'must not be repeated'],
    ['status=approved', 'status', expect.stringMatching(/^must be one of .*APPROVED/)],
    ['status=', 'status', expect.stringMatching(/^must be one of .*APPROVED/)],
    ['cursor=', 'cursor', expect.stringMatching(/^must be the nextCursor of an earlier page/)],
    [
      'page=2',
      'page',
      `is not a query parameter of this API (${Object.values(resolveDialect().filterNames).join(', ')})`,
    ],
  ])('rejects ?%s with 400', async (query, parameter, message) => {
    const { platform, owner } = owned();
    const { status, body } = await call(platform.clientOptions(), { path: `${path(owner)}?${query}` });
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { code: 'invalid_query', issues: [{ path: parameter, message }] },
    });
    expect(platform.requests.at(-1)?.issues).toEqual([{ path: parameter, message }]);
  });

  test.each(['1', 'null', 'AAAA', '%F0%9F%92%B8', btoa('1.2.3'), btoa('1772355600000.1.000000000000')])(
    'rejects the cursor %s with 400',
    async (cursor) => {
      const { platform, owner } = owned();
      expect(await call(platform.clientOptions(), { path: `${path(owner)}?cursor=${cursor}` })).toMatchObject({
        status: 400,
        body: { code: 'invalid_cursor' },
      });
    },
  );

  test('rejects a changed cursor and the cursor of another list or organization', async () => {
    const { platform, owner } = owned();
    const foreign = platform.organization();
    const foreignOwner = foreign.customers.add().id;
    for (let index = 0; index < 3; index++) {
      for (const list of lists) list.add(platform, owner);
    }
    foreign.payments.addMany(3);
    foreign.customers.addMany(3);
    foreign.beneficiaries.addMany(3, () => ({ customerId: foreignOwner }));
    const other = lists.find((list) => list.path(owner) !== path(owner)) as List;
    const cursors = [
      (await page(platform, `${other.path(owner)}?limit=1`)).nextCursor,
      (await call<Listed>(foreign.clientOptions(), { path: `${path(foreignOwner)}?limit=1` })).body.nextCursor,
      (await page(platform, `${path(owner)}?limit=1`)).nextCursor?.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    ];
    for (const cursor of cursors) {
      expect(cursor).toEqual(expect.any(String));
      expect(await call(platform.clientOptions(), { path: `${path(owner)}?cursor=${cursor}` })).toMatchObject({
        status: 400,
        body: { code: 'invalid_cursor' },
      });
    }
  });
});

describe('a cursor', () => {
  const orders = ['newest-first', 'oldest-first', 'shuffled'] as const;
  const timestamps = [
    ['different times', (index: number) => `2026-02-0${index + 1}T00:00:00Z`],
    ['the same time', () => '2026-02-01T00:00:00Z'],
  ] as const;

  describe.each(timestamps)('with records of %s', (_, createdAt) => {
    test.each(
      orders.flatMap((order) =>
        [[1], [0, 1], [1, 2], [0], [2], [1, 4], [0, 1, 2, 3, 4]].map((gone) => [order, gone] as const),
      ),
    )('continues a %s list after its rows %j are removed, without skipping or repeating', async (listOrder, gone) => {
      const platform = platformAtStart({ listOrder });
      platform.customers.addMany(5, (index) => ({ createdAt: createdAt(index) }));
      const { ids } = await page(platform, '/api/v1/customers');
      const first = await page(platform, '/api/v1/customers?limit=2');
      for (const index of gone) platform.customers.remove(ids[index] ?? '');
      const rest = ids.slice(2).filter((_id, index) => !gone.some((removed) => removed === index + 2));
      const second = await page(platform, `/api/v1/customers?limit=2&cursor=${first.nextCursor}`);
      expect(second).toMatchObject({ ids: rest.slice(0, 2), hasMore: rest.length > 2 });
      if (rest.length > 2)
        expect(await page(platform, `/api/v1/customers?limit=2&cursor=${second.nextCursor}`)).toMatchObject({
          ids: rest.slice(2),
          hasMore: false,
          nextCursor: null,
        });
    });
  });

  test('stays valid across snapshot and restore', async () => {
    const platform = platformAtStart();
    platform.payments.addMany(4);
    const ids = platform.payments
      .all()
      .map(({ id }) => id)
      .toReversed();
    const first = await page(platform, '/api/v1/payment?limit=2');
    const state = platform.snapshot();
    platform.reset();
    platform.restore(state);
    expect((await page(platform, `/api/v1/payment?cursor=${first.nextCursor}`)).ids).toEqual(ids.slice(2));
  });

  test('does not return a record that was added before its position', async () => {
    const platform = platformAtStart();
    platform.customers.addMany(4, (index) => ({ createdAt: `2026-02-0${index + 1}T00:00:00Z` }));
    const first = await page(platform, '/api/v1/customers?limit=2');
    const passed = platform.customers.add({ createdAt: '2026-02-05T00:00:00Z' }).id;
    const ahead = platform.customers.add({ createdAt: '2026-02-01T12:00:00Z' }).id;
    const second = await page(platform, `/api/v1/customers?cursor=${first.nextCursor}`);
    expect(second.ids).toContain(ahead);
    expect(second.ids).not.toContain(passed);
  });

  test('of a filtered list stays valid when records change their status', async () => {
    const platform = platformAtStart();
    const ids = platform.customers
      .addMany(5, () => ({ status: 'PENDING_REVIEW' }))
      .map(({ id }) => id)
      .toReversed();
    const first = await page(platform, '/api/v1/customers?limit=2&status=PENDING_REVIEW');
    platform.customers.transition(ids[0] ?? '', 'APPROVED');
    platform.customers.transition(ids[2] ?? '', 'APPROVED');
    const second = await page(platform, `/api/v1/customers?limit=2&status=PENDING_REVIEW&cursor=${first.nextCursor}`);
    expect(second).toMatchObject({ ids: ids.slice(3), hasMore: false, nextCursor: null });
  });
});

test('filters have the names of the dialect, in requests and in errors', async () => {
  const dialect: Dialect = {
    filterNames: { status: 'state', createdFrom: 'created_after', limit: 'per_page', cursor: 'after' },
  };
  const platform = createMockPlatform({ dialect });
  const corridor = new Corridor({ ...platform.clientOptions(), dialect });
  platform.payments.addMany(5, (index) => ({
    status: index < 3 ? 'APPROVED' : 'REJECTED',
    createdAt: '2026-01-01T00:00:00Z',
  }));
  expect(
    await corridor.payments.list({ status: 'APPROVED', limit: 1, createdFrom: '2026-01-01T00:00Z' }).toArray(),
  ).toHaveLength(3);
  expect(platform.requests.at(-1)?.query).toMatchObject({
    state: 'APPROVED',
    per_page: '1',
    created_after: '2026-01-01T00:00Z',
    after: expect.any(String),
  });
  expect(
    await call(platform.clientOptions(), { path: '/api/v1/payment?status=APPROVED&per_page=0&after=x' }),
  ).toMatchObject({
    status: 400,
    body: {
      issues: [{ path: 'status', message: expect.stringMatching(/\(state, .*created_after/) }, { path: 'per_page' }],
    },
  });
  expect(await call(platform.clientOptions(), { path: '/api/v1/payment?after=x' })).toMatchObject({
    status: 400,
    body: { issues: [{ path: 'after' }] },
  });
});

test('invalid timestamps are rejected with 400', async () => {
  const platform = platformAtStart();
  for (const text of ['2026-02-29T00:00:00Z', '2026-02-28', '2026-02-28T00:00:00+00:00', 'yesterday']) {
    const { status, body } = await call(platform.clientOptions(), {
      path: `/api/v1/payment?createdFrom=${encodeURIComponent(text)}`,
    });
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'createdFrom', message: expect.stringMatching(/^must be an ISO 8601 UTC date-time/) }] },
    });
  }
});

test('endpoints without lists reject a query', async () => {
  const platform = platformAtStart();
  expect(await call(platform.clientOptions(), { path: '/api/v1/crypto/networks?limit=1' })).toMatchObject({
    status: 400,
    body: { issues: [{ path: 'limit', message: 'is not allowed: this endpoint has no query parameters' }] },
  });
});
