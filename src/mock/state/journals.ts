// Where the clients of a process keep their journals in memory: on a `fetch` that has the property, or on globalThis.
const journals = Symbol.for('corridor-sdk.journals.v1');

/** Returns a `fetch` whose clients share journals with no other platform: they keep them in `organization`. */
export function withOwnJournals<T extends object>(fetch: T, organization: { journals: unknown }): T {
  return Object.defineProperty(fetch, journals, {
    get: () => organization.journals,
    set(value: unknown) {
      organization.journals = value;
    },
  });
}

/** Forgets what clients of this process remember of the payments of a platform whose records are gone. */
export function forgetJournals(baseUrl: string): void {
  const registry = (globalThis as { readonly [journals]?: { forget(platform: string): void } })[journals];
  registry?.forget(baseUrl);
}
