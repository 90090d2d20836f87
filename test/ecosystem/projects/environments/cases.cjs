/**
 * What an application tests, in every environment: a payment, a list, a lost response, a copy of the records, and code
 * that creates its own client behind msw.
 */
exports.defineCases = ({ test, expect, sdk, mock, msw, sqlite }) => {
  const { Corridor, CorridorError } = sdk;

  const setUp = () => {
    const platform = mock.createMockPlatform({ seed: 1 });
    return { platform, corridor: new Corridor(platform.clientOptions()) };
  };

  test('a payment is created and listed', async () => {
    const { platform, corridor } = setUp();
    const { payment, created } = await corridor.payments.createOnce(
      platform.payments.createParams({ amount: '1250.00', internalReference: 'order-é-4711' }),
      { idempotencyKey: 'order-4711' },
    );

    expect(created).toBe(true);
    expect(platform.payments.get(payment.id)).toMatchObject({ amount: '1250.00', internalReference: 'order-é-4711' });
    expect((await corridor.payments.list({ limit: 1 })).items.map(({ id }) => id)).toEqual([payment.id]);
  });

  test('a list of several pages is read, with a retry', async () => {
    const { platform, corridor } = setUp();
    platform.customers.addMany(60);
    platform.faults.next('customers.list', { kind: 'status', status: 503 });

    expect(await corridor.customers.list({ limit: 25 }).toArray()).toHaveLength(60);
  });

  test('a lost response does not pay twice', async () => {
    const { platform, corridor } = setUp();
    platform.faults.next('payments.create', { kind: 'reset-after-commit' });

    expect(await corridor.payments.createOnce(platform.payments.createParams())).toMatchObject({ recovered: true });
    expect(platform.payments.all()).toHaveLength(1);
  });

  test('dates, signals and bytes of another realm are accepted', async () => {
    const { platform, corridor } = setUp();
    const values = require('node:vm').runInNewContext('({ date: new Date(0), bytes: Uint8Array.of(1, 2) })');
    const { id } = platform.documents.add({ content: values.bytes });
    platform.payments.add();

    const { signal } = new AbortController();
    for (const createdFrom of [values.date, require('node:fs').statSync('/').birthtime])
      expect((await corridor.payments.list({ createdFrom }, { signal })).items).toHaveLength(1);
    expect((await (await corridor.documents.download(id)).arrayBuffer()).byteLength).toBe(2);
  });

  test('an error has its class, its code and its outcome', async () => {
    const { platform, corridor } = setUp();
    const order = { ...platform.payments.createParams(), paymentQuoteId: 'quo_unknown' };
    const error = await corridor.payments.create(order).catch((reason) => reason);

    expect(error).toBeInstanceOf(CorridorError);
    expect(error).toMatchObject({ outcome: 'rejected', endpoint: 'payments.create' });
  });

  test('a document is downloaded', async () => {
    const { platform, corridor } = setUp();
    const { id } = platform.documents.add();

    expect((await (await corridor.documents.download(id)).arrayBuffer()).byteLength).toBeGreaterThan(0);
  });

  test('a client with a PEM key reaches the platform through msw', async () => {
    const platform = mock.createMockPlatform({ seed: 1 });
    const server = msw.setupServer(...msw.mockHandlers(platform));
    server.listen({ onUnhandledRequest: 'error' });
    const { baseUrl, apiKey, privateKey } = await platform.credentials();
    const corridor = new Corridor({ baseUrl, apiKey, privateKey });

    const payment = await corridor.payments.create(platform.payments.createParams({ amount: '1250.00' }));
    expect(platform.payments.get(payment.id)).toMatchObject({ amount: '1250.00' });
    expect((await corridor.payments.list()).items).toHaveLength(1);
    server.close();
  });

  if (sqlite === undefined) return;
  test('a copy of the records is filled', async () => {
    const { platform, corridor } = setUp();
    const payment = platform.payments.add();
    const mirror = new sqlite.SqliteMirror(':memory:');

    expect(await corridor.sync(mirror, { once: true })).toMatchObject({ filled: true });
    platform.payments.transition(payment.id, 'APPROVED');
    await corridor.sync(mirror, { once: true });
    const changes = [];
    for await (const change of mirror.changes({ once: true })) changes.push(change);
    mirror.close();
    expect(changes.at(-1)).toMatchObject({ id: payment.id, previousStatus: 'PENDING_REVIEW', status: 'APPROVED' });
  });
};
