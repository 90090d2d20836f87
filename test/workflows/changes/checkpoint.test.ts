import { describe, expect, test } from 'vitest';
import { AbortedError, ConfigurationError, type ChangesCheckpoint } from 'corridor-sdk';
import { Listing } from '../paged-list.ts';
import { minutes, days, storedPayments, follow } from './watched.ts';

describe('a checkpoint', () => {
  test('continues after its change, as plain JSON', async () => {
    const listing = new Listing();
    for (const id of ['a', 'b', 'c', 'd']) listing.add(id, 'APPROVED', 1 * days);
    const { lines, checkpoint } = await follow(listing, 5 * minutes, async () => {
      await listing.time.wait(1 * minutes);
      for (const id of ['a', 'b', 'c', 'd']) listing.move(id, 'REJECTED');
    });
    const since = JSON.parse(JSON.stringify(checkpoint(1))) as ChangesCheckpoint;
    const { lines: resumed } = await follow(listing, 5 * minutes, undefined, { since });
    expect(lines).toHaveLength(4);
    expect(resumed).toEqual(lines.slice(2));
  });

  test('can be read long after later changes', async () => {
    const listing = new Listing();
    const changes: { readonly checkpoint: ChangesCheckpoint }[] = [];
    await listing.time.run(async () => {
      void listing.time.wait(1 * minutes).then(() => listing.add('one'));
      void listing.time.wait(20 * minutes).then(() => listing.add('two'));
      for await (const change of listing.client().payments.changes()) if (changes.push(change) === 2) break;
    });
    expect(changes.map(({ checkpoint }) => storedPayments(checkpoint).map(([id]) => id))).toEqual([
      ['one'],
      ['one', 'two'],
    ]);
  });

  test('is available after every poll, also without changes', async () => {
    const listing = new Listing();
    listing.add('open', 'APPROVED', 1 * days);
    const checkpoints: ChangesCheckpoint[] = [];
    await follow(listing, 1 * minutes, undefined, { onCheckpoint: (checkpoint) => void checkpoints.push(checkpoint) });
    listing.move('open', 'CANCELLED');
    const { lines } = await follow(listing, 1 * minutes, undefined, { since: checkpoints.at(-1) });
    expect(lines).toEqual(['open: APPROVED -> CANCELLED']);
  });

  test('of a row without a customer and a creation time can be continued with a rotated key', async () => {
    const listing = new Listing();
    listing.add('open', 'APPROVED', 1 * days);
    listing.add('bare', 'APPROVED');
    listing.show = (payment) => (payment.id === 'bare' ? ({ id: 'bare', status: 'APPROVED' } as never) : payment);
    const checkpoints: ChangesCheckpoint[] = [];
    const onCheckpoint = (checkpoint: ChangesCheckpoint) => void checkpoints.push(checkpoint);
    await follow(listing, 1 * minutes, undefined, { onCheckpoint }, { validation: 'observe' });
    listing.move('open', 'COMPLETED');
    const rotated = { apiKey: 'rotated-key', validation: 'observe' } as const;
    const { lines } = await follow(listing, 1 * minutes, undefined, { since: checkpoints.at(-1) }, rotated);
    expect(lines).toEqual(['open: APPROVED -> COMPLETED']);
  });

  test('that is never stored does not prevent an abort', async () => {
    const listing = new Listing();
    const stop = new AbortController();
    const reason = new Error('shutting down');
    const began = listing.time.now();
    const storing = () => new Promise<void>(() => void listing.time.wait(1 * minutes).then(() => stop.abort(reason)));
    const error: unknown = await listing.time.run(() =>
      listing
        .client()
        .payments.changes({ signal: stop.signal, onCheckpoint: storing })
        .next()
        .catch((thrown: unknown) => thrown as never),
    );
    expect(error).toBeInstanceOf(AbortedError);
    expect(error).toMatchObject({
      cause: reason,
      message: 'payments.changes was aborted while its checkpoint was being stored',
    });
    expect(listing.time.now() - began).toBe(1 * minutes);
  });

  test('that cannot be stored ends changes() with that error', async () => {
    const listing = new Listing();
    const full = new Error('the disk is full');
    await expect(
      listing.time.run(() =>
        listing
          .client()
          .payments.changes({ onCheckpoint: () => Promise.reject(full) })
          .next(),
      ),
    ).rejects.toBe(full);
  });

  test.each([
    ['of another version', { version: 2 }, /version/],
    [
      'without its payments',
      {
        version: 1,
        startedAt: '2026-01-01T00:00Z',
        listedUntil: '2026-01-01T00:00Z',
        returnsSince: '2026-01-01T00:00Z',
      },
      /damaged: payments is required: it must be an array/,
    ],
    [
      'with invalid times',
      { version: 1, startedAt: 'then', listedUntil: 'now', returnsSince: '', payments: [] },
      /damaged: startedAt must be an ISO 8601 date-time/,
    ],
    [
      'with invalid payments',
      {
        version: 1,
        startedAt: '2026-01-01T00:00Z',
        listedUntil: '2026-01-01T00:00Z',
        returnsSince: '2026-01-01T00:00Z',
        payments: [['pay_1']],
      },
      /damaged: payments\[0\] must be an array of id, status, createdAt and updatedAt/,
    ],
    [
      'with a creation time that is no date',
      {
        version: 1,
        startedAt: '2026-01-01T00:00Z',
        listedUntil: '2026-01-01T00:00Z',
        returnsSince: '2026-01-01T00:00Z',
        payments: [['pay_1', 'APPROVED', 'yesterday', '']],
      },
      /damaged: payments\[0\] must be/,
    ],
  ])('%s is rejected before anything is sent', async (_, since, message) => {
    const listing = new Listing();
    const error = expect(
      listing
        .client()
        .payments.changes({ since: since as never })
        .next(),
    ).rejects;
    await error.toThrow(ConfigurationError);
    await expect(
      listing
        .client()
        .payments.changes({ since: since as never })
        .next(),
    ).rejects.toThrow(message);
    expect(listing.requests).toEqual([]);
  });
});
