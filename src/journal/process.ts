import type { PaymentCreateIntent } from '../errors/api.js';
import type { IntentResolution, Journal, JournalEntry } from './journal.js';
import { MemoryJournal } from './memory.js';

interface Entry {
  readonly journal: Journal;
  isAnnounced: boolean;
}

/** The journals in memory of a thread. A closure has the API keys, so that nothing can print them. */
interface Registry {
  /** Returns the entry of an account, which is `existing` if there is none yet. */
  get(platform: string, apiKey: string, existing: Entry | undefined): Entry;
  /** Removes the entries of a platform that has lost its records, as a mock does. */
  forget(platform: string): void;
}

// All copies of the package in a thread share it. The `fetch` of a mock has its own registry.
const journals = Symbol.for('corridor-sdk.journals.v1');

type Owner = { [journals]?: Registry | undefined };

function createRegistry(): Registry {
  const entries = new Map<string, Entry>();
  return {
    get(platform, apiKey, existing = { journal: new MemoryJournal(), isAnnounced: false }) {
      const account = `${platform} ${apiKey}`;
      const entry = entries.get(account) ?? existing;
      entries.set(account, entry);
      return entry;
    },
    forget(platform) {
      for (const account of entries.keys()) if (account.startsWith(`${platform} `)) entries.delete(account);
    },
  };
}

/** What a `ProcessJournal` needs from its client. */
export interface ProcessJournalOptions {
  readonly platform: string;
  /** The client's `fetch`. */
  readonly fetch: unknown;
  /** The client's API key, or a function that returns the current one. */
  readonly apiKey: string | (() => Promise<string>);
  /** Receives what the journal cannot survive, once, at the first claim of a key. */
  readonly warn: (message: string) => void;
}

/**
 * The journal of clients without one: in memory, and shared by all clients of the thread that use the platform with the
 * same API key, also if a client is created for each call.
 */
export class ProcessJournal implements Journal {
  readonly supportsIdempotencyKeys = true;
  readonly #options: ProcessJournalOptions;
  #entry: Entry | undefined;

  constructor(options: ProcessJournalOptions) {
    this.#options = options;
  }

  /** Claims the intent's quote and its key. */
  async claim(intent: PaymentCreateIntent): Promise<true | JournalEntry> {
    const entry = await this.#open();
    if (intent.idempotencyKey !== undefined && !entry.isAnnounced) {
      entry.isAnnounced = true;
      this.#options.warn(
        'payments.createOnce: this client has no journal, so that the keys and the outcomes of payments are lost when the process ends, and other processes and worker threads do not see them: the same key can pay again. Pass a SqliteJournal or a PostgresJournal as journal',
      );
    }
    return entry.journal.claim(intent);
  }

  /** Stores the outcome of an intent. */
  async resolve(intent: PaymentCreateIntent, resolution: IntentResolution): Promise<void> {
    await (this.#entry ?? (await this.#open())).journal.resolve(intent, resolution);
  }

  /** Returns the intents of pending entries, oldest first. */
  async listPending(): Promise<readonly PaymentCreateIntent[]> {
    return (await this.#open()).journal.listPending();
  }

  async #open(): Promise<Entry> {
    const { platform, fetch, apiKey } = this.#options;
    const owner = (Object.hasOwn(Object(fetch) as object, journals) ? fetch : globalThis) as Owner;
    const registry = (owner[journals] ??= createRegistry());
    const current = typeof apiKey === 'string' ? apiKey : await apiKey();
    const entry = registry.get(platform, current, this.#entry);
    // A client whose API key was replaced keeps its journal.
    return (this.#entry ??= entry);
  }
}
