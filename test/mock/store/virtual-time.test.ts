import { Corridor, TimeoutError, type CorridorOptions } from 'corridor-sdk';
import { createMockPlatform, type MockFault } from 'corridor-sdk/mock';
import { serveMockPlatform } from 'corridor-sdk/mock/node';
import { afterEach, describe, expect, test, vi } from 'vitest';

afterEach(() => void vi.useRealTimers());

/** Returns a platform, a client of it, and a function that measures what passes on the mock's clock and in reality. */
function setUp(options: CorridorOptions = {}) {
  const platform = createMockPlatform();
  const corridor = new Corridor({ ...platform.clientOptions(), ...options });
  const { performance } = globalThis;
  const measured = async (work: () => Promise<unknown>) => {
    const [began, virtual] = [performance.now(), platform.clock.now()];
    const result = await work().catch((error: unknown) => error);
    return { result, real: performance.now() - began, passed: platform.clock.now() - virtual };
  };
  return { platform, corridor, measured };
}

describe('a client of the mock waits on its clock', () => {
  const slow: readonly (readonly [MockFault, object])[] = [
    [{ kind: 'reset' }, { outcome: 'unknown' }],
    [{ kind: 'hang' }, { outcome: 'unknown' }],
    [{ kind: 'status', status: 503 }, { outcome: 'unknown' }],
    [{ kind: 'hang-after-commit' }, { recovered: true }],
    [{ kind: 'late-commit', after: 3_000 }, { recovered: true }],
  ];

  test.each(slow)('createOnce after %j searches for its whole window', async (fault, expected) => {
    const { platform, corridor, measured } = setUp();
    await corridor.ready();
    platform.faults.next('payments.create', fault);
    const { result, passed } = await measured(() => corridor.payments.createOnce(platform.payments.createParams()));
    expect(result).toMatchObject(expected);
    expect(passed).toBeGreaterThan(2_000);
    expect(platform.requests.to('payments.create')).toHaveLength(1);
  });

  test('for retries and their Retry-After', async () => {
    const { platform, corridor, measured } = setUp();
    platform.faults.next('crypto.networks', { kind: 'rate-limit', retryAfterSeconds: 40 });
    const { result, passed } = await measured(() => corridor.crypto.networks());
    expect(result).not.toHaveLength(0);
    expect(passed).toBeGreaterThanOrEqual(40_000);
  });

  test('for polls: scheduled transitions happen in between', async () => {
    const { platform, corridor, measured } = setUp();
    const { id } = platform.payments.add();
    platform.payments.scheduleTransitions(id, ['APPROVED', 'PROCESSING', 'COMPLETED'], { every: { minutes: 20 } });
    const { passed } = await measured(() =>
      corridor.payments.waitForStatus(id, { until: ['COMPLETED'], maxWait: 86_400_000 }),
    );
    expect(platform.payments.get(id)?.status).toBe('COMPLETED');
    expect(passed).toBeGreaterThanOrEqual(3_600_000);
  });

  test('for slow responses', async () => {
    const { platform, corridor, measured } = setUp();
    platform.faults.sequence('crypto.networks', [
      { kind: 'slow', delay: 20_000 },
      { kind: 'slow', delay: 1_000 },
    ]);
    const { passed } = await measured(async () => [await corridor.crypto.networks(), await corridor.crypto.networks()]);
    expect(passed).toBeGreaterThanOrEqual(21_000);
    expect(platform.requests).toHaveLength(2);
  });

  test('for timeouts, if the mock withholds a response', async () => {
    const { platform, corridor, measured } = setUp({ maxRetries: 0 });
    platform.faults.next('crypto.networks', { kind: 'stall-body' });
    const { result, passed } = await measured(() => corridor.crypto.networks());
    expect(result).toBeInstanceOf(TimeoutError);
    expect(passed).toBeGreaterThanOrEqual(30_000);
  });

  test('many at once wait at the same time', async () => {
    const { platform, corridor, measured } = setUp();
    platform.faults.next('payments.create', { kind: 'reset' }, 20);
    const { result, passed } = await measured(() =>
      Promise.all(
        Array.from({ length: 20 }, () =>
          corridor.payments.createOnce(platform.payments.createParams()).catch(({ outcome }: TimeoutError) => outcome),
        ),
      ),
    );
    expect(new Set(result as string[])).toEqual(new Set(['unknown']));
    expect(passed).toBeLessThan(90_000);
  });

  test('with fake timers, which need not be advanced', async () => {
    vi.useFakeTimers();
    const { platform, corridor } = setUp();
    platform.faults.next('crypto.networks', { kind: 'status', status: 503 });
    expect(await corridor.crypto.networks()).not.toHaveLength(0);
  });

  test('unless the clock is stopped, which then moves, too, and stays stopped', async () => {
    const { platform, corridor } = setUp();
    platform.clock.set('2026-03-01T09:00:00Z');
    platform.faults.next('crypto.networks', { kind: 'rate-limit', retryAfterSeconds: 40 });
    await corridor.crypto.networks();
    const at = platform.clock.now();
    expect(at).toBeGreaterThanOrEqual(Date.parse('2026-03-01T09:00:40Z'));
    expect(platform.clock.now()).toBe(at);
  });
});

describe('a client waits in real time', () => {
  test("with clientOptions({ time: 'real' })", async () => {
    const platform = createMockPlatform();
    expect(platform.clientOptions()).toHaveProperty('sleep');
    expect(platform.clientOptions({ time: 'real' })).not.toHaveProperty('sleep');
    expect(() => platform.clientOptions({ time: 'fake' as never })).toThrow("time must be 'mock' or 'real'");
  });

  test('on a served platform', async () => {
    const served = await serveMockPlatform();
    expect(served.clientOptions()).not.toHaveProperty('sleep');
    await served.close();
  });

  test('if something other than the mock hangs', async () => {
    const { platform } = setUp();
    const fetch: typeof globalThis.fetch = (_, init) =>
      new Promise((_resolve, reject) => init?.signal?.addEventListener('abort', () => reject(new Error('aborted'))));
    const corridor = new Corridor({ ...platform.clientOptions(), fetch, timeout: 20, maxRetries: 0 });
    await expect(corridor.crypto.networks()).rejects.toBeInstanceOf(TimeoutError);
  });
});

describe('consistencyWindow', () => {
  test('is an option of the client, too', async () => {
    const { platform, corridor, measured } = setUp({ consistencyWindow: 0 });
    platform.faults.next('payments.create', { kind: 'reset' });
    const { result, passed } = await measured(() => corridor.payments.createOnce(platform.payments.createParams()));
    expect(result).toMatchObject({ outcome: 'unknown' });
    expect(passed).toBeLessThan(5_000);
  });

  test.each([-1, Number.NaN])('cannot be %d', (consistencyWindow) => {
    expect(() => setUp({ consistencyWindow })).toThrow('consistencyWindow must be a number of milliseconds from 0');
  });
});

describe('clock.advance', () => {
  test('keeps a running clock running, and a stopped one stopped', () => {
    let now = 0;
    const { clock } = createMockPlatform({ now: () => now });
    clock.advance({ seconds: 1 });
    now += 5;
    expect(clock.now()).toBe(1_005);
    clock.freeze();
    clock.advance({ seconds: 1 });
    now += 5;
    expect(clock.now()).toBe(2_005);
  });
});

test('a clock that is set back while a client waits passes only the rest of the wait', async () => {
  const { platform } = setUp();
  const { sleep } = platform.clientOptions();
  platform.clock.set('2030-01-01T00:00:00Z');
  const waiting = sleep?.(30_000, new AbortController().signal);
  platform.clock.set('2026-01-01T00:00:00Z');
  await waiting;
  expect(platform.clock.now()).toBeLessThan(Date.parse('2026-01-01T00:01:00Z'));
});
