import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  CorridorError,
  type ExportCheckpoint,
  type PaymentExportOptions,
  type PaymentExportParams,
  AbortedError,
} from 'corridor-sdk';
import { expect, test } from 'vitest';
import { RandomSource } from '../../support/random-source.ts';
import { ExportFixture, type FixtureSettings, plainSettings } from './export-fixture.ts';

const [hour, day] = [3_600_000, 86_400_000];
const start = Date.parse('2026-01-01T00:00:00.000Z');

/** When payments were created: evenly over time, in bursts, or at the same time. */
const creationTimes = fc
  .array(
    fc.oneof(
      fc.record({ at: fc.integer({ min: 0, max: 40 * day }), count: fc.constant(1), step: fc.constant(0) }),
      fc.record({
        at: fc.integer({ min: 0, max: 40 * day }),
        count: fc.integer({ min: 2, max: 20 }),
        step: fc.constantFrom(0, 1, 500, 1_000, 20_000, hour),
      }),
    ),
    { maxLength: 10 },
  )
  .map((groups) =>
    groups.flatMap(({ at, count, step }) => Array.from({ length: count }, (_, index) => start + at + index * step)),
  );

/** A platform with payments, and how they are exported. */
const scenarios = fc.record({
  times: creationTimes,
  seed: fc.integer(),
  settings: fc.record<FixtureSettings>({
    listOrder: fc.constantFrom('newest-first', 'oldest-first', 'shuffled'),
    pageSize: fc.constantFrom(1, 3, 7, 20, 100),
    bounds: fc.constantFrom('inclusive', 'exclusive'),
    precision: fc.constantFrom('milliseconds', 'seconds'),
  }),
  from: fc.option(fc.integer({ min: -day, max: 20 * day }), { nil: undefined }),
  to: fc.option(fc.integer({ min: 20 * day, max: 42 * day }), { nil: undefined }),
  status: fc.constantFrom(undefined, 'COMPLETED' as const),
  order: fc.constantFrom('any' as const, 'created' as const),
  concurrency: fc.integer({ min: 1, max: 8 }),
  faults: fc.constantFrom(0, 0.1),
  inserts: fc.boolean(),
  limited: fc.constantFrom(false, false, true),
  kills: fc.array(fc.integer({ min: 1, max: 25 }), { maxLength: 4 }),
});

/** One of these scenarios. */
type Scenario = typeof scenarios extends fc.Arbitrary<infer S> ? S : never;

/** What a program has stored: pages, each together with its checkpoint. */
class Store {
  readonly ids: string[] = [];
  readonly times: number[] = [];
  checkpoint: string | undefined;
}

/** Exports with a program that is killed when it sends its n-th request. Returns whether it came to its end. */
async function exportUntil(
  fixture: ExportFixture,
  store: Store,
  query: PaymentExportParams,
  options: PaymentExportOptions,
  killAt: number,
): Promise<boolean> {
  const killed = new AbortController();
  const last = fixture.requests.length + killAt;
  const { respondWith } = fixture;
  fixture.respondWith = (index) => {
    if (index + 1 >= last) killed.abort();
    return respondWith(index);
  };
  const checkpoint = store.checkpoint === undefined ? undefined : (JSON.parse(store.checkpoint) as ExportCheckpoint);
  try {
    const exported = fixture.client().payments.export(query, { ...options, checkpoint, signal: killed.signal });
    for await (const page of exported.pages()) {
      store.ids.push(...page.items.map(({ id }) => id));
      store.times.push(...page.items.map(({ createdAt }) => Date.parse(createdAt)));
      store.checkpoint = JSON.stringify(page.checkpoint);
    }
    return true;
  } catch (error) {
    if (!(error instanceof CorridorError) || error.code === 'invalid-response') throw error;
    return false;
  } finally {
    fixture.respondWith = respondWith;
  }
}

/** Exports all payments of a fixture, with as many processes as it needs, and compares them with those of the platform. */
async function checkScenario({
  times,
  seed,
  settings,
  from,
  to,
  status,
  order,
  concurrency,
  ...rest
}: Scenario): Promise<void> {
  const random = new RandomSource(seed);
  const limit = rest.limited ? { rateLimit: { requests: 12, per: { seconds: 1 } } } : {};
  const platform = new ExportFixture({ ...settings, options: limit });
  for (const at of times) platform.add(at, random.hits(0.7) ? 'COMPLETED' : 'PENDING_REVIEW');
  platform.respondWith = () => {
    if (rest.inserts) platform.add(platform.time.now() - random.below(250_000));
    return random.hits(rest.faults) ? new Response(null, { status: 503 }) : undefined;
  };
  const createdFrom = from === undefined ? undefined : new Date(start + from).toISOString();
  const createdTo = to === undefined ? undefined : new Date(start + to).toISOString();
  const end = to === undefined ? platform.time.now() - 300_000 : start + to;
  const expected = platform.idsBetween(from === undefined ? 0 : start + from, end, status);
  const store = new Store();
  const kills = [...rest.kills];
  await platform.time.run(async () => {
    for (let runs = 0; ; runs += 1) {
      const query = { status, createdFrom, createdTo };
      if (await exportUntil(platform, store, query, { order, concurrency }, kills.shift() ?? Infinity)) break;
      assert.ok(runs < 200, 'the export does not come to its end');
    }
  });
  assert.deepEqual(store.ids.toSorted(), expected);
  if (order === 'created')
    assert.deepEqual(
      store.times,
      store.times.toSorted((one, other) => one - other),
    );
}

const numRuns = process.env['CORRIDOR_SOAK'] === '1' ? 10_000 : 80;

test(`in any of ${numRuns} scenarios, every payment is exported exactly once`, async () => {
  await fc.assert(fc.asyncProperty(scenarios, checkScenario), { numRuns });
}, 3_600_000);

test.each(['newest-first', 'oldest-first', 'shuffled'] as const)(
  'killed at any request of a list that is %s, it continues without losing or repeating a payment',
  async (listOrder) => {
    const fill = (fixture: ExportFixture): void => {
      for (let index = 0; index < 14; index += 1) fixture.add(start + index * hour * 70);
      for (let index = 0; index < 24; index += 1) fixture.add(start + 7 * day + index * 7_000);
    };
    const settings = { ...plainSettings, listOrder, pageSize: 4 };
    const query = { createdFrom: '2026-01-01T00:00:00Z', createdTo: '2026-02-20T00:00:00Z' };
    const whole = new ExportFixture(settings);
    fill(whole);
    await whole.time.run(() => exportUntil(whole, new Store(), query, {}, Infinity));
    const count = whole.requests.length;
    expect(count).toBeGreaterThan(25);
    for (let kill = 1; kill <= count; kill += 1) {
      const fixture = new ExportFixture(settings);
      fill(fixture);
      const store = new Store();
      const isComplete = await fixture.time.run(async () => {
        await exportUntil(fixture, store, query, {}, kill);
        return exportUntil(fixture, store, query, {}, Infinity);
      });
      expect({ kill, isComplete, ids: store.ids.toSorted() }).toEqual({
        kill,
        isComplete: true,
        ids: fixture.idsBetween(start, Date.parse(query.createdTo)),
      });
    }
  },
  120_000,
);

test('an aborted export throws AbortedError', async () => {
  const fixture = new ExportFixture();
  fixture.add(start);
  const iteration = fixture.client().payments.export({}, { signal: AbortSignal.abort() }).pages();
  await expect(fixture.time.run(() => iteration.next())).rejects.toThrow(AbortedError);
});
