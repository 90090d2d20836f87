import ky, { type KyInstance } from 'ky';
import { ConfigurationError } from '../errors.js';
import { discard } from './body.js';
import type { ServerClock } from './clock.js';
import type { Credentials } from './credentials.js';
import { refusePollution } from './pollution.js';
import type { PreparedRequest } from './request.js';
import { resending } from './runtime.js';

/** What one exchange with the platform needs. */
export interface ExchangeOptions {
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly clock: ServerClock;
  readonly userAgent: string;
  readonly fetch: typeof globalThis.fetch | undefined;
}

/** One request, one answer: signed here, and nowhere followed or repeated. */
export type Exchange = (request: PreparedRequest, signal: AbortSignal, onSend: () => void) => Promise<Response>;

/** The way to the platform: ky, with everything of its own that decides about a request switched off. */
export function createExchange(options: ExchangeOptions): Exchange {
  const { baseUrl, credentials, clock } = options;
  const basePath = new URL(baseUrl).pathname.replace(/\/$/, '');
  const instance: KyInstance = ky.create({
    prefix: baseUrl, retry: 0, timeout: false, throwHttpErrors: false, redirect: 'manual', hooks: {},
  });
  return async (request, signal, onSend) => {
    let thrown: { readonly error: unknown } | undefined;
    let answered: Response | undefined;
    // In here, and not in a hook of ky's: it runs for every attempt, and no error of ky's ever sees what it adds.
    const signedFetch = async (outgoing: Request): Promise<Response> => {
      if (outgoing.url !== baseUrl + request.uri || outgoing.method !== request.method) throw tampered();
      const token = await credentials.token({ endpoint: request.endpoint, method: request.method, uri: basePath + request.uri }, request.body, clock.now());
      signal.throwIfAborted();
      refusePollution();
      onSend();
      const response = await (options.fetch ?? globalThis.fetch)(outgoing.url, requestInit(request, options, token, signal));
      if (signal.aborted || response.redirected) discard(response);
      if (response.redirected) throw new ConfigurationError('the fetch option followed a redirect, and may have carried the API key away; it must heed redirect: "manual"');
      return response;
    };
    const guarded = async (outgoing: string | URL | Request): Promise<Response> => {
      try {
        return (answered = await signedFetch(outgoing as Request));
      } catch (error) {
        thrown = { error };
        throw error;
      }
    };
    let response: Response;
    try {
      response = await instance(request.uri.slice(1), { method: request.method, fetch: guarded });
    } catch (error) {
      throw thrown === undefined ? error : thrown.error;
    }
    if (response !== answered) throw tampered();
    return response;
  };
}

function tampered(): ConfigurationError {
  return new ConfigurationError('the request was changed on its way by something that alters built-in objects (Object.prototype?)');
}

// Every field is set and nothing is inherited: what was added to Object.prototype has no say.
function requestInit(request: PreparedRequest, options: ExchangeOptions, token: string, signal: AbortSignal): RequestInit {
  const defaults = { accept: 'application/json', 'user-agent': options.userAgent };
  const headers = Object.assign(Object.create(null) as Record<string, string>, defaults, request.headers, {
    'x-api-key': options.credentials.apiKey,
    authorization: `Bearer ${token}`,
  });
  if (request.body !== undefined) headers['content-type'] = 'application/json';
  return Object.assign(Object.create(null) as RequestInit, {
    method: request.method, headers, redirect: 'manual', signal, ...bodyFor(request.body, options.fetch === undefined),
  });
}

/** A body as a stream where the runtime would send it again by itself: that would be a payment sent twice by one attempt. */
function bodyFor(body: string | undefined, isRuntimes: boolean): { readonly body: BodyInit | null; readonly duplex?: 'half' } {
  if (body === undefined || !isRuntimes || !resending().bodies) return { body: body ?? null };
  const bytes = new TextEncoder().encode(body);
  const once = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
  return { body: once, duplex: 'half' };
}
