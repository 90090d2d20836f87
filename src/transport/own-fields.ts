/** A copy of exactly what an object holds itself: what was added to Object.prototype does not show through. */
export function ownFields<T extends object>(object: T): T {
  return Object.assign(Object.create(null) as T, object);
}
