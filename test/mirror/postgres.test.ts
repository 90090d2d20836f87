import { PGlite } from '@electric-sql/pglite';
import { Corridor, MirrorError, type CorridorOptions } from 'corridor-sdk';
import {
  PostgresMirror,
  postgresMirrorTables,
  type PostgresMirrorPool,
  type PostgresResult,
} from 'corridor-sdk/mirror/postgres';
import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allChanges, assertUnbrokenChains, mirroredRecords, recordsOf, type MirrorDatabase } from './mirrored.ts';

// A PostgreSQL in this process, with one connection. test/postgres runs all tests of a mirror on a server.
let postgres: PGlite;
let turn: Promise<void> = Promise.resolve();
let schemas = 0;

beforeAll(async () => {
  postgres = await PGlite.create();
}, 180_000);

afterAll(() => postgres.close());

const newSchema = (): string => `mirror_${(schemas += 1)}`;

const codeError = (code: string | undefined, message = 'secret'): Error => Object.assign(new Error(message), { code });

interface PoolOptions {
  /** Called before each statement; its error is that of the statement. `lose` breaks the connection. */
  readonly onQuery?: (text: string, lose: (error: Error) => void) => Promise<void> | void;
  readonly onRelease?: (error: Error | boolean | undefined) => void;
}

/** A pool of one connection, which waits until that is released. */
function poolOf({ onQuery, onRelease }: PoolOptions = {}): PostgresMirrorPool {
  return {
    async connect() {
      const before = turn;
      let release = (): void => {};
      turn = new Promise((resolve) => (release = resolve));
      await before;
      const listeners = new Set<(error: Error) => void>();
      return {
        async query(text) {
          await onQuery?.(text, (error) => listeners.forEach((listener) => listener(error)));
          const results = await postgres.exec(text);
          return (results.length === 1 ? results[0] : results) as PostgresResult;
        },
        release(error) {
          onRelease?.(error);
          expect(listeners.size).toBe(0);
          release();
        },
        on: (_event, listener) => listeners.add(listener),
        off: (_event, listener) => listeners.delete(listener),
      };
    },
  };
}

function databaseIn(schema: string, pool = poolOf()): MirrorDatabase {
  return {
    open: (options = { sensitive: true }) => new PostgresMirror(pool, { schema, ...options }),
    select: async (sql) =>
      (await postgres.query<object>(sql.replaceAll(/\bcorridor_/g, `${schema}.corridor_`))).rows as never,
    execute: async (sql) => void (await postgres.exec(sql.replaceAll(/\bcorridor_/g, `${schema}.corridor_`))),
  };
}

function createPlatform(options: Partial<CorridorOptions> = {}): {
  readonly platform: MockPlatform;
  readonly corridor: Corridor;
} {
  const platform = createMockPlatform();
  platform.populate({ customers: 2, beneficiaries: 3, payments: 5 });
  platform.payments.add({ id: 'pay_open', status: 'PROCESSING' });
  return { platform, corridor: new Corridor({ ...platform.clientOptions(), ...options }) };
}

test('a mirror in a schema is filled and kept true, and every change is written', async () => {
  const { platform, corridor } = createPlatform();
  const database = databaseIn(newSchema());
  const mirror = database.open();
  await corridor.sync(mirror, { once: true });
  expect(await mirroredRecords(database)).toEqual(await recordsOf(corridor));
  expect(await allChanges(mirror)).toEqual([]);
  platform.clock.advance({ minutes: 10 });
  platform.payments.transition('pay_open', 'COMPLETED');
  platform.payments.add({ id: 'pay_new', status: 'PROCESSING' });
  await corridor.sync(mirror, { once: true });
  platform.clock.advance({ minutes: 10 });
  platform.payments.remove('pay_new');
  await corridor.sync(database.open(), { once: true, full: true });
  const changes = await allChanges(mirror);
  expect(changes.filter(({ record }) => record === 'payment')).toEqual([
    expect.objectContaining({ id: 'pay_new', previousStatus: null, status: 'PROCESSING', fields: [] }),
    expect.objectContaining({ id: 'pay_open', previousStatus: 'PROCESSING', status: 'COMPLETED' }),
    expect.objectContaining({ id: 'pay_new', previousStatus: 'PROCESSING', fields: ['missing'] }),
  ]);
  expect(changes.every(({ observedAt }) => /^\d{4}-.*\.\d{3}Z$/.test(observedAt))).toBe(true);
  expect(await mirroredRecords(database)).toEqual(await recordsOf(corridor));
  expect(await mirror.status()).toMatchObject({ filled: true, missing: 1, lastSequence: changes.at(-1)?.sequence });
  await assertUnbrokenChains(database);
});

test('a batch takes one round trip, and another one if it writes; an idle poll writes at most three rows', async () => {
  const { platform, corridor } = createPlatform();
  platform.populate({ customers: 5, beneficiaries: 5, payments: 400 });
  let roundTrips = 0;
  let rows = 0;
  const transactions: number[] = [];
  const pool = poolOf({
    onQuery(text) {
      roundTrips += 1;
      rows += text.match(/(?:insert into|update|delete from) [\w".]*corridor_(?!.* where false )/g)?.length ?? 0;
    },
    onRelease() {
      transactions.push(roundTrips);
      roundTrips = 0;
    },
  });
  const database = databaseIn(newSchema(), pool);
  await corridor.sync(database.open(), { once: true });
  expect(new Set(transactions)).toEqual(new Set([1, 2]));
  const filled = rows;
  platform.clock.advance({ minutes: 10 });
  transactions.length = 0;
  await corridor.sync(database.open(), { once: true });
  expect(new Set(transactions)).toEqual(new Set([1]));
  expect(rows - filled).toBeGreaterThan(0);
  expect(rows - filled).toBeLessThanOrEqual(3);
});

test('several processes create the tables and fill them at once', async () => {
  const { corridor } = createPlatform();
  const database = databaseIn(newSchema());
  await Promise.all([1, 2].map(() => corridor.sync(database.open(), { once: true })));
  expect(await mirroredRecords(database)).toEqual(await recordsOf(corridor));
});

const secondsOf = (time: string): number =>
  Math.floor(Date.parse(time) / 1_000) + Number(`0${/\.\d+/.exec(time)?.[0] ?? ''}`);

test('amounts and times are numbers and times, null if they cannot be read, and any text can be stored', async () => {
  const { platform } = createPlatform();
  const values: readonly (readonly [amount: unknown, createdAt: unknown, more: string | null, at: string | null])[] = [
    ['10.10', '2026-01-02T03:04:05Z', '11.10', '2026-01-02T03:04:05.000Z'],
    ['10', '2026-01-02T03:04:05.123999Z', '11', '2026-01-02T03:04:05.123999Z'],
    ['-0.5', '0001-01-02T03:04:05Z', '0.5', '0001-01-02T03:04:05.000Z'],
    ['+7', '0000-01-02T03:04:05Z', '8', null],
    ['NaN', 'soon', null, null],
    ['1e5', null, null, null],
    ['1.', '2026-01-02T03:04', null, '2026-01-02T03:04:00.000Z'],
    ['.5', '9999-12-31T23:59:59-12:00', null, null],
    [null, '2026-13-01T00:00:00Z', null, null],
    ['9'.repeat(1_001), '2026', null, null],
  ];
  values.forEach((_, index) => platform.payments.add({ id: `odd_${index}`, memo: 'a\u0000b\uD800' }));
  const { fetch, ...client } = platform.clientOptions();
  const corridor = new Corridor({
    ...client,
    async fetch(input, init) {
      const response = await fetch(input, init);
      const page = (await response.json()) as { items?: Record<string, unknown>[] };
      for (const item of page.items ?? []) {
        const [amount, updatedAt] = values[Number(String(item['id']).match(/^odd_(\d+)$/)?.[1])] ?? [];
        if (amount !== undefined) Object.assign(item, { amount, updatedAt });
      }
      return Response.json(page, { headers: response.headers });
    },
  });
  const database = databaseIn(newSchema());
  await corridor.sync(database.open(), { once: true });
  const rows = await database.select(
    "select id, (amount + 1)::text as more, extract(epoch from updated_at)::float8 as at, data ->> 'memo' as memo, data -> 'amount' as amount from corridor_payments where id like 'odd%' order by id",
  );
  expect(rows).toEqual(
    values.map(([amount, , more, at], index) => ({
      id: `odd_${index}`,
      more,
      at: at === null ? null : secondsOf(at),
      memo: 'a\uFFFDb\uFFFD',
      amount,
    })),
  );
  expect((await corridor.sync(database.open(), { once: true, full: true, dryRun: true })).differences).toEqual([]);
});

test('the SQL of the tables creates them for a role that may not', async () => {
  const schema = newSchema();
  await postgres.exec(postgresMirrorTables(schema));
  const denied = poolOf({
    onQuery(text) {
      if (text.includes('create')) throw codeError('42501');
    },
  });
  expect(await new PostgresMirror(denied, { schema }).status()).toMatchObject({ filled: false, lastSequence: 0 });
  const { corridor } = createPlatform();
  await expect(corridor.sync(new PostgresMirror(denied, { schema: newSchema() }), { once: true })).rejects.toThrow(
    /the role of the mirror lacks a permission .* \(42501\)\. Run the SQL of postgresMirrorTables\('mirror_\d+'\) .* grant usage on schema mirror_\d+, and select/,
  );
  expect(postgresMirrorTables()).not.toContain('create schema');
  expect(postgresMirrorTables('public')).toBe(postgresMirrorTables());
});

test.each([
  ['', '""'],
  ['x"; drop', '"x\\"; drop"'],
  ['1st', '"1st"'],
  ['Sales', '"Sales"'],
  ['sales tax', '"sales tax"'],
  ['x'.repeat(64), JSON.stringify('x'.repeat(64))],
  [5, 'number'],
])('rejects the schema %j', (schema, received) => {
  const message = `must be a name of lowercase letters, digits and underscores (received ${received}). Pass a name`;
  expect(() => postgresMirrorTables(schema as string)).toThrow(message);
  expect(() => new PostgresMirror(poolOf(), { schema } as never)).toThrow(message);
  expect(() => postgresMirrorTables('x'.repeat(63))).not.toThrow();
});

test.each([[{}], [null], [undefined]])('rejects the pool %j', (pool) => {
  expect(() => new PostgresMirror(pool as never)).toThrow('must have a function "connect". Pass a Pool of pg');
});

test('another process that creates the tables at the same time is not an error', async () => {
  const schema = newSchema();
  let creations = 0;
  const pool = poolOf({
    async onQuery(text) {
      if (!text.includes('create table') || (creations += 1) > 1) return;
      await postgres.exec(postgresMirrorTables(schema));
      throw codeError('23505');
    },
  });
  expect(await new PostgresMirror(pool, { schema }).leasePosition('webhooks', 'first')).toBe(0);
  expect(creations).toBe(1);
});

test('a dry run, the status and the changes create neither a schema nor tables', async () => {
  const schema = newSchema();
  const { corridor } = createPlatform();
  const mirror = databaseIn(schema).open();
  await expect(corridor.sync(mirror, { once: true, dryRun: true })).rejects.toThrow('Run without dryRun first');
  expect(await mirror.status()).toMatchObject({ filled: false, missing: 0 });
  expect(await allChanges(mirror)).toEqual([]);
  const { rows } = await postgres.query('select 1 from pg_namespace where nspname = $1', [schema]);
  expect(rows).toEqual([]);
});

test.each(['40001', '40P01'])('a transaction that fails with %s is repeated up to nine times', async (code) => {
  const schema = newSchema();
  await new PostgresMirror(poolOf(), { schema }).status();
  let [failures, attempts] = [9, 0];
  const pool = poolOf({
    onQuery(text) {
      if (text === 'rollback') return;
      attempts += 1;
      if (failures-- > 0) throw codeError(code);
    },
  });
  const mirror = new PostgresMirror(pool, { schema });
  expect(await mirror.status()).toMatchObject({ filled: false });
  [failures, attempts] = [10, 0];
  await expect(mirror.status()).rejects.toThrow(`the database of the mirror failed (${code})`);
  expect(attempts).toBe(10);
});

test('a connection that breaks is closed, and the error names the reason', async () => {
  const schema = newSchema();
  const released: unknown[] = [];
  const reason = codeError('ECONNRESET');
  let isBroken = true;
  const pool = poolOf({
    onQuery(_text, lose) {
      if (!isBroken) return;
      lose(reason);
      throw codeError(undefined, 'Client is closed');
    },
    onRelease: (error) => released.push(error),
  });
  const mirror = new PostgresMirror(pool, { schema });
  const error: unknown = await mirror.status().catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(MirrorError);
  expect(String(error)).toContain('the database of the mirror failed (ECONNRESET)');
  expect(String(error)).not.toContain('secret');
  expect((error as MirrorError).original()).toBe(reason);
  expect(released).toEqual([reason]);
  isBroken = false;
  await postgres.exec('rollback');
  await mirror.status();
  expect(released.slice(1).every((each) => each === undefined)).toBe(true);
});

test('a connection whose transaction cannot be rolled back is closed, and the error is that of the statement', async () => {
  const released: unknown[] = [];
  const pool = poolOf({
    onQuery(text) {
      if (text.startsWith('begin')) throw codeError('22000');
      if (text === 'rollback') throw codeError('08003');
    },
    onRelease: (error) => released.push((error as { code?: string } | undefined)?.code),
  });
  await expect(new PostgresMirror(pool, { schema: newSchema() }).status()).rejects.toThrow('failed (22000)');
  expect(released).toEqual(['08003']);
  await postgres.exec('rollback');
});

/** What a following sync does after `connect` failed: it waits, or ends with an error. */
async function afterFailure(error: Error): Promise<'waits' | 'ends'> {
  const stop = new AbortController();
  const { corridor } = createPlatform({
    sleep: (_, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
        stop.abort();
      }),
  });
  const mirror = new PostgresMirror({ connect: () => Promise.reject(error) });
  await expect(corridor.sync(mirror, { once: true })).rejects.toThrow(MirrorError);
  return corridor.sync(mirror, { signal: stop.signal }).then(
    () => 'waits',
    () => 'ends',
  );
}

test.each([
  ['EAI_AGAIN', 'waits'],
  ['28P01', 'ends'],
])('after the failure %s, a sync that follows %s', async (code, expected) => {
  expect(await afterFailure(codeError(code))).toBe(expected);
});
