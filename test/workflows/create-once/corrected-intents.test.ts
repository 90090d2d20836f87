import type { PaymentCreateIntent } from 'corridor-sdk';
import { expect, test } from 'vitest';
import { connectionError, failureOf, FaultyPlatform, notProcessed } from '../../support/faulty-platform.ts';

const minutes = 60_000;

/** Creates a payment whose connection breaks, on a machine whose clock is behind that of the platform by so much. */
async function createAndLose(skew: number, isTimeKnown: boolean) {
  const faulty = new FaultyPlatform({ skew, quotes: 'reusable' }).onCreate(async (creation) => {
    await faulty.time.wait(3_000);
    return notProcessed(connectionError('ECONNRESET'))(creation);
  });
  // Tokens with the time of the platform, as those of a signer with its own clock.
  const claims = () => {
    const iat = Math.floor(faulty.platform.clock.now() / 1000);
    return { iat, exp: iat + 60 };
  };
  const { payments } = faulty.client({ claims, maxRetries: 0 });
  if (isTimeKnown) await faulty.run(async () => payments.list());
  await faulty.pass(5_000);
  const started = faulty.time.now();
  const stored: PaymentCreateIntent[] = [];
  const onIntent = (intent: PaymentCreateIntent): void => void stored.push(intent);
  const { intent } = await failureOf(faulty.run(() => payments.createOnce(faulty.payable(), { onIntent })));
  const timesOf = ({ createdAt, sendUntil, clockOffset, clockKnown }: PaymentCreateIntent) => ({
    createdAt: Date.parse(createdAt) - started,
    sendingTime: Date.parse(String(sendUntil)) - Date.parse(createdAt),
    clockOffset,
    clockKnown,
  });
  return { intents: [...stored, intent as PaymentCreateIntent], timesOf };
}

test.each([0, 20 * minutes, -20 * minutes])(
  'an intent is dated by the clock of the platform, which is %i ms ahead, once a response has shown it',
  async (skew) => {
    const sendingTime = 90_000;
    const unknown = await createAndLose(skew, false);
    expect(unknown.intents.map(unknown.timesOf)).toEqual([
      { createdAt: 0, sendingTime, clockOffset: 0, clockKnown: false },
      { createdAt: skew, sendingTime, clockOffset: skew, clockKnown: true },
    ]);
    const known = await createAndLose(skew, true);
    expect(known.intents.map(known.timesOf)).toEqual([
      { createdAt: skew, sendingTime, clockOffset: skew, clockKnown: true },
      { createdAt: skew, sendingTime, clockOffset: skew, clockKnown: true },
    ]);
  },
);

test.each([
  [20 * minutes, 0],
  [2_000, 2_000],
])('an intent of a Date that was %i ms ahead is then dated %i ms after its creation', async (ahead, dated) => {
  const faulty = new FaultyPlatform().onCreate(async (creation) => {
    await faulty.time.wait(3_000);
    return notProcessed(connectionError('ECONNRESET'))(creation);
  });
  let off = ahead;
  faulty.changePage = async (page) =>
    Response.json(await page.json(), { headers: { date: new Date(faulty.time.now() + off).toUTCString() } });
  const { payments } = faulty.client({
    claims: () => ({ iat: faulty.time.now() / 1000, exp: faulty.time.now() / 1000 + 60 }),
  });
  await faulty.run(async () => payments.list());
  off = 0;
  const started = faulty.time.now();
  const { intent } = await failureOf(faulty.run(() => payments.createOnce(faulty.payable())));
  expect(Date.parse(intent?.createdAt ?? '') - started).toBe(dated);
});

/** Creates a payment whose connection breaks, on a machine whose clock shows another time then. */
async function createAndSetClock(isTimeKnown: boolean, change: (faulty: FaultyPlatform) => Promise<number>) {
  let ahead = 0;
  const faulty = new FaultyPlatform().onCreate(async () => {
    ahead = await change(faulty);
    throw connectionError('ECONNRESET');
  });
  const { payments } = faulty.client({ now: () => faulty.time.now() + ahead, sleep: undefined, maxRetries: 0 });
  if (isTimeKnown) await payments.list();
  const stored: PaymentCreateIntent[] = [];
  const onIntent = (each: PaymentCreateIntent): void => void stored.push(each);
  const { intent } = await failureOf(payments.createOnce(faulty.payable(), { onIntent, consistencyWindow: 0 }));
  return { stored: stored[0], intent };
}

test('an intent of a machine that was suspended while it sent is not dated later', async () => {
  const { stored, intent } = await createAndSetClock(false, async (faulty) => {
    // Time passes, but not on the timers of the machine.
    await faulty.pass(180 * minutes);
    return 0;
  });
  expect(intent).toMatchObject({ createdAt: stored?.createdAt, clockKnown: true });
});

test('an intent whose time was known keeps it if the clock of the machine is set while it sends', async () => {
  const { stored, intent } = await createAndSetClock(true, async () => 180 * minutes);
  expect(intent).toEqual(stored);
});

test('the intent of an error is that of onIntent, and neither can be changed', async () => {
  const { intents } = await createAndLose(20 * minutes, false);
  const [stored, corrected] = intents as [PaymentCreateIntent, PaymentCreateIntent];
  expect(corrected).toMatchObject({ id: stored.id, request: stored.request });
  for (const { request } of intents)
    for (const change of [
      () => Object.assign(request, { amount: '1.00' }),
      () => Object.assign(request.documentIds, ['x']),
    ])
      expect(change).toThrow(TypeError);
});
