import type { StoredIntent } from '../error.js';
import { journalKey, type Journal, type JournalRecord, type Settlement } from './journal.js';

// Settled records are kept for latecomers, but not for ever.
const mostSettled = 10_000;

/**
 * A journal for the clients of one process that are given it; without a `journal`, each client has one of its own. It holds what is
 * open, and the last ten thousand that are settled, and ends with the process.
 */
export class MemoryJournal implements Journal {
  readonly #open = new Map<string, StoredIntent>();
  readonly #settled = new Map<string, JournalRecord>();

  /** Claims the intent's quote, or gives the record that stands. */
  async claim(intent: StoredIntent): Promise<true | JournalRecord> {
    const key = journalKey(intent);
    const open = this.#open.get(key);
    if (open !== undefined) return { intent: open };
    const settled = this.#settled.get(key);
    if (settled?.settlement?.outcome === 'created') return settled;
    this.#settled.delete(key);
    this.#open.set(key, intent);
    return true;
  }

  /** Notes how the payment of a quote ended. */
  async settle(key: string, settlement: Settlement): Promise<void> {
    const settled = this.#settled.get(key);
    const intent = this.#open.get(key) ?? (settled?.settlement?.outcome === 'not-created' && settlement.outcome === 'created' ? settled.intent : undefined);
    if (intent === undefined) return;
    this.#open.delete(key);
    this.#settled.delete(key);
    this.#settled.set(key, { intent, settlement });
    if (this.#settled.size > mostSettled) this.#settled.delete(this.#settled.keys().next().value as string);
  }

  /** The intents that are not settled. */
  async open(): Promise<readonly StoredIntent[]> {
    return [...this.#open.values()];
  }
}
