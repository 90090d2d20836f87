import { mkdir, rm, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Corridor, type Mirror } from 'corridor-sdk';
import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import { beforeAll, expect, test } from 'vitest';
import { snippetsOfDocument } from '../docs/read-snippets.ts';
import { read } from '../../scripts/repository/tree.ts';
import { sqliteDatabase, temporaryFile } from './mirrored.ts';

type Book = (mirror: Mirror, ledger: DatabaseSync) => Promise<void>;

/** The function of the ledger in docs/sync.md. */
let book: Book;

beforeAll(async () => {
  const recipe = snippetsOfDocument('docs/sync.md', read('docs/sync.md').text).find(({ code }) =>
    code.includes('function book('),
  );
  const folder = fileURLToPath(new URL(`../../.cache/ledger-${process.pid}/`, import.meta.url));
  await mkdir(folder, { recursive: true });
  const path = `${folder}ledger.ts`;
  await writeFile(path, String(recipe?.code).replace(/^await book\(.*$/m, ''));
  ({ book } = (await import(pathToFileURL(path).href)) as { readonly book: Book });
  return () => rm(folder, { recursive: true });
});

interface Books {
  readonly platform: MockPlatform;
  readonly mirror: Mirror;
  readonly ledger: DatabaseSync;
  poll(): Promise<unknown>;
  /** The entries of pay_1, such as `booked 12.50`. */
  entries(): string[];
}

async function setUp(): Promise<Books> {
  const platform = createMockPlatform();
  platform.populate({ customers: 1, beneficiaries: 1, payments: 0 });
  const corridor = new Corridor(platform.clientOptions());
  const mirror = (await sqliteDatabase()).open();
  const ledger = new DatabaseSync(await temporaryFile());
  const payment = (id: string, status: 'PROCESSING' | 'COMPLETED') =>
    platform.payments.add({ id, status, amount: '12.50' });
  payment('pay_1', 'PROCESSING');
  payment('pay_before', 'COMPLETED');
  const poll = (): Promise<unknown> => corridor.sync(mirror, { once: true });
  await poll();
  const entries = (): string[] =>
    ledger
      .prepare("select kind, amount from entries where payment = 'pay_1' order by sequence")
      .all()
      .map(({ kind, amount }) => `${String(kind)} ${String(amount)}`);
  return { platform, mirror, ledger, poll, entries };
}

test('a payment that completes and is returned is booked, and reversed with the amount that was booked', async () => {
  const { platform, mirror, ledger, poll, entries } = await setUp();
  platform.payments.transition('pay_1', 'COMPLETED');
  await poll();
  await book(mirror, ledger);
  expect(entries()).toEqual(['booked 12.50']);
  platform.payments.transition('pay_1', 'RETURNED');
  platform.payments.update('pay_1', { amount: '99.00' });
  await poll();
  await book(mirror, ledger);
  await book(mirror, ledger);
  expect(entries()).toEqual(['booked 12.50', 'reversed 12.50']);
});

test('both steps are booked by a consumer that reads only after both', async () => {
  const { platform, mirror, ledger, poll, entries } = await setUp();
  for (const status of ['COMPLETED', 'RETURNED'] as const) {
    platform.payments.transition('pay_1', status);
    await poll();
  }
  await book(mirror, ledger);
  expect(entries()).toEqual(['booked 12.50', 'reversed 12.50']);
});

test('if both happen between two polls, nothing is booked, and nothing is reversed', async () => {
  const { platform, mirror, ledger, poll, entries } = await setUp();
  await book(mirror, ledger);
  platform.payments.transition('pay_1', 'COMPLETED');
  platform.payments.transition('pay_1', 'RETURNED');
  await poll();
  const seen: unknown[] = [];
  for await (const { id, previousStatus, status } of mirror.changes({ once: true }))
    if (id === 'pay_1') seen.push([previousStatus, status]);
  expect(seen).toEqual([
    [null, 'PROCESSING'],
    ['PROCESSING', 'RETURNED'],
  ]);
  await book(mirror, ledger);
  await book(mirror, ledger);
  expect(entries()).toEqual([]);
});

test('what completed before the first fill is booked once', async () => {
  const { mirror, ledger } = await setUp();
  await book(mirror, ledger);
  await book(mirror, ledger);
  expect(
    ledger
      .prepare('select payment, kind from entries')
      .all()
      .map((row) => ({ ...row })),
  ).toEqual([{ payment: 'pay_before', kind: 'booked' }]);
});

test.each([0, 1, 2, 3])('a consumer that is killed after %i writes books the rest, each once', async (kept) => {
  const { platform, mirror, ledger, poll, entries } = await setUp();
  platform.payments.transition('pay_1', 'COMPLETED');
  await poll();
  platform.payments.transition('pay_1', 'RETURNED');
  await poll();
  // The next write fails, as if the process were killed before it was committed.
  let writes = 0;
  const killed = new Proxy(ledger, {
    get(target, name) {
      if (name !== 'prepare') return (target as never as Record<PropertyKey, () => unknown>)[name]?.bind(target);
      return (sql: string) => {
        const statement = target.prepare(sql);
        if (!sql.startsWith('insert')) return statement;
        const run = (...values: (string | number)[]): unknown => {
          if (writes === kept) throw new Error('killed');
          writes += 1;
          return statement.run(...values);
        };
        return { run };
      };
    },
  });
  await book(mirror, killed).catch((error: Error) => expect(error.message).toBe('killed'));
  expect(writes).toBe(kept);
  await book(mirror, ledger);
  expect(entries()).toEqual(['booked 12.50', 'reversed 12.50']);
  expect(ledger.prepare('select count(*) as count from entries').get()).toMatchObject({ count: 3 });
});
