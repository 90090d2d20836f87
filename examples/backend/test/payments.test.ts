import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { fillOutbox, recoverPending, repeat } from '../src/payments.ts';
import { never, payable, startBackend, withNewQuote } from './backend.ts';

vi.mock(import('node:timers/promises'), () => ({ setTimeout: vi.fn() }));

async function start() {
  let backend = await startBackend();
  onTestFinished(() => backend.stop());
  return { ...backend, restart: async () => (backend = await backend.restart()) };
}

test('an order is paid once, however often it is called', async () => {
  const { pay, platform, read } = await start();
  const order = payable(platform);

  const first = await pay('order-1', order);
  const second = await pay('order-1', order);

  expect([first.statusCode, second.statusCode]).toEqual([201, 200]);
  expect(second.json()).toEqual(first.json());
  expect(platform.requests.to('payments.create')).toHaveLength(1);
  expect((await read('order-1')).json()).toEqual(first.json());
});

test('a second quote does not pay an order again', async () => {
  const { pay, platform } = await start();
  const order = payable(platform);
  const first = await pay('order-1', order);

  const second = await pay('order-1', withNewQuote(platform, order));
  expect([second.statusCode, second.json()]).toEqual([200, first.json()]);
  expect((await pay('order-1', payable(platform))).statusCode).toBe(400);
  expect(platform.requests.to('payments.create')).toHaveLength(1);
});

test('a rejected payment is not pending, and another quote can pay the order', async () => {
  const { pay, platform, read } = await start();
  platform.faults.next('payments.create', { kind: 'status', status: 422 });

  expect((await pay('order-1', payable(platform))).statusCode).toBe(422);
  expect((await read('order-1')).json()).toEqual({ orderId: 'order-1', paymentId: null, status: 'NOT_CREATED' });
  expect((await pay('order-1', payable(platform))).statusCode).toBe(201);
});

test('a payment whose response is lost is found', async () => {
  const { pay, platform } = await start();
  platform.faults.next('payments.create', { kind: 'reset-after-commit' });

  expect((await pay('order-1', payable(platform))).statusCode).toBe(201);
  expect(platform.payments.all()).toHaveLength(1);
});

test('a payment with an unknown outcome is 202, cannot be paid by another quote, and is found on the next start', async () => {
  const { pay, platform, read: before, restart } = await start();
  platform.faults.next('payments.create', { kind: 'late-commit', after: 60_000 });

  const order = payable(platform);
  for (const quoted of [order, withNewQuote(platform, order)]) {
    const response = await pay('order-1', quoted);
    expect([response.statusCode, response.json()]).toMatchObject([202, { status: 'PENDING', outcome: 'unknown' }]);
  }
  expect(platform.requests.to('payments.create')).toHaveLength(1);
  expect((await before('order-1')).json()).toMatchObject({ status: 'PENDING' });

  platform.clock.advance({ minutes: 2 });
  const { read } = await restart();
  expect((await read('order-1')).json()).toMatchObject({
    status: 'PENDING_REVIEW',
    paymentId: platform.payments.all()[0]?.id,
  });
});

test('an invalid request is 400 with its issues, and nothing is sent', async () => {
  const { pay, platform } = await start();
  const response = await pay('order-1', { ...payable(platform), amount: 'ten' });

  expect(response.statusCode).toBe(400);
  expect(response.json()).toMatchObject({ error: 'invalid-order', issues: [{ path: 'amount' }] });
  expect((await pay('order-1', { ...payable(platform), internalReference: 'order-2' })).json()).toMatchObject({
    issues: [{ path: 'internalReference', message: expect.stringContaining('is not a known field') }],
  });
  expect((await pay('order-1', { ...payable(platform), currencyCode: 'XAF', amount: '10.5' })).json()).toMatchObject({
    issues: [{ path: 'amount', message: 'must have no decimals in XAF (received 1)' }],
  });
  expect(platform.requests).toHaveLength(0);
});

test('a response says when to try again, if the platform or the search for a payment does', async () => {
  const { pay, platform } = await start();
  platform.faults.next('payments.create', { kind: 'status', status: 429, headers: { 'retry-after': '90' } });
  const limited = await pay('order-1', payable(platform));
  expect([limited.statusCode, limited.headers['retry-after']]).toEqual([503, '90']);

  platform.faults.next('payments.create', { kind: 'late-commit', after: 60_000 });
  const unknown = await pay('order-2', payable(platform));
  expect(unknown.statusCode).toBe(202);
  expect(Number(unknown.headers['retry-after'])).toBeGreaterThan(0);
});

test('the ledger has each completed payment once, less what was returned, and its sums are exact', async () => {
  const { pay, platform, catchUp, totals, services } = await start();
  await catchUp();
  const amounts = ['0.10', '0.20', '9007199254740993.01', '5.00'];
  const ids = [];
  for (const [index, amount] of amounts.entries())
    ids.push(
      ((await pay(`order-${index}`, payable(platform, amount))).json() as { readonly paymentId: string }).paymentId,
    );
  const step = async (id: string, ...statuses: readonly ('APPROVED' | 'PROCESSING' | 'COMPLETED' | 'RETURNED')[]) => {
    for (const status of statuses) platform.payments.transition(id, status);
    await services.corridor.sync(services.mirror, { once: true });
    await Promise.all([fillOutbox(services, never, true), fillOutbox(services, never, true)]);
  };
  for (const id of ids) await step(id, 'APPROVED', 'PROCESSING');
  expect(await totals()).toEqual({});
  for (const id of ids) await step(id, 'COMPLETED');
  expect(await totals()).toEqual({ USD: '9007199254740998.31' });

  const [first = '', , , last = ''] = ids;
  await step(last, 'RETURNED');
  expect(await totals()).toEqual({ USD: '9007199254740993.31' });
  // Completed and returned between two readings: nothing was booked, and nothing is reversed.
  const { paymentId } = (await pay('order-9', payable(platform))).json() as { readonly paymentId: string };
  await step(paymentId, 'APPROVED', 'PROCESSING', 'COMPLETED', 'RETURNED');
  await step(first);
  expect(await totals()).toEqual({ USD: '9007199254740993.31' });
});

test('a payment that is returned after the journal was purged is reversed in the ledger', async () => {
  const { pay, platform, catchUp, totals, services, journal } = await start();
  await catchUp();
  const { paymentId } = (await pay('order-1', payable(platform, '1250.00'))).json() as { readonly paymentId: string };
  for (const status of ['APPROVED', 'PROCESSING', 'COMPLETED'] as const)
    platform.payments.transition(paymentId, status);
  await catchUp();
  expect(await totals()).toEqual({ USD: '1250.00' });

  expect(await journal.purge(new Date(Date.now() + 60_000))).toBe(1);
  platform.payments.transition(paymentId, 'RETURNED');
  await catchUp();
  expect(await totals()).toEqual({ USD: '0.00' });
  expect((await services.pool.query('select from corridor_journal')).rowCount).toBe(0);
});

test('a payment whose process ended before it was stored with its order has its status, also after a purge', async () => {
  const { pay, platform, catchUp, read, services, journal } = await start();
  await catchUp();
  const { paymentId } = (await pay('order-1', payable(platform))).json() as { readonly paymentId: string };
  await services.pool.query('update order_payments set payment_id = null, status = null');
  expect((await read('order-1')).json()).toEqual({ orderId: 'order-1', paymentId, status: 'PENDING' });

  platform.payments.transition(paymentId, 'APPROVED');
  await catchUp();
  await journal.purge(new Date(Date.now() + 60_000));
  expect((await read('order-1')).json()).toEqual({ orderId: 'order-1', paymentId, status: 'APPROVED' });
});

test('an unknown order is 404', async () => {
  const { read } = await start();
  expect((await read('order-0')).statusCode).toBe(404);
});

test('the outbox has each status of an order once, and its payment has the last one', async () => {
  const { pay, platform, read, catchUp, events, services } = await start();
  await catchUp();
  const { paymentId } = (await pay('order-1', payable(platform))).json() as { readonly paymentId: string };
  platform.payments.add({ internalReference: 'order-of-another-system' });
  for (const status of ['APPROVED', 'PROCESSING', 'COMPLETED'] as const) {
    await catchUp();
    platform.payments.transition(paymentId, status);
  }
  // Of several processes, each change is processed by one.
  await services.corridor.sync(services.mirror, { once: true });
  await Promise.all([fillOutbox(services, never, true), fillOutbox(services, never, true)]);

  expect(await events()).toEqual([
    'order-1 PENDING_REVIEW',
    'order-1 APPROVED',
    'order-1 PROCESSING',
    'order-1 COMPLETED',
  ]);
  expect((await read('order-1')).json()).toMatchObject({ paymentId, status: 'COMPLETED' });
});

test('a change whose event cannot be stored is processed later, by the next process', async () => {
  const { pay, platform, catchUp, services, restart } = await start();
  await catchUp();
  await pay('order-1', payable(platform));
  await services.pool.query("alter table order_events add constraint full_disk check (status <> 'PENDING_REVIEW')");
  await expect(catchUp()).rejects.toThrow('full_disk');
  await services.pool.query('alter table order_events drop constraint full_disk');
  const { events, catchUp: catchUpAgain } = await restart();
  await catchUpAgain();

  expect(await events()).toEqual(['order-1 PENDING_REVIEW']);
});

test('a status from before the copy was filled is in the outbox, and that of the order', async () => {
  const { pay, platform, catchUp, events, read } = await start();
  const { paymentId } = (await pay('order-1', payable(platform))).json() as { readonly paymentId: string };
  platform.payments.transition(paymentId, 'REJECTED');
  await catchUp();

  expect(await events()).toEqual(['order-1 REJECTED']);
  expect((await read('order-1')).json()).toMatchObject({ status: 'REJECTED' });
});

test('a payment that is not the one of the order, and two of them, are errors of their own in the log', async () => {
  const { pay, platform, services } = await start();
  const pending = async (orderId: string) => {
    platform.faults.next('payments.create', { kind: 'late-commit', after: 60_000 });
    const order = payable(platform);
    await pay(orderId, order);
    return order;
  };
  const other = platform.payments.add({ ...(await pending('order-1')), internalReference: 'order-0' });
  const order = { ...(await pending('order-2')), internalReference: 'order-2' };
  const twice = [platform.payments.add(order).id, platform.payments.add(order).id];
  const error = vi.spyOn(services.log, 'error');
  await recoverPending(services, never);

  expect(error).toHaveBeenCalledTimes(2);
  expect(error).toHaveBeenCalledWith(
    expect.objectContaining({ paymentId: other.id }),
    expect.stringContaining('another payment uses the quote'),
  );
  expect(error).toHaveBeenCalledWith(
    { intentId: expect.any(String), paymentIds: expect.arrayContaining(twice) },
    expect.stringContaining('several payments'),
  );
});

test('what failed runs again in a minute', async () => {
  const { pay, platform, read, services } = await start();
  platform.faults.next('payments.create', { kind: 'late-commit', after: 60_000 });
  await pay('order-1', payable(platform));
  platform.clock.advance({ minutes: 2 });
  const error = vi.spyOn(services.log, 'error');
  platform.faults.next('payments.list', { kind: 'status', status: 403 });

  const delays: unknown[] = [];
  const stop = new AbortController();
  vi.mocked(setTimeout).mockImplementation(async (delay) => {
    delays.push(delay);
    if (delays.length === 2) stop.abort();
    return undefined as never;
  });
  await repeat(services, stop.signal, recoverPending, () => 1);

  expect(error).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ task: 'recoverPending' }),
    expect.stringContaining('it runs again'),
  );
  expect(delays).toEqual([60_000, 1]);
  expect((await read('order-1')).json()).toMatchObject({ status: 'PENDING_REVIEW' });
});

test('the health check fails without the database', async () => {
  const { app, services } = await start();
  expect((await app.inject('/health')).statusCode).toBe(200);
  const { query } = services.pool;
  services.pool.query = () => Promise.reject(new Error('no connection')) as never;
  expect((await app.inject('/health')).statusCode).toBe(503);
  services.pool.query = query;
});
