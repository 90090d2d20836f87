import { MemoryJournal, type Journal, type PaymentCreateIntent } from 'corridor-sdk';
import { journalContract } from 'corridor-sdk/journal/testing';
import { expect, test } from 'vitest';
import { journalWith } from './stored-intents.ts';

/** The names of the rules that a journal breaks. */
async function brokenRules(open: () => Journal): Promise<readonly string[]> {
  const checks = journalContract.map(async ({ name, check }) =>
    check(open()).then(
      () => [],
      () => [name],
    ),
  );
  return (await Promise.all(checks)).flat();
}

test('a journal that follows every rule passes the contract', async () => {
  expect(await brokenRules(() => new MemoryJournal())).toEqual([]);
});

test('a journal that grants every claim breaks the rules about claims', async () => {
  const broken = await brokenRules(() => journalWith(() => ({ claim: async () => true })));
  for (const rule of [
    'a claim for a claimed quote returns the existing entry, and keeps it',
    'of 30 claims of a quote at the same time, one succeeds',
    'of 30 claims of a key with different quotes at the same time, one succeeds',
    'a claimed key cannot be claimed with another quote, and that quote stays free',
    'a key is free after its payment was not created, and not after it was created',
    'the entry of a key is returned before that of a quote, and a created one before a pending one',
    'a created payment stays created, whatever is resolved later',
    'of many claims after a payment was not created, one succeeds',
    'an intent that was not created cannot be claimed, also if its claim comes after that',
    'a late or repeated not-created releases nothing that another intent holds',
    'a payment that was taken for not created, and exists, prevents every later claim of its quote and its key',
    'pending intents are listed, oldest first, and no others',
    'intents, quotes, keys and payment ids are stored unchanged',
  ])
    expect(broken).toContain(rule);
});

const acceptance = 'who accepted a payment, and why, is stored with its intent, also if the entry is created already';

test.each<[string, string, (journal: MemoryJournal) => Partial<Journal>]>([
  [
    'grants every claim and stores it',
    'of 30 claims of a quote at the same time, one succeeds',
    () => {
      const pending: PaymentCreateIntent[] = [];
      return { claim: async (intent) => (pending.push(intent), true), listPending: async () => pending };
    },
  ],
  [
    'returns the intent of the call instead of the existing one',
    'of 30 claims of a quote at the same time, one succeeds',
    (inner) => ({ claim: async (intent) => (await inner.claim(intent)) === true || { intent } }),
  ],
  [
    'does not declare keys',
    'it declares that it supports idempotency keys',
    () => ({ supportsIdempotencyKeys: false }),
  ],
  [
    'lists the newest first',
    'pending intents are listed, oldest first, and no others',
    (inner) => ({ listPending: async () => (await inner.listPending()).toReversed() }),
  ],
  [
    'does not store who accepted a payment',
    acceptance,
    (inner) => ({ resolve: ({ accepted: _accepted, ...intent }, resolution) => inner.resolve(intent, resolution) }),
  ],
  [
    'stores an accepted payment for another one that was created',
    acceptance,
    (inner) => ({
      resolve: ({ accepted, ...intent }, resolution) =>
        inner.resolve(
          accepted && resolution.outcome === 'created'
            ? { ...intent, accepted: { ...accepted, paymentId: resolution.paymentId } }
            : intent,
          resolution,
        ),
    }),
  ],
  [
    'compares keys without regard to case',
    'intents, quotes, keys and payment ids are stored unchanged',
    (inner) => ({
      claim: (intent) =>
        inner.claim({
          ...intent,
          ...(intent.idempotencyKey !== undefined && { idempotencyKey: intent.idempotencyKey.toLowerCase() }),
        }),
    }),
  ],
])('a journal that %s breaks the rule %j', async (_what, rule, replaced) => {
  expect(await brokenRules(() => journalWith(replaced))).toContain(rule);
});

/** Stores intents through JSON, with a change to what is parsed. */
const storing =
  (change: (key: string, value: unknown) => unknown) =>
  (inner: MemoryJournal): Partial<Journal> => ({
    claim: (intent) => inner.claim(JSON.parse(JSON.stringify(intent), change) as typeof intent),
  });

test('a journal that returns the fields of intents in another order passes the contract', async () => {
  const reversed = (_key: string, value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toReversed())
      : value;
  expect(await brokenRules(() => journalWith(storing(reversed)))).toEqual([]);
});

test.each<[string, (key: string, value: unknown) => unknown]>([
  ['memo', (key, value) => (key === 'memo' ? 'x' : value)],
  ['nested list', (key, value) => (key === 'list' ? [] : value)],
  ['nested truth', (_key, value) => (value === true ? false : value)],
])('a journal that changes a %s breaks the rule about stored intents', async (_what, change) => {
  expect(await brokenRules(() => journalWith(storing(change)))).toEqual([
    'intents, quotes, keys and payment ids are stored unchanged',
  ]);
});
