import { inspect } from 'node:util';
import { PGlite } from '@electric-sql/pglite';
import { MemoryJournal, type Journal, type PaymentCreateIntent } from 'corridor-sdk';
import { PostgresJournal, postgresMigration } from 'corridor-sdk/journal/postgres';
import { SqliteJournal } from 'corridor-sdk/journal/sqlite';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  connectionError,
  type CreateHandler,
  errorResponse,
  failureOf,
  FaultyPlatform,
  intentOf,
  notProcessed,
} from '../support/faulty-platform.ts';
import { journalWith } from './stored-intents.ts';

const connectionLost = (): Error => Object.assign(new Error('the connection was lost'), { code: 'ECONNRESET' });

/** A journal that commits claims, but loses the responses to the first few. */
function losing(claims: number, inner: Journal = new MemoryJournal()): Journal & { readonly claims: () => number } {
  let count = 0;
  return {
    async claim(intent) {
      const claimed = await inner.claim(intent);
      count += 1;
      if (count <= claims) throw connectionLost();
      return claimed;
    },
    resolve: (intent, resolution) => inner.resolve(intent, resolution),
    listPending: () => inner.listPending(),
    claims: () => count,
  };
}

describe('a claim whose response is lost', () => {
  test('is repeated once, and the payment is created', async () => {
    const faulty = new FaultyPlatform();
    const journal = losing(1);
    expect(await faulty.run(() => faulty.client({ journal }).payments.createOnce(faulty.payable()))).toMatchObject({
      created: true,
      recovered: false,
    });
    expect(journal.claims()).toBe(2);
    expect(await journal.listPending()).toEqual([]);
  });

  test('although no attempt has failed, as in a table with children, is released, and nothing is sent', async () => {
    const faulty = new FaultyPlatform();
    const inner = new MemoryJournal();
    const journal: Journal = {
      claim: async (intent) => (await inner.claim(intent), inner.claim(intent)),
      resolve: (intent, resolution) => inner.resolve(intent, resolution),
      listPending: () => inner.listPending(),
    };
    const call = faulty.run(() => faulty.client({ journal }).payments.createOnce(faulty.payable()));
    expect(await failureOf(call)).toMatchObject({
      code: 'journal',
      outcome: 'not-sent',
      message: expect.stringContaining('the journal has stored the claim without returning true') as unknown,
    });
    expect(faulty.sent).toHaveLength(0);
    expect(await inner.listPending()).toEqual([]);
  });

  test('twice, is an error, and leaves the quote free for the next call', async () => {
    const faulty = new FaultyPlatform();
    const journal = losing(2);
    const { payments } = faulty.client({ journal });
    const payment = faulty.payable();
    const error = await failureOf(faulty.run(() => payments.createOnce(payment)));
    expect(error).toMatchObject({
      code: 'journal',
      outcome: 'not-sent',
      message: expect.stringContaining('ECONNRESET') as unknown,
      intent: { request: { paymentQuoteId: payment.paymentQuoteId } },
    });
    expect(journal.claims()).toBe(2);
    expect(await journal.listPending()).toEqual([]);
    expect(await faulty.run(() => payments.createOnce(payment))).toMatchObject({ created: true });
    expect(inspect(error, { showHidden: true, depth: null, getters: true })).not.toContain('Machine parts');
  });

  test.each<[string, boolean]>([
    ['is released by the next call of the client', true],
    ['and never can release it, pays nothing', false],
  ])('twice, by a journal that cannot release it at once, %s', async (_name, recovers) => {
    const faulty = new FaultyPlatform();
    const inner = new MemoryJournal();
    let isDown = true;
    const journal: Journal = {
      ...losing(2, inner),
      resolve: async (intent, resolution) =>
        isDown ? Promise.reject(connectionLost()) : inner.resolve(intent, resolution),
    };
    const { payments } = faulty.client({ journal });
    const payment = faulty.payable();
    expect(await failureOf(faulty.run(() => payments.createOnce(payment)))).toMatchObject({ code: 'journal' });
    isDown = !recovers;
    const [next] = await faulty.run(() => Promise.allSettled([payments.createOnce(payment)]));
    expect(next).toMatchObject(
      recovers ? { value: { created: true } } : { reason: { code: 'payment-outcome-unknown', attempts: [] } },
    );
    expect(faulty.sent).toHaveLength(recovers ? 1 : 0);
  });

  test('and that was released since, sends nothing with the released intent', async () => {
    const faulty = new FaultyPlatform();
    const inner = new MemoryJournal();
    const claimed: string[] = [];
    const sent: string[] = [];
    const journal: Journal = {
      async claim(intent) {
        claimed.push(intent.id);
        if (claimed.length > 1) return inner.claim(intent);
        await inner.claim(intent);
        await inner.resolve(intent, { outcome: 'not-created' });
        throw connectionLost();
      },
      resolve: (intent, resolution) => inner.resolve(intent, resolution),
      listPending: () => inner.listPending(),
    };
    const onIntent = ({ id }: PaymentCreateIntent): void => void sent.push(id);
    expect(
      await faulty.run(() => faulty.client({ journal }).payments.createOnce(faulty.payable(), { onIntent })),
    ).toMatchObject({ created: true });
    expect(claimed.slice(0, 2)).toEqual([claimed[0], claimed[0]]);
    expect(sent).toEqual(claimed.slice(2));
  });

  test('does not release an entry of another intent', async () => {
    const faulty = new FaultyPlatform();
    const inner = new MemoryJournal();
    const payment = faulty.payable();
    const other: PaymentCreateIntent = {
      version: 1,
      id: crypto.randomUUID(),
      request: { ...payment },
      createdAt: new Date(faulty.time.now()).toISOString(),
      clockOffset: 0,
    };
    await inner.claim(other);
    await failureOf(faulty.run(() => faulty.client({ journal: losing(2, inner) }).payments.createOnce(payment)));
    expect(await inner.listPending()).toEqual([other]);
    expect(faulty.sent).toEqual([]);
  });
});

test('a claim that is committed after the journal reported the entry of another process does not keep the order', async () => {
  const faulty = new FaultyPlatform();
  const inner = new MemoryJournal();
  const key = { idempotencyKey: 'order-1' };
  const { customerId, beneficiaryId } = faulty.payable();
  const order = () => faulty.payable({ customerId, beneficiaryId });
  const other = { ...intentOf(order(), faulty.time.now()), ...key };
  await inner.claim(other);
  let late: PaymentCreateIntent | undefined;
  const journal: Journal = {
    supportsIdempotencyKeys: true,
    async claim(intent) {
      if (late !== undefined) return inner.claim(intent);
      late = intent;
      throw connectionLost();
    },
    resolve: (intent, resolution) => inner.resolve(intent, resolution),
    listPending: () => inner.listPending(),
  };
  const { payments } = faulty.client({ journal });
  const pay = () => faulty.run(() => payments.createOnce(order(), key));
  expect(await failureOf(pay())).toMatchObject({ outcome: 'unknown', intent: { id: other.id } });
  await inner.resolve(other, { outcome: 'not-created' });
  await inner.claim(late as unknown as PaymentCreateIntent);
  expect(await inner.listPending()).toEqual([]);
  expect(await pay()).toMatchObject({ created: true });
});

test('a call that is aborted while its claim is pending does not repeat it', async () => {
  const faulty = new FaultyPlatform();
  const inner = new MemoryJournal();
  const controller = new AbortController();
  let claims = 0;
  const journal: Journal = {
    async claim() {
      claims += 1;
      await faulty.time.wait(5_000);
      throw connectionLost();
    },
    resolve: (intent, resolution) => inner.resolve(intent, resolution),
    listPending: () => inner.listPending(),
  };
  const call = failureOf(
    faulty.client({ journal }).payments.createOnce(faulty.payable(), { signal: controller.signal }),
  );
  await faulty.pass(1_000);
  controller.abort();
  expect(await call).toMatchObject({
    code: 'aborted',
    outcome: 'not-sent',
    intent: { id: expect.any(String) as unknown },
  });
  await faulty.pass(10_000);
  expect(claims).toBe(1);
});

test('a claim that is committed, and whose response never arrives, is released by the next call', async () => {
  const faulty = new FaultyPlatform();
  let isHanging = true;
  const journal = journalWith((inner) => ({
    claim: async (intent) => {
      const claimed = await inner.claim(intent);
      return isHanging ? new Promise(() => {}) : claimed;
    },
  }));
  const { payments } = faulty.client({ journal });
  const payment = faulty.payable();
  const controller = new AbortController();
  const call = failureOf(payments.createOnce(payment, { signal: controller.signal }));
  await faulty.pass(1_000);
  controller.abort();
  expect(await call).toMatchObject({ code: 'aborted', outcome: 'not-sent' });
  isHanging = false;
  expect(await faulty.run(() => payments.createOnce(payment))).toMatchObject({ created: true });
});

test('a client remembers the last 10,000 claims that it could not release', async () => {
  const faulty = new FaultyPlatform();
  const [first, second] = [faulty.payable(), faulty.payable()];
  const others = Array.from({ length: 9_999 }, (_, index) => ({ ...first, paymentQuoteId: `quo_lost_${index}` }));
  let isAway = true;
  const journal = journalWith((inner) => ({
    claim: async (intent) => {
      const claimed = intent.request.paymentQuoteId.startsWith('quo_lost') || (await inner.claim(intent));
      return isAway ? Promise.reject(connectionLost()) : claimed;
    },
    resolve: async (...resolved) => (isAway ? Promise.reject(connectionLost()) : inner.resolve(...resolved)),
  }));
  const { payments } = faulty.client({ journal });
  for (const order of [first, second, ...others]) await failureOf(payments.createOnce(order));
  isAway = false;
  await faulty.run(() => payments.createOnce(faulty.payable()));
  expect(await failureOf(faulty.run(() => payments.createOnce(first)))).toMatchObject({
    code: 'payment-outcome-unknown',
  });
  expect(await faulty.run(() => payments.createOnce(second))).toMatchObject({ created: true });
});

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

describe('a payment that was not created, and whose outcome the journal could not store', () => {
  const failing = {
    onIntent: (): never => {
      throw new Error('full');
    },
  };

  test.each<[string, object, CreateHandler[], object]>([
    ['was rejected', {}, [notProcessed(errorResponse(422))], { outcome: 'rejected' }],
    ['was not sent', {}, [notProcessed(connectionError('ECONNREFUSED', 'connect'))], { outcome: 'not-sent' }],
    ['was not stored by its caller', failing, [], { message: 'full' }],
  ])('because it %s, is paid by the next call of the client', async (_name, options, handlers, expected) => {
    const faulty = new FaultyPlatform().onCreate(...handlers);
    const inner = new MemoryJournal();
    let isDown = true;
    const journal: Journal = {
      supportsIdempotencyKeys: true,
      claim: (intent) => inner.claim(intent),
      resolve: async (intent, resolution) =>
        isDown ? Promise.reject(connectionLost()) : inner.resolve(intent, resolution),
      listPending: () => inner.listPending(),
    };
    const { payments } = faulty.client({ journal, maxRetries: 0 });
    const pay = (own = {}) =>
      faulty.run(() => payments.createOnce(faulty.payable(), { idempotencyKey: 'order-1', ...own }));
    expect(await failureOf(pay(options))).toMatchObject(expected);
    isDown = false;
    expect(await pay()).toMatchObject({ created: true });
    expect(await faulty.paymentsInTheEnd()).toHaveLength(1);
    expect(await journal.listPending()).toEqual([]);
  });
});

test.each<[string, () => Journal | Promise<Journal>]>([
  ['memory', () => new MemoryJournal()],
  ['SQLite', () => new SqliteJournal(':memory:')],
  [
    'PostgreSQL',
    async () => {
      const database = await PGlite.create();
      onTestFinished(() => database.close());
      await database.exec(postgresMigration());
      return new PostgresJournal(database);
    },
  ],
])(
  'a payment whose claim a journal in %s lost while it was sent is stored and reported, and prevents others',
  async (_store, open) => {
    const faulty = new FaultyPlatform();
    const { customerId, beneficiaryId } = faulty.payable();
    const order = () => faulty.payable({ customerId, beneficiaryId });
    const before = new MemoryJournal();
    const after = await open();
    const journal: Journal = {
      supportsIdempotencyKeys: true,
      claim: (intent) => before.claim(intent),
      resolve: (intent, resolution) => after.resolve(intent, resolution),
      listPending: () => after.listPending(),
    };
    const warn = vi.fn();
    const logger = { debug() {}, info() {}, warn, error() {} };
    const key = { idempotencyKey: 'order-1' };
    const { payment } = await faulty.run(() => faulty.client({ journal, logger }).payments.createOnce(order(), key));
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(`no entry of payment ${payment.id}, and has stored one: it has lost claims`), {}],
    ]);
    const { payments } = faulty.client({ journal: after });
    expect(await faulty.run(() => payments.createOnce(order(), key))).toMatchObject({
      created: false,
      payment: { id: payment.id },
    });
    expect([faulty.sent.length, warn.mock.calls.length]).toEqual([1, 1]);
  },
);

test('a journal that has lost the entry of a rejected payment has lost no payment', async () => {
  const faulty = new FaultyPlatform().onCreate(notProcessed(errorResponse(422)));
  const warn = vi.fn();
  const logger = { debug() {}, info() {}, warn, error() {} };
  const { payments } = faulty.client({ journal: journalWith(() => ({ resolve: async () => false })), logger });
  await failureOf(faulty.run(() => payments.createOnce(faulty.payable())));
  expect(JSON.stringify(warn.mock.calls)).not.toContain('lost claims');
});
