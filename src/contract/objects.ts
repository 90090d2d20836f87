// Checks of what an object is by its tag: one of another realm, as in Jest and jsdom, is no instance of the same class.

/** Checks whether a value is an object that can have fields of any name; excludes arrays, maps, dates and others. */
export function isPlainObject(value: unknown): value is object {
  return Object.prototype.toString.call(value) === '[object Object]';
}

/** Checks whether a value is bytes. */
export function isBytes(value: unknown): value is Uint8Array {
  return Object.prototype.toString.call(value) === '[object Uint8Array]';
}
