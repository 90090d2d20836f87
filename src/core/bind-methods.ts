/**
 * Binds the methods of an object to it, so that they also work if they are called without it, or on a Proxy of it,
 * which has no private fields. The methods of a subclass come first. Not enumerable, so that the object prints as
 * before.
 */
export function bindMethods(object: object): void {
  let prototype: object | null = Object.getPrototypeOf(object) as object | null;
  while (prototype !== null && prototype !== Object.prototype) {
    for (const [name, { value }] of Object.entries<{ readonly value?: unknown }>(
      Object.getOwnPropertyDescriptors(prototype),
    ))
      if (typeof value === 'function' && name !== 'constructor' && !Object.hasOwn(object, name))
        Object.defineProperty(object, name, {
          __proto__: null,
          value: (value as (...args: never) => unknown).bind(object),
          configurable: true,
          writable: true,
        } as PropertyDescriptor);
    prototype = Object.getPrototypeOf(prototype) as object | null;
  }
}
