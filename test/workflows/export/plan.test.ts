import { expect, test } from 'vitest';
import type { PaymentExportSpan } from 'corridor-sdk';
import { ExportFixture, plainSettings } from './export-fixture.ts';

const day = 86_400_000;
const start = Date.parse('2026-01-01T00:00:00Z');

function planned(listOrder: 'newest-first' | 'oldest-first' | 'shuffled'): ExportFixture {
  const fixture = new ExportFixture({ ...plainSettings, listOrder, pageSize: 20 });
  for (let index = 0; index < 1_000; index += 1) fixture.add(start + Math.floor((index * 30 * day) / 1_000));
  for (let index = 0; index < 400; index += 1) fixture.add(start + 40 * day + index * 1_000);
  return fixture;
}

test.each(['newest-first', 'oldest-first', 'shuffled'] as const)(
  'each payment of a list that is %s belongs to one span of the plan',
  async (listOrder) => {
    const fixture = planned(listOrder);
    const ids: string[] = [];
    let spans: PaymentExportSpan[] = [];
    await fixture.time.run(async () => {
      spans = await fixture.client().payments.planExport({}, { spanSize: 100 });
      // Payments at the bounds of the spans.
      for (const { createdTo = '' } of spans.slice(0, -1))
        for (const offset of [-1, 0, 1]) fixture.add(Date.parse(String(createdTo)) + offset);
      // Another process gets each span as JSON.
      for (const span of spans.map((each) => JSON.parse(JSON.stringify(each)) as PaymentExportSpan))
        for await (const { id } of fixture.client().payments.export(span)) ids.push(id);
    });
    expect(spans.length).toBeGreaterThan(6);
    expect(ids.toSorted()).toEqual(fixture.idsBetween(0, fixture.time.now()));
  },
);

test('a span of a plan has about as many payments as planned', async () => {
  const fixture = planned('newest-first');
  const query = { createdFrom: '2026-01-01T00:00:00Z', createdTo: '2026-01-31T00:00:00Z' };
  const spans = await fixture.time.run(() => fixture.client().payments.planExport(query, { spanSize: 200 }));
  expect(spans.length).toBeGreaterThanOrEqual(5);
  expect(spans.length).toBeLessThanOrEqual(8);
  expect(spans[0]).toEqual({
    createdFrom: '2026-01-01T00:00:00.000Z',
    createdTo: expect.stringMatching(/Z$/),
  });
});

test('a plan without payments has one span', async () => {
  const fixture = new ExportFixture();
  const query = { createdFrom: '2026-01-01T00:00:00Z', status: 'COMPLETED' } as const;
  const spans = await fixture.time.run(() => fixture.client().payments.planExport(query));
  expect(spans).toEqual([
    {
      status: 'COMPLETED',
      createdFrom: '2026-01-01T00:00:00.000Z',
      createdTo: '2026-03-01T08:55:00.020Z',
    },
  ]);
});

test('a plan of one instant has one span, and a misspelled option is an error before anything is sent', async () => {
  const fixture = new ExportFixture();
  const instant = { createdFrom: '2026-01-01T00:00:00.000Z', createdTo: '2026-01-01T00:00:00.000Z' };
  const { payments } = fixture.client();
  expect(await fixture.time.run(() => payments.planExport(instant))).toEqual([instant]);
  const sent = fixture.requests.length;
  const misspelled = { spansize: 1 } as object;
  await expect(fixture.time.run(() => payments.planExport(instant, misspelled))).rejects.toThrow('spansize');
  expect(fixture.requests.length).toBe(sent);
});
