import { StatementSync } from 'node:sqlite';

// Preloaded with --import: a monotonic clock that only advances while SQLite runs a statement, by a second each.
let now = 0;
performance.now = () => now;
const { get } = StatementSync.prototype;
StatementSync.prototype.get = function (this: StatementSync, ...values: unknown[]) {
  now += 1_000;
  return Reflect.apply(get, this, values) as ReturnType<typeof get>;
};
