let known: boolean | undefined;

/**
 * Returns the option of `fetch` that keeps responses out of caches, such as that of Next.js, which replaces the global
 * `fetch`. Older versions of workerd throw for it, and have no cache in `fetch`.
 */
export function noStore(): Pick<RequestInit, 'cache'> {
  known ??= knowsNoStore();
  return known ? { cache: 'no-store' } : {};
}

function knowsNoStore(): boolean {
  try {
    return new Request('https://platform.invalid', { cache: 'no-store' }) instanceof Request;
  } catch {
    return false;
  }
}
