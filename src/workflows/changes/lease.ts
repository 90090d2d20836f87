import { describeJournalFailure, wrapJournalFailure, LeaseLostError } from '../../errors/journal.js';
import type { ChangesCheckpoint, CheckpointStore } from '../../journal/checkpoint-store.js';
import { Deadline } from '../../transport/deadline.js';
import type { Timing } from '../../transport/clock.js';

/** A lease that this process holds and renews until it ends it or another process takes over. */
export interface HeldLease {
  /** The checkpoint that was stored when the lease was acquired. */
  readonly checkpoint: ChangesCheckpoint | undefined;
  /** Returns whether this process still holds the lease. Asks the store if the lease may have expired. */
  isHeld(): Promise<boolean>;
  /** Stores a checkpoint, unless the lease was lost. */
  save(checkpoint: ChangesCheckpoint): Promise<void>;
  /** Stops renewing the lease, and releases it. */
  end(): Promise<void>;
}

// How long the end of a loop waits for a store that does not respond, in milliseconds.
const maxReleaseWait = 1_000;

/** Waits until no other process holds the lease of a store, and acquires it. Throws a `JournalError` if the store fails. */
export async function acquireLease(store: CheckpointStore, timing: Timing, deadline: Deadline): Promise<HeldLease> {
  const { endpoint } = deadline;
  const interval = store.leaseDuration / 3;
  // A database driver's error may contain payments and addresses.
  const request = async <Result>(send: () => Promise<Result>): Promise<Result> => {
    try {
      return await send();
    } catch (error) {
      if (error instanceof LeaseLostError) throw error;
      const general = `the checkpoint store failed (${describeJournalFailure(error)}). Start again when its database is available: the changes continue after the last stored checkpoint`;
      throw wrapJournalFailure(error, endpoint, general, endpoint);
    }
  };
  const acquire = () =>
    deadline.wait(
      request(() => store.acquire()),
      'its lease was being acquired',
    );
  // Before each request, because the store counts from when it handles it. A paused process continues with an old time.
  let renewedAt = timing.elapsed();
  let acquired = await acquire();
  while (acquired === undefined) {
    await deadline.sleep(interval);
    renewedAt = timing.elapsed();
    acquired = await acquire();
  }
  let state: 'held' | 'lost' | 'ended' = 'held';
  let cancel = (): void => {};
  const renew = async (): Promise<void> => {
    const started = timing.elapsed();
    if (await request(() => store.renew())) renewedAt = started;
    else state = 'lost';
  };
  const renewLater = (): void => {
    // While the database cannot be reached, isHeld() and save() decide.
    if (state === 'held') cancel = timing.after(interval, () => void renew().then(renewLater, renewLater));
  };
  renewLater();
  return {
    checkpoint: acquired.checkpoint,
    async isHeld() {
      if (state === 'held' && timing.elapsed() - renewedAt >= store.leaseDuration)
        await deadline.wait(renew(), 'its lease was being renewed');
      return state === 'held';
    },
    async save(checkpoint) {
      try {
        const started = timing.elapsed();
        const saving = request(() => store.save(checkpoint));
        await deadline.wait(saving, 'its checkpoint was being stored');
        renewedAt = started;
      } catch (error) {
        if (!(error instanceof LeaseLostError)) throw error;
        state = 'lost';
      }
    },
    async end() {
      const held = state === 'held';
      state = 'ended';
      cancel();
      if (!held) return;
      // A lease that cannot be released expires.
      const limit = new Deadline(timing, { endpoint, totalTimeout: maxReleaseWait });
      await limit.race(store.release()).catch(() => undefined);
    },
  };
}
