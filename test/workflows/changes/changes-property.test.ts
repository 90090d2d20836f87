import { expect, test } from 'vitest';
import { AbortedError, type ChangesCheckpoint, type PaymentChange } from 'corridor-sdk';
import { openStatuses } from '../../support/open-statuses.ts';
import { RandomSource } from '../../support/random-source.ts';
import { Listing, type ListRequest, type TimeFilters } from '../paged-list.ts';

const minutes = 60_000;
const hours = 60 * minutes;

const next: Readonly<Record<string, readonly string[]>> = {
  PENDING_REVIEW: ['APPROVED', 'CORRECTION_NEEDED', 'REJECTED', 'STATUS_OF_TESTS'],
  STATUS_OF_TESTS: ['PENDING_REVIEW', 'APPROVED', 'CANCELLED'],
  CORRECTION_NEEDED: ['PENDING_REVIEW', 'CANCELLED'],
  APPROVED: ['PROCESSING', 'CANCELLED', 'STATUS_OF_TESTS'],
  PROCESSING: ['COMPLETED', 'RETURNED'],
  COMPLETED: ['RETURNED'],
  REJECTED: [],
  CANCELLED: [],
  RETURNED: [],
};

/** A list that changes just before many of its responses, so that lists and pages change during iteration. */
class ChangingList {
  readonly listing: Listing;
  /** When changes() starts, on the creation time of a payment; undefined for now. */
  readonly since: Date | undefined;
  /** The statuses of each payment, in order. */
  readonly histories = new Map<string, string[]>();
  /** The payments that existed before changes() started. */
  readonly old: ReadonlySet<string>;
  readonly #random: RandomSource;
  readonly #until: number;
  #requests = 0;

  constructor(seed: number, filters: TimeFilters) {
    this.#random = new RandomSource(seed);
    this.listing = new Listing(filters);
    const now = this.listing.time.now();
    this.#until = now + 40 * minutes;
    this.since = seed % 2 === 0 ? undefined : new Date(now - 20 * hours);
    this.listing.pageSize = 3;
    this.listing.latency = 40;
    for (let index = 0; index < 25; index += 1)
      this.#add(
        `old${index}`,
        (30 - index) * hours,
        this.#random.pick(Object.keys(next).filter((status) => status !== 'STATUS_OF_TESTS')),
      );
    const { since = new Date(now) } = this;
    this.old = new Set([...this.histories.keys()].filter((id) => new Date(this.listing.get(id).createdAt) < since));
    this.listing.respondWith = () => this.#happen();
  }

  #add(id: string, age: number, status: string): void {
    this.listing.add(id, status, age);
    this.histories.set(id, [status]);
  }

  #happen(): Response | undefined {
    this.#requests += 1;
    if (this.#requests < 20 || this.listing.time.now() > this.#until) return undefined;
    if (this.#random.hits(0.04)) return new Response(null, { status: 503 });
    if (this.#random.hits(0.05)) this.#add(`new${this.#requests}`, this.#random.below(2_000), 'PENDING_REVIEW');
    if (this.#random.hits(0.25)) this.#move();
    return undefined;
  }

  #move(): void {
    const movable = [...this.histories].filter(([, history]) => (next[history.at(-1) ?? ''] ?? []).length > 0);
    const [id, history] = this.#random.pick(movable);
    const status = this.#random.pick(next[history.at(-1) ?? ''] ?? []);
    this.listing.move(id, status);
    history.push(status);
  }
}

/**
 * Consumes the changes with processes that stop after a few changes, each of which continues from the last checkpoint.
 */
async function follow(list: ChangingList, random: RandomSource): Promise<PaymentChange[]> {
  const reported: PaymentChange[] = [];
  const { listing } = list;
  await listing.time.run(async () => {
    const over = new AbortController();
    void listing.time.wait(50 * minutes).then(() => over.abort());
    let stored: string | undefined;
    while (!over.signal.aborted) {
      const since = stored === undefined ? list.since : (JSON.parse(stored) as ChangesCheckpoint);
      let left = 5 + random.below(40);
      try {
        for await (const change of listing.client().payments.changes({ since, signal: over.signal })) {
          reported.push(change);
          stored = JSON.stringify(change.checkpoint);
          left -= 1;
          if (left < 0) break;
        }
      } catch (error) {
        if (!(error instanceof AbortedError)) throw error;
      }
    }
  });
  return reported;
}

function isWithin(part: readonly string[], whole: readonly string[]): boolean {
  let at = 0;
  for (const status of whole) if (at < part.length && part[at] === status) at += 1;
  return at === part.length;
}

const worlds = Array.from({ length: 32 }, (_, index) => ({
  seed: index + 1,
  bounds: (['inclusive', 'exclusive'] as const)[(index >> 1) % 2] ?? 'inclusive',
  precision: (['milliseconds', 'seconds'] as const)[(index >> 2) % 2] ?? 'seconds',
}));

test.each(worlds)(
  'in world $seed with $bounds bounds in $precision every payment is reported with all its statuses in order',
  async ({ seed, ...filters }) => {
    const list = new ChangingList(seed, filters);
    const reported = await follow(list, new RandomSource(1_000 + seed));
    expect(reported.length).toBeGreaterThan(20);

    for (const [id, history] of list.histories) {
      const changes = reported.filter(({ payment }) => payment.id === id);
      const seen = changes.map(({ payment }) => payment.status);
      const before = changes.map(({ previousStatus }) => previousStatus);
      const first = list.old.has(id) ? history[0] : undefined;
      // Each change starts with the status in which the previous one ended: no change is repeated or omitted.
      expect({ id, before }).toEqual({ id, before: seen.length === 0 ? [] : [first, ...seen.slice(0, -1)] });
      expect({ id, seen, within: isWithin(seen, list.old.has(id) ? history.slice(1) : history) }).toEqual({
        id,
        seen,
        within: true,
      });
      expect({ id, last: seen.at(-1) ?? first }).toEqual({ id, last: history.at(-1) });
    }
  },
  180_000,
);

test('the lists are read in the order of the usual statuses', async () => {
  const listing = new Listing();
  // The start reads the open and the recent ones twice, and the returned ones.
  const start = 2 * (openStatuses.length + 1) + 1;
  const requests = (): ListRequest[] => listing.requests.slice(start, start + openStatuses.length + 2);
  await listing.time.run(async () => {
    const stop = new AbortController();
    void listing.time.wait(5_000).then(() => stop.abort());
    await listing
      .client()
      .payments.changes({ signal: stop.signal })
      .next()
      .catch(() => {});
  });
  expect(requests().map(({ status }) => status)).toEqual([undefined, ...openStatuses, 'RETURNED']);
});
