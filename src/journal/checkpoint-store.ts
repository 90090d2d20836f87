import { ConfigurationError } from '../errors/api.js';

/**
 * A position in the changes of payments, as plain JSON: store it, and pass it as `since` to continue. Its fields
 * besides `version` can change at any time.
 */
export interface ChangesCheckpoint {
  /** The format version. */
  readonly version: 1;
  /**
   * Whether changes from before the poll began may still be missing. After a complete poll, it is true if more payments
   * ended since the poll before than one poll looks up, if the list lacks an open payment, or if it shows a payment with
   * an earlier `updatedAt` than before, which the next poll must confirm. Later polls report these changes.
   */
  readonly behind: boolean;
}

/** What `CheckpointStore.acquire` returns if it acquired the lease. */
export interface AcquiredLease {
  /** The stored checkpoint; undefined if there is none yet. */
  readonly checkpoint: ChangesCheckpoint | undefined;
}

/**
 * Stores the checkpoint of a feed of changes for several processes, of which only the one that holds the lease
 * follows. `PostgresCheckpointStore` and `SqliteCheckpointStore` implement it. Every acquisition increases an epoch
 * that each later write must match, so a process that was paused while another took over cannot write.
 */
export interface CheckpointStore {
  /** How long the lease lasts after it was acquired or renewed, in milliseconds. */
  readonly leaseDuration: number;
  /** Acquires the lease. Returns undefined if another process holds it. */
  acquire(): Promise<AcquiredLease | undefined>;
  /** Renews the lease. Returns false if it was lost. */
  renew(): Promise<boolean>;
  /** Stores a checkpoint and renews the lease. Throws a `LeaseLostError` if the lease was lost. */
  save(checkpoint: ChangesCheckpoint): Promise<void>;
  /** Releases the lease, so that another process can acquire it at once. */
  release(): Promise<void>;
}

/** The options of a `PostgresCheckpointStore` and a `SqliteCheckpointStore`. */
export interface CheckpointStoreOptions {
  /** The name of the feed: processes that share it share one lease. @default 'payments' */
  readonly name?: string | undefined;
  /**
   * How long another process waits before it takes over from one that no longer renews its lease, in milliseconds, at
   * least 100. The lease is renewed three times as often. @default 15_000
   */
  readonly leaseDuration?: number | undefined;
}

/** Validates the options of a checkpoint store. */
export function resolveStoreOptions({ name = 'payments', leaseDuration = 15_000 }: CheckpointStoreOptions) {
  if (typeof name !== 'string' || name === '')
    throw new ConfigurationError(
      `the name of a checkpoint store must be a non-empty string (received ${name === '' ? 'an empty string' : typeof name}). Pass a name such as "payments"`,
    );
  if (!Number.isInteger(leaseDuration) || leaseDuration < 100)
    throw new ConfigurationError(
      `leaseDuration must be an integer of milliseconds, at least 100 (received ${String(leaseDuration)}). Omit it, or pass a number such as 15_000`,
    );
  return { name, leaseDuration };
}

/** Parses a stored checkpoint. `payments.changes` validates its content. */
export function parseCheckpoint(stored: string | null): ChangesCheckpoint | undefined {
  return stored === null ? undefined : (JSON.parse(stored) as ChangesCheckpoint);
}
