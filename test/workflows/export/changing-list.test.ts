import {
  Corridor,
  type CorridorOptions,
  type ListedPayment,
  type PaymentStatus,
  CorridorError,
  InvalidResponseError,
  PaginationError,
  type ExportCheckpoint,
  type PaymentExportOptions,
  type PaymentExportParams,
} from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { VirtualTime, virtualOptions } from '../../support/virtual-time.ts';
import { unchecked } from '../../support/scripted-fetch.ts';
import { RandomSource } from '../../support/random-source.ts';

const [template] = (() => {
  const platform = createMockPlatform();
  platform.payments.add();
  return platform.payments.all();
})();

/** How the list of a platform works. */
interface ListRules {
  /** What a cursor contains: a number of rows, the id of the last row, or its place in the order. */
  readonly cursor: 'offset' | 'id' | 'position';
  readonly sort: 'createdAt' | 'updatedAt';
  readonly direction: 'ascending' | 'descending';
  /** The largest page. */
  readonly pageSize: number;
  /** The filters that the platform ignores. */
  readonly ignores: 'nothing' | 'status' | 'created';
}

/** The list of the simplest platform that loses payments between pages. */
const offsetRules: ListRules = {
  cursor: 'offset',
  sort: 'createdAt',
  direction: 'descending',
  pageSize: 100,
  ignores: 'nothing',
};

interface Row {
  readonly id: string;
  readonly createdAt: number;
  status: string;
  updatedAt: number;
  /** Whether it existed, with the same status, all the time. */
  isStable: boolean;
}

const iso = (time: number): string => new Date(time).toISOString();

/** The rows of a list of payments that change between its pages, and how a platform cuts them into pages. */
class ChangingPlatform {
  readonly time = new VirtualTime();
  readonly rows = new Map<string, Row>();
  readonly requests: URL[] = [];
  /** Called before each request; can respond in the platform's place. */
  respondWith: (url: URL) => Response | undefined | void = () => {};
  /** Changes the records of a page. */
  show: (record: ListedPayment) => unknown = (record) => record;
  withoutCursors = false;
  readonly #rules: ListRules;
  #added = 0;

  constructor(rules: ListRules) {
    this.#rules = rules;
  }

  add(createdAt: number, status: string, { updatedAt = createdAt, isStable = true }: Partial<Row> = {}): Row {
    // Ids have another order than creation times.
    this.#added += 1;
    const id = `pay_${((this.#added * 7_919) % 100_003).toString(36)}`;
    const row = { id, createdAt, updatedAt, status, isStable };
    this.rows.set(id, row);
    return row;
  }

  /** Changes a payment, by default only the time of its last change. */
  touch(row: Row, status = row.status): void {
    row.isStable &&= status === row.status;
    row.status = status;
    row.updatedAt = this.time.now();
  }

  remove(row: Row): void {
    this.rows.delete(row.id);
  }

  /** The ids of the payments that had this status in this time range all the time, sorted. */
  stable(from: number, to: number, status?: string): string[] {
    return [...this.rows.values()]
      .filter((row) => row.isStable && row.createdAt >= from && row.createdAt <= to)
      .filter((row) => status === undefined || row.status === status)
      .map(({ id }) => id)
      .toSorted();
  }

  client(options: CorridorOptions = {}): Corridor {
    const fetch: typeof globalThis.fetch = async (input) => {
      const url = new URL(String(input));
      this.requests.push(url);
      await this.time.wait(20);
      return this.respondWith(url) ?? this.respond(url);
    };
    return new Corridor({ ...unchecked, ...virtualOptions(this.time, fetch), ...options });
  }

  respond({ searchParams }: URL): Response {
    const { ignores, pageSize } = this.#rules;
    const [from, to] = [searchParams.get('createdFrom'), searchParams.get('createdTo')];
    const status = searchParams.get('status');
    const cursor = searchParams.get('cursor');
    const listed = [...this.rows.values()]
      .filter((row) => ignores === 'status' || status === null || row.status === status)
      .filter((row) => ignores === 'created' || from === null || row.createdAt >= Date.parse(from))
      .filter((row) => ignores === 'created' || to === null || row.createdAt <= Date.parse(to))
      .toSorted(this.#compare);
    const start = cursor === null ? 0 : this.#startOf(listed, cursor);
    if (start === undefined) return Response.json({ code: 'unknown_cursor' }, { status: 404 });
    const items = listed.slice(start, start + Math.min(pageSize, Number(searchParams.get('limit') ?? 25)));
    const hasMore = start + items.length < listed.length;
    const last = items.at(-1);
    const nextCursor =
      hasMore && last !== undefined && !this.withoutCursors ? this.#cursorAfter(last, start + items.length) : null;
    const date = new Date(this.time.now()).toUTCString();
    return Response.json(
      { items: items.map((row) => this.show(this.#record(row))), nextCursor, hasMore },
      { headers: { date } },
    );
  }

  readonly #compare = (one: Row, other: Row): number => {
    const { sort, direction } = this.#rules;
    const difference = one[sort] - other[sort] || (one.id < other.id ? -1 : 1);
    return direction === 'ascending' ? difference : -difference;
  };

  #cursorAfter(last: Row, offset: number): string {
    const { cursor, sort } = this.#rules;
    return cursor === 'offset' ? String(offset) : cursor === 'id' ? last.id : `${last[sort]}|${last.id}`;
  }

  #startOf(listed: readonly Row[], cursor: string): number | undefined {
    if (this.#rules.cursor === 'offset') return Number(cursor);
    const [place, id = ''] = cursor.split('|');
    const time = Number(place);
    const last =
      this.#rules.cursor === 'id' ? this.rows.get(cursor) : ({ id, createdAt: time, updatedAt: time } as Row);
    if (last === undefined) return undefined;
    const start = listed.findIndex((row) => row.id !== last.id && this.#compare(row, last) > 0);
    return start === -1 ? listed.length : start;
  }

  #record({ id, createdAt, updatedAt, status }: Row): ListedPayment {
    const times = { createdAt: iso(createdAt), updatedAt: iso(updatedAt) };
    return { ...template, id, ...times, status: status as PaymentStatus } as ListedPayment;
  }
}

const numRuns = process.env['CORRIDOR_SOAK'] === '1' ? 10_000 : 80;
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const start = Date.parse('2026-01-01T00:00:00Z');
const year = { createdFrom: '2026-01-01T00:00:00Z', createdTo: '2026-02-20T00:00:00Z' };

async function idsOf(platform: ChangingPlatform, query: PaymentExportParams, options?: PaymentExportOptions) {
  const ids: string[] = [];
  await platform.time.run(async () => {
    for await (const { id } of platform.client().payments.export(query, options)) ids.push(id);
  });
  return ids.toSorted();
}

describe('an export of a list with offset cursors has every payment', () => {
  test.each(['createdAt', 'updatedAt'] as const)(
    'with the status all the time, while others lose it (sorted by %s)',
    async (sort) => {
      const platform = new ChangingPlatform({ ...offsetRules, sort });
      const rows = Array.from({ length: 600 }, (_, index) => platform.add(start + index * hour, 'PROCESSING'));
      const leaving = rows.filter((_, index) => index % 2 === 0);
      platform.respondWith = () => {
        for (const row of leaving.splice(-50)) platform.touch(row, 'COMPLETED');
      };
      const ids = await idsOf(platform, { ...year, status: 'PROCESSING' }, { concurrency: 1 });
      const expected = new Set(platform.stable(start, start + 50 * day, 'PROCESSING'));
      expect(leaving).toEqual([]);
      expect(ids.filter((id) => expected.has(id))).toEqual([...expected].toSorted());
      expect(new Set(ids).size).toBe(ids.length);
    },
  );

  test.each(['ascending', 'descending'] as const)(
    'of a list sorted by updatedAt (%s), while payments are changed',
    async (direction) => {
      const platform = new ChangingPlatform({ ...offsetRules, sort: 'updatedAt', direction });
      const rows = Array.from({ length: 600 }, (_, index) => platform.add(start + index * hour, 'COMPLETED'));
      const random = new RandomSource(1);
      platform.respondWith = () => platform.touch(random.pick(rows));
      expect(await idsOf(platform, year, { concurrency: 1 })).toEqual(platform.stable(start, start + 50 * day));
    },
  );
});

describe('a page that says there are more, but has no cursor', () => {
  test('does not matter if its time range can be split', async () => {
    const platform = new ChangingPlatform(offsetRules);
    for (let index = 0; index < 600; index += 1) platform.add(start + index * hour, 'COMPLETED');
    platform.withoutCursors = true;
    expect(await idsOf(platform, year)).toEqual(platform.stable(start, start + 50 * day));
  });

  test('ends the export with an error, and the checkpoint before it continues', async () => {
    const platform = new ChangingPlatform(offsetRules);
    for (let index = 0; index < 300; index += 1) platform.add(start + index * hour, 'COMPLETED');
    for (let index = 0; index < 150; index += 1) platform.add(start + 40 * day, 'COMPLETED');
    platform.withoutCursors = true;
    const ids: string[] = [];
    let checkpoint: ExportCheckpoint | undefined;
    const iterate = async (): Promise<void> => {
      const { payments } = platform.client();
      for await (const page of payments.export(year, { order: 'created', concurrency: 1, checkpoint }).pages()) {
        ids.push(...page.items.map(({ id }) => id));
        checkpoint = JSON.parse(JSON.stringify(page.checkpoint)) as ExportCheckpoint;
      }
    };
    await platform.time.run(async () => {
      await expect(iterate()).rejects.toThrow('the platform reports another page, but returned no cursor for it');
      expect(ids.length).toBeGreaterThan(200);
      platform.withoutCursors = false;
      await iterate();
    });
    expect(ids.toSorted()).toEqual(platform.stable(start, start + 50 * day));
  });
});

describe('a row that is not what the contract promises', () => {
  test.each([
    ['createdAt', null],
    ['createdAt', 1_767_225_600_000],
    ['createdAt', undefined],
    ['createdAt', 'yesterday'],
    ['id', undefined],
    ['id', 7],
    ['id', null],
  ])('ends the export with an error if %s is %j, and the checkpoint before it continues', async (field, value) => {
    for (const validation of ['standard', 'observe'] as const) {
      const platform = new ChangingPlatform(offsetRules);
      for (let index = 0; index < 300; index += 1) platform.add(start + index * hour, 'COMPLETED');
      const last = platform.add(start + 40 * day, 'COMPLETED').id;
      let isBroken = true;
      platform.show = (record) => (isBroken && record.id === last ? { ...record, [field]: value } : record);
      const ids: string[] = [];
      let checkpoint: ExportCheckpoint | undefined;
      const iterate = async (): Promise<void> => {
        const { payments } = platform.client({ validation });
        for await (const page of payments.export(year, { order: 'created', checkpoint }).pages()) {
          ids.push(...page.items.map(({ id }) => id));
          checkpoint = JSON.parse(JSON.stringify(page.checkpoint)) as ExportCheckpoint;
        }
      };
      await platform.time.run(async () => {
        await expect(iterate()).rejects.toThrow(InvalidResponseError);
        isBroken = false;
        await iterate();
      });
      expect(ids.toSorted()).toEqual(platform.stable(start, start + 50 * day));
    }
  });

  test.each([null, 'yesterday'])('is exported if only its updatedAt is %j', async (updatedAt) => {
    const platform = new ChangingPlatform({ ...offsetRules, pageSize: 5 });
    for (let index = 0; index < 20; index += 1) platform.add(start, 'COMPLETED');
    platform.show = (record) => ({ ...record, updatedAt });
    expect(await idsOf(platform, year)).toHaveLength(20);
  });
});

/** What happens between the pages, and where programs are killed. */
const scenarios = fc.record({
  rules: fc.record<ListRules>({
    cursor: fc.constantFrom('offset', 'id', 'position'),
    sort: fc.constantFrom('createdAt', 'updatedAt'),
    direction: fc.constantFrom('ascending', 'descending'),
    pageSize: fc.constantFrom(2, 5, 20, 100),
    ignores: fc.constantFrom('nothing', 'nothing', 'nothing', 'status', 'created'),
  }),
  groups: fc.array(
    fc.record({
      at: fc.integer({ min: 0, max: 40 * day }),
      count: fc.integer({ min: 1, max: 40 }),
      step: fc.constantFrom(0, 1, 400, 3_000, 20 * minute, 8 * hour),
    }),
    { maxLength: 6 },
  ),
  seed: fc.integer(),
  /** The number of changes before each request, which end after the given number of requests. */
  changes: fc.constantFrom(0, 0.3, 1, 3),
  quietAfter: fc.constantFrom(40, 400, Infinity),
  faults: fc.constantFrom(0, 0.1),
  from: fc.option(fc.integer({ min: -day, max: 20 * day }), { nil: undefined }),
  to: fc.option(fc.integer({ min: 20 * day, max: 42 * day }), { nil: undefined }),
  status: fc.constantFrom(undefined, 'COMPLETED' as const),
  order: fc.constantFrom('any' as const, 'created' as const),
  concurrency: fc.integer({ min: 1, max: 6 }),
  kills: fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 4 }),
});
type Scenario = typeof scenarios extends fc.Arbitrary<infer S> ? S : never;

const statuses = ['COMPLETED', 'PROCESSING', 'RETURNED'];

/** Creates, changes or removes a payment. */
function change(platform: ChangingPlatform, random: RandomSource): void {
  const rows = [...platform.rows.values()];
  const row = random.pick(rows);
  const kind = random.pick(['create', 'create late', 'touch', 'status', 'status', 'remove']);
  // A payment that was created before can become visible late.
  if (kind === 'create') platform.add(platform.time.now(), random.pick(statuses), { isStable: false });
  else if (row === undefined) return;
  else if (kind === 'create late')
    platform.add(row.createdAt + Math.floor(random.below(3)) - 1, random.pick(statuses), {
      isStable: false,
      updatedAt: platform.time.now(),
    });
  else if (kind === 'touch') platform.touch(row);
  else if (kind === 'status') platform.touch(row, random.pick(statuses));
  else platform.remove(row);
}

/** Exports with as many processes as it needs, and compares the result with the payments that did not change. */
async function checkScenario({ rules, groups, seed, status, order, concurrency, ...rest }: Scenario): Promise<string> {
  const random = new RandomSource(seed);
  const platform = new ChangingPlatform(rules);
  for (const { at, count, step } of groups)
    for (let index = 0; index < count; index += 1) {
      const createdAt = start + at + index * step;
      const updatedAt = createdAt + (random.hits(0.5) ? Math.floor(random.below(3 * day)) : 0);
      platform.add(createdAt, random.hits(0.7) ? 'COMPLETED' : 'PROCESSING', { updatedAt });
    }
  let killed = new AbortController();
  let killAt = Infinity;
  platform.respondWith = () => {
    if (platform.requests.length >= killAt) killed.abort();
    const { changes, quietAfter, faults } = rest;
    for (let left = platform.requests.length < quietAfter ? changes : 0; left > 0; left -= 1)
      if (random.hits(left)) change(platform, random);
    return random.hits(faults) ? new Response(null, { status: 503 }) : undefined;
  };
  const [from, to] = [rest.from, rest.to].map((time) => (time === undefined ? undefined : start + time));
  const end = to ?? platform.time.now() - 5 * minute;
  const query: PaymentExportParams = {
    status,
    ...(from === undefined ? {} : { createdFrom: new Date(from) }),
    ...(to === undefined ? {} : { createdTo: new Date(to) }),
  };
  const stored: ListedPayment[] = [];
  let checkpoint: string | undefined;
  const kills = [...rest.kills];
  const attempt = async (): Promise<CorridorError | undefined> => {
    killed = new AbortController();
    killAt = platform.requests.length + (kills.shift() ?? Infinity);
    try {
      const exported = platform.client({ maxRetries: 2 }).payments.export(query, {
        order,
        concurrency,
        signal: killed.signal,
        ...(checkpoint === undefined ? {} : { checkpoint: JSON.parse(checkpoint) as ExportCheckpoint }),
      });
      for await (const page of exported.pages()) {
        stored.push(...page.items);
        checkpoint = JSON.stringify(page.checkpoint);
      }
      return undefined;
    } catch (error) {
      if (error instanceof CorridorError) return error;
      throw error;
    }
  };
  const error = await platform.time.run(async () => {
    for (let runs = 0; ; runs += 1) {
      assert.ok(runs < 300, 'the export does not come to its end');
      const thrown = await attempt();
      if (thrown === undefined || thrown.code === 'invalid-response' || thrown.code === 'pagination') return thrown;
      assert.ok(['aborted', 'server', 'retry-budget-exhausted'].includes(thrown.code), thrown);
    }
  });
  const ids = stored.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length, 'a payment is repeated');
  for (const payment of stored) {
    assert.ok(Date.parse(payment.createdAt) >= (from ?? 0) && Date.parse(payment.createdAt) <= end);
    assert.ok(status === undefined || payment.status === status);
  }
  if (order === 'created')
    assert.deepEqual(
      stored.map(({ createdAt }) => createdAt),
      stored.map(({ createdAt }) => createdAt).toSorted(),
    );
  if (error instanceof InvalidResponseError) {
    assert.equal(rules.ignores, 'created');
    assert.match(error.message, /the platform ignores createdFrom or createdTo\. Check dialect\.filterNames$/);
    return 'a filter is ignored';
  }
  if (error instanceof PaginationError) {
    assert.match(error.message, /change faster than they can be read.*Continue from the last checkpoint/);
    assert.ok(rest.changes > 0);
    return 'too many changes';
  }
  const exported = new Set(ids);
  const missing = platform.stable(from ?? 0, end, status).filter((id) => !exported.has(id));
  assert.deepEqual(missing, [], 'payments that did not change are missing');
  return 'complete';
}

test(`in any of ${numRuns} scenarios, every payment that did not change is exported exactly once`, async () => {
  const results = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(scenarios, async (scenario) => {
      const result = await checkScenario(scenario);
      results.set(result, (results.get(result) ?? 0) + 1);
    }),
    { numRuns },
  );
  expect(results.get('complete')).toBeGreaterThan(0.5 * numRuns);
}, 3_600_000);
