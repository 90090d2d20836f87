import { PGlite } from '@electric-sql/pglite';
import { MemoryJournal, type Journal, type PaymentCreateIntent } from 'corridor-sdk';
import { PostgresJournal, postgresMigration } from 'corridor-sdk/journal/postgres';
import { SqliteJournal } from 'corridor-sdk/journal/sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { intentFor } from './intent-for.ts';

const minute = 60_000;
let database: PGlite;

beforeAll(async () => {
  database = await PGlite.create();
}, 180_000);

afterAll(() => database.close());

interface PurgeableJournal extends Journal {
  purge(before: Date): Promise<number>;
}

const journals: readonly (readonly [name: string, open: () => PurgeableJournal | Promise<PurgeableJournal>])[] = [
  ['memory', () => new MemoryJournal()],
  ['SQLite', () => new SqliteJournal(':memory:')],
  [
    'PostgreSQL',
    async () => {
      await database.exec(`drop table if exists corridor_journal; ${postgresMigration()}`);
      return new PostgresJournal(database);
    },
  ],
];

test.each(journals)(
  'purge removes the entries of %s that were resolved before a time, and frees their keys',
  async (_name, open) => {
    const journal = await open();
    const [paid, rejected, pending] = ['order-1', 'order-2', 'order-3'].map((idempotencyKey) =>
      intentFor(`quo of ${idempotencyKey}`, {}, { idempotencyKey }),
    ) as [PaymentCreateIntent, PaymentCreateIntent, PaymentCreateIntent];
    for (const intent of [paid, rejected, pending]) await journal.claim(intent);
    await journal.resolve(paid, { outcome: 'created', paymentId: 'pay_1' });
    await journal.resolve(rejected, { outcome: 'not-created' });

    expect(await journal.purge(new Date(Date.now() - minute))).toBe(0);
    expect(await journal.claim(intentFor('quo_2', {}, { idempotencyKey: 'order-1' }))).toMatchObject({ intent: paid });
    expect(await journal.purge(new Date(Date.now() + minute))).toBe(2);
    expect(await journal.listPending()).toEqual([pending]);
    expect(await journal.claim(intentFor('quo_2', {}, { idempotencyKey: 'order-1' }))).toBe(true);
    expect(await journal.claim(rejected)).toBe(true);
  },
);

test.each(journals)(
  'purge of %s keeps a pending entry, also if a released payment had its key',
  async (_name, open) => {
    const journal = await open();
    const [released, pending, next] = ['quo_1', 'quo_2', 'quo_3'].map((quote) =>
      intentFor(quote, {}, { idempotencyKey: 'order-1' }),
    ) as [PaymentCreateIntent, PaymentCreateIntent, PaymentCreateIntent];
    await journal.claim(released);
    await journal.resolve(released, { outcome: 'not-created' });
    expect(await journal.claim(pending)).toBe(true);
    await journal.resolve(released, { outcome: 'created', paymentId: 'pay_1' });

    expect(await journal.purge(new Date(Date.now() + minute))).toBe(1);
    expect(await journal.claim(next)).toEqual({ intent: pending });
  },
);
