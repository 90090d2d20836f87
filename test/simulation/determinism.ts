import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import type { RandomSource } from '../support/random-source.ts';
import type { VirtualTime } from '../support/virtual-time.ts';

/**
 * Runs work in which everything that the client takes from its runtime depends on the seed only: timers and durations
 * are virtual, also the clock of SQLite, random numbers are seeded, and hashing uses no threads. Only one such run can be in progress.
 */
export async function deterministic<T>(time: VirtualTime, random: RandomSource, work: () => Promise<T>): Promise<T> {
  const { setTimeout: realSetTimeout, clearTimeout: realClearTimeout } = globalThis;
  const cancels = new WeakMap<object, () => void>();
  const { getBuiltinModule } = process;
  const sqlite = sqliteWithClock(time);
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
    replace(Date, 'now', time.now),
    replace(AbortSignal, 'timeout', (milliseconds: number) => {
      const controller = new AbortController();
      time.after(milliseconds, () => controller.abort(new DOMException('the time is over', 'TimeoutError')));
      return controller.signal;
    }),
    replace(process, 'getBuiltinModule', (name: string) => (name === 'node:sqlite' ? sqlite : getBuiltinModule(name))),
    replace(crypto, 'randomUUID', () => randomUuid(random)),
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

/** Returns `node:sqlite` whose databases have the virtual time as their clock. */
function sqliteWithClock(time: VirtualTime): object {
  class Database extends DatabaseSync {
    constructor(...given: ConstructorParameters<typeof DatabaseSync>) {
      super(...given);
      this.function('unixepoch', { varargs: true }, () => time.now() / 1000);
    }
  }
  return { DatabaseSync: Database };
}

function randomUuid(random: RandomSource): string {
  const digits = Array.from({ length: 32 }, () => Math.floor(random.below(16)).toString(16)).join('');
  return digits.replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function replace(owner: object, name: string, value: unknown): () => void {
  const own = Object.getOwnPropertyDescriptor(owner, name);
  Object.defineProperty(owner, name, { value, configurable: true, writable: true });
  return () => {
    if (own === undefined) Reflect.deleteProperty(owner, name);
    else Object.defineProperty(owner, name, own);
  };
}
