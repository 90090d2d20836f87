import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AbortedError } from 'corridor-sdk';
import { checkScenario, exportUntil, Store, scenarios } from './completeness-scenario.ts';
import { ExportFixture, plainSettings } from './export-fixture.ts';

const numRuns = process.env['CORRIDOR_SOAK'] === '1' ? 10_000 : 200;
const [hour, day] = [3_600_000, 86_400_000];
const start = Date.parse('2026-01-01T00:00:00.000Z');

test(`in any of ${numRuns} scenarios, every payment is exported exactly once`, async () => {
  await fc.assert(fc.asyncProperty(scenarios, checkScenario), { numRuns });
}, 3_600_000);

test.each(['newest-first', 'oldest-first', 'shuffled'] as const)(
  'killed at any request of a list that is %s, it continues without losing or repeating a payment',
  async (listOrder) => {
    const fill = (fixture: ExportFixture): void => {
      for (let index = 0; index < 30; index += 1) fixture.add(start + index * hour * 32);
      for (let index = 0; index < 50; index += 1) fixture.add(start + 7 * day + index * 7_000);
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
