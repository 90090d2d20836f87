import { MemoryJournal, type Journal, type PaymentCreateRequest, type PaymentCreateIntent } from 'corridor-sdk';
import { type FaultyPlatform, intentOf } from '../support/faulty-platform.ts';

/** A journal in memory with some functions replaced. */
export function journalWith(
  replaced: (journal: MemoryJournal) => Partial<Journal>,
): Journal & { readonly inner: MemoryJournal } {
  const inner = new MemoryJournal();
  const own: Journal = {
    supportsIdempotencyKeys: true,
    claim: (intent) => inner.claim(intent),
    resolve: (intent, resolution) => inner.resolve(intent, resolution),
    listPending: () => inner.listPending(),
  };
  return { ...own, ...replaced(inner), inner };
}

/** An intent of another process, noted so long ago. */
export function noted({ time }: FaultyPlatform, payment: PaymentCreateRequest, age = 0): PaymentCreateIntent {
  return intentOf(payment, time.now() - age);
}
