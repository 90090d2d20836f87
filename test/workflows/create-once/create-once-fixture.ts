import {
  MemoryJournal,
  type Corridor,
  type Journal,
  type PaymentCreateRequest,
  type PaymentCreateIntent,
} from 'corridor-sdk';
import { FaultyPlatform, type Fate } from '../../support/faulty-platform.ts';

/** Creates a payment on a new platform with these fates. */
export async function makeOnce(
  fates: readonly Fate[],
  options: Parameters<Corridor['payments']['createOnce']>[1] = {},
  arrange: (faulty: FaultyPlatform) => void = () => {},
) {
  const faulty = new FaultyPlatform().fate(...fates);
  arrange(faulty);
  const corridor = faulty.client();
  const payment = faulty.payable();
  const result = faulty.run(() => corridor.payments.createOnce(payment, options));
  return { faulty, corridor, payment, result };
}

/** The intent of a payment, as another process stored it. */
export const intentOf = (payment: PaymentCreateRequest, createdAt: number): PaymentCreateIntent => ({
  version: 1,
  id: crypto.randomUUID(),
  request: { ...payment },
  sendUntil: new Date(createdAt + 60_000).toISOString(),
  createdAt: new Date(createdAt).toISOString(),
  clockOffset: 0,
  clockKnown: true,
});

export type Row = Readonly<Record<string, unknown>>;
export type Change = (row: Row) => unknown;

/** Changes the rows of the list. */
export function showRows(faulty: FaultyPlatform, change: Change): void {
  faulty.meddle = async (page) => {
    const { items, ...rest } = (await page.json()) as { readonly items: readonly Row[] };
    return Response.json({ ...rest, items: items.map(change) });
  };
}

/** Creates a payment, and responds with a changed one. */
export const respondWith =
  (change: Change): Fate =>
  async (creation) => {
    const response = await creation.commit();
    return Response.json(change((await response.json()) as Row), {
      status: 201,
      headers: { date: response.headers.get('date') ?? '' },
    });
  };

/** A journal that ignores resolutions, as if the process had ended before. */
export function withoutResolutions(): Journal {
  const inner = new MemoryJournal();
  return {
    supportsIdempotencyKeys: true,
    claim: (intent) => inner.claim(intent),
    resolve: async () => {},
    listPending: () => inner.listPending(),
  };
}

/** The key of an order. */
export const key = { idempotencyKey: 'order-4711' } as const;

/** A platform that accepts every quote twice, for any amount, and an order with several quotes. */
export function arrangeOrder(...fates: readonly Fate[]) {
  const faulty = new FaultyPlatform({ quotes: 'reusable', amounts: 'free' }).fate(...fates);
  const journal = new MemoryJournal();
  const first = faulty.payable();
  const { customerId, beneficiaryId } = first;
  const order = (): PaymentCreateRequest => faulty.payable({ customerId, beneficiaryId });
  const client = (): Corridor => faulty.client({ journal });
  return { faulty, journal, first, order, client };
}
