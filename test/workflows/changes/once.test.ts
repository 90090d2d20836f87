import { expect, test } from 'vitest';
import { ConfigurationError, type ChangesCheckpoint } from 'corridor-sdk';
import { Listing } from '../paged-list.ts';

const minutes = 60_000;

/** Reads the changes once, as a job does that stores the last checkpoint. */
async function runJob(
  listing: Listing,
  since: string | Date = new Date('2026-01-01T00:00Z'),
): Promise<{ readonly ids: string[]; readonly stored: string }> {
  const ids: string[] = [];
  let stored = '';
  await listing.time.run(async () => {
    const changes = listing.client().payments.changes({
      once: true,
      since: since instanceof Date ? since : (JSON.parse(since) as ChangesCheckpoint),
      onCheckpoint: (checkpoint) => void (stored = JSON.stringify(checkpoint)),
    });
    for await (const { payment } of changes) ids.push(payment.id);
  });
  return { ids, stored };
}

test('a nightly job reports all 200 payments that ended since the night before, and ends', async () => {
  const listing = new Listing();
  for (let index = 0; index < 200; index += 1) listing.add(`pay${index}`, 'PROCESSING', (index + 10) * minutes);
  const first = await runJob(listing);
  expect(first.ids).toHaveLength(200);
  for (let index = 0; index < 200; index += 1) listing.move(`pay${index}`, 'COMPLETED');
  const second = await runJob(listing, first.stored);
  expect(new Set(second.ids).size).toBe(200);
  expect(JSON.parse(second.stored)).toMatchObject({ behind: false });
  expect((await runJob(listing, second.stored)).ids).toEqual([]);
});

test('a final status whose time is earlier than the last known one is reported in the same run', async () => {
  const listing = new Listing();
  listing.add('pay', 'PROCESSING', 10 * minutes);
  const first = await runJob(listing);
  const earlier = new Date(Date.parse(listing.get('pay').updatedAt) - 2_000).toISOString();
  listing.change('pay', { status: 'COMPLETED', updatedAt: earlier });
  const second = await runJob(listing, first.stored);
  expect(second.ids).toEqual(['pay']);
  expect(JSON.parse(second.stored)).toMatchObject({ behind: false });
  expect((await runJob(listing, second.stored)).ids).toEqual([]);
});

test('a return within thirty days of the creation is reported by the next run, however late', async () => {
  const listing = new Listing();
  listing.add('pay', 'COMPLETED', 29 * 24 * 60 * minutes);
  const { stored } = await runJob(listing);
  listing.move('pay', 'RETURNED');
  await listing.time.run(() => listing.time.wait(2 * 24 * 60 * minutes));
  expect((await runJob(listing, stored)).ids).toEqual(['pay']);
});

test('a return 180 days after a completion that took a day and a half is reported', async () => {
  const listing = new Listing();
  listing.add('pay', 'PROCESSING', 36 * 60 * minutes);
  const open = await runJob(listing);
  listing.move('pay', 'COMPLETED');
  const completed = await runJob(listing, open.stored);
  await listing.time.run(() => listing.time.wait((180 * 24 - 1) * 60 * minutes));
  listing.add('newer');
  const later = await runJob(listing, completed.stored);
  expect([later.ids, later.stored.includes('"pay","COMPLETED"')]).toEqual([['newer'], false]);
  const { stored } = await runJob(listing, later.stored);
  listing.move('pay', 'RETURNED');
  expect((await runJob(listing, stored)).ids).toEqual(['pay']);
});

/** Removes a payment that ended from the list for some lookups. */
async function endUnseen(lookups: number): Promise<{ readonly listing: Listing; readonly stored: string }> {
  const listing = new Listing();
  listing.add('pay', 'PROCESSING', 10 * minutes);
  listing.add('newer', 'REJECTED');
  const { stored } = await runJob(listing);
  listing.move('pay', 'COMPLETED');
  let left = lookups;
  listing.respondWith = ({ createdTo }) =>
    createdTo !== undefined && left-- > 0 ? Response.json({ items: [], nextCursor: null, hasMore: false }) : undefined;
  return { listing, stored };
}

test('a payment that is briefly in no list is reported in the same run', async () => {
  const { listing, stored } = await endUnseen(2);
  const second = await runJob(listing, stored);
  expect(second.ids).toEqual(['pay']);
  expect(JSON.parse(second.stored)).toMatchObject({ behind: false });
});

test('a failed poll is not one of the three that a run has for it', async () => {
  const { listing, stored } = await endUnseen(2);
  const { respondWith } = listing;
  let failures = 2;
  listing.respondWith = (request, index) =>
    failures-- > 0 ? new Response(null, { status: 503 }) : respondWith(request, index);
  expect((await runJob(listing, stored)).ids).toEqual(['pay']);
});

test('a run whose list lacks an open payment ends, its checkpoint says so, and a later run reports the payment', async () => {
  const { listing, stored } = await endUnseen(3);
  const second = await runJob(listing, stored);
  expect(second.ids).toEqual([]);
  expect(JSON.parse(second.stored)).toMatchObject({ behind: true });
  expect((await runJob(listing, second.stored)).ids).toEqual(['pay']);
});

test.each(['inclusive', 'exclusive'] as const)(
  'every payment since a time is reported once if the time filters are %s',
  async (bounds) => {
    const listing = new Listing({ bounds, precision: 'milliseconds' });
    const ids = Array.from({ length: 49 }, (_, index) => `pay${index}`);
    // The first was created at the start, and others where one time span ends and the next starts.
    for (const [index, id] of ids.entries()) listing.add(id, 'COMPLETED', (48 - index) * 60 * minutes);
    expect((await runJob(listing, new Date(listing.time.now() - 48 * 60 * minutes))).ids).toEqual(ids);
  },
);

test('the checkpoint of a feed says that it is behind until it has looked up every payment that ended', async () => {
  const listing = new Listing();
  for (let index = 0; index < 120; index += 1) listing.add(`pay${index}`, 'PROCESSING', (index + 10) * minutes);
  const { stored } = await runJob(listing);
  for (let index = 0; index < 120; index += 1) listing.move(`pay${index}`, 'COMPLETED');
  const behind: boolean[] = [];
  await listing.time.run(async () => {
    const stop = new AbortController();
    const changes = listing.client().payments.changes({
      since: JSON.parse(stored) as ChangesCheckpoint,
      signal: stop.signal,
      onCheckpoint: (checkpoint) => {
        if (behind.push(checkpoint.behind) === 3) stop.abort();
      },
    });
    const read = async (): Promise<void> => {
      for await (const { checkpoint } of changes) expect(checkpoint.behind).toBe(true);
    };
    await expect(read()).rejects.toThrow('was aborted');
  });
  expect(behind).toEqual([true, true, false]);
});

test('once must be a boolean', async () => {
  const changes = new Listing().client().payments.changes({ once: 'yes' as unknown as boolean });
  await expect(changes.next()).rejects.toThrow(ConfigurationError);
});
