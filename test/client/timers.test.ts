import { getEventListeners } from 'node:events';
import type { Corridor } from 'corridor-sdk';
import { describe, expect, test } from 'vitest';
import { scripted } from '../support/scripted-fetch.ts';

const busy = (): Response => new Response(null, { status: 503, headers: { 'retry-after': '0' } });
const networks = { networks: [] };
const page = { items: [], nextCursor: null, hasMore: false };

/** Calls, with the responses that they receive: the last one again and again. */
const calls: Readonly<
  Record<string, readonly [(corridor: Corridor, signal: AbortSignal) => PromiseLike<unknown>, ...(() => unknown)[]]>
> = {
  'a call that succeeds': [({ crypto }, signal) => crypto.networks({ signal }), () => networks],
  'a call that is retried': [({ crypto }, signal) => crypto.networks({ signal }), busy, () => networks],
  'a call that fails': [({ crypto }, signal) => crypto.networks({ signal }), () => new Response('{', { status: 400 })],
  'a call whose connection fails': [
    ({ crypto }, signal) => crypto.networks({ signal, maxRetries: 0 }),
    () => Promise.reject(new TypeError('fetch failed')),
  ],
  'a search in several requests': [({ payments }, signal) => payments.find({ id: 'pay_1' }, { signal }), () => page],
  'a preflight of an invalid payment': [
    ({ payments }, signal) => payments.preflight({} as never, { signal }),
    () => networks,
  ],
};

describe.each(Object.entries(calls))('%s leaves behind', (_, [call, ...responses]) => {
  const respond = (__: unknown, index: number): unknown => responses[Math.min(index, responses.length - 1)]?.();

  test('no timer and no listener', async () => {
    const controller = new AbortController();
    const waiting = new Set<AbortSignal>();
    const { corridor } = scripted(respond, {
      now: () => 0,
      sleep: async (_milliseconds, signal, purpose) => {
        if (purpose === 'delay') return;
        waiting.add(signal);
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      },
    });
    await Promise.resolve(call(corridor, controller.signal)).catch(() => {});
    expect([...waiting].filter(({ aborted }) => !aborted)).toEqual([]);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  test('no timer of the runtime', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length;
    const before = timers();
    const { corridor } = scripted(respond);
    await Promise.resolve(call(corridor, new AbortController().signal)).catch(() => {});
    expect(timers()).toBe(before);
  });
});
