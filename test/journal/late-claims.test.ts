import { PGlite } from '@electric-sql/pglite';
import { MemoryJournal, type Journal } from 'corridor-sdk';
import { PostgresJournal, postgresMigration } from 'corridor-sdk/journal/postgres';
import { SqliteJournal } from 'corridor-sdk/journal/sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureOf, FaultyPlatform } from '../support/faulty-platform.ts';
import { intentFor } from './intent-for.ts';
import { journalWith } from './stored-intents.ts';

let database: PGlite;

beforeAll(async () => {
  database = await PGlite.create();
}, 180_000);

afterAll(() => database.close());

async function openPostgres(): Promise<PostgresJournal> {
  await database.exec(`drop table if exists corridor_journal; ${postgresMigration()}`);
  return new PostgresJournal(database);
}

const notCreated = { outcome: 'not-created' } as const;

describe.each<[string, () => Promise<Journal>]>([
  ['in memory', async () => new MemoryJournal()],
  ['in a SQLite file', async () => new SqliteJournal(':memory:')],
  ['in PostgreSQL', openPostgres],
])('a journal %s', (_place, open) => {
  test('stores no claim that comes after its release, and keeps its quote and its key free', async () => {
    const journal = await open();
    const [late, next] = [1, 2].map(() => intentFor('quo_1', {}, { idempotencyKey: 'order-1' })) as [
      ReturnType<typeof intentFor>,
      ReturnType<typeof intentFor>,
    ];
    await journal.resolve(late, notCreated);
    expect(await journal.claim(late)).toEqual({ intent: late, resolution: notCreated });
    expect(await journal.listPending()).toEqual([]);
    expect(await journal.claim(next)).toBe(true);
    await journal.resolve(late, notCreated);
    expect(await journal.claim(late)).toEqual({ intent: late, resolution: notCreated });
    expect(await journal.listPending()).toEqual([next]);
  });

  test('keeps a payment that exists although its claim was released before it came', async () => {
    const journal = await open();
    const late = intentFor('quo_1', {}, { idempotencyKey: 'order-1' });
    const resolution = { outcome: 'created', paymentId: 'pay_1' } as const;
    await journal.resolve(late, notCreated);
    await journal.resolve(late, resolution);
    await journal.resolve(late, notCreated);
    expect(await journal.claim(intentFor('quo_2', {}, { idempotencyKey: 'order-1' }))).toEqual({
      intent: late,
      resolution,
    });
    expect(await journal.claim(intentFor('quo_1'))).toEqual({ intent: late, resolution });
  });
});

test.each([300, 2_000, 20_000, 200_000])(
  'a claim that is committed %i ms after the journal gave up does not keep another process from paying',
  async (delay) => {
    const faulty = new FaultyPlatform();
    // A driver with a timeout, whose server runs the statements once a lock is gone.
    const journal = journalWith((inner) => ({
      async claim(intent) {
        void faulty.time.wait(delay).then(() => inner.claim(intent));
        await faulty.time.wait(100);
        throw Object.assign(new Error('Query read timeout'), { code: 'ETIMEDOUT' });
      },
    }));
    const payment = faulty.payable();
    const pay = (client: ReturnType<typeof faulty.client>) =>
      client.payments.createOnce(payment, { idempotencyKey: 'order-1' });
    expect(await failureOf(faulty.run(() => pay(faulty.client({ journal }))))).toMatchObject({
      code: 'journal',
      outcome: 'not-sent',
    });
    await faulty.pass(delay + 1_000);
    expect(await journal.inner.listPending()).toEqual([]);
    expect(await faulty.run(() => pay(faulty.client({ journal: journal.inner })))).toMatchObject({ created: true });
    expect(faulty.sent).toHaveLength(1);
  },
);

test('claims that a journal committed although it then could not release them are released by calls for other orders', async () => {
  const faulty = new FaultyPlatform();
  let isAway = true;
  const away = (): never => {
    throw Object.assign(new Error('no answer'), { code: 'ECONNRESET' });
  };
  const journal = journalWith((inner) => ({
    claim: async (intent) => {
      const claimed = await inner.claim(intent);
      return isAway ? away() : claimed;
    },
    resolve: async (intent, resolution) => (isAway ? away() : inner.resolve(intent, resolution)),
  }));
  const { payments } = faulty.client({ journal });
  const orders = [faulty.payable(), faulty.payable()];
  for (const order of orders)
    expect(await failureOf(faulty.run(() => payments.createOnce(order)))).toMatchObject({ outcome: 'not-sent' });
  isAway = false;
  expect(await journal.listPending()).toHaveLength(2);
  for (const left of [1, 0]) {
    await faulty.run(() => payments.createOnce(faulty.payable()));
    expect(await journal.listPending()).toHaveLength(left);
  }
  const other = faulty.client({ journal: journal.inner });
  for (const order of orders)
    expect(await faulty.run(() => other.payments.createOnce(order))).toMatchObject({ created: true });
});

test.each([
  ['for longer than its process may send', '90001 milliseconds', []],
  ['for as long as its process may send', '89000 milliseconds', ['quo_1']],
])('a claim that waited %s for PostgreSQL is stored accordingly', async (_how, waited, stored) => {
  await openPostgres();
  const journal = new PostgresJournal({
    // As if the transaction had begun earlier, and waited for a lock since.
    query: (text, values) =>
      database.query(text.replace(' pg_catalog.now()', ` (now() - interval '${waited}')`), values),
  });
  const times = { createdAt: '2026-03-01T09:00:00.000Z', sendUntil: '2026-03-01T09:01:30.000Z' };
  await journal.claim(intentFor('quo_1', {}, times)).catch(() => {});
  expect(
    (await database.query<{ quote: string }>('select quote from corridor_journal')).rows.map(({ quote }) => quote),
  ).toEqual(stored);
});
