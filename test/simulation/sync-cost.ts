import { Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';
import { SqliteMirror } from 'corridor-sdk/mirror/sqlite';
import { isFinal } from './platform.ts';
import { virtualOptions, VirtualTime } from '../support/virtual-time.ts';

/** The numbers of records of a platform on which nothing changes. */
export interface Sizes {
  readonly payments: number;
  /** The payments that were created in the last 90 days, and those that have not ended. */
  readonly recent: number;
  readonly inProgress: number;
  readonly customers: number;
}

/** The requests of a sync: those of the idle polls, and those that read records again. */
export interface SyncCost {
  readonly pollsPerDay: number;
  readonly customersPerDay: number;
  readonly recentPerDay: number;
  readonly olderPerWeek: number;
}

const [minute, day] = [60_000, 24 * 60 * 60_000];
const week = 7 * day;
const recentWindow = 90 * day;

// A response of a pass has about 67 payments, and a pass ends after 90 % of its interval.
const perRequest = 60;

/** The formulas of docs/sync.md: at most so many requests per poll, and about so many otherwise. */
export function expectedCost({ payments, recent, inProgress, customers }: Sizes): SyncCost {
  const pollsPerDay = day / (2 * minute);
  const customersPerDay = day / (15 * minute);
  return {
    pollsPerDay: pollsPerDay * (6 + inProgress / 100),
    customersPerDay: customersPerDay * Math.ceil(customers / 100) + customers,
    recentPerDay: recent / perRequest,
    // Those that leave the recent window while the older ones are read are read with them.
    olderPerWeek: (payments - recent + (recent * week) / recentWindow) / perRequest,
  };
}

/** Synchronizes a mock with so many payments for a week of virtual time, and counts the requests after the fill. */
export async function measureSync(payments: number): Promise<{ readonly sizes: Sizes; readonly cost: SyncCost }> {
  const time = new VirtualTime();
  const platform = createMockPlatform({ now: time.now });
  const customers = Math.ceil(payments / 500);
  platform.populate({ customers, beneficiaries: 2 * customers, payments });
  const all = platform.payments.all();
  const start = time.now();
  const counts = { polls: 0, customers: 0, recent: 0, older: 0 };
  let filledAt = Number.POSITIVE_INFINITY;
  const count = (input: RequestInfo | URL): void => {
    const { pathname, searchParams } = new URL(input instanceof Request ? input.url : String(input));
    const [to, status] = [searchParams.get('createdTo'), searchParams.get('status')];
    if (time.now() < filledAt || time.now() > filledAt + week) return;
    if (!pathname.endsWith('/payment')) counts.customers += 1;
    // A poll lists new payments until tomorrow.
    else if (status !== null || Date.parse(String(to)) > time.now()) counts.polls += 1;
    else if (Date.parse(String(to)) > time.now() - recentWindow) counts.recent += 1;
    else counts.older += 1;
  };
  const corridor = new Corridor({
    ...platform.clientOptions(),
    ...virtualOptions(time, (input, init) => {
      count(input);
      return time.busy(() => platform.fetch(input, init));
    }),
  });
  await time.run(async () => {
    const stop = new AbortController();
    const synchronized = corridor.sync(new SqliteMirror(':memory:', { sensitive: true }), {
      signal: stop.signal,
      onProgress: ({ filled }) => {
        if (filled) filledAt = Math.min(filledAt, time.now());
      },
    });
    await time.wait(week + day);
    stop.abort();
    await synchronized;
  });
  const days = week / day;
  return {
    sizes: {
      payments: all.length,
      recent: all.filter(({ createdAt }) => Date.parse(createdAt) > start - recentWindow).length,
      inProgress: all.filter(({ status }) => !isFinal(status)).length,
      customers: platform.customers.all().length,
    },
    cost: {
      pollsPerDay: counts.polls / days,
      customersPerDay: counts.customers / days,
      recentPerDay: counts.recent / days,
      olderPerWeek: counts.older,
    },
  };
}
