import { ConfigurationError } from '../errors/api.js';

/**
 * Binds the methods of an object to it, so that they also work if they are called without it, or on a Proxy of it,
 * which has no private fields. The methods of a subclass come first. Not enumerable, so that the object prints as
 * before. `replacements` are methods and namespaces that other SDKs have, each with the call to make instead, which the
 * error of a call names.
 */
export function bindMethods(object: object, replacements: Readonly<Record<string, string>> = {}): void {
  const define = (name: string, value: unknown): void => {
    if (Object.hasOwn(object, name)) return;
    Object.defineProperty(object, name, {
      __proto__: null,
      value,
      configurable: true,
      writable: true,
    } as PropertyDescriptor);
  };
  let prototype: object | null = Object.getPrototypeOf(object) as object | null;
  while (prototype !== null && prototype !== Object.prototype) {
    for (const [name, { value }] of Object.entries<{ readonly value?: unknown }>(
      Object.getOwnPropertyDescriptors(prototype),
    ))
      if (typeof value === 'function' && name !== 'constructor')
        define(name, (value as (...args: never) => unknown).bind(object));
    prototype = Object.getPrototypeOf(prototype) as object | null;
  }
  for (const [name, call] of Object.entries(replacements)) {
    const fail = (): never => {
      throw new ConfigurationError(`${name} does not exist here. Call ${call}`);
    };
    // A subclass may have a getter of this name.
    if (!(name in object)) define(name, new Proxy(fail, { get: () => fail }));
  }
}
