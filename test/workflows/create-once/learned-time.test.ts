import { MemoryJournal, type Corridor, type CorridorOptions, type PaymentCreateIntent } from 'corridor-sdk';
import { expect, test } from 'vitest';
import {
  connectionError,
  errorResponse,
  failureOf,
  FaultyPlatform,
  key,
  notProcessed,
} from '../../support/faulty-platform.ts';

/** A new process with a journal. */
function newProcess(options: CorridorOptions = {}, skew = 0) {
  const faulty = new FaultyPlatform({ skew, quotes: 'reusable' });
  const journal = new MemoryJournal();
  const { payments } = faulty.client({ journal, ...options });
  const requests = (): string[] => faulty.platform.requests.map(({ method }) => method);
  return { faulty, journal, payments, requests };
}

test('the first payment of a process with a journal reads the clock, so that its entry proves its time', async () => {
  // The clock of its machine is six minutes ahead.
  const { faulty, journal, payments, requests } = newProcess({}, -360_000);
  faulty.onCreate(notProcessed(connectionError('ECONNRESET')));
  await failureOf(faulty.run(() => payments.createOnce(faulty.payable(), key)));
  expect(requests()[0]).toBe('GET');
  expect(faulty.platform.requests[0]?.query).toEqual({ limit: '1' });
  const [intent] = (await journal.listPending()) as [PaymentCreateIntent];
  expect(intent).toMatchObject({ clockKnown: true, clockOffset: expect.closeTo(-360_000, -4) as number });
});

test('the payments of a process read the clock once, also those that begin together', async () => {
  const { faulty, payments, requests } = newProcess();
  const pay = (idempotencyKey: string) => payments.createOnce(faulty.payable(), { idempotencyKey });
  await faulty.run(() => Promise.all(['1', '2', '3'].map(pay)));
  await faulty.run(() => pay('4'));
  expect(requests()).toEqual(['GET', 'POST', 'POST', 'POST', 'POST']);
});

test('a process without a journal, or that has had a response, and an order without a key send the payment only', async () => {
  const { faulty, payments, requests } = newProcess({ journal: undefined });
  await faulty.run(() => payments.createOnce(faulty.payable(), key));
  expect(requests()).toEqual(['POST']);

  const used = newProcess();
  await used.faulty.run(() => used.payments.createOnce(used.faulty.payable()));
  await used.faulty.run(() => used.payments.createOnce(used.faulty.payable(), key));
  expect(used.requests()).toEqual(['POST', 'POST']);
});

test('nothing is sent if the journal fails, or has the order', async () => {
  const { faulty, journal, requests } = newProcess();
  await faulty.run(() => faulty.client({ journal }).payments.createOnce(faulty.payable(), key));
  const sent = requests().length;
  const failing = Object.assign(new MemoryJournal(), {
    claim: () => Promise.reject(new Error('gone')),
    findByKey: () => Promise.reject(new Error('gone')),
  });
  const pay = (client: Corridor) =>
    failureOf(faulty.run(() => client.payments.createOnce(faulty.payable({ amount: '7.00' }), key)));
  expect(await pay(faulty.client({ journal: failing }))).toMatchObject({ code: 'journal', outcome: 'not-sent' });
  expect(await pay(faulty.client({ journal }))).toMatchObject({ code: 'invalid-request', outcome: 'not-sent' });
  expect(requests()).toHaveLength(sent);
});

test.each<[string, Response | Error | 'hang', number]>([
  ['ends with 503', errorResponse(503), 0],
  ['breaks', connectionError('ECONNRESET'), 0],
  ['cannot connect', connectionError('ECONNREFUSED', 'connect'), 0],
  ['gets no response', 'hang', 2_000],
])('a request for the clock that %s does not keep an order from being paid', async (_what, end, delay) => {
  const { faulty, payments } = newProcess();
  faulty.changePage = () => (end === 'hang' ? new Promise(() => {}) : end instanceof Error ? Promise.reject(end) : end);
  const start = faulty.time.now();
  expect(await faulty.run(() => payments.createOnce(faulty.payable(), key))).toMatchObject({ created: true });
  expect(faulty.time.now() - start).toBe(delay);
});

test('a slow request for the clock takes a tenth of a short time limit at most', async () => {
  const { faulty, payments } = newProcess();
  faulty.changePage = () => new Promise(() => {});
  const start = faulty.time.now();
  await faulty.run(() => payments.createOnce(faulty.payable(), { ...key, totalTimeout: 3_000 }));
  expect(faulty.time.now() - start).toBe(300);
});

test('a process whose clock was set since then reads it again', async () => {
  const { faulty, journal } = newProcess();
  let ahead = 0;
  const claims = () => ({ iat: faulty.time.now() / 1_000, exp: faulty.time.now() / 1_000 + 60 });
  const now = (): number => faulty.time.now() + ahead;
  const { payments } = faulty.client({ journal, claims, now, sleep: undefined });
  await payments.createOnce(faulty.payable(), { idempotencyKey: '1' });
  ahead = 3_600_000;
  await payments.createOnce(faulty.payable(), { idempotencyKey: '2' });
  expect(faulty.pagesRequested).toBe(2);
});

test('a request for the clock whose page breaks the contract is no failure', async () => {
  const { faulty, payments } = newProcess({ validation: 'strict' });
  const failed: string[] = [];
  faulty.onFailure = (endpoint) => void failed.push(endpoint);
  faulty.changePage = () => Response.json({ items: [{}] });
  await faulty.run(() => payments.createOnce(faulty.payable(), key));
  expect(failed).toEqual([]);
});

test('an order that is aborted while its process reads the clock claims nothing, and does not end others', async () => {
  const { faulty, journal, payments } = newProcess();
  faulty.changePage = async (page) => (await faulty.time.wait(1_000), page);
  const controller = new AbortController();
  const aborted = failureOf(payments.createOnce(faulty.payable(), { ...key, signal: controller.signal }));
  const other = payments.createOnce(faulty.payable(), { idempotencyKey: 'order-4712' });
  await faulty.pass(500);
  controller.abort();
  expect(await aborted).toMatchObject({ code: 'aborted', outcome: 'not-sent' });
  expect(await journal.listPending()).toEqual([]);
  expect(await faulty.run(() => other)).toMatchObject({ created: true });
  expect(faulty.pagesRequested).toBe(1);
});

test('another process releases the entry of a first payment without the word of a person, or the whole list', async () => {
  const { faulty, journal, payments } = newProcess();
  faulty.onCreate(notProcessed('hang'));
  void payments.createOnce(faulty.payable(), key).catch(() => {});
  await faulty.pass(3_600_000);
  faulty.platform.requests.clear();
  const next = faulty.client({ journal }).payments;
  const [result] = await faulty.run(() => next.reconcilePending());
  expect(result).toMatchObject({ status: 'not-found' });
  expect(await faulty.run(() => next.releaseIntent(result?.intent as PaymentCreateIntent))).toEqual({
    status: 'released',
  });
  const lists = faulty.platform.requests.to('payments.list');
  expect(lists.every(({ query }) => query['createdFrom'] !== undefined)).toBe(true);
});
