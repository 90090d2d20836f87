import { Corridor } from 'corridor-sdk';
import { createMockPlatform } from 'corridor-sdk/mock';

const platform = createMockPlatform({ seed: 1 });
// The timers of the tests, not the mock's clock, decide how long the client waits.
const corridor = new Corridor(platform.clientOptions({ time: 'real' }));

beforeEach(() => jest.useFakeTimers({ now: new Date('2026-03-01T09:00:00Z') }));
afterEach(() => jest.useRealTimers());

test('a call succeeds while fake timers stop time', async () => {
  const { id } = platform.customers.add();

  expect(await corridor.customers.get(id)).toMatchObject({
    id,
    createdAt: expect.stringMatching(/^2026-03-01T09:00:00/),
  });
});

test('a read that failed is sent again when the timers move on', async () => {
  platform.faults.next('crypto.networks', { kind: 'rate-limit', retryAfterSeconds: 30 });
  // Signing takes real time, which fake timers do not advance: the delay starts when the client reports the retry.
  let pause = (): void => {};
  const paused = new Promise<void>((resolve) => (pause = resolve));
  const patient = new Corridor({ ...platform.clientOptions({ time: 'real' }), hooks: { onRetry: () => pause() } });

  const networks = patient.crypto.networks();
  await paused;
  await jest.advanceTimersByTimeAsync(29_000);
  expect(platform.requests.to('crypto.networks')).toHaveLength(1);
  // The client adds up to 8 seconds of jitter to the 30 that the platform requested.
  await jest.advanceTimersByTimeAsync(10_000);

  expect((await networks).length).toBeGreaterThan(0);
  expect(platform.requests.to('crypto.networks')).toHaveLength(2);
});

test('a quote expires when the clock is set on', async () => {
  const params = platform.payments.createParams();
  jest.setSystemTime(new Date('2026-03-01T09:16:00Z'));

  const payment = corridor.payments.create(params);

  await expect(payment).rejects.toMatchObject({ status: 422, platformCode: 'quote_expired', outcome: 'rejected' });
});
