import type { PaymentCreateIntent } from '../contract/intent.js';
import type { IntentResolution, Journal, JournalEntry } from './journal.js';
import { MemoryJournal } from './memory.js';

/** The journal of one account, which its clients share. */
interface Entry {
  readonly journal: MemoryJournal;
  hasWarned: boolean;
  /** The entry of the same account that has taken over the journal's contents. */
  mergedInto?: Entry;
}

/** The journals in memory of a thread. A closure has the API keys, so that nothing can print them. */
interface Registry {
  /** Returns the entry of an account. `previous` is what the client used before its API key was replaced. */
  get(platform: string, apiKey: string, previous: Entry | undefined): Entry;
  /** Removes the entries of a platform that has lost its records, as a mock does. */
  forget(platform: string): void;
}

// All copies of the package in a thread share it. The `fetch` of a mock has its own registry.
const journals = Symbol.for('corridor-sdk.journals.v1');

type Owner = { [journals]?: Registry | undefined };

function createRegistry(): Registry {
  const entries = new Map<string, Entry>();
  return {
    get(platform, apiKey, previous) {
      const account = `${platform} ${apiKey}`;
      const last = previous && current(previous);
      // Not if the platform has lost its records since.
      const used = [...entries.values()].find((each) => each === last);
      const known = entries.get(account);
      const entry = known === undefined ? (used ?? createEntry()) : current(known);
      entries.set(account, entry);
      // Another client began with the new API key before this one.
      if (used !== undefined && used !== entry) {
        entry.journal.add(used.journal);
        used.mergedInto = entry;
      }
      return entry;
    },
    forget(platform) {
      for (const account of entries.keys()) if (account.startsWith(`${platform} `)) entries.delete(account);
    },
  };
}

const createEntry = (): Entry => ({ journal: new MemoryJournal(), hasWarned: false });

function current(entry: Entry): Entry {
  return entry.mergedInto === undefined ? entry : current(entry.mergedInto);
}

/** What a `ProcessJournal` needs from its client. */
export interface ProcessJournalOptions {
  readonly platform: string;
  /** The client's `fetch`. */
  readonly fetch: unknown;
  /** The client's API key, or a function that returns the current one. */
  readonly apiKey: string | (() => Promise<string>);
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

  get inMemory(): Entry | undefined {
    return this.#entry;
  }

  /** Claims the intent's quote and its key. */
  async claim(intent: PaymentCreateIntent): Promise<true | JournalEntry> {
    return this.#open(await this.#apiKey()).journal.claim(intent);
  }

  /** Returns the entry that holds a key. */
  async findByKey(idempotencyKey: string): Promise<JournalEntry | undefined> {
    return this.#open(await this.#apiKey()).journal.findByKey(idempotencyKey);
  }

  /** Stores the outcome of an intent. */
  async resolve(intent: PaymentCreateIntent, resolution: IntentResolution): Promise<void> {
    const entry = this.#entry ?? this.#open(await this.#apiKey());
    await current(entry).journal.resolve(intent, resolution);
  }

  /** Returns the intents of pending entries, oldest first. */
  async listPending(): Promise<readonly PaymentCreateIntent[]> {
    return this.#open(await this.#apiKey()).journal.listPending();
  }

  async #apiKey(): Promise<string> {
    const { apiKey } = this.#options;
    return typeof apiKey === 'string' ? apiKey : apiKey();
  }

  /** Returns the entry of the account. Another client can merge it in every pause. */
  #open(apiKey: string): Entry {
    const { platform, fetch } = this.#options;
    const owner = (Object.hasOwn(Object(fetch) as object, journals) ? fetch : globalThis) as Owner;
    const registry = (owner[journals] ??= createRegistry());
    return (this.#entry = registry.get(platform, apiKey, this.#entry));
  }
}
