import type { PaymentCreateIntent } from 'corridor-sdk';
import { expect, test } from 'vitest';
import { errorResponse, failureOf, FaultyPlatform, intentOf, notProcessed } from '../../support/faulty-platform.ts';

const minute = 60_000;
const hour = 60 * minute;

/**
 * The creation times that `reconcile` asks the list for, in minutes after the intent; `undefined` is no limit. First the
 * time in which the payment was most likely created, and then all the time in which it can have been created.
 */
async function searchedTimes(
  age: number,
  replaced: Partial<PaymentCreateIntent>,
  skew: number,
): Promise<readonly (readonly (number | undefined)[])[]> {
  const faulty = new FaultyPlatform({ skew });
  const { payments } = faulty.client();
  // Shows the time of the platform.
  await faulty.run(async () => payments.list());
  const before = faulty.platform.requests.to('payments.list').length;
  const createdAt = faulty.time.now() - age;
  const intent = { ...intentOf(faulty.payable(), createdAt), ...replaced };
  await faulty.run(() => payments.reconcile(intent, { consistencyWindow: 0 }));
  const minutesOf = (time: unknown): number | undefined =>
    time === undefined ? undefined : (Date.parse(String(time)) - createdAt) / minute;
  return faulty.platform.requests
    .to('payments.list')
    .slice(before)
    .map(({ query }) => [minutesOf(query['createdFrom']), minutesOf(query['createdTo'])]);
}

test('a payment that the first of these times shows is not searched for in the second', async () => {
  const faulty = new FaultyPlatform();
  const payment = faulty.payable();
  faulty.add(payment);
  const intent = intentOf(payment, faulty.time.now());
  await faulty.pass(5 * hour);
  const { payments } = faulty.client();
  const found = faulty.run(() => payments.reconcile(intent, { consistencyWindow: 0 }));
  expect(await found).toMatchObject({ status: 'created' });
  expect(faulty.pagesRequested).toBe(1);
});

test('the payments of several intents are searched for from the earliest time of one of them', async () => {
  const faulty = new FaultyPlatform();
  const { payments } = faulty.client();
  await faulty.run(async () => payments.list());
  const now = faulty.time.now();
  const intents = [1, 5, 2].map((hours) => intentOf(faulty.payable(), now - hours * hour));
  await faulty.run(() => payments.reconcilePending({ intents }));
  const [, ...requests] = faulty.platform.requests.to('payments.list');
  expect(requests.map(({ query }) => Date.parse(String(query['createdFrom'])) - now)).toEqual([-11 * hour]);
});

test('after a conflict, only one search reaches a day into the past', async () => {
  const faulty = new FaultyPlatform({ quotes: 'reusable' }).onCreate(notProcessed(errorResponse(409)));
  const { payments } = faulty.client();
  const started = faulty.time.now();
  await failureOf(faulty.run(() => payments.createOnce(faulty.payable())));
  const ages = faulty.platform.requests
    .to('payments.list')
    .map(({ query }) => (started - Date.parse(String(query['createdFrom']))) / hour);
  expect(ages.map((age) => age > 24)).toEqual([true, ...ages.slice(1).map(() => false)]);
  expect(ages.length).toBeGreaterThan(2);
});

test.each([
  [true, 0.5],
  [false, 5],
])('a search that another one follows begins before its intent, whose time is known: %s', async (known, minutes) => {
  const faulty = new FaultyPlatform();
  const { payments } = faulty.client();
  await faulty.run(async () => payments.list());
  const now = faulty.time.now();
  await faulty.run(() => payments.reconcile({ ...intentOf(faulty.payable(), now), clockKnown: known }));
  const [, first] = faulty.platform.requests.to('payments.list');
  expect(now - Date.parse(String(first?.query['createdFrom']))).toBe(minutes * minute);
});

test('a list that fails ends a search without a consistency window', async () => {
  const faulty = new FaultyPlatform();
  faulty.changePage = () => errorResponse(503);
  const intent = intentOf(faulty.payable(), faulty.time.now());
  const { payments } = faulty.client({ maxRetries: 0 });
  const call = faulty.run(() => payments.reconcile(intent, { consistencyWindow: 0 }));
  expect(await failureOf(call)).toMatchObject({ status: 503 });
  expect(faulty.pagesRequested).toBe(1);
});

test.each<[string, number, Partial<PaymentCreateIntent>, number, readonly (readonly (number | undefined)[])[]]>([
  ['of 10 minutes ago', 10 * minute, {}, 0, [[-70, undefined]]],
  ['of 70 minutes ago', 70 * minute, {}, 0, [[-130, undefined]]],
  [
    'of 71 minutes ago',
    71 * minute,
    {},
    0,
    [
      [-5, 65],
      [-131, undefined],
    ],
  ],
  [
    'of 5 hours ago',
    5 * hour,
    {},
    0,
    [
      [-5, 65],
      [-360, undefined],
    ],
  ],
  [
    'of 3 days ago',
    72 * hour,
    {},
    0,
    [
      [-5, 65],
      [-1500, undefined],
    ],
  ],
  [
    'whose time is not known',
    5 * hour,
    { clockKnown: false },
    0,
    [
      [-5, 65],
      [undefined, undefined],
    ],
  ],
  [
    'of a machine 20 minutes ahead',
    5 * hour,
    { clockOffset: -20 * minute },
    0,
    [
      [-5, 85],
      [-360, undefined],
    ],
  ],
  [
    'of a machine 20 minutes behind',
    5 * hour,
    { clockOffset: 20 * minute },
    0,
    [
      [-25, 65],
      [-380, undefined],
    ],
  ],
  [
    'on a machine 20 minutes behind',
    5 * hour,
    {},
    20 * minute,
    [
      [-5, 85],
      [-380, undefined],
    ],
  ],
  [
    'on a machine 20 minutes ahead',
    5 * hour,
    {},
    -20 * minute,
    [
      [-25, 65],
      [-360, undefined],
    ],
  ],
  ['of the next 60 minutes', -60 * minute, {}, 0, [[-60, undefined]]],
  ['of the next 61 minutes, which is a wrong clock', -61 * minute, {}, 0, [[undefined, undefined]]],
])('the payment of an intent %s is searched for in the times', async (_name, age, replaced, skew, times) => {
  expect(await searchedTimes(age, replaced, skew)).toEqual(times);
});
