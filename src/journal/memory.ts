import type { PaymentCreateIntent } from '../errors/api.js';
import { journalKey, type Journal, type JournalEntry, type IntentResolution } from './journal.js';

// Resolved entries are kept for late calls, up to this number.
const maxResolved = 10_000;

/**
 * A journal in memory, for the clients of one process; a client without a `journal` option creates its own. It keeps
 * all pending entries and the last 10,000 resolved ones until the process ends.
 */
export class MemoryJournal implements Journal {
  readonly #pending = new Map<string, PaymentCreateIntent>();
  readonly #resolved = new Map<string, JournalEntry>();

  /** Claims the intent's quote. Returns true, or the existing entry. */
  async claim(intent: PaymentCreateIntent): Promise<true | JournalEntry> {
    const key = journalKey(intent);
    const pending = this.#pending.get(key);
    if (pending !== undefined) return { intent: pending };
    const resolved = this.#resolved.get(key);
    if (resolved !== undefined && (resolved.resolution?.outcome === 'created' || resolved.intent.id === intent.id))
      return resolved;
    this.#resolved.delete(key);
    this.#pending.set(key, intent);
    return true;
  }

  /** Stores the outcome of an intent. */
  async resolve(intent: PaymentCreateIntent, resolution: IntentResolution): Promise<void> {
    const key = journalKey(intent);
    const pending = this.#pending.get(key);
    const resolved = this.#resolved.get(key);
    const existing = pending ?? resolved?.intent;
    if (existing === undefined || resolved?.resolution?.outcome === 'created') return;
    if (resolution.outcome === 'not-created' && pending?.id !== intent.id) return;
    this.#pending.delete(key);
    this.#resolved.delete(key);
    this.#resolved.set(key, { intent: existing.id === intent.id ? existing : intent, resolution });
    if (this.#resolved.size > maxResolved) this.#resolved.delete(this.#resolved.keys().next().value as string);
  }

  /** Returns the intents of pending entries, oldest first. */
  async listPending(): Promise<readonly PaymentCreateIntent[]> {
    return [...this.#pending.values()];
  }
}
