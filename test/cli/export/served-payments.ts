import { readFile } from 'node:fs/promises';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { jsonLines } from '../corridor.ts';

/** The options that select the payments of January. */
export const january = ['--from', '2026-01-01T00:00Z', '--to', '2026-01-31T23:59:59.999Z'];

/** Serves a mock with 450 payments of January, and one of December. */
export async function servePayments(): Promise<MockPlatformServer> {
  const served = await serveMockPlatform();
  const { customerId, beneficiaryId, documentIds } = served.platform.payments.add({
    createdAt: '2025-12-01T00:00:00Z',
  });
  for (let index = 0; index < 450; index += 1)
    served.platform.payments.add({
      customerId,
      beneficiaryId,
      documentIds: [...documentIds],
      paymentQuoteId: null,
      status: 'COMPLETED',
      createdAt: new Date(Date.parse('2026-01-01T00:00:00Z') + index * 5_400_000).toISOString(),
      ...(index === 0 && { purposeOfPayment: 'Goods, "fragile"\nin boxes', internalReference: '=HYPERLINK("x")' }),
    });
  return served;
}

/** Returns the ids of the payments of January, sorted. */
export function januaryIds({ platform }: MockPlatformServer): string[] {
  return platform.payments
    .all()
    .filter(({ createdAt }) => createdAt >= '2026' && createdAt < '2026-02')
    .map(({ id }) => id)
    .toSorted();
}

/** Returns the ids in a file of JSON lines, sorted. */
export async function exportedIds(path: string): Promise<string[]> {
  return (jsonLines(await readFile(path, 'utf8')) as readonly { readonly id: string }[]).map(({ id }) => id).toSorted();
}
