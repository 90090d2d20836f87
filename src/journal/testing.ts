import type { PaymentCreateIntent } from '../contract/intent.js';
import type { IntentResolution, Journal, JournalEntry } from './journal.js';

export type { IntentResolution, Journal, JournalEntry } from './journal.js';

/** A rule that every journal follows, and its test. */
export interface JournalRule {
  /** The name of the test. */
  readonly name: string;
  /**
   * Tests a new, empty journal. Rejects with an Error if the journal breaks the rule. `other` is a second object for
   * the same store, as another process would create: every other call goes to it, so that a claim that only one process
   * sees breaks the rule.
   */
  readonly check: (journal: Journal, other?: Journal) => Promise<void>;
}

let count = 0;

const order = {
  amount: '10.00',
  currencyCode: 'USD',
  customerId: 'cus_1',
  beneficiaryId: 'ben_1',
  purposeOfPayment: 'Goods',
  documentIds: ['doc_1'],
} satisfies Partial<PaymentCreateIntent['request']>;

function intentFor(
  paymentQuoteId: string,
  idempotencyKey?: string,
  request: Readonly<Record<string, unknown>> = {},
): PaymentCreateIntent {
  count += 1;
  return {
    version: 1,
    id: `intent_${count}`,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    request: { ...order, paymentQuoteId, ...request },
    sendUntil: '2020-03-01T09:01:00.000Z',
    createdAt: '2020-03-01T09:00:00.000Z',
    clockOffset: 0,
  };
}

const created = (paymentId: string) => ({ outcome: 'created', paymentId }) as const;
const notCreated = { outcome: 'not-created' } as const;

/** Serializes a value with sorted fields, without those that are undefined. */
function serialize(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}

/** Throws an error of one line, which names the first field that differs. */
function expectEqual(what: string, actual: unknown, expected: unknown): void {
  if (serialize(actual) === serialize(expected)) return;
  if (isObject(actual) && isObject(expected))
    for (const name of Object.keys({ ...expected, ...actual }))
      expectEqual(`${what}.${name}`, actual[name], expected[name]);
  throw new Error(`${what} must be ${summarize(expected)} (received ${summarize(actual)})`);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const summarize = (value: unknown): string =>
  isObject(value) ? `an object with ${Object.keys(value).join(', ')}` : String(serialize(value)).slice(0, 80);

async function expectClaim(
  journal: Journal,
  intent: PaymentCreateIntent,
  expected: true | JournalEntry,
): Promise<void> {
  expectEqual(`the result of claim for ${intent.id}`, await journal.claim(intent), expected);
}

async function expectPending(journal: Journal, expected: readonly PaymentCreateIntent[]): Promise<void> {
  expectEqual('the result of listPending', await journal.listPending(), expected);
}

/** Claims all intents at the same time, and expects that one of them succeeds and that the others receive it. */
async function expectOneWinner(journal: Journal, intents: readonly PaymentCreateIntent[]): Promise<void> {
  const claims = await Promise.all(intents.map((intent) => journal.claim(intent)));
  const winners = intents.filter((_, index) => claims[index] === true);
  expectEqual('the number of claims that succeed', winners.length, 1);
  for (const claimed of claims) if (claimed !== true) expectEqual('the other claims', claimed, { intent: winners[0] });
  await expectPending(journal, winners);
}

const after = (milliseconds: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, milliseconds));

/**
 * Resolves payments while others claim their keys and their quotes again and again, and expects that no claim of a
 * created payment succeeds, and at most one of a payment that was not created.
 */
async function raceWithResolution(journal: Journal, resolution: IntentResolution): Promise<void> {
  const limit = resolution.outcome === 'created' ? 0 : 1;
  let fastest = Number.POSITIVE_INFINITY;
  const race = async (isClaimedFirst: boolean): Promise<void> => {
    const holder = intentFor(`quo_${count}`, `order-${count}`);
    const [quote, key] = [holder.request.paymentQuoteId, holder.idempotencyKey];
    const start = performance.now();
    await journal.claim(holder);
    const latency = performance.now() - start;
    fastest = Math.min(fastest, latency);
    const succeeded = { key: 0, quote: 0 };
    let isResolved = false;
    const claimUntilResolved = async (what: 'key' | 'quote', delay: number): Promise<void> => {
      if (delay > 0) await after(delay);
      for (let claims = 1; ; claims += 1) {
        const isLast = isResolved;
        const intent = what === 'key' ? intentFor(`quo_${count}`, key) : intentFor(quote);
        if ((await journal.claim(intent)) === true) succeeded[what] += 1;
        if (isLast) return;
        // Timers of the store must not starve.
        if (claims % 20 === 0) await after(1);
      }
    };
    const resolve = async (): Promise<void> => {
      try {
        await journal.resolve(holder, resolution);
      } finally {
        isResolved = true;
      }
    };
    const claims = (): Promise<void>[] =>
      [0, latency / 3, (latency * 2) / 3].flatMap((delay) => [
        claimUntilResolved('key', delay),
        claimUntilResolved('quote', delay),
      ]);
    await Promise.all(isClaimedFirst ? [...claims(), resolve()] : [resolve(), ...claims()]);
    for (const [what, successes] of Object.entries(succeeded))
      if (successes > limit)
        throw new Error(
          `claims of the ${what} that succeed while a payment is resolved as ${resolution.outcome} must be at most ` +
            `${limit} (received ${successes})`,
        );
  };
  // A store nearby needs many rounds, also on a busy machine. One that is milliseconds away takes a second for 20.
  const raceRepeatedly = async (): Promise<void> => {
    for (let round = 0; round < 20 || (round < 200 && round * fastest < 20); round += 1) await race(round % 2 === 0);
  };
  await Promise.all([raceRepeatedly(), raceRepeatedly(), raceRepeatedly()]);
}

/** Returns a journal whose calls go to two objects in turn. */
function alternate(journal: Journal, other: Journal): Journal {
  let turn = 0;
  const next = (): Journal => ((turn += 1) % 2 === 1 ? journal : other);
  return {
    supportsIdempotencyKeys: journal.supportsIdempotencyKeys,
    claim: (intent) => next().claim(intent),
    ...(journal.findByKey !== undefined && { findByKey: async (key) => next().findByKey?.(key) }),
    resolve: (intent, resolution) => next().resolve(intent, resolution),
    listPending: () => next().listPending(),
  };
}

const racingClaims: readonly (readonly [what: string, intentOf: (index: number) => PaymentCreateIntent])[] = [
  ['a quote', () => intentFor('quo_1')],
  ['a key with different quotes', (index) => intentFor(`quo_${index}`, 'order-1')],
  [
    'a quote with different keys and without one',
    (index) => intentFor('quo_1', index % 3 === 0 ? undefined : `order-${index}`),
  ],
];

// All pairs of calls for one quote: without a key, and with two.
const pairsOfKeys = [
  [undefined, 'order-1'],
  ['order-1', undefined],
  ['order-1', 'order-2'],
] as const;

const rules: readonly JournalRule[] = [
  {
    name: 'a claim for a claimed quote returns the existing entry, and keeps it',
    async check(journal) {
      const first = intentFor('quo_1');
      await expectClaim(journal, first, true);
      await expectClaim(journal, intentFor('quo_1'), { intent: first });
      await expectClaim(journal, first, { intent: first });
      await expectPending(journal, [first]);
    },
  },
  ...racingClaims.map(([what, intentOf]): JournalRule => ({
    name: `of 30 claims of ${what} at the same time, one succeeds`,
    check: (journal) =>
      expectOneWinner(
        journal,
        Array.from({ length: 30 }, (_, index) => intentOf(index)),
      ),
  })),
  {
    name: 'it declares that it supports idempotency keys',
    async check({ supportsIdempotencyKeys }) {
      expectEqual('supportsIdempotencyKeys', supportsIdempotencyKeys, true);
    },
  },
  {
    name: 'a claimed key cannot be claimed with another quote, and that quote stays free',
    async check(journal) {
      const first = intentFor('quo_1', 'order-1');
      await expectClaim(journal, first, true);
      await expectClaim(journal, intentFor('quo_2', 'order-1'), { intent: first });
      await expectClaim(journal, intentFor('quo_2', 'order-2'), true);
      await expectClaim(journal, intentFor('quo_3'), true);
      await expectClaim(journal, intentFor('quo_4'), true);
    },
  },
  {
    name: 'a key is free after its payment was not created, and not after it was created',
    async check(journal) {
      const [first, second] = [intentFor('quo_1', 'order-1'), intentFor('quo_2', 'order-1')];
      await journal.claim(first);
      await journal.resolve(first, notCreated);
      await expectClaim(journal, second, true);
      await journal.resolve(second, created('pay_2'));
      for (const quote of ['quo_1', 'quo_2', 'quo_3'])
        await expectClaim(journal, intentFor(quote, 'order-1'), { intent: second, resolution: created('pay_2') });
    },
  },
  {
    name: 'findByKey, if there is one, returns the entry that holds a key, and changes nothing',
    async check(journal) {
      if (journal.findByKey === undefined) return;
      const expectFound = async (key: string, expected: JournalEntry | undefined): Promise<void> =>
        expectEqual(`the result of findByKey for ${key}`, await journal.findByKey?.(key), expected);
      const [first, second] = [intentFor('quo_1', 'order-1'), intentFor('quo_2', 'order-1')];
      await expectFound('order-1', undefined);
      await expectClaim(journal, first, true);
      await expectFound('order-1', { intent: first });
      await expectFound('quo_1', undefined);
      await journal.resolve(first, notCreated);
      await expectFound('order-1', undefined);
      await expectClaim(journal, second, true);
      await journal.resolve(first, created('pay_1'));
      await expectFound('order-1', { intent: first, resolution: created('pay_1') });
      await expectPending(journal, [second]);
    },
  },
  {
    name: 'the entry of a key is returned before that of a quote, and a created one before a pending one',
    async check(journal) {
      const [ofKey, ofQuote] = [intentFor('quo_1', 'order-1'), intentFor('quo_2', 'order-2')];
      await journal.claim(ofQuote);
      await journal.claim(ofKey);
      await expectClaim(journal, intentFor('quo_2', 'order-1'), { intent: ofKey });
      await journal.resolve(ofQuote, created('pay_2'));
      await expectClaim(journal, intentFor('quo_2', 'order-1'), { intent: ofQuote, resolution: created('pay_2') });
      await journal.resolve(ofKey, created('pay_1'));
      await expectClaim(journal, intentFor('quo_2', 'order-1'), { intent: ofKey, resolution: created('pay_1') });
    },
  },
  {
    name: 'a created payment stays created, whatever is resolved later',
    async check(journal) {
      const intent = intentFor('quo_1');
      await journal.claim(intent);
      for (const resolution of [created('pay_1'), notCreated, created('pay_2')])
        await journal.resolve(intent, resolution);
      await expectClaim(journal, intentFor('quo_1'), { intent, resolution: created('pay_1') });
      await expectClaim(journal, intent, { intent, resolution: created('pay_1') });
    },
  },
  {
    name: 'who accepted a payment, and why, is stored with its intent, also if the entry is created already',
    async check(journal) {
      const [first, second] = [intentFor('quo_1', 'order-1'), intentFor('quo_2', 'order-2')];
      const acceptedAs = (intent: PaymentCreateIntent, paymentId: string) =>
        ({ ...intent, accepted: { paymentId, confirmedBy: 'Ada', reason: 'ticket 1: "rounded" é' } }) as const;
      await journal.claim(first);
      await journal.claim(second);
      await journal.resolve(acceptedAs(second, 'pay_3'), created('pay_2'));
      await expectClaim(journal, second, { intent: second, resolution: created('pay_2') });
      for (const [intent, paymentId] of [[first, 'pay_1'] as const, [second, 'pay_2'] as const]) {
        const accepted = acceptedAs(intent, paymentId);
        await journal.resolve(accepted, created(paymentId));
        await journal.resolve(intent, created(paymentId));
        await journal.resolve(acceptedAs(intent, 'pay_3'), created('pay_3'));
        await expectClaim(journal, intent, { intent: accepted, resolution: created(paymentId) });
      }
    },
  },
  {
    name: 'of many claims after a payment was not created, one succeeds',
    async check(journal) {
      const first = intentFor('quo_1', 'order-1');
      await journal.claim(first);
      await journal.resolve(first, notCreated);
      await expectOneWinner(
        journal,
        Array.from({ length: 10 }, () => intentFor('quo_1', 'order-1')),
      );
    },
  },
  {
    name: 'an intent that was not created cannot be claimed, also if its claim comes after that',
    async check(journal) {
      for (const isClaimed of [true, false]) {
        const intent = intentFor('quo_1', 'order-1');
        if (isClaimed) await expectClaim(journal, intent, true);
        await journal.resolve(intent, notCreated);
        await expectClaim(journal, intent, { intent, resolution: notCreated });
        await expectPending(journal, []);
        const next = intentFor('quo_1', 'order-1');
        await expectClaim(journal, next, true);
        await expectClaim(journal, intent, { intent, resolution: notCreated });
        await journal.resolve(next, notCreated);
      }
    },
  },
  {
    name: 'a late or repeated not-created releases nothing that another intent holds',
    async check(journal) {
      const [first, second] = [intentFor('quo_1', 'order-1'), intentFor('quo_1', 'order-1')];
      await journal.claim(first);
      await journal.resolve(first, notCreated);
      await journal.claim(second);
      await journal.resolve(first, notCreated);
      await expectPending(journal, [second]);
      await expectClaim(journal, intentFor('quo_2', 'order-1'), { intent: second });
    },
  },
  {
    name: 'a payment that was taken for not created, and exists, prevents every later claim of its quote and its key',
    async check(journal) {
      const [first, second] = [intentFor('quo_1', 'order-1'), intentFor('quo_2', 'order-1')];
      await journal.claim(first);
      await journal.resolve(first, notCreated);
      await journal.claim(second);
      await journal.resolve(first, created('pay_1'));
      const entry = { intent: first, resolution: created('pay_1') };
      await expectClaim(journal, second, entry);
      await expectPending(journal, [second]);
      await journal.resolve(second, notCreated);
      await expectClaim(journal, intentFor('quo_3', 'order-1'), entry);
      await expectClaim(journal, intentFor('quo_1'), entry);
      await expectClaim(journal, intentFor('quo_2', 'order-2'), true);
    },
  },
  {
    name: 'pending intents are listed, oldest first, and no others',
    async check(journal) {
      const [first, second, third] = [intentFor('quo_4', 'order-4'), intentFor('quo_3'), intentFor('quo_2')] as const;
      const fourth = intentFor('quo_1', 'order-1');
      for (const intent of [first, second, third, fourth]) await journal.claim(intent);
      await journal.resolve(second, created('pay_1'));
      await journal.resolve(third, notCreated);
      await expectPending(journal, [first, fourth]);
    },
  },
  {
    name: 'intents, quotes, keys and payment ids are stored unchanged',
    async check(journal) {
      const text = '\'; drop table corridor_journal; -- $1 ?1 "x" é e\u0301 🧾 Ä ';
      const key = `order${text}`.repeat(4);
      const intent = intentFor(`quo${text}`, key, {
        memo: 'a\u0000b\n"c"\\',
        purposeOfPayment: '🧾 \u2028',
        internalReference: null,
        nested: { list: [1, 1.5, true, null, {}] },
      });
      await expectClaim(journal, intent, true);
      for (const change of [
        (name: string) => name.toLowerCase(),
        (name: string) => name.trim(),
        (name: string) => name.normalize(),
        (name: string) => `${name}.`,
      ])
        await expectClaim(journal, intentFor(change(`quo${text}`), change(key)), true);
      // A stub, as in the error of a claim that failed.
      const stub = { ...intent, request: { paymentQuoteId: intent.request.paymentQuoteId } } as PaymentCreateIntent;
      await journal.resolve(stub, created(`pay${text}`));
      await expectClaim(journal, intent, { intent, resolution: created(`pay${text}`) });
    },
  },
  ...pairsOfKeys.map(([one, two]): JournalRule => {
    const pair = `a call with ${one ?? 'no key'} and one with ${two ?? 'no key'} for one quote`;
    return {
      name: `of ${pair}, the second receives the entry of the first, and claims nothing`,
      async check(journal) {
        const first = intentFor('quo_1', one);
        await expectClaim(journal, first, true);
        await expectClaim(journal, intentFor('quo_1', two), { intent: first });
        await expectPending(journal, [first]);
        await journal.resolve(first, created('pay_1'));
        await expectClaim(journal, intentFor('quo_1', two), { intent: first, resolution: created('pay_1') });
        if (two !== undefined) await expectClaim(journal, intentFor('quo_2', two), true);
      },
    };
  }),
  {
    name: 'no claim of a key or a quote succeeds while its payment is resolved as created',
    check: (journal) => raceWithResolution(journal, created('pay_1')),
  },
  {
    name: 'of many claims while a payment is resolved as not created, at most one succeeds',
    check: (journal) => raceWithResolution(journal, notCreated),
  },
  {
    name: 'a key is not the quote with the same text',
    async check(journal) {
      await expectClaim(journal, intentFor('same'), true);
      await expectClaim(journal, intentFor('quo_2', 'same'), true);
    },
  },
  {
    name: 'an entry does not expire, whatever its times and the clock of the process are',
    async check(journal) {
      const [open, paid] = [intentFor('quo_1', 'order-1'), intentFor('quo_2', 'order-2')];
      await journal.claim(open);
      await journal.claim(paid);
      await journal.resolve(paid, created('pay_2'));
      const { now } = Date;
      Date.now = () => now() + 10 * 365 * 24 * 60 * 60_000;
      try {
        await expectClaim(journal, intentFor('quo_1'), { intent: open });
        await expectClaim(journal, intentFor('quo_3', 'order-1'), { intent: open });
        await expectClaim(journal, intentFor('quo_4', 'order-2'), { intent: paid, resolution: created('pay_2') });
        await expectPending(journal, [open]);
      } finally {
        Date.now = now;
      }
    },
  },
  {
    name: 'all of many pending intents are listed',
    async check(journal) {
      const intents = Array.from({ length: 1_100 }, (_, index) => intentFor(`quo_${index}`));
      await Promise.all(intents.slice(0, -2).map((intent) => journal.claim(intent)));
      for (const intent of intents.slice(-2)) await journal.claim(intent);
      const listed = await journal.listPending();
      expectEqual('the number of pending intents', new Set(listed.map(({ id }) => id)).size, intents.length);
      expectEqual('the newest pending intents', listed.slice(-2), intents.slice(-2));
    },
  },
];

/**
 * The contract of a journal, for any test runner: `payments.createOnce` relies on each of its rules. Give every rule a
 * new, empty journal, and a second object for the same store.
 *
 * @example
 * ```ts
 * import { MemoryJournal } from 'corridor-sdk';
 * import { journalContract } from 'corridor-sdk/journal/testing';
 * for (const { name, check } of journalContract) {
 *   const store = new MemoryJournal(); // in your tests: test(name, () => check(new MyJournal(db), new MyJournal(db)))
 *   await check(store, store);
 *   console.log('passed:', name);
 * }
 * ```
 */
export const journalContract: readonly JournalRule[] = rules.map(({ name, check }) => ({
  name,
  check: (journal, other = journal) => check(alternate(journal, other)),
}));
