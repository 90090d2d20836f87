/** Whether a runtime's own fetch is known to send a request again by itself when the connection breaks before the answer. */
export interface Resending {
  /** Requests without a body: Bun 1.4, Deno 2.9, browsers. */
  readonly reads: boolean;
  /** Requests with a body, unless it is a stream, which cannot be read twice: Deno 2.9. Browsers do it, too, and take no streams. */
  readonly bodies: boolean;
}

/** What is known of this runtime. */
export function resending(): Resending {
  const [bun, deno, page] = ['Bun', 'Deno', 'document'].map((name) => Object.hasOwn(globalThis, name));
  return { reads: bun === true || deno === true || page === true, bodies: deno === true };
}
