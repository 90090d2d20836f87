import type { PaymentExport } from 'corridor-sdk';
import type { ExportFixture } from './export-fixture.ts';

export const [minute, day] = [60_000, 86_400_000];
export const start = Date.parse('2026-01-01T00:00:00Z');
export const january = { createdFrom: '2026-01-01T00:00:00Z', createdTo: '2026-01-31T23:59:59Z' };

export async function idsOf(fixture: ExportFixture, exported: PaymentExport): Promise<string[]> {
  const ids: string[] = [];
  await fixture.time.run(async () => {
    for await (const { id } of exported) ids.push(id);
  });
  return ids.toSorted();
}

export function evenly(fixture: ExportFixture, count: number, span = 30 * day): void {
  for (let index = 0; index < count; index += 1) fixture.add(start + Math.floor((index * span) / count));
}
