import { expect, test } from 'vitest';
import { type Mirror, type SyncOptions, type SyncReport } from 'corridor-sdk';
import { createMockPlatform, type MockPlatform } from 'corridor-sdk/mock';
import { watchedClient, type MirrorDatabase, type Page } from './mirrored.ts';

type Fields = Record<string, unknown>;

interface Setup {
  readonly platform: MockPlatform;
  readonly database: MirrorDatabase;
  readonly mirror: Mirror;
  /** Changes pages on the way. */
  change: (page: Page, url: URL) => void;
  /** Answers instead of the platform. */
  answer: (url: URL) => Response | undefined;
  run(options?: SyncOptions): Promise<SyncReport>;
}

const isPayments = ({ pathname }: URL): boolean => pathname.endsWith('/payment');
const isCustomers = ({ pathname }: URL): boolean => pathname.endsWith('/customers');

/** Tests that no record keeps others out of a mirror. */
export function testOddRows(createDatabase: () => Promise<MirrorDatabase>): void {
  /** Creates a platform with a payment `pay_1`, and a mirror that is not filled. */
  async function setUp(): Promise<Setup> {
    const platform = createMockPlatform();
    platform.customers.add({ id: 'cus_1', status: 'APPROVED' });
    platform.payments.add({ id: 'pay_1', customerId: 'cus_1', status: 'PROCESSING' });
    const database = await createDatabase();
    const mirror = database.open();
    const setup: Setup = {
      platform,
      database,
      mirror,
      change: () => {},
      answer: () => undefined,
      run: (options) => corridor.sync(mirror, { once: true, ...options }),
    };
    const corridor = watchedClient(
      platform,
      (url) => setup.answer(url),
      (page, url) => setup.change(page, url),
    );
    return setup;
  }

  /** Adds a payment like `pay_1` to each page that shows that. */
  const withOdd = (fields: Fields) => (page: Page, url: URL) => {
    const [like] = isPayments(url) ? page.items.filter(({ id }) => id === 'pay_1') : [];
    if (like !== undefined) page.items.unshift({ ...like, ...fields });
  };

  const idsOf = async ({ database }: Setup): Promise<unknown[]> =>
    (await database.select('select id from corridor_payments order by id')).map(({ id }) => id);

  test.each<[name: string, id: unknown, shown: string, problem: string]>([
    ['no id', undefined, '', 'it has no id'],
    ['the id null', null, '', 'it has no id'],
    ['an empty id', '', '', 'it has no id'],
    ['a number as its id', 5, '', 'it has no id'],
    ['NUL in its id', 'a\0b', 'a\uFFFDb', 'its id has NUL or half a surrogate pair'],
    ['half a surrogate pair in its id', 'a\uD800', 'a\uFFFD', 'its id has NUL or half a surrogate pair'],
    ['a very long id', 'x'.repeat(4_000), 'x'.repeat(100), 'its id has more than 500 characters'],
  ])('a record with %s is named, and keeps no other one out', async (_name, id, shown, problem) => {
    const setup = await setUp();
    setup.change = withOdd({ id });
    expect(await setup.run()).toMatchObject({ filled: true });
    setup.platform.payments.add({ id: 'pay_2', customerId: 'cus_1' });
    await setup.run({ full: true });
    expect(await idsOf(setup)).toEqual(['pay_1', 'pay_2']);
    expect((await setup.mirror.status()).unstored).toEqual([{ record: 'payment', id: shown, problem }]);
    expect((await setup.run({ full: true })).differences).toEqual([]);
  });

  test('a record with thousands of levels keeps no other one out', async () => {
    const setup = await setUp();
    const deep = JSON.parse(`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`) as Fields;
    setup.change = withOdd({ id: 'pay_deep', deep });
    await setup.run();
    expect(await idsOf(setup)).toEqual(['pay_1']);
    const problem = 'it has more than 100 levels of objects';
    expect((await setup.mirror.status()).unstored).toEqual([{ record: 'payment', id: 'pay_deep', problem }]);
  });

  test('a row that is no object keeps no other one out', async () => {
    const setup = await setUp();
    setup.change = (page, url) => {
      if (isCustomers(url) || isPayments(url)) page.items.push(null as never);
    };
    await setup.run();
    expect(await idsOf(setup)).toEqual(['pay_1']);
    expect((await setup.mirror.status()).unstored.map(({ record }) => record).toSorted()).toEqual([
      'customer',
      'payment',
    ]);
  });

  test('an id of 500 characters is stored, and one of 501 is not', async () => {
    const setup = await setUp();
    const longest = '\u{1F4B8}'.repeat(250);
    setup.change = (page, url) => {
      withOdd({ id: longest })(page, url);
      withOdd({ id: `${longest}x` })(page, url);
    };
    await setup.run();
    expect(await idsOf(setup)).toEqual(['pay_1', longest].toSorted());
    expect((await setup.mirror.status()).unstored).toHaveLength(1);
  });

  test.each<[name: string, fields: Fields]>([
    ['no creation time', { createdAt: null }],
    ['an unreadable creation time', { createdAt: 'yesterday' }],
    ['an empty customerId', { customerId: '' }],
    ['a customerId that no path can contain', { customerId: '..' }],
    ['a very long status', { status: 'Y'.repeat(4_000) }],
    ['a very long customerId', { customerId: 'c'.repeat(4_000) }],
    ['NUL and half a surrogate pair in texts', { memo: 'a\0b\uDC00', 'na\0me': '\uD800' }],
  ])('a payment with %s is stored once, and a new run finds no difference', async (_name, fields) => {
    const setup = await setUp();
    setup.change = withOdd({ id: 'pay_odd', status: 'COMPLETED', ...fields });
    expect(await setup.run()).toMatchObject({ filled: true });
    expect(await idsOf(setup)).toEqual(['pay_1', 'pay_odd']);
    setup.platform.clock.advance({ minutes: 10 });
    expect(await setup.run({ full: true })).toMatchObject({ differences: [], problems: [] });
    setup.platform.payments.update('pay_1', { memo: 'newer' });
    const { differences } = await setup.run();
    expect(differences.map(({ id }) => id).toSorted()).toEqual(['pay_1', 'pay_odd']);
  });

  test('a payment that no filter of creation times shows is followed while it is open, and then with the whole list', async () => {
    const setup = await setUp();
    const { platform, database, mirror } = setup;
    let status = 'PROCESSING';
    setup.change = (page, url) => {
      const { searchParams } = url;
      if (!isPayments(url) || searchParams.has('createdFrom') || searchParams.has('createdTo')) return;
      if ((searchParams.get('status') ?? status) === status)
        page.items.unshift({ ...platform.payments.all()[0], id: 'pay_odd', createdAt: 'yesterday', status });
    };
    const stored = async () =>
      (await database.select("select status from corridor_payments where id = 'pay_odd'")).map((row) => row['status']);
    await setup.run();
    expect(await stored()).toEqual(['PROCESSING']);
    status = 'COMPLETED';
    platform.clock.advance({ minutes: 10 });
    await setup.run();
    expect(await stored()).toEqual(['COMPLETED']);
    status = 'RETURNED';
    platform.clock.advance({ minutes: 10 });
    const before = (await mirror.status()).lastFullPass;
    await setup.run();
    // The pass that reads the whole list says as of when it has.
    expect([await stored(), (await mirror.status()).lastFullPass]).toEqual([['COMPLETED'], before]);
    await setup.run({ full: true });
    expect(await stored()).toEqual(['RETURNED']);
    expect(Date.parse((await mirror.status()).lastFullPass ?? '')).toBeGreaterThan(Date.parse(before ?? ''));
  });

  test.each(['0001-01-01T00:00:00.000Z', '1969-12-31T00:00:00.000Z', '1969-12-31T23:59:59.000Z'])(
    'a payment that was created at %s is stored once, and is missing when it is deleted',
    async (createdAt) => {
      const setup = await setUp();
      setup.platform.payments.add({ id: 'pay_odd', customerId: 'cus_1', status: 'COMPLETED', createdAt });
      expect(await setup.run()).toMatchObject({ filled: true });
      expect(await idsOf(setup)).toEqual(['pay_1', 'pay_odd']);
      setup.platform.clock.advance({ minutes: 10 });
      expect((await setup.run({ full: true })).differences).toEqual([]);
      setup.platform.payments.remove('pay_odd');
      expect((await setup.run({ full: true })).differences).toMatchObject([{ id: 'pay_odd', fields: ['missing'] }]);
    },
  );

  test('a list that never ends is a problem after a bounded number of requests', async () => {
    const setup = await setUp();
    await setup.run();
    let pages = 0;
    setup.answer = (url) =>
      isCustomers(url) ? Response.json({ items: [], nextCursor: String((pages += 1)), hasMore: true }) : undefined;
    await setup.run();
    expect((await setup.mirror.status()).problems).toMatchObject([
      {
        part: 'customers',
        slice: null,
        message: expect.stringContaining('the list does not end: 101 pages') as unknown,
      },
    ]);
    expect(pages).toBeLessThan(600);
  });

  test('beneficiaries whose list never ends are named, and keep no other record out', async () => {
    const setup = await setUp();
    let pages = 0;
    setup.answer = ({ pathname }) =>
      pathname.endsWith('/cus_1/beneficiaries')
        ? Response.json({ items: [], nextCursor: String((pages += 1)), hasMore: true })
        : undefined;
    await setup.run();
    expect(await idsOf(setup)).toEqual(['pay_1']);
    const message = expect.stringContaining('customers.beneficiaries: the list') as unknown;
    expect((await setup.mirror.status()).problems).toMatchObject([{ part: 'beneficiaries', slice: 'cus_1', message }]);
  });

  test('what can be read again is no longer named', async () => {
    const setup = await setUp();
    let pages = 0;
    setup.answer = ({ pathname }) =>
      pathname.endsWith('/cus_1/beneficiaries')
        ? Response.json({ items: [], nextCursor: String((pages += 1)), hasMore: true })
        : undefined;
    await setup.run();
    setup.answer = () => undefined;
    await setup.run({ full: true });
    expect((await setup.mirror.status()).problems).toEqual([]);
  });

  test('without sensitive, an object where the contract has a text is filtered by its fields', async () => {
    const { platform, database } = await setUp();
    const mirror = database.open({});
    const client = watchedClient(
      platform,
      () => undefined,
      withOdd({ id: 'pay_odd', internalReference: { companyName: 'Secret Ltd', iban: 'DE02', order: '4711' } }),
    );
    await client.sync(mirror, { once: true });
    const rows = await database.select(`select * from corridor_payments where id = 'pay_odd'`);
    expect(JSON.stringify(rows)).toContain('4711');
    expect(JSON.stringify(rows)).not.toMatch(/Secret|DE02/);
  });

  test('payments of one instant that change faster than they can be read are stored as they are seen', async () => {
    const setup = await setUp();
    await setup.run();
    setup.platform.clock.advance({ hours: 3 });
    const createdAt = new Date(setup.platform.clock.now() - 60_000).toISOString();
    setup.platform.payments.addMany(150, (index) => ({ id: `pay_new_${index}`, status: 'PROCESSING', createdAt }));
    let [requests, isChanging] = [0, true];
    setup.change = (page, url) => {
      if (!isPayments(url)) return;
      requests += 1;
      for (const item of page.items)
        if (isChanging) item['memo'] = item['updatedAt'] = new Date(requests * 1_000 + Date.now()).toISOString();
    };
    await setup.run();
    expect(requests).toBeLessThan(60);
    expect(await idsOf(setup)).toHaveLength(151);
    const { open } = await setup.mirror.status();
    expect(Date.parse(String(open.asOf))).toBeLessThan(setup.platform.clock.now() - 3_600_000);
    isChanging = false;
    await setup.run();
    expect(await setup.mirror.status()).toMatchObject({ open: { behind: false }, missing: 0 });
  });
}
