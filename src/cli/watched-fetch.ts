import type { Secrets } from './secrets.js';

/** A fetch that hides the tokens it sends, and tells of the answers: `began` is in milliseconds since the epoch. */
export function watchedFetch(secrets: Secrets, onAnswer: (response: Response, began: number) => void = () => {}): typeof globalThis.fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    secrets.hideToken(headers.get('authorization'));
    const began = Date.now();
    const response = await globalThis.fetch(input, init);
    onAnswer(response, began);
    return response;
  };
}
