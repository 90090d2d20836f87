import { ConfigurationError } from '../errors.js';

// What the language itself looks for: functions under these names, and whatever its own symbols name.
const ownSymbols = Object.getOwnPropertyNames(Symbol).map((name): unknown => Reflect.get(Symbol, name)).filter((value) => typeof value === 'symbol');
// What stands there by right: nothing is told by looking at it, and this runs for every attempt.
const standard: ReadonlySet<string | symbol> = new Set([
  'constructor', 'hasOwnProperty', 'isPrototypeOf', 'propertyIsEnumerable', 'toLocaleString', 'toString', 'valueOf',
  '__defineGetter__', '__defineSetter__', '__lookupGetter__', '__lookupSetter__', '__proto__',
]);
const calledByItself: ReadonlySet<string | symbol> = new Set(['toJSON', 'then', 'get', 'set', ...ownSymbols]);

/**
 * Refuses to send while Object.prototype holds data, or functions that the language calls by itself. We take nothing from it, but
 * what lies below us does: fetch, for one, then sends a `referrer`, or another `query`, that nobody asked for. Other functions and
 * accessors pass: old libraries add them, and data that was merged in carelessly has none. So does what foreign symbols name, which is
 * read by those alone who know the symbol: Jest marks every prototype with one.
 */
export function refusePollution(): void {
  for (const name of Reflect.ownKeys(Object.prototype)) {
    if (standard.has(name)) continue;
    const found = Object.getOwnPropertyDescriptor(Object.prototype, name) ?? {};
    const isData = typeof name === 'string' && Object.hasOwn(found, 'value') && typeof found.value !== 'function';
    if (isData || calledByItself.has(name)) {
      throw new ConfigurationError(`Object.prototype has a property "${String(name)}" that could change what is sent: find out what adds it, careless merging of foreign data most of all, and mend that`);
    }
  }
}
