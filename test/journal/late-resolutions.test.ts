import { PGlite } from '@electric-sql/pglite';
import { MemoryJournal, type Journal, type PaymentCreateIntent } from 'corridor-sdk';
import { PostgresJournal, postgresMigration, type PostgresPool } from 'corridor-sdk/journal/postgres';
import { SqliteJournal } from 'corridor-sdk/journal/sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CreateHandler, errorResponse, FaultyPlatform, notProcessed } from '../support/faulty-platform.ts';

let database: PGlite;

beforeAll(async () => {
  database = await PGlite.create();
}, 180_000);

afterAll(() => database.close());

const hour = 3_600_000;

/** How long the platform takes to create a payment. */
const slow =
  ({ time }: FaultyPlatform, milliseconds: number): CreateHandler =>
  async ({ commit }) => {
    await time.wait(milliseconds);
    return commit();
  };

/** A pool whose queries take no virtual time. */
function poolIn({ time }: FaultyPlatform): PostgresPool {
  return { query: (text, values) => time.busy(() => database.query(text, values)) };
}

async function postgresJournal(pool: PostgresPool): Promise<PostgresJournal> {
  await database.exec(`drop table if exists corridor_journal; ${postgresMigration()}`);
  return new PostgresJournal(pool);
}

/** The same journal, which resolves its first entry a second time after a delay. */
function repeating(journal: Journal, { time }: FaultyPlatform, milliseconds: number): Journal {
  let repeat = true;
  return {
    claim: (intent) => journal.claim(intent),
    listPending: () => journal.listPending(),
    async resolve(intent, resolution) {
      await journal.resolve(intent, resolution);
      if (!repeat) return;
      repeat = false;
      await time.wait(milliseconds);
      await journal.resolve(intent, resolution);
    },
  };
}

/** One call is rejected, and its entry is resolved twice; a second call follows, and a third one during the second. */
async function paidByThree(
  faulty: FaultyPlatform,
  first: Journal,
  others: Journal,
): Promise<{ readonly created: readonly boolean[]; readonly payments: number }> {
  const payment = faulty.payable();
  faulty.onCreate(notProcessed(errorResponse(429)), slow(faulty, 10_000));
  const [rejected, ...rest] = await faulty.run(() =>
    Promise.allSettled([
      faulty.client({ journal: first, maxRetries: 0 }).payments.createOnce(payment),
      faulty.time.wait(1_000).then(() => faulty.client({ journal: others }).payments.createOnce(payment)),
      faulty.time.wait(4_000).then(() => faulty.client({ journal: others }).payments.createOnce(payment)),
    ]),
  );
  expect(rejected).toMatchObject({ status: 'rejected', reason: { outcome: 'rejected', status: 429 } });
  const created = rest.map((result) => result.status === 'fulfilled' && result.value.created);
  return { created, payments: (await faulty.paymentsInTheEnd()).length };
}

describe('a "not-created" that is repeated while another call has the quote releases nothing', () => {
  test('if a pool repeats a statement whose response was lost', async () => {
    const faulty = new FaultyPlatform({ quotes: 'reusable' });
    const pool = poolIn(faulty);
    const others = await postgresJournal(pool);
    let repeat = true;
    const first = new PostgresJournal({
      async query(text, values) {
        const result = await pool.query(text, values);
        if (!repeat || !values.includes('not-created')) return result;
        repeat = false;
        await faulty.time.wait(3_000);
        return pool.query(text, values);
      },
    });
    expect(await paidByThree(faulty, first, others)).toEqual({ created: [true, false], payments: 1 });
    expect(repeat).toBe(false);
  });

  test.each<[string, () => Journal]>([
    ['memory', () => new MemoryJournal()],
    ['SQLite', () => new SqliteJournal(':memory:')],
  ])('in a journal of %s', async (_name, open) => {
    const faulty = new FaultyPlatform({ quotes: 'reusable' });
    const journal = open();
    expect(await paidByThree(faulty, repeating(journal, faulty, 3_000), journal)).toEqual({
      created: [true, false],
      payments: 1,
    });
  });
});

test.each<[string, (faulty: FaultyPlatform) => Journal | Promise<Journal>]>([
  ['memory', () => new MemoryJournal()],
  ['SQLite', () => new SqliteJournal(':memory:')],
  ['PostgreSQL', (faulty) => postgresJournal(poolIn(faulty))],
])('two processes that reconcile and release the same entry in %s release it once', async (_name, open) => {
  const faulty = new FaultyPlatform({ quotes: 'reusable' });
  const journal = await open(faulty);
  const payment = faulty.payable();
  await journal.claim({
    version: 1,
    id: crypto.randomUUID(),
    request: { ...payment },
    sendUntil: new Date(faulty.time.now() - 24 * hour).toISOString(),
    createdAt: new Date(faulty.time.now() - 25 * hour).toISOString(),
    clockOffset: 0,
    clockKnown: true,
  });
  const client = () => faulty.client({ journal });
  const notFound = async (): Promise<PaymentCreateIntent[]> =>
    (await client().payments.reconcilePending())
      .filter(({ status }) => status === 'not-found')
      .map(({ intent }) => intent);

  const [ours, theirs] = await faulty.run(() => Promise.all([notFound(), notFound()]));
  for (const intent of ours) await faulty.run(() => client().payments.releaseIntent(intent));
  faulty.onCreate(slow(faulty, 4_000));
  const first = client().payments.createOnce(payment);
  await faulty.pass(1_000);
  for (const intent of theirs) await faulty.run(() => client().payments.releaseIntent(intent));
  const second = client().payments.createOnce(payment);

  const results = await faulty.run(() => Promise.all([first, second]));
  expect(results.map(({ created }) => created)).toEqual([true, false]);
  expect(await faulty.paymentsInTheEnd()).toHaveLength(1);
});
