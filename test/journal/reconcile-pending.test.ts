import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import {
  MemoryJournal,
  type Journal,
  type PaymentCreateRequest,
  type PaymentCreateIntent,
  type ReconcilePendingOptions,
} from 'corridor-sdk';
import { PostgresJournal, postgresMigration } from 'corridor-sdk/journal/postgres';
import { SqliteJournal } from 'corridor-sdk/journal/sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorResponse, failureOf, FaultyPlatform } from '../support/faulty-platform.ts';

let database: PGlite;
let folder: string;

beforeAll(async () => {
  database = await PGlite.create();
  folder = await mkdtemp(join(tmpdir(), 'corridor-recover-'));
}, 180_000);

afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

const hanging = (): Promise<never> => new Promise(() => {});

function noted(
  { time }: FaultyPlatform,
  payment: PaymentCreateRequest,
  replaced: Partial<PaymentCreateIntent> = {},
): PaymentCreateIntent {
  return {
    version: 1,
    id: crypto.randomUUID(),
    request: { ...payment },
    createdAt: new Date(time.now()).toISOString(),
    clockOffset: 0,
    clockKnown: true,
    ...replaced,
  };
}

/** A journal in memory with some functions replaced. */
function journalWith(replaced: Partial<Journal>): Journal {
  const inner = new MemoryJournal();
  return {
    claim: (intent) => inner.claim(intent),
    resolve: (intent, resolution) => inner.resolve(intent, resolution),
    listPending: () => inner.listPending(),
    ...replaced,
  };
}

describe('the total timeout and the signal of reconcilePending', () => {
  test.each([
    ['that the journal has open', false],
    ['that are passed', true],
  ])('apply to all pages of the list together, for intents %s', async (_name, passed) => {
    const faulty = new FaultyPlatform();
    const payment = faulty.payable();
    for (let count = 0; count < 450; count += 1) faulty.add(payment);
    faulty.changePage = async (page) => (await faulty.time.wait(3_000), page);
    const journal = new MemoryJournal();
    const intent = noted(faulty, faulty.payable());
    await journal.claim(intent);
    const { payments } = faulty.client({ journal });
    const started = faulty.time.now();
    expect(
      await faulty.run(() => payments.reconcilePending({ ...(passed && { intents: [intent] }), totalTimeout: 10_000 })),
    ).toMatchObject([{ status: 'unknown', error: { code: 'timeout' } }]);
    expect(faulty.time.now() - started).toBe(9_000);

    const controller = new AbortController();
    const call = failureOf(
      payments.reconcilePending({ ...(passed && { intents: [intent] }), signal: controller.signal }),
    );
    await faulty.pass(4_000);
    controller.abort('enough');
    expect(await call).toMatchObject({ code: 'aborted', cause: 'enough' });
  });

  test.each([
    ['its total timeout', true],
    ['its signal', false],
  ])('let a journal that hangs at the end delay it only briefly beyond %s', async (_name, byDeadline) => {
    const faulty = new FaultyPlatform();
    const controller = new AbortController();
    const journal = journalWith({ resolve: hanging });
    for (const payment of [faulty.payable(), faulty.payable()]) {
      await journal.claim(noted(faulty, payment));
      faulty.add(payment);
    }
    const started = faulty.time.now();
    const call = faulty
      .client({ journal })
      .payments.reconcilePending(byDeadline ? { totalTimeout: 1_000 } : { signal: controller.signal });
    const ended = call.then(() => faulty.time.now() - started);
    if (!byDeadline) void faulty.time.wait(500).then(() => controller.abort());
    expect(await faulty.run(() => ended)).toBe(byDeadline ? 1_000 : 750);
    expect(await call).toMatchObject([{ status: 'created' }, { status: 'created' }]);
  });

  test('do not end it before a slow journal has resolved every entry', async () => {
    const faulty = new FaultyPlatform();
    const inner = new MemoryJournal();
    const journal = journalWith({
      resolve: (intent, resolution) => faulty.time.wait(100).then(() => inner.resolve(intent, resolution)),
      listPending: () => inner.listPending(),
    });
    for (const payment of [faulty.payable(), faulty.payable(), faulty.payable()]) {
      await inner.claim(noted(faulty, payment));
      faulty.add(payment);
    }
    const { payments } = faulty.client({ journal });
    expect(await faulty.run(() => payments.reconcilePending().then(() => inner.listPending()))).toEqual([]);
  });
});

interface Damaging {
  readonly journal: Journal;
  /** Replaces the stored intent of a quote. */
  damage(quote: string, intent: string): Promise<void>;
}

const journals: readonly (readonly [name: string, open: (faulty: FaultyPlatform) => Promise<Damaging>])[] = [
  [
    'SQLite',
    async () => {
      const path = join(folder, `${crypto.randomUUID()}.sqlite`);
      return {
        journal: new SqliteJournal(path),
        async damage(quote, intent) {
          const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
          const other = new DatabaseSync(path);
          other.prepare('update corridor_journal set intent = ? where quote = ?').run(intent, quote);
          other.close();
        },
      };
    },
  ],
  [
    'PostgreSQL',
    async ({ time }) => {
      await database.exec(`drop table if exists corridor_journal; ${postgresMigration()}`);
      return {
        journal: new PostgresJournal({ query: (text, values) => time.busy(() => database.query(text, values)) }),
        damage: async (quote, intent) =>
          void (await database.query('update corridor_journal set intent = $2 where quote = $1', [quote, intent])),
      };
    },
  ],
];

describe.each(journals)('a row of a journal in %s that cannot be read', (_name, open) => {
  test.each<[string, (intent: PaymentCreateIntent) => string, idempotencyKey?: string]>([
    ['is no JSON', () => '{"version":1,"id":'],
    ['is no JSON, and has a key', () => '{"version":1,"id":', 'order-1'],
    ['is the intent of another key', (intent) => JSON.stringify({ ...intent, idempotencyKey: 'order-2' }), 'order-1'],
    ['is empty', () => ''],
    ['is no object', () => 'null'],
    ['is the intent of another call', (intent) => JSON.stringify({ ...intent, id: crypto.randomUUID() })],
    [
      'is the intent of another quote',
      (intent) => JSON.stringify({ ...intent, request: { ...intent.request, paymentQuoteId: 'quo_other' } }),
    ],
    ['has no request', ({ request: _request, ...rest }) => JSON.stringify(rest)],
    ['has the request null', (intent) => JSON.stringify({ ...intent, request: null })],
  ])('because it %s is reported when the others are resolved, and can be released', async (_what, damaged, key) => {
    const faulty = new FaultyPlatform();
    const { journal, damage } = await open(faulty);
    const [made, broken] = [faulty.payable(), faulty.payable()];
    const keyed = key === undefined ? {} : { idempotencyKey: key };
    const intent = noted(faulty, broken, keyed);
    await journal.claim(intent);
    await journal.claim(noted(faulty, made));
    faulty.add(made);
    await damage(broken.paymentQuoteId, damaged(intent));

    const { payments } = faulty.client({ journal });
    const message = new RegExp(`${intent.id} \\(quote ${broken.paymentQuoteId}\\).*damaged.*releaseIntent`);
    expect(await faulty.run(() => payments.reconcilePending())).toMatchObject([
      {
        intent: { id: intent.id },
        status: 'unknown',
        error: { code: 'configuration' },
        advice: expect.stringMatching(message) as unknown,
      },
      { status: 'created' },
    ]);
    const request = { paymentQuoteId: broken.paymentQuoteId };
    expect(await journal.listPending()).toEqual([
      {
        version: 1,
        id: intent.id,
        ...keyed,
        request,
        createdAt: expect.stringMatching(/Z$/) as unknown,
        clockOffset: 0,
      },
    ]);

    expect(await failureOf(faulty.run(() => payments.createOnce(broken, keyed)))).toMatchObject({
      code: 'payment-outcome-unknown',
      outcome: 'unknown',
      message: expect.stringContaining('damaged') as unknown,
    });
    for (const each of await journal.listPending())
      await faulty.run(() => payments.releaseIntent(each, { confirmedBy: 'Ada' }));
    expect(await faulty.run(() => payments.createOnce(broken, keyed))).toMatchObject({ created: true });
  });
});

test('an intent whose getters throw does not prevent resolving the others', async () => {
  const faulty = new FaultyPlatform();
  const journal = new MemoryJournal();
  const payment = faulty.payable();
  const intent = noted(faulty, payment);
  await journal.claim(intent);
  faulty.add(payment);
  const throwing = {
    get version(): number {
      throw new Error('Ms Smith');
    },
  } as PaymentCreateIntent;
  const results = await faulty.run(() =>
    faulty.client({ journal }).payments.reconcilePending({ intents: [throwing, intent] }),
  );
  expect(results).toMatchObject([{ status: 'unknown', error: { code: 'configuration' } }, { status: 'created' }]);
  expect(results[0]).toMatchObject({ advice: expect.not.stringContaining('Ms Smith') as unknown });
  expect(await journal.listPending()).toEqual([]);
});

describe('an intent with an extreme time', () => {
  test.each<[string, Partial<PaymentCreateIntent>]>([
    ['createdAt at the end of all dates', { createdAt: '+275760-09-13T00:00:00.000Z' }],
    ['createdAt at the beginning of all dates', { createdAt: '-271821-04-20T00:00:00.000Z' }],
    ['createdAt in the year 9999', { createdAt: '9999-12-31T23:59:59.999Z' }],
    ['createdAt before 1970', { createdAt: '1969-12-31T23:59:59.999Z' }],
    ['an offset of 1e300', { clockOffset: 1e300 }],
    ['an offset of -1e300', { clockOffset: -1e300 }],
    ['an offset that leads before 1970', { clockOffset: 60 * 365 * 24 * 3_600_000 }],
  ])('(%s) is unknown, and the others are resolved', async (_name, replaced) => {
    const faulty = new FaultyPlatform();
    const journal = new MemoryJournal();
    const [made, extreme] = [faulty.payable(), faulty.payable()];
    const intent = noted(faulty, extreme, replaced);
    await journal.claim(intent);
    await journal.claim(noted(faulty, made));
    faulty.add(made);
    const { payments } = faulty.client({ journal });
    const rejected = {
      name: 'ConfigurationError',
      message: expect.stringMatching(new RegExp(`${intent.id} .*damaged.*${Object.keys(replaced).join()}`)) as unknown,
    };
    expect(await faulty.run(() => payments.reconcilePending())).toMatchObject([
      { status: 'unknown', error: rejected },
      { status: 'created' },
    ]);
    expect(await journal.listPending()).toEqual([intent]);
    expect(await failureOf(payments.reconcile(intent))).toMatchObject(rejected);
    const error = await failureOf(faulty.run(() => payments.createOnce(extreme)));
    expect(error).toMatchObject({ outcome: 'unknown', message: rejected.message });
    expect('retryAfterMs' in error).toBe(false);
  });

  test.each([
    ['1970-01-01T00:00:00.000Z', 'not-found'],
    ['9998-12-31T23:59:59.999Z', 'unknown'],
  ])('of %s is searched for', async (createdAt, status) => {
    const faulty = new FaultyPlatform();
    expect(
      await faulty.run(() =>
        faulty.client().payments.reconcilePending({ intents: [noted(faulty, faulty.payable(), { createdAt })] }),
      ),
    ).toMatchObject([{ status }]);
  });
});

test.each([401, 403, 429, 503])(
  'a platform that responds with %i leaves what it does not show unknown',
  async (status) => {
    const faulty = new FaultyPlatform();
    const [shown, hidden] = [faulty.payable(), faulty.payable()];
    const journal = new MemoryJournal();
    const old = { createdAt: new Date(faulty.time.now() - 24 * 3_600_000).toISOString() };
    const intents = [noted(faulty, hidden, old), noted(faulty, shown)];
    for (const intent of intents) await journal.claim(intent);
    faulty.add(shown);
    let pages = 0;
    faulty.changePage = (page) => (++pages === 1 ? page : errorResponse(status));
    expect(await faulty.run(() => faulty.client({ journal }).payments.reconcilePending())).toMatchObject([
      {
        intent: intents[0],
        status: 'unknown',
        error: { status },
        advice: expect.stringContaining('not pay') as unknown,
      },
      { intent: intents[1], status: 'created' },
    ]);
    expect(await journal.listPending()).toEqual([intents[0]]);
  },
);

test('a list that failed is not read again for older intents', async () => {
  const faulty = new FaultyPlatform();
  faulty.changePage = () => errorResponse(503);
  const intents = [1, 240].map((hours) =>
    noted(faulty, faulty.payable(), { createdAt: new Date(faulty.time.now() - hours * 3_600_000).toISOString() }),
  );
  const { payments } = faulty.client({ maxRetries: 0 });
  const unknown = { status: 'unknown', error: { status: 503 } };
  expect(await faulty.run(() => payments.reconcilePending({ intents }))).toMatchObject([unknown, unknown]);
  expect(faulty.pagesRequested).toBe(1);
});

test.each<[string, (faulty: FaultyPlatform, payment: PaymentCreateRequest) => unknown, string]>([
  ['is not in the list yet', () => {}, 'other-account'],
  ['cannot be searched for', (faulty) => (faulty.changePage = () => errorResponse(403)), 'other-account'],
  ['is in the list', (faulty, payment) => faulty.add(payment), 'created'],
])('the payment of another platform that %s', async (_name, arrange, status) => {
  const faulty = new FaultyPlatform();
  const payment = faulty.payable();
  arrange(faulty, payment);
  const intents = [noted(faulty, payment, { platform: 'https://old.example' })];
  expect(await faulty.run(() => faulty.client().payments.reconcilePending({ intents }))).toMatchObject([{ status }]);
});

test('an intent of another organization is recognized also if no clock proves its time', async () => {
  const faulty = new FaultyPlatform();
  const { apiKey, privateKey } = faulty.platform.organization({ name: 'B' }).clientOptions();
  const { payments } = faulty.client({ apiKey, privateKey });
  const createdAt = new Date(faulty.time.now() - 3_600_000).toISOString();
  const intents = [noted(faulty, faulty.payable(), { createdAt, clockKnown: false })];
  expect(await faulty.run(() => payments.reconcilePending({ intents }))).toMatchObject([{ status: 'other-account' }]);
});

test('a customer that breaks the contract is one of the account, with validation strict', async () => {
  const faulty = new FaultyPlatform();
  faulty.changeOther = async (response) =>
    Response.json({ id: ((await response.json()) as { readonly id: string }).id });
  const createdAt = new Date(faulty.time.now() - 3_600_000).toISOString();
  const intents = [noted(faulty, faulty.payable(), { createdAt })];
  const { payments } = faulty.client({ validation: 'strict' });
  expect(await faulty.run(() => payments.reconcilePending({ intents }))).toMatchObject([{ status: 'not-found' }]);
});

test('an abort while customers are read ends reconcilePending', async () => {
  const faulty = new FaultyPlatform();
  const controller = new AbortController();
  faulty.changeOther = () => (controller.abort('enough'), hanging());
  const intents = [
    noted(faulty, faulty.payable(), { createdAt: new Date(faulty.time.now() - 3_600_000).toISOString() }),
  ];
  const call = faulty.run(() => faulty.client().payments.reconcilePending({ intents, signal: controller.signal }));
  expect(await failureOf(call)).toMatchObject({ code: 'aborted', cause: 'enough' });
});

test('an intent whose search takes too long fails alone', async () => {
  const faulty = new FaultyPlatform();
  const { customerId, beneficiaryId } = faulty.payable();
  const old = new Date(faulty.time.now() - 48 * 3_600_000).toISOString();
  faulty.platform.payments.addMany(450, () => ({ customerId, beneficiaryId, createdAt: old }));
  faulty.changePage = async (page) => (await faulty.time.wait(3_000), page);
  const age = { createdAt: new Date(faulty.time.now() - 3_600_000).toISOString() };
  const intents = [{ ...age, clockKnown: false }, age].map((replaced) => noted(faulty, faulty.payable(), replaced));
  faulty.changeOther = async (customer) => (await faulty.time.wait(500), customer);
  const { payments } = faulty.client();
  expect(await faulty.run(() => payments.reconcilePending({ intents, totalTimeout: 10_000 }))).toMatchObject([
    { status: 'unknown', error: { code: 'timeout' } },
    { status: 'not-found' },
  ]);
});

test('intents that are present and undefined are not those of the journal', async () => {
  const faulty = new FaultyPlatform();
  const options = { intents: undefined } as unknown as ReconcilePendingOptions;
  expect(await failureOf(faulty.client().payments.reconcilePending(options))).toMatchObject({
    code: 'configuration',
    message: 'payments.reconcilePending: intents must not be undefined. Pass its value, or omit intents on purpose',
  });
});

test('a customer is read once for many intents, and only for those that would be not-found', async () => {
  const faulty = new FaultyPlatform();
  const [one, created] = [faulty.payable(), faulty.payable()];
  const { customerId, beneficiaryId } = one;
  const age = { createdAt: new Date(faulty.time.now() - 3_600_000).toISOString() };
  const missing = [one, faulty.payable({ customerId, beneficiaryId })].map((each) => noted(faulty, each, age));
  const intents = [...missing, noted(faulty, created, age), noted(faulty, faulty.payable())];
  faulty.add(created);
  const results = await faulty.run(() => faulty.client().payments.reconcilePending({ intents }));
  expect(results.map(({ status }) => status)).toEqual(['not-found', 'not-found', 'created', 'in-progress']);
  expect(faulty.platform.requests.to('customers.get').map(({ path }) => path)).toEqual([
    `/api/v1/customers/${customerId}`,
  ]);
});
