import type { ExportCheckpoint, ListedPayment } from 'corridor-sdk';
import { expect, test } from 'vitest';
import { ExportFixture } from './export-fixture.ts';

const hour = 3_600_000;
const start = Date.parse('2026-01-01T00:00:00Z');
const at = (hours: number): string => new Date(start + hours * hour).toISOString();

test('a platform that ignores the filter by status does not repeat payments after the last checkpoint', async () => {
  const fixture = new ExportFixture();
  const [template] = fixture.platform.payments.all();
  const rows: ListedPayment[] = [];
  const add = (time: number, status: ListedPayment['status']): unknown =>
    rows.push({
      ...template,
      id: `pay_${rows.length}`,
      status,
      createdAt: new Date(time).toISOString(),
    } as ListedPayment);
  // The newest page of the first span has no payment with the status; the next ones are dense.
  for (let index = 0; index < 100; index += 1) add(start + 10 * hour - 1 - index * 150_000, 'PROCESSING');
  for (let index = 0; index < 3_000; index += 1) add(start + 5.75 * hour - index * 1_000, 'COMPLETED');
  for (let index = 0; index < 5; index += 1) add(start + 25 * hour + index * 1_000, 'COMPLETED');
  rows.sort((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
  const queryOf = (index: number): URLSearchParams => fixture.requests.at(index)?.searchParams ?? new URLSearchParams();
  // The first page of the first span takes long, so that the span is split before the page is delivered.
  Object.defineProperty(fixture, 'latency', {
    get: () => ((queryOf(-1).get('createdTo') ?? '') < at(11) && !queryOf(-1).has('cursor') ? 45 : 5),
  });
  fixture.meddle = (index) => {
    const query = queryOf(index);
    const [from, to] = [query.get('createdFrom') ?? '', query.get('createdTo') ?? '9'];
    const listed = rows.filter(({ createdAt }) => from <= createdAt && createdAt <= to);
    const first = Number(query.get('cursor') ?? 0);
    const hasMore = first + 100 < listed.length;
    const page = { items: listed.slice(first, first + 100), nextCursor: hasMore ? String(first + 100) : null, hasMore };
    return Response.json(page);
  };
  const client = fixture.client();
  const query = { status: 'COMPLETED', createdFrom: at(0), createdTo: at(30) } as const;
  const checkpoint = {
    version: 1,
    order: 'any',
    status: 'COMPLETED',
    createdFrom: at(0),
    range: [at(0), new Date(start + 30 * hour + 1).toISOString()],
    items: 0,
    done: [[at(10), at(20)]],
    open: [],
    split: [],
  } as unknown as ExportCheckpoint;
  const ids = new Set<string>();
  let stored = checkpoint;
  let again = 0;
  await fixture.time.run(async () => {
    let pages = 0;
    for await (const page of client.payments.export(query, { checkpoint }).pages()) {
      for (const { id } of page.items) ids.add(id);
      stored = JSON.parse(JSON.stringify(page.checkpoint)) as ExportCheckpoint;
      pages += 1;
      if (pages === 1) await fixture.time.wait(300);
    }
    for await (const page of client.payments.export(query, { checkpoint: stored }).pages()) again += page.items.length;
  });
  expect(ids.size).toBe(3_005);
  expect(again).toBe(0);
});
