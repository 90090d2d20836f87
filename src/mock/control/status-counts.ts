import { storedPaymentsOf, type MockOrganization } from '../organization.js';
import type { StatusChange } from '../store/records.js';
import { historyOf } from '../records/payment/parts.js';

/** How many payments had each status, at evenly spaced times of the mock's clock. */
export interface StatusCounts {
  /** The time before the first counts, in milliseconds since the epoch. */
  readonly from: number;
  /** The time of the last counts: now, or the last change if that is later. */
  readonly to: number;
  readonly counts: readonly Readonly<Record<string, number>>[];
}

/** The shortest time between the first and the last counts, in milliseconds. */
const minSpan = 60_000;

/** Counts the payments of an organization by status, from the first creation until now. */
export function statusCounts(organization: MockOrganization, now: number, count: number): StatusCounts {
  const histories = storedPaymentsOf(organization).map((payment) =>
    historyOf(payment).map(({ status, at }) => ({ status, at: Date.parse(at) })),
  );
  let [first, to] = [now, now];
  for (const { at } of histories.flat()) [first, to] = [Math.min(first, at), Math.max(to, at)];
  const from = Math.min(first, to - minSpan);
  const spaces = Array.from({ length: count }, () => new Map<StatusChange['status'], number>());
  const add = (index: number, status: StatusChange['status'] | undefined, difference: number): void => {
    const changes = spaces[index];
    if (status !== undefined) changes?.set(status, (changes.get(status) ?? 0) + difference);
  };
  for (const history of histories) {
    for (const [index, { status, at }] of history.entries()) {
      const space = Math.max(0, Math.ceil(((at - from) / (to - from)) * count) - 1);
      add(space, status, 1);
      add(space, history[index - 1]?.status, -1);
    }
  }
  const current = new Map<StatusChange['status'], number>();
  const counts = spaces.map((changes) => {
    for (const [status, difference] of changes) current.set(status, (current.get(status) ?? 0) + difference);
    return Object.fromEntries([...current].filter(([, payments]) => payments > 0));
  });
  return { from, to, counts };
}
