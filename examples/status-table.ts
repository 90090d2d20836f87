import { paymentStatuses } from 'corridor-sdk';
import type { PaymentSum } from './summarize-payments.ts';

/**
 * Counts of payments as a table: a row for each status in the order of a payment's life, and a column for each currency,
 * the fullest first.
 */
export function statusTable(sums: readonly PaymentSum[]): string[] {
  // A status that this version of the SDK does not know comes last.
  const statuses = new Set([...paymentStatuses, ...sums.map(({ status }) => status)]);
  const currencies = byCount(sums, ({ currencyCode }) => currencyCode);
  const count = (status: string | undefined, currencyCode: string | undefined): number =>
    sums
      .filter(
        (sum) =>
          (status === undefined || sum.status === status) &&
          (currencyCode === undefined || sum.currencyCode === currencyCode),
      )
      .reduce((total, sum) => total + sum.count, 0);
  const row = (title: string, cells: readonly (string | number)[]): string =>
    title.padEnd(17) + cells.map((cell) => String(cell).padStart(5)).join('');
  return [
    row('', [...currencies, 'all']),
    ...[...statuses]
      .filter((status) => count(status, undefined) > 0)
      .map((status) =>
        row(status, [
          ...currencies.map((currencyCode) => count(status, currencyCode) || '·'),
          count(status, undefined),
        ]),
      ),
    row('all', [...currencies.map((currencyCode) => count(undefined, currencyCode)), count(undefined, undefined)]),
  ];
}

function byCount(sums: readonly PaymentSum[], group: (sum: PaymentSum) => string): string[] {
  const counts = [...Map.groupBy(sums, group)].map(([name, members]) => ({
    name,
    count: members.reduce((total, { count }) => total + count, 0),
  }));
  return counts.toSorted((left, right) => right.count - left.count).map(({ name }) => name);
}
