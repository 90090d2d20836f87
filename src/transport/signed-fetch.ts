import ky, { type KyInstance } from 'ky';
import { ConfigurationError } from '../errors/api.js';
import { discard } from './response/read-body.js';
import type { ServerClock } from './timing/server-clock.js';
import type { Credentials } from './auth/token.js';
import type { PreparedRequest } from './request/build-request.js';
import { noStore } from './no-store.js';
import { sendsStreams } from './retry/runtime-resends.js';

/** A request with the headers of its call. */
export interface OutgoingRequest extends PreparedRequest {
  readonly headers: Readonly<Record<string, string>>;
}

/** What sending a signed request needs. */
export interface SignedFetchOptions {
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly clock: ServerClock;
  readonly userAgent: string;
  readonly fetch: typeof globalThis.fetch | undefined;
}

/** Signs a request, sends it once and returns the response. Redirects are not followed, and nothing is retried. */
export type SignedFetch = (request: OutgoingRequest, signal: AbortSignal, onSend: () => void) => Promise<Response>;

/** Creates the signed fetch on ky, with ky's own retries, timeouts and errors disabled. */
export function createSignedFetch(options: SignedFetchOptions): SignedFetch {
  const { baseUrl, credentials, clock } = options;
  const basePath = new URL(baseUrl).pathname.replace(/\/$/, '');
  const instance: KyInstance = ky.create({ retry: 0, timeout: false, throwHttpErrors: false });
  let runtime: RuntimeSupport | undefined;
  return async (request, signal, onSend) => {
    const { endpoint, method, uri, body } = request;
    const url = baseUrl + uri;
    let received: Response | undefined;
    let thrown: { readonly error: unknown } | undefined;
    // A fetch function instead of a ky hook: it runs for every attempt, and no ky error ever sees the headers that it
    // adds.
    const fetchSigned = async (): Promise<Response> => {
      try {
        const token = await credentials.token({ endpoint, method, uri: basePath + uri }, body, clock.now());
        signal.throwIfAborted();
        onSend();
        const init = requestInit(request, options, token, signal, (runtime ??= runtimeSupport()));
        received = await (options.fetch ?? globalThis.fetch)(url, init);
        if (signal.aborted || received.redirected) discard(received);
        if (received.redirected)
          throw new ConfigurationError(
            'the fetch option followed a redirect and may have sent the API key elsewhere. Pass a fetch that supports redirect: "manual"',
          );
        return received;
      } catch (error) {
        thrown = { error };
        throw error;
      }
    };
    try {
      await instance(url, { method, fetch: fetchSigned });
    } catch (error) {
      throw thrown === undefined ? error : thrown.error;
    }
    // What was received is returned, whatever ky returns.
    if (received === undefined)
      throw new ConfigurationError(
        'the request was not sent, because code alters built-in objects (Object.prototype?). Find and remove that code',
      );
    return received;
  };
}

/** What the runtime's `fetch` supports. Determined by the first request. */
interface RuntimeSupport {
  readonly streams: boolean;
  readonly cache: Pick<RequestInit, 'cache'>;
}

const runtimeSupport = (): RuntimeSupport => ({ streams: sendsStreams(), cache: noStore() });

function requestInit(
  { method, headers: callHeaders, body }: OutgoingRequest,
  { userAgent, credentials }: SignedFetchOptions,
  token: string,
  signal: AbortSignal,
  runtime: RuntimeSupport,
): RequestInit {
  const headers: Record<string, string> = {
    accept: 'application/json',
    'user-agent': userAgent,
    ...callHeaders,
    'x-api-key': credentials.apiKey,
    authorization: `Bearer ${token}`,
  };
  if (body !== undefined) headers['content-type'] = 'application/json';
  const init = { method, headers, redirect: 'manual', signal, ...runtime.cache } as const;
  if (body === undefined && methodsWithoutBody.has(method)) return init;
  const text = body ?? '';
  if (!runtime.streams) return { ...init, body: body ?? null };
  headers['content-length'] = String(encoder.encode(text).length);
  const streaming = { ...init, body: singleUseStream(text), duplex: 'half' } as const;
  return streaming;
}

const encoder = new TextEncoder();
const methodsWithoutBody: ReadonlySet<string> = new Set(['GET', 'DELETE']);

// If fetch can read a body again, it may send it again: it does so after a 421, and Deno also when the connection
// breaks. toString() is for a fetch option that cannot send web streams. Unlike a hand-made stream, a Blob's
// has a known length in workerd.
function singleUseStream(body: string): ReadableStream {
  return Object.assign(new Blob([body]).stream(), { toString: () => body });
}
