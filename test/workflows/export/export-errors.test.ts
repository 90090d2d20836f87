import { describe, expect, test } from 'vitest';
import { ConfigurationError, InvalidRequestError, InvalidResponseError, type ExportCheckpoint } from 'corridor-sdk';
import { ExportFixture, start, january, idsOf } from './export-fixture.ts';

describe('an export throws', () => {
  test('if the platform ignores a filter', async () => {
    const fixture = new ExportFixture();
    fixture.add(start);
    fixture.meddle = (index) => {
      const page = { items: [fixture.platform.payments.all()[0]], nextCursor: null, hasMore: false };
      return index === 0 ? Response.json(page) : undefined;
    };
    const exported = fixture.client().payments.export(january);
    await expect(idsOf(fixture, exported)).rejects.toThrow(InvalidResponseError);
  });

  test.each([
    [{ createdFrom: 'yesterday' }, 'createdFrom must be an ISO 8601 UTC date-time'],
    [
      { createdFrom: '2026-02-01T00:00Z', createdTo: '2026-01-01T00:00Z' },
      'createdFrom must not be later than createdTo',
    ],
    [{ limit: 5 }, 'limit is not a known field (known: status, createdFrom, createdTo)'],
  ])('before a request if the query is %o', async (query, message) => {
    const first = new ExportFixture()
      .client()
      .payments.export(query as object)
      .pages()
      .next();
    await expect(first).rejects.toBeInstanceOf(InvalidRequestError);
    await expect(first).rejects.toThrow(message);
  });

  test.each([
    [{ concurrency: 0 }, 'concurrency must be an integer from 1 to 100'],
    [{ order: 'newest' }, 'order must be one of any, created'],
    [{ onProgress: 1 }, 'onProgress must be a function (received 1)'],
    [{ retries: 1 }, 'retries is not a known field'],
  ])('before a request if the options are %o', async (options, message) => {
    const { payments } = new ExportFixture().client();
    await expect(
      payments
        .export({}, options as object)
        .pages()
        .next(),
    ).rejects.toThrow(message);
  });

  test.each([
    [{ version: 2 }, 'the checkpoint has an unsupported version (received 2, expected 1)'],
    [{ version: 1 }, 'the checkpoint is damaged'],
  ])('if the checkpoint is %o', async (checkpoint, message) => {
    const fixture = new ExportFixture();
    const exported = fixture.client().payments.export(january, { checkpoint: checkpoint as ExportCheckpoint });
    await expect(idsOf(fixture, exported)).rejects.toThrow(message);
  });

  test.each([
    [{ items: -1 }, 'items must be an integer of at least 0'],
    [{ range: [] }, 'range must be an array of two times (received array)'],
    [{ done: [['2026-01-01T00:00Z']] }, 'done[0] must be an array of two times'],
  ])('if a field of the checkpoint is %j', async (damaged, message) => {
    const fixture = new ExportFixture();
    let checkpoint: ExportCheckpoint | undefined;
    const { payments } = fixture.client();
    await idsOf(fixture, payments.export(january, { onCheckpoint: (stored) => void (checkpoint = stored) }));
    const exported = payments.export(january, { checkpoint: { ...checkpoint, ...damaged } as ExportCheckpoint });
    await expect(idsOf(fixture, exported)).rejects.toThrow(`the checkpoint is damaged: ${message}`);
  });

  test('if it would have to wait for more than an hour after a 429', async () => {
    const fixture = new ExportFixture();
    fixture.add(start);
    fixture.meddle = (index) =>
      index < 2 ? new Response(null, { status: 429, headers: { 'retry-after': String(3_600 + index) } }) : undefined;
    const exported = idsOf(fixture, fixture.client({ maxRetries: 0 }).payments.export(january));
    await expect(exported).rejects.toMatchObject({ code: 'rate-limit', retryAfter: 3_601 });
  });

  test('if the checkpoint belongs to another query', async () => {
    const fixture = new ExportFixture();
    fixture.add(start);
    let checkpoint: ExportCheckpoint | undefined;
    await idsOf(
      fixture,
      fixture.client().payments.export(january, { onCheckpoint: (stored) => void (checkpoint = stored) }),
    );
    const exported = fixture.client().payments.export({ ...january, status: 'COMPLETED' }, { checkpoint });
    await expect(idsOf(fixture, exported)).rejects.toThrow(ConfigurationError);
    await expect(idsOf(fixture, exported)).rejects.toThrow('the checkpoint belongs to an export with another status');
  });
});
