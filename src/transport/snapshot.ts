import { InvalidRequestError } from '../errors.js';

const deepest = 32;

/**
 * A copy of what the caller gave, taken once: what is checked is what is sent, whatever getters or later changes do.
 * Absent and undefined are the same. Objects and arrays of the copy have no prototype, so that nothing that was added to
 * Object.prototype can speak for them. `root` is the path of the whole.
 */
export function snapshot(endpoint: string, value: unknown, dates: 'as text' | 'refused', root = ''): unknown {
  const refuse = (path: string, message: string): never => {
    throw new InvalidRequestError(endpoint, [{ path, message }]);
  };
  const copy = (given: unknown, path: string, depth: number): unknown => {
    if (depth > deepest) return refuse(path, 'must not be nested so deeply, or in a circle');
    if (typeof given === 'string') return given.isWellFormed() ? given : refuse(path, 'must be well-formed Unicode (no lone surrogates)');
    if (typeof given === 'number') return Number.isFinite(given) ? given : refuse(path, `must be a finite number (got ${given})`);
    if (typeof given === 'bigint' || typeof given === 'function' || typeof given === 'symbol') return refuse(path, `must be JSON (got ${typeof given})`);
    if (typeof given !== 'object' || given === null) return given;
    if (Array.isArray(given)) {
      const items = Array.from(given, (item: unknown, index) => copy(item ?? null, `${path}[${index}]`, depth + 1));
      return Object.setPrototypeOf(items, null) as unknown;
    }
    if (given instanceof Date) {
      if (dates === 'refused') return refuse(path, 'must be JSON (got a Date)');
      return Number.isNaN(given.getTime()) ? refuse(path, 'must be a valid Date') : given.toISOString();
    }
    const kind = Object.prototype.toString.call(given).slice(8, -1);
    // A Map, a URLSearchParams and their like hold what their keys do not show: it would be lost without a word.
    if (kind !== 'Object') return refuse(path, `must be JSON (got a ${kind})`);
    if (typeof (given as { readonly toJSON?: unknown }).toJSON === 'function') return refuse(path, 'must be JSON (got an object with toJSON: give what that returns)');
    const getter = inheritedGetter(given);
    if (getter !== undefined) return refuse(path === '' ? getter : `${path}.${getter}`, 'is a getter of a class, which JSON leaves out: give a plain object');
    const fields = Object.create(null) as Record<string, unknown>;
    for (const key of Object.keys(given)) {
      const field = (given as Record<string, unknown>)[key];
      if (field !== undefined) fields[key] = copy(field, path === '' ? key : `${path}.${key}`, depth + 1);
    }
    return fields;
  };
  try {
    return copy(value, root, 0);
  } catch (error) {
    if (error instanceof InvalidRequestError) throw error;
    return refuse(root, 'could not be read: a getter or a proxy in it threw');
  }
}

/** The name of a getter that an object has from its class: it would be lost without a word. */
export function inheritedGetter(object: object): string | undefined {
  for (let owner: unknown = Object.getPrototypeOf(object); typeof owner === 'object' && owner !== null && owner !== Object.prototype; owner = Object.getPrototypeOf(owner)) {
    // An Object.prototype of another realm has `__proto__`.
    const found = Object.entries(Object.getOwnPropertyDescriptors(owner)).find(([name, { get }]) => get !== undefined && name !== '__proto__');
    if (found !== undefined) return found[0];
  }
  return undefined;
}
