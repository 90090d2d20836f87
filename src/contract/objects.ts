// Checks of what a value is by its tag: one of another realm, as in Jest and jsdom, is no instance of the same class.
const tagOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1);

/** Checks whether a value is an object that can have fields of any name; excludes arrays, maps, dates and others. */
export const isPlainObject = (value: unknown): value is object => tagOf(value) === 'Object';

/** Checks whether a value is an object of no class, such as that of a literal or of `JSON.parse`. */
export function hasNoClass(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Checks whether a value is bytes. */
export const isBytes = (value: unknown): value is Uint8Array => tagOf(value) === 'Uint8Array';

/** Checks whether a value is a `Date`, valid or not. */
export const isDate = (value: unknown): value is Date => tagOf(value) === 'Date';

/** Checks whether a value is an error or a `DOMException`. */
export const isError = (value: unknown): value is Error => /^(?:Error|DOMException)$/.test(tagOf(value));
