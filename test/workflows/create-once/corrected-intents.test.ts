import type { PaymentCreateIntent } from 'corridor-sdk';
import { expect, test } from 'vitest';
import { failureOf } from '../../simulation/failure.js';
import { broken, FaultyPlatform, lost } from '../faulty-platform.ts';

const minutes = 60_000;

/** Creates a payment whose connection breaks, on a machine whose clock is behind that of the platform by so much. */
async function createAndLose(skew: number, isTimeKnown: boolean) {
  const faulty = new FaultyPlatform({ skew, quotes: 'reusable' }).fate(async (creation) => {
    await faulty.time.wait(3_000);
    return lost(broken('ECONNRESET'))(creation);
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
  const timesOf = ({ createdAt, clockOffset, clockKnown }: PaymentCreateIntent) => ({
    createdAt: Date.parse(createdAt) - started,
    clockOffset,
    clockKnown,
  });
  return { intents: [...stored, intent as PaymentCreateIntent], timesOf };
}

test.each([0, 20 * minutes, -20 * minutes])(
  'an intent is dated by the clock of the platform, which is %i ms ahead, once a response has shown it',
  async (skew) => {
    const unknown = await createAndLose(skew, false);
    expect(unknown.intents.map(unknown.timesOf)).toEqual([
      { createdAt: 0, clockOffset: 0, clockKnown: false },
      { createdAt: skew, clockOffset: skew, clockKnown: true },
    ]);
    const known = await createAndLose(skew, true);
    expect(known.intents.map(known.timesOf)).toEqual([
      { createdAt: skew, clockOffset: skew, clockKnown: true },
      { createdAt: skew, clockOffset: skew, clockKnown: true },
    ]);
  },
);

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
