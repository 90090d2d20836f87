import { InvalidRequestError } from '../errors/api.js';

const maxDepth = 32;

/** Whether a `Date` is converted to an ISO 8601 string or rejected. */
export type DateHandling = 'as-string' | 'reject';

/**
 * Copies the caller's input once, so that getters or later mutations cannot change a value between validation and
 * sending. Treats undefined fields as absent. `root` is the path of the whole value.
 */
export function copyInput(endpoint: string, value: unknown, dates: DateHandling, root = ''): unknown {
  const reject = (path: string, message: string): never => {
    throw new InvalidRequestError(endpoint, [{ path, message }]);
  };
  const copy = (input: unknown, path: string, depth: number): unknown => {
    if (depth > maxDepth)
      return reject(path, `must not contain a circular reference or be nested more than ${maxDepth} levels deep`);
    if (typeof input === 'string')
      return input.isWellFormed() ? input : reject(path, 'must be well-formed Unicode (no lone surrogates)');
    if (typeof input === 'number')
      return Number.isFinite(input) ? input : reject(path, `must be a finite number (received ${input})`);
    if (typeof input === 'bigint' || typeof input === 'function' || typeof input === 'symbol')
      return reject(path, `must be JSON (received ${typeof input})`);
    if (typeof input !== 'object' || input === null) return input;
    if (Array.isArray(input))
      return Array.from(input, (item: unknown, index) => copy(item ?? null, `${path}[${index}]`, depth + 1));
    if (input instanceof Date) {
      if (dates === 'reject') return reject(path, 'must be JSON (received a Date)');
      return Number.isNaN(input.getTime()) ? reject(path, 'must be a valid Date') : input.toISOString();
    }
    const kind = Object.prototype.toString.call(input).slice(8, -1);
    // The content of a Map, a URLSearchParams and similar objects is not in their keys and would be lost silently.
    if (kind !== 'Object') return reject(path, `must be JSON (received a ${kind})`);
    if (typeof (input as { readonly toJSON?: unknown }).toJSON === 'function')
      return reject(path, 'must be JSON (received an object with toJSON: pass the value that toJSON returns)');
    const getter = inheritedGetter(input);
    if (getter !== undefined)
      return reject(
        path === '' ? getter : `${path}.${getter}`,
        'is a getter of a class, which JSON omits: pass a plain object',
      );
    // Without a prototype, because a key of parsed JSON can be `__proto__`.
    const fields = Object.create(null) as Record<string, unknown>;
    for (const key of Object.keys(input)) {
      const field = (input as Record<string, unknown>)[key];
      if (field !== undefined) fields[key] = copy(field, path === '' ? key : `${path}.${key}`, depth + 1);
    }
    return fields;
  };
  try {
    return copy(value, root, 0);
  } catch (error) {
    if (error instanceof InvalidRequestError) throw error;
    return reject(root, 'could not be read: a getter or a proxy in it threw an error');
  }
}

/**
 * Returns the name of a getter that an object inherits from its class, whose value would be lost silently, or
 * undefined.
 */
export function inheritedGetter(object: object): string | undefined {
  for (
    let owner: unknown = Object.getPrototypeOf(object);
    typeof owner === 'object' && owner !== null && owner !== Object.prototype;
    owner = Object.getPrototypeOf(owner)
  ) {
    // The Object.prototype of another realm has `__proto__`.
    const found = Object.entries(Object.getOwnPropertyDescriptors(owner)).find(
      ([name, { get }]) => get !== undefined && name !== '__proto__',
    );
    if (found !== undefined) return found[0];
  }
  return undefined;
}
