import type { PaymentCreateIntent } from '../contract/intent.js';
import { claimedNames, isAcceptance, type Journal, type JournalEntry, type IntentResolution } from './journal.js';

// Resolved entries are kept for late calls, up to this number.
const maxResolved = 10_000;

interface MemoryEntry extends JournalEntry {
  readonly resolvedAt?: number;
}

/**
 * A journal in memory, for the clients of one thread; those without a `journal` option share one by URL and API key. It
 * keeps all pending entries, all entries of payments that were created with an idempotency key, and the last 10,000
 * other ones until the process ends.
 */
export class MemoryJournal implements Journal {
  readonly supportsIdempotencyKeys = true;
  readonly #entries = new Map<string, MemoryEntry>();
  // By quote and by key. Several entries are pending for one name only if they were added from another journal.
  readonly #pending = new Map<string, readonly MemoryEntry[]>();
  // A payment that appears after its release exists beside the pending entry of a later claim.
  readonly #created = new Map<string, MemoryEntry>();
  readonly #removable = new Set<string>();

  /** Claims the intent's quote and its key. Returns true, or the existing entry. */
  async claim(intent: PaymentCreateIntent): Promise<true | JournalEntry> {
    const names = claimedNames(intent);
    const existing = this.#find(names, this.#entries.get(intent.id));
    if (existing !== undefined) return toEntry(existing);
    const entry = { intent };
    this.#entries.set(intent.id, entry);
    for (const name of names) this.#pending.set(name, [entry]);
    return true;
  }

  /** Returns the entry that holds a key. */
  async findByKey(idempotencyKey: string): Promise<JournalEntry | undefined> {
    const entry = this.#find([`key ${idempotencyKey}`]);
    return entry && toEntry(entry);
  }

  /** Stores the outcome of an intent. Returns false if the payment was created, and its entry was lost. */
  async resolve(intent: PaymentCreateIntent, resolution: IntentResolution): Promise<boolean> {
    const { id } = intent;
    const isCreated = resolution.outcome === 'created';
    const isKnown = this.#entries.has(id);
    // An intent without an entry is remembered, so that a claim that comes late fails.
    const entry: MemoryEntry = this.#entries.get(id) ?? { intent };
    const isAccepted = isAcceptance(intent, resolution);
    if (entry.resolution?.outcome === 'created' && !(isAccepted && isAcceptance(intent, entry.resolution))) return true;
    const resolved = { intent: isAccepted ? intent : entry.intent, resolution, resolvedAt: Date.now() };
    this.#entries.set(id, resolved);
    for (const name of claimedNames(entry.intent)) {
      const others = (this.#pending.get(name) ?? []).filter((each) => each !== entry);
      if (others.length > 0) this.#pending.set(name, others);
      else this.#pending.delete(name);
      if (isCreated) this.#created.set(name, resolved);
    }
    this.#removable.delete(id);
    if (!isCreated || entry.intent.idempotencyKey === undefined) this.#removable.add(id);
    if (this.#removable.size > maxResolved) this.#remove(this.#removable.values().next().value as string);
    return isKnown || !isCreated;
  }

  /** Returns the intents of pending entries, oldest first. */
  async listPending(): Promise<readonly PaymentCreateIntent[]> {
    return [...this.#entries.values()].filter(({ resolution }) => resolution === undefined).map(({ intent }) => intent);
  }

  /**
   * Removes the entries that were resolved before a time, and returns their number. Their keys can create payments
   * again: pass a time before which no order is retried.
   */
  async purge(before: Date): Promise<number> {
    const old = [...this.#entries].filter(([, { resolvedAt = Infinity }]) => resolvedAt < +before);
    for (const [id] of old) this.#remove(id);
    return old.length;
  }

  /** @internal Adds the entries of another journal of the same account. */
  add(other: MemoryJournal): void {
    for (const [id, entry] of other.#entries) this.#entries.set(id, entry);
    for (const id of other.#removable) this.#removable.add(id);
    for (const [name, entries] of other.#pending)
      this.#pending.set(name, [...(this.#pending.get(name) ?? []), ...entries]);
    for (const [name, entry] of other.#created) this.#created.set(name, entry);
  }

  #remove(id: string): void {
    const entry = this.#entries.get(id) as MemoryEntry;
    this.#entries.delete(id);
    this.#removable.delete(id);
    for (const name of claimedNames(entry.intent)) if (this.#created.get(name) === entry) this.#created.delete(name);
  }

  /** Returns the entry of a created payment, the given one, or a pending one, of the first name that has one. */
  #find(names: readonly string[], known?: MemoryEntry): MemoryEntry | undefined {
    const [created] = names.flatMap((name) => this.#created.get(name) ?? []);
    return created ?? known ?? names.flatMap((name) => this.#pending.get(name)?.[0] ?? [])[0];
  }
}

const toEntry = ({ intent, resolution }: MemoryEntry): JournalEntry => ({ intent, resolution });
