import { amounts, Corridor, type PaymentListParams } from 'corridor-sdk';

/** The payments of one status in one currency. */
export interface PaymentSum {
  readonly status: string;
  readonly currencyCode: string;
  readonly count: number;
  /** The sum of their amounts, exact: a decimal string. */
  readonly total: string;
}

/**
 * Iterates over all payments and adds them up by status and currency. Keeps one page in memory and prefetches
 * the next.
 */
export async function summarizePayments(corridor: Corridor, query: PaymentListParams = {}): Promise<PaymentSum[]> {
  const sums = new Map<string, PaymentSum>();
  for await (const { status, currencyCode, amount } of corridor.payments.list({ limit: 100, ...query })) {
    const key = `${status} ${currencyCode}`;
    const { count, total } = sums.get(key) ?? { count: 0, total: '0' };
    sums.set(key, { status, currencyCode, count: count + 1, total: amounts.add(total, amount) });
  }
  return [...sums.values()].toSorted((left, right) => right.count - left.count);
}

// node examples/summarize-payments.ts [from, such as 2026-01-01T00:00Z]
if (import.meta.main) console.table(await summarizePayments(new Corridor(), { createdFrom: process.argv[2] }));
