import { createHash } from 'node:crypto';
import type { RandomSource } from './random-source.ts';
import type { VirtualTime } from './virtual-time.ts';

/**
 * Runs work in which everything that the client takes from its runtime depends on the seed only: timers and durations
 * are virtual, random numbers are seeded, and hashing uses no threads. Only one such run can be in progress.
 */
export async function deterministic<T>(time: VirtualTime, random: RandomSource, work: () => Promise<T>): Promise<T> {
  const { setTimeout: realSetTimeout, clearTimeout: realClearTimeout } = globalThis;
  const cancels = new WeakMap<object, () => void>();
  const started = time.now();
  const restores = [
    replace(globalThis, 'setTimeout', (callback: () => void, milliseconds = 0) => {
      const timer = {};
      cancels.set(timer, time.after(milliseconds, callback));
      return timer;
    }),
    replace(globalThis, 'clearTimeout', (timer: object | undefined) => {
      const cancel = timer === undefined ? undefined : cancels.get(timer);
      if (cancel === undefined) realClearTimeout(timer as ReturnType<typeof realSetTimeout>);
      else cancel();
    }),
    replace(performance, 'now', () => time.now() - started),
    replace(Math, 'random', () => random.next()),
    replace(
      crypto.subtle,
      'digest',
      async (_: string, bytes: Uint8Array) => new Uint8Array(createHash('sha256').update(bytes).digest()).buffer,
    ),
  ];
  try {
    return await time.run(work);
  } finally {
    for (const restore of restores) restore();
  }
}

function replace(owner: object, name: string, value: unknown): () => void {
  const own = Object.getOwnPropertyDescriptor(owner, name);
  Object.defineProperty(owner, name, { value, configurable: true, writable: true });
  return () => {
    if (own === undefined) Reflect.deleteProperty(owner, name);
    else Object.defineProperty(owner, name, own);
  };
}
