import { ConfigurationError } from '../errors.js';

// Functions under these names are called by the language itself.
const calledByItself: ReadonlySet<string | symbol> = new Set(['toJSON', 'then', 'get', 'set']);

/**
 * Refuses to send while Object.prototype holds data, or functions that the language calls by itself. We take nothing from it, but
 * what lies below us does: fetch, for one, then sends a `referrer`, or another `query`, that nobody asked for. Other functions and
 * accessors pass: old libraries add them, and data that was merged in carelessly has none.
 */
export function refusePollution(): void {
  for (const name of Reflect.ownKeys(Object.prototype)) {
    const found = Object.getOwnPropertyDescriptor(Object.prototype, name) ?? {};
    const isData = Object.hasOwn(found, 'value') && typeof found.value !== 'function';
    if (isData || calledByItself.has(name)) {
      throw new ConfigurationError(`Object.prototype has a property "${String(name)}" that could change what is sent: find out what adds it, careless merging of foreign data most of all, and mend that`);
    }
  }
}
