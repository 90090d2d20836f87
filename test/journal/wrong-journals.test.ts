import { setImmediate as turn } from 'node:timers/promises';
import type { IntentResolution, Journal, JournalEntry, PaymentCreateIntent } from 'corridor-sdk';
import { journalContract } from 'corridor-sdk/journal/testing';
import { describe, expect, test } from 'vitest';

interface Row extends JournalEntry {
  readonly claimedAt: number;
}

/** A database: each statement takes a turn of the event loop. */
class Store {
  rows: readonly Row[] = [];
  readonly #locks = new Map<string, Promise<unknown>>();

  async read<T>(select: (rows: readonly Row[]) => T): Promise<T> {
    await turn();
    return select(this.rows);
  }

  async write(change: (rows: readonly Row[]) => readonly Row[]): Promise<void> {
    await turn();
    this.rows = change(this.rows);
  }

  lock<T>(name: string, work: () => Promise<T>): Promise<T> {
    const result = (this.#locks.get(name) ?? Promise.resolve()).then(work);
    this.#locks.set(
      name,
      result.catch(() => {}),
    );
    return result;
  }
}

const quoteOf = ({ request }: PaymentCreateIntent): string => request.paymentQuoteId;
const isCreated = ({ resolution }: Row): boolean => resolution?.outcome === 'created';
const isPending = ({ resolution }: Row): boolean => resolution === undefined;
const toEntry = ({ intent, resolution }: Row): JournalEntry => ({ intent, resolution });

/** A journal that follows every rule; the wrong ones replace one of its methods. */
class StoreJournal implements Journal {
  readonly supportsIdempotencyKeys = true;
  readonly store: Store;

  constructor(store: Store) {
    this.store = store;
  }

  async claim(intent: PaymentCreateIntent): Promise<true | JournalEntry> {
    return this.store.lock(this.lockOf(intent), async () => {
      const existing = await this.find(intent);
      if (existing !== undefined) return toEntry(existing);
      await this.insert({ intent, claimedAt: Date.now() });
      return true;
    });
  }

  async resolve(intent: PaymentCreateIntent, resolution: IntentResolution): Promise<void> {
    const isOf = (row: Row): boolean => row.intent.id === intent.id;
    const paymentId = resolution.outcome === 'created' ? resolution.paymentId : undefined;
    const isAccepted = paymentId !== undefined && intent.accepted?.paymentId === paymentId;
    const isPaidBy = (row: Row): boolean =>
      row.resolution?.outcome === 'created' && row.resolution.paymentId === paymentId;
    const update = (row: Row): Row =>
      this.accepts(row, resolution) || (isAccepted && isPaidBy(row))
        ? { ...row, resolution, intent: isAccepted ? intent : row.intent }
        : row;
    await this.store.write((rows) => [
      ...rows.map((row) => (isOf(row) ? update(row) : row)),
      ...(this.remembers(resolution) && !rows.some(isOf) ? [{ intent, resolution, claimedAt: Date.now() }] : []),
    ]);
  }

  async listPending(): Promise<readonly PaymentCreateIntent[]> {
    return this.store.read((rows) => rows.filter(isPending).map(({ intent }) => intent));
  }

  protected lockOf(_intent: PaymentCreateIntent): string {
    return 'all';
  }

  protected insert(row: Row): Promise<void> {
    return this.store.write((rows) => [...rows, row]);
  }

  protected remembers({ outcome }: IntentResolution): boolean {
    return outcome === 'not-created';
  }

  protected accepts(row: Row, { outcome }: IntentResolution): boolean {
    return outcome === 'created' ? !isCreated(row) : isPending(row);
  }

  protected async find(intent: PaymentCreateIntent): Promise<Row | undefined> {
    return this.store.read((rows) => this.select(rows, intent));
  }

  protected select(rows: readonly Row[], intent: PaymentCreateIntent): Row | undefined {
    const ofKey = rows.filter((row) => this.hasKeyOf(row, intent));
    const ofQuote = rows.filter((row) => this.hasQuoteOf(row, intent));
    return (
      [...ofKey, ...ofQuote].find(isCreated) ??
      rows.find(({ intent: { id } }) => id === intent.id) ??
      [...ofKey, ...ofQuote].find(isPending)
    );
  }

  protected hasKeyOf({ intent }: Row, { idempotencyKey }: PaymentCreateIntent): boolean {
    return idempotencyKey !== undefined && intent.idempotencyKey === idempotencyKey;
  }

  protected hasQuoteOf({ intent }: Row, other: PaymentCreateIntent): boolean {
    return quoteOf(intent) === quoteOf(other);
  }
}

class LocksKeyOrQuote extends StoreJournal {
  protected override lockOf(intent: PaymentCreateIntent): string {
    return intent.idempotencyKey ?? quoteOf(intent);
  }
}

class LocksIntent extends StoreJournal {
  protected override lockOf({ id }: PaymentCreateIntent): string {
    return id;
  }
}

class FindsKeyOrQuote extends StoreJournal {
  protected override hasQuoteOf(row: Row, intent: PaymentCreateIntent): boolean {
    return intent.idempotencyKey === undefined && super.hasQuoteOf(row, intent);
  }
}

class FindsUnkeyedQuotesOnly extends StoreJournal {
  protected override hasQuoteOf(row: Row, intent: PaymentCreateIntent): boolean {
    return row.intent.idempotencyKey === intent.idempotencyKey && super.hasQuoteOf(row, intent);
  }
}

class MixesKeysAndQuotes extends StoreJournal {
  protected override hasKeyOf(row: Row, intent: PaymentCreateIntent): boolean {
    return super.hasKeyOf(row, intent) || quoteOf(row.intent) === intent.idempotencyKey;
  }
}

class ListsAPage extends StoreJournal {
  override async listPending(): Promise<readonly PaymentCreateIntent[]> {
    return (await super.listPending()).slice(0, 1_000);
  }
}

class ReadsCreatedFirst extends StoreJournal {
  override async claim(intent: PaymentCreateIntent): Promise<true | JournalEntry> {
    const created = await this.store.read((rows) => super.select(rows.filter(isCreated), intent));
    return created === undefined ? super.claim(intent) : toEntry(created);
  }

  protected override select(rows: readonly Row[], intent: PaymentCreateIntent): Row | undefined {
    return super.select(
      rows.filter((row) => !isCreated(row)),
      intent,
    );
  }
}

class ExpiresAfterADay extends StoreJournal {
  protected override select(rows: readonly Row[], intent: PaymentCreateIntent): Row | undefined {
    const isFresh = ({ claimedAt }: Row): boolean => Date.now() < claimedAt + 24 * 3_600_000;
    return super.select(rows.filter(isFresh), intent);
  }
}

class Caches extends StoreJournal {
  #cached: readonly Row[] | undefined;

  protected override async find(intent: PaymentCreateIntent): Promise<Row | undefined> {
    this.#cached ??= this.store.rows;
    return this.select(this.#cached, intent);
  }

  protected override async insert(row: Row): Promise<void> {
    await super.insert(row);
    this.#cached = [...(this.#cached ?? []), row];
  }

  override async resolve(intent: PaymentCreateIntent, resolution: IntentResolution): Promise<void> {
    await super.resolve(intent, resolution);
    this.#cached = this.store.rows;
  }
}

class ForgetsReleases extends StoreJournal {
  protected override remembers(): boolean {
    return false;
  }
}

class ClaimsKeyThenQuote extends StoreJournal {
  override async claim(intent: PaymentCreateIntent): Promise<true | JournalEntry> {
    const isOwn = (row: Row): boolean => row.intent.id === intent.id;
    const known = await this.find(intent);
    if (known !== undefined && (isCreated(known) || isOwn(known))) return toEntry(known);
    for (const isOf of [this.hasKeyOf, this.hasQuoteOf]) {
      let existing: Row | undefined;
      await this.store.write((rows) => {
        existing = rows.find((row) => isPending(row) && !isOwn(row) && isOf.call(this, row, intent));
        const others = rows.filter((row) => !isOwn(row));
        return existing === undefined ? [...others, { intent, claimedAt: Date.now() }] : others;
      });
      if (existing !== undefined) return toEntry(existing);
    }
    return true;
  }
}

class ResolvesInTwoWrites extends StoreJournal {
  override async resolve(intent: PaymentCreateIntent, resolution: IntentResolution): Promise<void> {
    if (resolution.outcome === 'created') await super.resolve(intent, { outcome: 'not-created' });
    await super.resolve(intent, resolution);
  }
}

class ReleasesWhatItHeld extends StoreJournal {
  override async resolve(intent: PaymentCreateIntent, resolution: IntentResolution): Promise<void> {
    const isHeld = await this.store.read((rows) => rows.some((row) => isPending(row) && row.intent.id === intent.id));
    await super.resolve(intent, resolution);
    if (!isHeld || resolution.outcome === 'created') return;
    for (const isOf of [this.hasQuoteOf, this.hasKeyOf])
      await this.store.write((rows) => rows.filter((row) => !isPending(row) || !isOf.call(this, row, intent)));
  }
}

const failedRules = async (
  journal: new (store: Store) => Journal,
  isOneProcess: boolean = false,
  rule = '',
): Promise<readonly string[]> => {
  const failed: string[] = [];
  for (const { name, check } of journalContract.filter((each) => each.name.includes(rule))) {
    const store = new Store();
    const first = new journal(store);
    await check(first, isOneProcess ? first : new journal(store)).catch(() => failed.push(name));
  }
  return failed;
};

test('a journal over a slow store passes the contract of journals, in one process and in two', async () => {
  expect(await failedRules(StoreJournal, true)).toEqual([]);
  expect(await failedRules(StoreJournal)).toEqual([]);
});

describe('the contract of journals rejects a journal that', () => {
  test.each<[string, new (store: Store) => Journal, string]>([
    ['locks the key, or the quote if there is no key', LocksKeyOrQuote, 'of a quote with different keys'],
    ['reads and then writes', LocksIntent, 'of 30 claims of a quote at'],
    ['searches for the key, or the quote if there is no key', FindsKeyOrQuote, 'no key and one with order-1'],
    ['searches for the key, or the quote if there is no key', FindsKeyOrQuote, 'order-1 and one with order-2'],
    ['searches for the quote with the same key', FindsUnkeyedQuotesOnly, 'order-1 and one with no key'],
    ['does not separate keys from quotes', MixesKeysAndQuotes, 'a key is not the quote with the same text'],
    ['lists one page', ListsAPage, 'all of many pending intents'],
    ['reads created entries before it claims', ReadsCreatedFirst, 'while its payment is resolved as created'],
    ['claims the key and then the quote', ClaimsKeyThenQuote, 'while its payment is resolved as created'],
    ['stores created in two writes', ResolvesInTwoWrites, 'while its payment is resolved as created'],
    ['releases what it held when it looked', ReleasesWhatItHeld, 'while a payment is resolved as not created'],
    ['expires entries after a day', ExpiresAfterADay, 'does not expire'],
    ['releases only what was claimed before', ForgetsReleases, 'also if its claim comes after that'],
  ])('%s', async (_what, journal, rule) => {
    expect(await failedRules(journal, true, rule)).toHaveLength(1);
  });

  test('caches entries, if it is tested with two objects for one store', async () => {
    const rule = 'a key is free after its payment';
    expect(await failedRules(Caches, true, rule)).toEqual([]);
    expect(await failedRules(Caches, false, rule)).toHaveLength(1);
  });
});
