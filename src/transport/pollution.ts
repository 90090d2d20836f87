import { ConfigurationError } from '../errors.js';

/**
 * Refuses to send while Object.prototype holds data, or changes how JSON is written. We take nothing from it, but what lies below
 * us does: fetch, for one, then sends a `referrer`, or another `query`, that nobody asked for. Functions and accessors pass: old
 * libraries add them, and data that was merged in carelessly has none.
 */
export function refusePollution(): void {
  for (const name of Reflect.ownKeys(Object.prototype)) {
    const found = Object.getOwnPropertyDescriptor(Object.prototype, name) ?? {};
    const isData = Object.hasOwn(found, 'value') && typeof found.value !== 'function';
    if (isData || name === 'toJSON') {
      throw new ConfigurationError(`Object.prototype has a property "${String(name)}" that could change what is sent: find out what adds it, careless merging of foreign data most of all, and mend that`);
    }
  }
}
