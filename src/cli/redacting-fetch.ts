import type { Secrets } from './redact.js';

/**
 * Creates a fetch that masks the tokens it sends and reports the responses; `startedAt` is in milliseconds since the
 * epoch.
 */
export function redactingFetch(
  secrets: Secrets,
  onResponse: (response: Response, startedAt: number) => void = () => {},
  fetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, init),
): typeof globalThis.fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    secrets.addToken(headers.get('authorization'));
    const startedAt = Date.now();
    const response = await fetch(input, init);
    onResponse(response, startedAt);
    return response;
  };
}
