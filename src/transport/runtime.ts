import { webCrypto } from '../contract/web-crypto.js';
import { ConfigurationError } from '../errors/api.js';
import { createRequestBody } from './request.js';

/** What the client needs of a runtime: a use of each, which fails or returns false if it is missing. */
const requirements: Readonly<Record<string, () => boolean>> = {
  TextEncoder: () => new TextDecoder('utf-8', { fatal: true }).decode(new TextEncoder().encode('é')) === 'é',
  'ReadableStream with bytes': () => !createRequestBody('{}').stream.locked,
  Headers: () => new Headers([['a', 'b']]).get('a') === 'b',
  'AbortSignal.any': () => !AbortSignal.any([new AbortController().signal]).aborted,
  'crypto.subtle': () => typeof webCrypto().subtle.importKey === 'function',
  'crypto.randomUUID': () => webCrypto().randomUUID().length > 0,
};

/** Throws a ConfigurationError if the runtime lacks something that the client needs. */
export function assertRuntime(): void {
  const missing = Object.keys(requirements).filter((name) => !works(requirements[name]));
  if (missing.length > 0)
    throw new ConfigurationError(
      `this environment lacks ${missing.join(', ')}. Use a runtime or a test environment of ` +
        'node_modules/corridor-sdk/docs/runtimes.md, or add what is missing',
    );
}

function works(use: (() => boolean) | undefined): boolean {
  try {
    return use?.() === true;
  } catch {
    return false;
  }
}

/** Returns whether the code runs in a browser or an app. */
export function isBrowser(): boolean {
  const { window, document, process } = globalThis as {
    readonly window?: unknown;
    readonly document?: unknown;
    readonly process?: { readonly versions?: { readonly node?: string; readonly electron?: string } };
  };
  // In Node, Bun and Deno both are of jsdom, happy-dom or a shim; but a page of Electron has the version of Node, too.
  const { node, electron } = process?.versions ?? {};
  return (window ?? document) !== undefined && (node === undefined || electron !== undefined);
}

/**
 * Returns whether the runtime's own fetch is known to repeat a request without a body if the connection breaks before
 * the response, as in Bun 1.4, Deno 2.9 and browsers.
 */
export function repeatsReads(): boolean {
  return isBrowser() || ['Bun', 'Deno'].some((name) => Object.hasOwn(globalThis, name));
}

/** What the runtime's `fetch` supports. */
export interface RuntimeSupport {
  /**
   * Whether a request can have a stream as its body together with a `content-length` header. Browsers cannot: some do
   * not support request streams, the others send them over HTTP/2 only, and all of them set `content-length`
   * themselves.
   */
  readonly streams: boolean;
  /**
   * The option that keeps responses out of caches, such as that of Next.js, which replaces the global `fetch`. Older
   * versions of workerd throw for it, and have no cache in `fetch`.
   */
  readonly cache: Pick<RequestInit, 'cache'>;
}

/** Determines what the runtime's `fetch` supports. */
export function runtimeSupport(): RuntimeSupport {
  const supports = (init: RequestInit, isKept: (request: Request) => boolean): boolean =>
    works(() => isKept(new Request('https://platform.invalid', init)));
  const { stream } = createRequestBody('{}');
  const post = { method: 'POST', headers: { 'content-length': '2' }, body: stream, duplex: 'half' };
  return {
    streams: supports(
      post,
      ({ body, headers }) => typeof body?.getReader === 'function' && headers.has('content-length'),
    ),
    cache: supports({ cache: 'no-store' }, () => true) ? { cache: 'no-store' } : {},
  };
}
