import { expect, test } from 'vitest';
import { AbortedError, type ChangesCheckpoint, type PaymentChange } from 'corridor-sdk';
import { Chance } from '../simulation/chance.ts';
import { Listing, type Asked } from './listing.ts';

const minutes = 60_000;

const next: Readonly<Record<string, readonly string[]>> = {
  PENDING_REVIEW: ['APPROVED', 'CORRECTION_NEEDED', 'REJECTED', 'ON_HOLD'], ON_HOLD: ['PENDING_REVIEW', 'APPROVED', 'CANCELLED'],
  CORRECTION_NEEDED: ['PENDING_REVIEW', 'CANCELLED'], APPROVED: ['PROCESSING', 'CANCELLED', 'ON_HOLD'], PROCESSING: ['COMPLETED', 'RETURNED'],
  COMPLETED: ['RETURNED'], REJECTED: [], CANCELLED: [], RETURNED: [],
};

/** A list on which something happens just before many of its answers, so that lists and pages move while they are walked. */
class MovingWorld {
  readonly listing = new Listing();
  /** The statuses each payment has been in, first to last. */
  readonly courses = new Map<string, string[]>();
  /** The payments that were there before the feed began. */
  readonly old: ReadonlySet<string>;
  readonly #chance: Chance;
  readonly #until = this.listing.time.now() + 40 * minutes;
  #requests = 0;

  constructor(seed: number) {
    this.#chance = new Chance(seed);
    this.listing.pageSize = 3;
    this.listing.latency = 40;
    for (let index = 0; index < 25; index += 1) this.#add(`old${index}`, (30 - index) * 60 * minutes, this.#chance.pick(Object.keys(next).filter((status) => status !== 'ON_HOLD')));
    this.old = new Set(this.courses.keys());
    this.listing.meddle = () => this.#happen();
  }

  #add(id: string, age: number, status: string): void {
    this.listing.add(id, status, age);
    this.courses.set(id, [status]);
  }

  #happen(): Response | undefined {
    this.#requests += 1;
    if (this.#requests < 20 || this.listing.time.now() > this.#until) return undefined;
    if (this.#chance.hits(0.04)) return new Response(null, { status: 503 });
    if (this.#chance.hits(0.05)) this.#add(`new${this.#requests}`, this.#chance.below(2_000), 'PENDING_REVIEW');
    if (this.#chance.hits(0.25)) this.#move();
    return undefined;
  }

  #move(): void {
    const movable = [...this.courses].filter(([, course]) => (next[course.at(-1) ?? ''] ?? []).length > 0);
    const [id, course] = this.#chance.pick(movable);
    const status = this.#chance.pick(next[course.at(-1) ?? ''] ?? []);
    this.listing.move(id, status);
    course.push(status);
  }
}

/** Follows the world by processes that die after so many changes, and go on from the checkpoint of the last. */
async function follow(world: MovingWorld, chance: Chance): Promise<PaymentChange[]> {
  const told: PaymentChange[] = [];
  const { listing } = world;
  await listing.time.run(async () => {
    const over = new AbortController();
    void listing.time.wait(60 * minutes).then(() => over.abort());
    let stored: string | undefined;
    while (!over.signal.aborted) {
      const since = stored === undefined ? undefined : (JSON.parse(stored) as ChangesCheckpoint);
      let left = 5 + chance.below(40);
      try {
        for await (const change of listing.client().payments.changes({ since, signal: over.signal })) {
          told.push(change);
          stored = JSON.stringify(change.checkpoint);
          left -= 1;
          if (left < 0) break;
        }
      } catch (error) {
        if (!(error instanceof AbortedError)) throw error;
      }
    }
  });
  return told;
}

function isWithin(part: readonly string[], whole: readonly string[]): boolean {
  let at = 0;
  for (const status of whole) if (at < part.length && part[at] === status) at += 1;
  return at === part.length;
}

test.each(Array.from({ length: 25 }, (_, index) => [index + 1]))('in world %i every payment is told in its true course, to its end', async (seed) => {
  const world = new MovingWorld(seed);
  const told = await follow(world, new Chance(1_000 + seed));
  expect(told.length).toBeGreaterThan(40);

  for (const [id, course] of world.courses) {
    const changes = told.filter(({ payment }) => payment.id === id);
    const seen = changes.map(({ payment }) => payment.status);
    const before = changes.map(({ previousStatus }) => previousStatus);
    const first = world.old.has(id) ? course[0] : undefined;
    // Each change begins where the one before it ended: none is told twice, and none is left out in between.
    expect({ id, before }).toEqual({ id, before: seen.length === 0 ? [] : [first, ...seen.slice(0, -1)] });
    expect({ id, seen, within: isWithin(seen, world.old.has(id) ? course.slice(1) : course) }).toEqual({ id, seen, within: true });
    expect({ id, last: seen.at(-1) ?? first }).toEqual({ id, last: course.at(-1) });
  }
}, 60_000);

test('the order in which lists are asked for is that in which most payments go through them', async () => {
  const listing = new Listing();
  const asked = (): Asked[] => listing.asked.slice(5, 11);
  await listing.time.run(async () => {
    const stop = new AbortController();
    void listing.time.wait(5_000).then(() => stop.abort());
    await listing.client().payments.changes({ signal: stop.signal }).next().catch(() => {});
  });
  expect(asked().map(({ status }) => status)).toEqual([undefined, 'PENDING_REVIEW', 'CORRECTION_NEEDED', 'APPROVED', 'PROCESSING', 'RETURNED']);
});
