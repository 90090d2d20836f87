import { describe, expect, test } from 'vitest';
import {
  type ExportCheckpoint,
  type ExportProgress,
  type PaymentExportOptions,
  type PaymentExportParams,
  ConfigurationError,
  InvalidRequestError,
  InvalidResponseError,
  PaginationError,
} from 'corridor-sdk';
import { ExportFixture, plainSettings, minute, day, start, january, idsOf, evenly } from './export-fixture.ts';

describe('an export', () => {
  test('has the payments of the time range, both ends included', async () => {
    const fixture = new ExportFixture();
    fixture.add(start - 1);
    const inside = [fixture.add(start), fixture.add(Date.parse(january.createdTo))];
    fixture.add(Date.parse(january.createdTo) + 1);
    expect(await idsOf(fixture, fixture.client().payments.export(january))).toEqual(inside.toSorted());
  });

  test('ends a consistency window before the time of the platform, if the query has no end', async () => {
    const fixture = new ExportFixture();
    const now = fixture.time.now();
    const inside = fixture.add(now - 10 * minute);
    fixture.add(now - 4 * minute);
    // The machine's clock is an hour ahead.
    const client = fixture.client({ now: () => fixture.time.now() + 60 * minute });
    const exported = client.payments.export({ createdFrom: '2026-01-01T00:00:00Z' });
    expect(await idsOf(fixture, exported)).toEqual([inside]);
  });

  test('does not change when payments are created while it runs', async () => {
    const fixture = new ExportFixture({ ...plainSettings, pageSize: 5 });
    evenly(fixture, 60);
    const expected = fixture.idsBetween(start, fixture.time.now());
    fixture.respondWith = () => void fixture.add(fixture.time.now());
    const exported = fixture.client().payments.export({ createdFrom: '2026-01-01T00:00:00Z' });
    expect(await idsOf(fixture, exported)).toEqual(expected);
  });

  test('does not have the payments that a lagging list does not show until the consistency window has passed', async () => {
    const fixture = new ExportFixture({ ...plainSettings, options: { listLag: { minutes: 4 } } });
    const params = fixture.platform.payments.createParams();
    const { id } = await fixture.realTimeClient().payments.create(params);
    const listed: number[] = [];
    await fixture.time.run(async () => {
      for (let round = 0; round < 3; round += 1) {
        await fixture.time.wait(2 * minute);
        let count = 0;
        for await (const found of fixture.client().payments.export({ createdFrom: '2026-03-01T09:00:00Z' }))
          if (found.id === id) count += 1;
        listed.push(count);
      }
    });
    expect(listed).toEqual([0, 0, 1]);
  });

  test('reads a dense day in several spans and an empty time in one request', async () => {
    const fixture = new ExportFixture();
    for (let index = 0; index < 3_000; index += 1) fixture.add(start + 12 * day + index * 20_000);
    const exported = fixture.client().payments.export({ createdFrom: '2025-01-01T00:00:00Z' }, { concurrency: 8 });
    expect((await idsOf(fixture, exported)).length).toBe(3_000);
    const spans = new Set(fixture.requests.map(({ searchParams }) => searchParams.get('createdFrom')));
    expect(spans.size).toBeGreaterThan(8);
    expect(fixture.requests.length).toBeLessThan(80);
  });

  test('in the order of creation has the payments in that order', async () => {
    const fixture = new ExportFixture({ ...plainSettings, listOrder: 'shuffled', pageSize: 7 });
    evenly(fixture, 150);
    const times: string[] = [];
    await fixture.time.run(async () => {
      for await (const { createdAt } of fixture.client().payments.export(january, { order: 'created' }))
        times.push(createdAt);
    });
    expect(times).toHaveLength(150);
    expect(times).toEqual(times.toSorted());
  });

  test('stops its requests when the consumer is slow', async () => {
    const fixture = new ExportFixture({ ...plainSettings, pageSize: 2 });
    evenly(fixture, 200);
    await fixture.time.run(async () => {
      const pages = fixture.client().payments.export(january, { concurrency: 3 }).pages();
      await pages.next();
      await fixture.time.wait(60_000);
      const requests = fixture.requests.length;
      await fixture.time.wait(60_000);
      expect(fixture.requests.length).toBe(requests);
      await pages.return();
    });
  });

  test('never sends more requests at once than its concurrency', async () => {
    const fixture = new ExportFixture({ ...plainSettings, pageSize: 2 });
    evenly(fixture, 120);
    let [open, most] = [0, 0];
    const client = fixture.client({
      hooks: { onRequest: () => (most = Math.max(most, (open += 1))), onResponse: () => (open -= 1) },
    });
    await idsOf(fixture, client.payments.export(january, { concurrency: 3 }));
    expect(most).toBe(3);
  });

  test('cancels its requests when the loop is left', async () => {
    const fixture = new ExportFixture({ ...plainSettings, pageSize: 2 });
    evenly(fixture, 120);
    const events: string[] = [];
    const client = fixture.client({
      hooks: { onCancel: ({ type }) => events.push(type), onError: ({ type }) => events.push(type) },
    });
    await fixture.time.run(async () => {
      for await (const _payment of client.payments.export(january)) break;
      await fixture.time.wait(1_000);
    });
    expect(new Set(events)).toEqual(new Set(['cancel']));
  });

  test('reports its progress', async () => {
    const fixture = new ExportFixture({ ...plainSettings, pageSize: 10 });
    evenly(fixture, 200);
    const started = fixture.time.now();
    const reports: ExportProgress[] = [];
    await idsOf(
      fixture,
      fixture.client().payments.export(january, { onProgress: (progress) => reports.push(progress) }),
    );
    const done = reports.map((report) => report.done);
    expect(done).toEqual(done.toSorted((one, other) => one - other));
    const { elapsedSeconds = 0, ratePerSecond = 0, ...last } = reports.at(-1) ?? {};
    expect(last).toEqual({ done: 1, items: 200, requests: fixture.requests.length });
    expect(elapsedSeconds).toBeGreaterThan(0);
    expect(elapsedSeconds).toBeLessThanOrEqual((fixture.time.now() - started) / 1_000);
    expect(ratePerSecond).toBeCloseTo(200 / elapsedSeconds);
    expect(ratePerSecond).toBeGreaterThan(200);
  });

  test.each(['newest-first', 'oldest-first'] as const)(
    'reports the part of the time range that is done, of a list that is %s',
    async (listOrder) => {
      const fixture = new ExportFixture({ ...plainSettings, listOrder });
      evenly(fixture, 400);
      const reports: ExportProgress[] = [];
      const onProgress = (progress: ExportProgress): void => void reports.push(progress);
      await idsOf(fixture, fixture.client().payments.export(january, { concurrency: 1, onProgress }));
      expect(reports.length).toBeGreaterThan(4);
      for (const { done, items } of reports) expect(done).toBeCloseTo(items / 400, 1);
      expect(reports.at(-1)?.done).toBe(1);
    },
  );

  test('without a start, it does not estimate how much is done', async () => {
    const fixture = new ExportFixture();
    evenly(fixture, 300);
    const reports: number[] = [];
    const onProgress = ({ done }: ExportProgress): void => void reports.push(done);
    const query = { createdTo: january.createdTo, status: 'COMPLETED' } as const;
    await idsOf(fixture, fixture.client().payments.export(query, { concurrency: 1, onProgress }));
    const unfinished = reports.filter((done) => done < 1);
    expect(unfinished.length).toBeGreaterThan(2);
    expect(new Set(unfinished)).toEqual(new Set([0]));
    expect(reports.at(-1)).toBe(1);
  });

  test('continues after the checkpoint that onCheckpoint stored', async () => {
    const fixture = new ExportFixture({ ...plainSettings, pageSize: 5 });
    evenly(fixture, 100);
    let stored: string | undefined;
    const ids: string[] = [];
    await fixture.time.run(async () => {
      const onCheckpoint = (checkpoint: ExportCheckpoint): void => void (stored = JSON.stringify(checkpoint));
      for await (const page of fixture.client().payments.export(january, { onCheckpoint }).pages()) {
        if (ids.length >= 40) break;
        ids.push(...page.items.map(({ id }) => id));
      }
      const checkpoint = JSON.parse(stored ?? '') as ExportCheckpoint;
      for await (const { id } of fixture.client().payments.export(january, { checkpoint })) ids.push(id);
    });
    expect(ids.toSorted()).toEqual(fixture.idsBetween(start, start + 31 * day));
  });

  test('uses most of the requests that a platform allows', async () => {
    const rateLimit = { requests: 20, per: { seconds: 1 } };
    const fixture = new ExportFixture({ ...plainSettings, pageSize: 10, options: { rateLimit } });
    fixture.latency = 100;
    evenly(fixture, 9_000);
    const started = fixture.time.now();
    expect(await idsOf(fixture, fixture.client().payments.export(january, { concurrency: 16 }))).toHaveLength(9_000);
    expect((fixture.time.now() - started) / 1_000).toBeLessThan(1.5 * (900 / 20));
  });

  test.each([
    ['evenly', 1, 1.35],
    ['in bursts', 5, 1.6],
  ])('of payments that lie %s is 5 times as fast with 8 requests at once', async (_, regularity, most) => {
    const fixture = new ExportFixture({ ...plainSettings, pageSize: 5 });
    fixture.latency = 100;
    // One of `regularity` lies evenly over a year, the others in twelve bursts of an hour.
    for (let index = 0; index < 5_000; index += 1)
      fixture.add(
        index % regularity === 0
          ? start - 365 * day + Math.floor((index * 365 * day) / 5_000)
          : start - 365 * day + (index % 12) * 30 * day + 5 * day + Math.floor((index * 60 * minute) / 5_000),
      );
    const started = fixture.time.now();
    const exported = fixture
      .client()
      .payments.export(
        { createdFrom: '2025-01-01T00:00:00Z', createdTo: '2025-12-31T23:59:59.999Z' },
        { concurrency: 8 },
      );
    expect(await idsOf(fixture, exported)).toHaveLength(5_000);
    // A walk over the list sends 1,000 requests, which take 100 seconds.
    expect((fixture.time.now() - started) / 1_000).toBeLessThan(100 / 5);
    expect(fixture.requests.length).toBeLessThan(1_000 * most);
  });

  test('continues after 429, however many there are', async () => {
    const fixture = new ExportFixture({
      ...plainSettings,
      pageSize: 2,
      options: { rateLimit: { requests: 3, per: { seconds: 1 } } },
    });
    evenly(fixture, 80);
    expect(await idsOf(fixture, fixture.client().payments.export(january, { concurrency: 16 }))).toHaveLength(80);
  });

  test.each([
    ['as long as the platform asks for', '20', 3, 60],
    ['twice as long each time, up to 64 seconds, if the platform does not say how long', undefined, 9, 255],
  ])('waits after each 429 %s', async (_, retryAfter, count, seconds) => {
    const fixture = new ExportFixture();
    const id = fixture.add(start);
    const headers = new Headers(retryAfter === undefined ? {} : { 'retry-after': retryAfter });
    fixture.respondWith = (index) => (index < count ? new Response(null, { status: 429, headers }) : undefined);
    const [before, sent]: [number, number[]] = [fixture.time.now(), []];
    const onProgress = ({ requests }: ExportProgress): void => void sent.push(requests);
    const exported = fixture.client({ maxRetries: 0 }).payments.export(january, { onProgress });
    expect(await idsOf(fixture, exported)).toEqual([id]);
    const waited = (fixture.time.now() - before) / 1_000;
    expect(waited).toBeGreaterThanOrEqual(seconds);
    // After a 429, the client also spreads its requests.
    expect(waited).toBeLessThan(1.8 * seconds);
    expect(sent.at(-1)).toBe(fixture.requests.length);
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('no screen');
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('no screen');
      },
    ],
  ])('does not end if onProgress %s', async (_, onProgress) => {
    const fixture = new ExportFixture();
    evenly(fixture, 250);
    const exported = fixture.client().payments.export(january, { onProgress });
    expect(await idsOf(fixture, exported)).toHaveLength(250);
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('disk full');
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('disk full');
      },
    ],
  ])('ends with the error of onCheckpoint if that %s, and sends nothing more', async (_, onCheckpoint) => {
    const fixture = new ExportFixture();
    evenly(fixture, 1_000);
    const seen: string[] = [];
    await fixture.time.run(async () => {
      const iterate = async (): Promise<void> => {
        for await (const { items } of fixture.client().payments.export(january, { onCheckpoint }).pages())
          seen.push(...items.map(({ id }) => id));
      };
      await expect(iterate()).rejects.toThrow('disk full');
      const sent = fixture.requests.length;
      await fixture.time.wait(60_000);
      expect(fixture.requests.length).toBe(sent);
    });
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.length).toBeLessThan(1_000);
  });

  test('ends with the error of onCheckpoint also after the last page', async () => {
    const fixture = new ExportFixture();
    const onCheckpoint = (): Promise<void> => Promise.reject(new Error('disk full'));
    await expect(idsOf(fixture, fixture.client().payments.export(january, { onCheckpoint }))).rejects.toThrow(
      'disk full',
    );
  });
});

describe('an export throws', () => {
  test('if a page that has a cursor says that it is the last one', async () => {
    const fixture = new ExportFixture();
    fixture.respondWith = () => Response.json({ items: [], nextCursor: '5', hasMore: false });
    await expect(idsOf(fixture, fixture.client().payments.export(january))).rejects.toThrow(PaginationError);
  });

  test('if the platform ignores a filter', async () => {
    const fixture = new ExportFixture();
    fixture.add(start);
    fixture.respondWith = (index) => {
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
    [{ limit: 5 }, 'limit is not a known field (known: status, createdFrom, '],
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
    [{ range: [] }, 'range must be an array of two times'],
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
    fixture.respondWith = (index) =>
      index < 2 ? new Response(null, { status: 429, headers: { 'retry-after': String(3_600 + index) } }) : undefined;
    const exported = idsOf(fixture, fixture.client({ maxRetries: 0 }).payments.export(january));
    await expect(exported).rejects.toMatchObject({ code: 'rate-limit', retryAfterMs: 3_601_000 });
  });

  test('if the platform rejects one page 51 times with a 429', async () => {
    const fixture = new ExportFixture();
    fixture.respondWith = () => new Response(null, { status: 429, headers: { 'retry-after': '1' } });
    const exported = idsOf(fixture, fixture.client({ maxRetries: 0 }).payments.export(january, { concurrency: 1 }));
    await expect(exported).rejects.toMatchObject({ code: 'rate-limit', endpoint: 'payments.list' });
    expect(fixture.requests).toHaveLength(51);
  });

  test.each<[string, PaymentExportParams, PaymentExportParams, PaymentExportOptions?]>([
    ['status', january, { ...january, status: 'COMPLETED' }],
    ['createdFrom', january, { ...january, createdFrom: '2026-01-01T00:00:00.001Z' }],
    ['createdFrom', january, { createdTo: january.createdTo }],
    ['createdFrom', { createdTo: january.createdTo }, { ...january, createdFrom: '2000-01-01T00:00:00Z' }],
    ['createdTo', january, { ...january, createdTo: '2026-01-31T00:00:00Z' }],
    ['order', january, january, { order: 'created' }],
  ])('if the checkpoint belongs to an export with another %s', async (field, first, second, options = {}) => {
    const fixture = new ExportFixture();
    fixture.add(start);
    let checkpoint: ExportCheckpoint | undefined;
    const { payments } = fixture.client();
    await idsOf(fixture, payments.export(first, { onCheckpoint: (stored) => void (checkpoint = stored) }));
    expect(checkpoint).toBeDefined();
    const exported = payments.export(second, { ...options, checkpoint });
    await expect(idsOf(fixture, exported)).rejects.toThrow(ConfigurationError);
    await expect(idsOf(fixture, exported)).rejects.toThrow(`belongs to an export with another ${field}. Pass`);
  });

  test('if it begins later than it ends', async () => {
    const fixture = new ExportFixture();
    const query = { createdFrom: '2026-01-01T00:00:00.001Z', createdTo: '2026-01-01T00:00:00.000Z' };
    await expect(idsOf(fixture, fixture.client().payments.export(query))).rejects.toThrow(
      'createdFrom must not be later than createdTo',
    );
    expect(fixture.requests).toEqual([]);
  });
});

test('an export without a start continues from its checkpoint, although its end would be later now', async () => {
  const fixture = new ExportFixture();
  const first = fixture.add(start);
  let checkpoint: ExportCheckpoint | undefined;
  const { payments } = fixture.client();
  const onCheckpoint = (stored: ExportCheckpoint): void => void (checkpoint = stored);
  expect(await idsOf(fixture, payments.export({}, { onCheckpoint }))).toContain(first);
  await fixture.time.run(() => fixture.time.wait(60 * minute));
  expect(await idsOf(fixture, payments.export({}, { checkpoint }))).toEqual([]);
});

test('an export of one instant has the payments of that instant, and in the order of creation they are sorted by id', async () => {
  const fixture = new ExportFixture({ ...plainSettings, listOrder: 'shuffled', pageSize: 3 });
  const ids = Array.from({ length: 12 }, () => fixture.add(start)).toSorted();
  fixture.add(start - 1);
  fixture.add(start + 1);
  const instant = { createdFrom: '2026-01-01T00:00:00.000Z', createdTo: '2026-01-01T00:00:00.000Z' };
  const found: string[] = [];
  await fixture.time.run(async () => {
    for await (const { id } of fixture.client().payments.export(instant, { order: 'created' })) found.push(id);
  });
  expect(found).toEqual(ids);
});

test('two readings that agree prove nothing if a payment is in them twice, because the list has moved', async () => {
  const fixture = new ExportFixture({ ...plainSettings, pageSize: 1 });
  const ids = Array.from({ length: 6 }, () => fixture.add(start));
  const [hidden, moved] = [ids[2], ids[5]];
  let showings = 0;
  fixture.show = (page) => {
    if (page.items[0]?.id !== hidden || (showings += 1) > 2) return page;
    return { ...page, items: fixture.platform.payments.all().filter(({ id }) => id === moved) };
  };
  expect(await idsOf(fixture, fixture.client().payments.export(january))).toEqual(ids.toSorted());
  expect(showings).toBeGreaterThan(3);
});
