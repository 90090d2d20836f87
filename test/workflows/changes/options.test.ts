import { describe, expect, test } from 'vitest';
import { InvalidRequestError, unknownValue, type ChangesOptions } from 'corridor-sdk';
import { Listing } from '../paged-list.ts';
import { minutes, days, follow } from './watched.ts';

describe('options', () => {
  test('statuses: only changes to these are reported, and the previous status is the last known one', async () => {
    const listing = new Listing();
    listing.add('p', 'APPROVED', 1 * days);
    const { lines } = await follow(
      listing,
      20 * minutes,
      async () => {
        await listing.time.wait(1 * minutes);
        listing.move('p', 'PROCESSING');
        await listing.time.wait(5 * minutes);
        listing.move('p', 'COMPLETED');
      },
      { statuses: ['COMPLETED'] },
    );
    expect(lines).toEqual(['p: PROCESSING -> COMPLETED']);
  });

  test('statuses: one that this version does not know, if it is marked as unknown', async () => {
    const listing = new Listing();
    listing.add('p', 'APPROVED', 1 * days);
    const { lines } = await follow(
      listing,
      20 * minutes,
      async () => {
        await listing.time.wait(1 * minutes);
        listing.move('p', 'STATUS_OF_TESTS');
      },
      { statuses: ['COMPLETED', unknownValue('STATUS_OF_TESTS')] },
    );
    expect(lines).toEqual(['p: APPROVED -> STATUS_OF_TESTS']);
  });

  test.each([
    ['since', { since: 'yesterday' }],
    ['since', { since: '2026-02-29T00:00Z' }],
    ['since', { since: new Date('never') }],
    ['statuses', { statuses: 'NOT_COMPLETED' as never }],
    ['statuses[0]', { statuses: [7 as never] }],
    ['statuses[1]', { statuses: ['COMPLETED', 'COMPLETE' as never] }],
  ] satisfies [string, ChangesOptions][])(
    'an invalid %s is rejected before anything is sent',
    async (path, options) => {
      const listing = new Listing();
      const error = await listing
        .client()
        .payments.changes(options)
        .next()
        .catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(InvalidRequestError);
      expect((error as InvalidRequestError).issues.map((issue) => issue.path)).toEqual([path]);
      expect(listing.requests).toEqual([]);
    },
  );

  test.each([
    ['pollInterval', { pollInterval: 0 }],
    ['maxPollInterval', { maxPollInterval: Number.NaN }],
    ['returnWindow', { returnWindow: -1 }],
    ['consistencyWindow', { consistencyWindow: '5m' as never }],
    ['onCheckpoint', { onCheckpoint: 'store' as never }],
  ] satisfies [string, ChangesOptions][])('%s must have a valid value', async (name, options) => {
    const listing = new Listing();
    await expect(listing.client().payments.changes(options).next()).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringMatching(new RegExp(`^${name} must be a `)) as unknown,
    });
    expect(listing.requests).toEqual([]);
  });

  test.each([[null], ['2026-01-01T00:00Z']])(
    '%s instead of an object is rejected before anything is sent',
    async (options) => {
      const listing = new Listing();
      await expect(
        listing
          .client()
          .payments.changes(options as never)
          .next(),
      ).rejects.toThrow(
        'the options of a call must be an object, such as { since: checkpoint } (received ' +
          (options === null ? 'null' : 'string') +
          ')',
      );
      expect(listing.requests).toEqual([]);
    },
  );

  test('that are unknown are rejected', async () => {
    const listing = new Listing();
    await expect(
      listing
        .client()
        .payments.changes({ intervall: 5 } as ChangesOptions)
        .next(),
    ).rejects.toThrow(/intervall/);
    expect(listing.requests).toEqual([]);
  });
});
