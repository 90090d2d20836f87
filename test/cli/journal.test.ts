import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { PaymentCreateIntent } from 'corridor-sdk';
import { SqliteJournal } from 'corridor-sdk/journal/sqlite';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addExampleRecords, order } from '../../scripts/specification/specification.ts';
import { corridor, ended, environmentOf, startCorridor, type Run } from './corridor.ts';

let served: MockPlatformServer;
let environment: Readonly<Record<string, string>>;
let folder: string;
let file: string;
let intent: PaymentCreateIntent;

beforeAll(async () => {
  served = await serveMockPlatform();
  environment = await environmentOf(served);
});

beforeEach(async () => {
  served.platform.reset();
  addExampleRecords(served.platform);
  folder = await mkdtemp(join(tmpdir(), 'corridor-journal-'));
  file = join(folder, 'payments.sqlite');
  intent = {
    version: 1,
    id: '3f0c6d0e-6a0e-4c2e-9d5e-0a4d4f0d6a11',
    request: { ...order, internalReference: 'order-4711' },
    sendUntil: new Date(served.platform.clock.now() - 3_510_000).toISOString(),
    createdAt: new Date(served.platform.clock.now() - 3_600_000).toISOString(),
    clockOffset: 0,
    clockKnown: true,
  };
  await withJournal((journal) => journal.claim(intent));
  return () => rm(folder, { recursive: true });
});

afterAll(() => served.close());

async function withJournal<T>(use: (journal: SqliteJournal) => Promise<T>): Promise<T> {
  const journal = new SqliteJournal(file);
  try {
    return await use(journal);
  } finally {
    journal.close();
  }
}

const pending = (): Promise<readonly PaymentCreateIntent[]> => withJournal((journal) => journal.listPending());
const run = (words: readonly string[], input = ''): Promise<Run> =>
  corridor(['journal', ...words], { environment, input });
const resolve = (...lines: readonly string[]): Promise<Run> =>
  run(['resolve', file, 'quo_1'], lines.map((line) => `${line}\n`).join(''));

/** When an entry can be released: after the consistency window and 5 minutes, for clocks that differ. */
const timeAfter = (sendUntil = ''): string => new Date(Date.parse(sendUntil) + 310_000).toISOString();

test('list shows the pending entries, from when each can be released, and the commands for them', async () => {
  const now = Date.now();
  const sending = {
    ...intent,
    id: 'sending',
    idempotencyKey: 'order 4712',
    request: { ...intent.request, paymentQuoteId: "quo'2" },
    sendUntil: new Date(now + 60_000).toISOString(),
  };
  await withJournal((journal) => journal.claim(sending));
  const { code, output, notes } = await run(['list', file]);

  expect(code).toBe(0);
  expect(output.split('\n')).toEqual([
    expect.stringMatching(
      /^paymentQuoteId +idempotencyKey +internalReference +amount +currencyCode +createdAt +status +releasableFrom$/,
    ),
    expect.stringMatching(
      new RegExp(`^quo_1 +order-4711 +1250.00 +USD +${intent.createdAt} +unknown +${timeAfter(intent.sendUntil)}$`),
    ),
    expect.stringMatching(
      new RegExp(`^quo'2 +order 4712 +order-4711 .* in-progress +${timeAfter(sending.sendUntil)}$`),
    ),
    '',
  ]);
  expect(notes.split('\n')).toEqual([
    'quo_1: it is unknown whether its payment exists',
    "quo'2: its process may still send it",
    expect.stringMatching(
      /^To ask the platform for all of them: .*corridor-sdk journal reconcile .*payments\.sqlite'?$/,
    ),
    expect.stringMatching(/^To resolve one: .*corridor-sdk journal resolve .*payments\.sqlite'? <quote>$/),
    '',
  ]);
});

test('purge removes resolved entries, and requires a time at least a day ago', async () => {
  await withJournal(async (journal) => {
    const paid = { ...intent, id: 'paid', request: { ...intent.request, paymentQuoteId: 'quo_paid' } };
    await journal.claim(paid);
    await journal.resolve(paid, { outcome: 'created', paymentId: 'pay_1' });
  });
  const database = new DatabaseSync(file);
  database.exec("update corridor_journal set resolved_at = '2026-01-15T00:00:00.000Z' where resolved_at is not null");
  const count = (): unknown => database.prepare('select count(*) as count from corridor_journal').get();

  for (const words of [[], ['--before', 'yesterday'], ['--before', new Date(Date.now() - 60_000).toISOString()]])
    expect(await run(['purge', file, ...words])).toMatchObject({
      code: 2,
      output: '',
      notes: expect.stringContaining('a purged key or quote can be paid again') as unknown,
    });
  expect(await run(['purge', file, '--before', '2026-01-15'])).toMatchObject({
    output: 'Purged: 0 resolved entries.\n',
  });
  expect(count()).toEqual({ count: 2 });
  expect(await run(['purge', file, '--before', '2026-01-16', '--json'])).toMatchObject({ output: '{"purged":1}\n' });
  expect(count()).toEqual({ count: 1 });
  expect(await pending()).toEqual([intent]);
  database.close();
});

test('list reads a new journal that another process uses', async () => {
  const path = join(folder, 'new.sqlite');
  const journal = new SqliteJournal(path);
  await journal.claim(intent);
  const { output } = await run(['list', path, '--json']);
  journal.close();
  expect(JSON.parse(output)).toEqual([
    {
      intent,
      status: 'unknown',
      releasableFrom: timeAfter(intent.sendUntil),
      advice: 'it is unknown whether its payment exists',
    },
  ]);
});

describe('reconcile', () => {
  test('asks the platform about every entry, and prints what each is', async () => {
    const created = served.platform.payments.add({ amount: '9.00', currencyCode: 'USD' });
    const paymentQuoteId = created.paymentQuoteId ?? '';
    const other = { ...intent, id: 'other', request: { ...intent.request, paymentQuoteId } };
    await withJournal((journal) => journal.claim(other));
    const { code, output, notes } = await run(['reconcile', file]);

    expect(code).toBe(1);
    expect(output).toMatch(new RegExp(`^quo_1 .* not-found +${timeAfter(intent.sendUntil)}$`, 'm'));
    expect(output).toMatch(new RegExp(`^${paymentQuoteId} .* mismatch +${created.id}$`, 'm'));
    expect(notes.split('\n')).toEqual([
      'quo_1: no process sends it, and the list does not show it. Ask the support of the platform whether it has a payment for the quote',
      `${paymentQuoteId}: payment ${created.id} uses its quote, but differs in amount, customerId, beneficiaryId, internalReference. Ask the support of the platform whether that is the payment of the order`,
      expect.stringMatching(/^To resolve one: .*corridor-sdk journal resolve .*payments\.sqlite'? <quote>$/),
      expect.stringMatching(
        /^To release all that are not-found: .*payments\.sqlite'? --release-not-found --confirmed-by <name>$/,
      ),
      '',
    ]);
    expect(await pending()).toHaveLength(2);
  });

  test('ends with 0 if every entry is created or in progress', async () => {
    const { id } = addPayment();
    const sendUntil = new Date(served.platform.clock.now() + 60_000).toISOString();
    const sending = { ...intent, id: 'sending', sendUntil, request: { ...intent.request, paymentQuoteId: 'quo_2' } };
    await withJournal((journal) => journal.claim(sending));
    const { code, output, notes } = await run(['reconcile', file]);

    expect(code).toBe(0);
    expect(output).toMatch(new RegExp(`^quo_1 .* created +${id}$`, 'm'));
    expect(output).toMatch(new RegExp(`^quo_2 .* in-progress +${timeAfter(sendUntil)}$`, 'm'));
    expect(notes).toMatch(/^quo_2: its process may still send it, .* after releasableFrom, .*\n$/);
    expect(await pending()).toEqual([sending]);
  });

  test('says once for all entries why the platform could not be asked, and ends with 1', async () => {
    served.platform.faults.always('payments.list', { kind: 'status', status: 403 });
    const more = ['quo_2', 'quo_3'].map((paymentQuoteId) => ({
      ...intent,
      id: paymentQuoteId,
      request: { ...intent.request, paymentQuoteId },
    }));
    await withJournal((journal) => Promise.all(more.map((each) => journal.claim(each))));
    const { code, notes } = await run(['reconcile', file, '--total-timeout', '10']);

    expect(code).toBe(1);
    expect(notes).toMatch(
      /^quo_1 and 2 more: it is unknown whether its payment exists: .*403.*\nTo resolve one: .*\n$/,
    );
    const { output } = await run(['reconcile', file, '--json']);
    expect(JSON.parse(output)).toMatchObject(
      Array.from({ length: 3 }, () => ({ status: 'unknown', advice: expect.stringContaining('403') as unknown })),
    );
  });

  const release = (line: string): Promise<Run> =>
    run(['reconcile', file, '--release-not-found', '--confirmed-by', 'Ada', '--json'], `${line}\n`);

  test('releases what the platform does not show after one question about all of it', async () => {
    const { code, output, notes } = await release('release 1');

    expect(code).toBe(0);
    expect(notes).toContain(`no payment for 1 entry (1250.00 USD; the oldest of ${intent.createdAt})?`);
    expect(JSON.parse(output)).toMatchObject([{ paymentQuoteId: 'quo_1', status: 'released', confirmedBy: 'Ada' }]);
    expect(await pending()).toEqual([]);
  });

  test('releases nothing without the answer, and nothing whose window is not over', async () => {
    expect(await release('release 2')).toMatchObject({ code: 1, output: '' });
    const sendUntil = new Date(served.platform.clock.now() + 60_000).toISOString();
    const sending = { ...intent, id: 'sending', sendUntil, request: { ...intent.request, paymentQuoteId: 'quo_2' } };
    await withJournal((journal) => journal.claim(sending));
    const { notes } = await release('release 1');

    expect(notes).not.toContain('quo_2');
    expect(await pending()).toEqual([sending]);
  });

  test.each([['--release-not-found'], ['--confirmed-by', 'Ada']])('%s alone is rejected', async (...words) => {
    expect(await run(['reconcile', file, ...words])).toMatchObject({
      code: 2,
      notes: expect.stringContaining('belong together') as unknown,
    });
  });
});

describe('a file that is not a journal', () => {
  const foreign = 'create table orders (id integer); insert into orders values (1)';

  test.each<[string, (path: string) => (() => void) | void]>([
    ['an empty file', (path) => writeFileSync(path, '')],
    ['a text', (path) => writeFileSync(path, 'not a database, but as long as the header of one '.repeat(20))],
    ['a database', (path) => useDatabase(path, foreign).close()],
    ['a database in WAL mode', (path) => useDatabase(path, `pragma journal_mode = wal; ${foreign}`).close()],
    [
      'a database in WAL mode that is open',
      (path) => {
        const database = useDatabase(path, `pragma journal_mode = wal; ${foreign}`);
        return () => database.close();
      },
    ],
    [
      'a database with another corridor_journal',
      (path) => useDatabase(path, 'create table corridor_journal (key)').close(),
    ],
  ])('is reported and not changed: %s', async (_what, create) => {
    const path = join(folder, 'foreign ?#.sqlite');
    const close = create(path);
    const contents = () =>
      readdirSync(folder).map((name) => [
        name,
        name.endsWith('-shm') ? '' : readFileSync(join(folder, name), 'latin1'),
      ]);
    const before = contents();

    for (const words of [['list'], ['show', 'quo_1'], ['resolve', 'quo_1']]) {
      const [action = '', ...quote] = words;
      expect(await run([action, path, ...quote])).toMatchObject({
        code: 1,
        output: '',
        notes: expect.stringContaining(`${path} is not a journal of payments.createOnce`) as unknown,
      });
    }

    expect(contents()).toEqual(before);
    close?.();
  });

  function useDatabase(path: string, sql: string): DatabaseSync {
    const database = new DatabaseSync(path);
    database.exec(sql);
    return database;
  }
});

test('show prints the intent, as JSON for payments.reconcile', async () => {
  const { output } = await run(['show', file, 'quo_1']);
  expect(JSON.parse(output)).toEqual(intent);
  const { id } = addPayment();
  const reconciled = await corridor(['call', 'payments.reconcile', '-'], { environment, input: output });
  expect(reconciled).toMatchObject({ code: 0, output: expect.stringContaining(id) as unknown });
});

const addPayment = (): { readonly id: string } =>
  served.platform.payments.add({
    customerId: 'cus_1',
    beneficiaryId: 'ben_1',
    paymentQuoteId: 'quo_1',
    amount: '1250.00',
    currencyCode: 'USD',
    internalReference: 'order-4711',
    createdAt: intent.createdAt,
  });

const claimedAt = '2026-03-01T09:00:00.000Z';

function damage(): void {
  const database = new DatabaseSync(file);
  database.exec(`update corridor_journal set intent = '{', claimed_at = '${claimedAt}'`);
  database.close();
}

describe('resolve', () => {
  test('finds the payment and asks nothing', async () => {
    const payment = addPayment();

    expect(await resolve()).toEqual({ code: 0, output: `Resolved: created as ${payment.id}.\n`, notes: '' });
    expect(await pending()).toEqual([]);
  });

  test('releases the quote if every question is confirmed, and sends no payment', async () => {
    const { code, output, notes } = await resolve('yes', 'quo_1');

    expect({ code, output }).toEqual({ code: 0, output: 'Released: quo_1 can be used again.\n' });
    for (const question of [
      'Has the support of the platform confirmed that it has no payment for quote quo_1?',
      'Type quo_1 to release it:',
    ])
      expect(notes).toContain(question);
    expect(await pending()).toEqual([]);
    expect(new Set(served.platform.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
  });

  test.each([[[]], [['no']], [['y', 'quo_1']], [['yes']], [['yes', 'yes']]])(
    'changes nothing after %j',
    async (lines) => {
      const { code, output, notes } = await resolve(...lines);

      expect({ code, output }).toEqual({ code: 1, output: '' });
      expect(notes).toContain('nothing was changed');
      expect(await pending()).toEqual([intent]);
    },
  );

  test('finds an entry by its key', async () => {
    const keyed = {
      ...intent,
      id: 'keyed',
      idempotencyKey: 'order-1',
      request: { ...intent.request, paymentQuoteId: 'q' },
    };
    await withJournal((journal) => journal.claim(keyed));
    expect(JSON.parse((await run(['show', file, 'order-1'])).output)).toEqual(keyed);
  });

  test('asks nothing and changes nothing as long as its process may still send it', async () => {
    const sendUntil = new Date(served.platform.clock.now() + 60_000).toISOString();
    const sending = { ...intent, id: 'sending', request: { ...intent.request, paymentQuoteId: 'quo_2' }, sendUntil };
    await withJournal((journal) => journal.claim(sending));
    const { code, notes } = await run(['resolve', file, 'quo_2'], 'yes\nquo_2\n');
    expect(code).toBe(1);
    expect(notes).toContain(
      `error  its process may still send it, or the list may still show it. Reconcile again after ${timeAfter(sendUntil)}, `,
    );
    expect(notes).not.toContain('Has the support');
    expect(await pending()).toEqual([intent, sending]);
  });

  test('fails if the journal cannot store the payment that it found', async () => {
    const { id } = addPayment();
    const database = new DatabaseSync(file);
    database.exec("create trigger full before update on corridor_journal begin select raise(abort, 'disk full'); end");
    database.close();

    const { code, output, notes } = await resolve();

    expect({ code, output }).toEqual({ code: 1, output: '' });
    expect(notes).toContain(
      `quote quo_1 was created as ${id}, but not resolved: the journal ${file} failed (SQLite error 1811)`,
    );
    expect(await pending()).toEqual([intent]);
  });

  test.each<[string, (journal: SqliteJournal) => Promise<unknown>, number, string]>([
    [
      'resolved the entry',
      (journal: SqliteJournal) => journal.resolve(intent, { outcome: 'created', paymentId: 'pay_x' }),
      2,
      'payments.releaseIntent was not sent: intent.id has a quote or a key with which the journal has payment pay_x',
    ],
    [
      'claimed the quote',
      async (journal: SqliteJournal) => {
        await journal.resolve(intent, { outcome: 'not-created' });
        await journal.claim({ ...intent, id: 'another' });
      },
      1,
      'quote quo_1 was not released: intent another has claimed it since',
    ],
  ])('releases nothing if another process %s while a question waited', async (_, change, exitCode, problem) => {
    const child = startCorridor(['journal', 'resolve', file, 'quo_1'], { environment });
    const result = ended(child);
    child.stdin.write('yes\n');
    await once(child.stderr, 'data');
    await withJournal(change);
    const before = await pending();
    child.stdin.end('quo_1\n');

    const { code, output, notes } = await result;

    expect({ code, output }).toEqual({ code: exitCode, output: '' });
    expect(notes).toContain(`error  ${problem}`);
    expect(await pending()).toEqual(before);
  });

  test.each([[[]], [['another']]])('releases a quote that others released too: %j', async (others) => {
    const child = startCorridor(['journal', 'resolve', file, 'quo_1'], { environment });
    const result = ended(child);
    await once(child.stderr, 'data');
    await withJournal(async (journal) => {
      await journal.resolve(intent, { outcome: 'not-created' });
      for (const id of others) {
        await journal.claim({ ...intent, id });
        await journal.resolve({ ...intent, id }, { outcome: 'not-created' });
      }
    });
    child.stdin.end('yes\nquo_1\n');

    expect(await result).toMatchObject({ code: 0, output: 'Released: quo_1 can be used again.\n' });
    expect(await pending()).toEqual([]);
  });

  test('names the account of the search', async () => {
    const { notes } = await resolve();

    expect(notes).toMatch(`Account: ${served.url}, with the settings of the environment.\nThe list shows no payment`);
  });

  test('refuses an account that does not have the customer', async () => {
    const { apiKey, privateKey } = await served.platform.organization({ name: 'Other' }).credentials();
    const other = { ...environment, CORRIDOR_API_KEY: apiKey, CORRIDOR_PRIVATE_KEY: privateKey };

    const { code, notes } = await corridor(['journal', 'resolve', file, 'quo_1'], {
      environment: other,
      input: 'yes\nquo_1\n',
    });

    expect(code).toBe(1);
    expect(notes).toContain(
      `error  Customer cus_1 does not exist at ${served.url} for this API key. Use the account that sent the payment;`,
    );
    expect(notes).toContain(
      `Now: ${served.url}, with the settings of the environment, which --env-file replaces; nothing was changed`,
    );
    expect(notes).not.toContain('Has the support');
    expect(await pending()).toEqual([intent]);
  });

  describe('asks about a payment that uses the quote, but differs', () => {
    let id: string;
    beforeEach(() => {
      ({ id } = served.platform.payments.add({ ...intent.request }));
      served.platform.payments.update(id, { amount: '7.00' });
    });

    test('and accepts it as the payment of the order', async () => {
      const { code, output, notes } = await resolve('yes', 'Ada', 'ticket 7');

      expect({ code, output }).toEqual({ code: 0, output: `Resolved: created as ${id}.\n` });
      expect(notes).toContain(`Quote quo_1: payment ${id} uses its quote, but differs in amount.`);
      expect(notes).toContain(`is ${id} the payment of this order? (yes/no) Your name: Why, such as the ticket`);
      expect(await withJournal((journal) => journal.claim(intent))).toMatchObject({
        intent: { accepted: { paymentId: id, confirmedBy: 'Ada', reason: 'ticket 7' } },
        resolution: { outcome: 'created', paymentId: id },
      });
    });

    test('and releases the quote if it is not, and the support has no other', async () => {
      const { code, output, notes } = await resolve('no', 'yes', 'quo_1');

      expect({ code, output }).toEqual({ code: 0, output: 'Released: quo_1 can be used again.\n' });
      expect(notes).toContain('no other payment for quote quo_1?');
      expect(await pending()).toEqual([]);
    });

    test.each([[[]], [['y', 'Ada', 'ticket 7']], [['yes', 'Ada']], [['yes', '', 'ticket 7']], [['no', 'no', 'quo_1']]])(
      'and changes nothing after %j',
      async (lines) => {
        expect(await resolve(...lines)).toMatchObject({
          code: 1,
          notes: expect.stringContaining('nothing was changed') as unknown,
        });
        expect(await pending()).toEqual([intent]);
      },
    );
  });

  test('releases a damaged entry if the support confirmed that there is no payment', async () => {
    damage();
    const requests = served.platform.requests.length;

    expect(await resolve('yes', 'no')).toMatchObject({
      code: 1,
      notes: expect.stringContaining('nothing was changed'),
    });
    expect(await pending()).toMatchObject([{ id: intent.id, createdAt: claimedAt }]);
    const { code, output, notes } = await resolve('yes', 'yes', 'quo_1');

    expect({ code, output }).toEqual({ code: 0, output: 'Released: quo_1 can be used again.\n' });
    expect(notes).toContain('The entry of quote quo_1 is damaged: only its quote can be searched for.');
    expect(notes).toContain('Has the support of the platform confirmed that it has no payment for quote quo_1?');
    expect(await pending()).toEqual([]);
    expect(served.platform.requests).toHaveLength(requests + 1);
  });

  test.each([
    ['of a process that did not know the time', { clockKnown: false }],
    ['from the future', { createdAt: '2100-01-01T00:00:00.000Z', sendUntil: '2100-01-01T00:01:00.000Z' }],
  ])('releases an entry %s if a person knows that the process has ended', async (_what, replaced) => {
    const unproven = { ...intent, ...replaced, id: 'u', request: { ...intent.request, paymentQuoteId: 'quo_2' } };
    await withJournal((journal) => journal.claim(unproven));
    const answer = (lines: string): Promise<Run> => run(['resolve', file, 'quo_2'], lines);

    expect(await answer('no\nyes\nquo_2\n')).toMatchObject({ code: 1 });
    expect(await pending()).toEqual([intent, unproven]);
    const { code, output, notes } = await answer('yes\nyes\nquo_2\n');
    expect({ code, output }).toEqual({ code: 0, output: 'Released: quo_2 can be used again.\n' });
    expect(notes).toContain('Has the process that claimed it ended? (yes/no)');
    expect(await pending()).toEqual([intent]);
  });

  test('does not release a damaged entry whose quote has a payment', async () => {
    damage();
    const { id } = served.platform.payments.add({ ...intent.request });

    expect(await resolve('yes', 'yes', 'quo_1')).toMatchObject({
      code: 0,
      output: `Resolved: created as ${id}.\n`,
    });
    expect(await pending()).toEqual([]);
  });

  test('asks nothing if the list cannot be read', async () => {
    served.platform.faults.always('payments.list', { kind: 'status', status: 403 });

    const { code, notes } = await resolve('yes', 'quo_1');

    expect(code).toBe(1);
    expect(notes).not.toContain('Has the support');
    expect(await pending()).toEqual([intent]);
  });
});

test('a file that does not exist is not created', async () => {
  const path = join(folder, 'payment.sqlite');

  const { code, notes } = await run(['list', path]);

  expect(code).toBe(1);
  expect(notes).toContain('payment.sqlite does not exist');
  expect(existsSync(path)).toBe(false);
});

test('a quote without a pending entry is reported', async () => {
  const { code, notes } = await run(['show', file, 'quo_9']);

  expect(code).toBe(1);
  expect(notes).toContain('the journal has no pending entry for the quote or the key quo_9');
});

describe('a PostgreSQL URL', () => {
  test('that cannot be reached is reported without the password', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');

    const { code, notes } = await run(['list', `postgresql://ops:hunter22-secret@127.0.0.1:${port}/shop`]);

    expect(code).toBe(1);
    expect(notes).toMatch(/^error {2}the database failed: .*ECONNREFUSED.*\. Check the URL, PGPASSWORD and/);
    expect(notes).not.toContain('unexpected error');
    expect(notes).not.toContain('hunter22');
  });

  test.each([
    'host=db password=hunter22-secret user=ops',
    "password = 'hunter22-secret'",
    'pg://db?password=hunter22-secret',
  ])('of another form is reported without the password: %s', async (text) => {
    const { code, notes } = await run(['list', text]);
    expect(code).toBe(1);
    expect(notes).toContain('[secret]');
    expect(notes).not.toContain('hunter22');
  });

  test('needs pg in the folder', async () => {
    const { code, notes } = await corridor(['journal', 'list', 'postgresql://127.0.0.1/shop'], { folder });

    expect(code).toBe(1);
    expect(notes).toContain('the package pg cannot be loaded in this folder (MODULE_NOT_FOUND). Run npm install pg');
  });
});
