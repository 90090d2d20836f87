import {
  AbortedError,
  type CorridorOptions,
  type ChangesCheckpoint,
  type ChangesOptions,
  type PaymentChange,
} from 'corridor-sdk';
import { line, type Listing } from '../paged-list.ts';

export const seconds = 1_000;
export const minutes = 60 * seconds;
export const days = 24 * 60 * minutes;

/** The payments that a stored checkpoint contains. */
export function storedPayments(
  checkpoint: ChangesCheckpoint | undefined,
): readonly (readonly [id: string, status: string, createdAt: string, updatedAt: string])[] {
  return (
    JSON.parse(JSON.stringify(checkpoint ?? { payments: [] })) as {
      readonly payments: readonly (readonly [string, string, string, string])[];
    }
  ).payments;
}

export interface Watched {
  readonly lines: string[];
  /** Creates the checkpoint of the n-th change, counted from the end if n is negative. */
  checkpoint(n: number): ChangesCheckpoint | undefined;
}

/** Polls a list for a period of virtual time, while `happens` changes it. */
export async function follow(
  listing: Listing,
  lasts: number,
  happens: () => Promise<void> = () => Promise.resolve(),
  options: ChangesOptions = {},
  client: CorridorOptions = {},
): Promise<Watched> {
  const lines: string[] = [];
  const changes: PaymentChange[] = [];
  await listing.time.run(async () => {
    const over = new AbortController();
    void listing.time.wait(lasts).then(() => over.abort());
    void happens();
    try {
      for await (const change of listing
        .client(client)
        .payments.changes({ pollInterval: 10 * seconds, signal: over.signal, ...options })) {
        lines.push(line(change));
        changes.push(change);
      }
    } catch (error) {
      if (!(error instanceof AbortedError)) throw error;
    }
  });
  return { lines, checkpoint: (n) => changes.at(n)?.checkpoint };
}
