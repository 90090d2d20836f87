import ky from 'ky';
import type { ResolvedDialect } from '../contract/dialect.js';
import { isError } from '../contract/objects.js';
import { redactBody } from '../contract/redact.js';
import { describeType } from '../contract/describe.js';
import { CorridorError, type Outcome, ConfigurationError } from '../errors/api.js';
import {
  isOfType,
  parseJson,
  parseResponse,
  type ResponseMetadata,
  type ValidationMode,
  type ValidationRules,
} from './response.js';
import type { ServerClock } from './clock.js';
import {
  connectionFailure,
  isMockError,
  mockFailure,
  clientFailure,
  statusFailure,
  timeoutFailure,
  invalidResponseFailure,
  type AttemptFailure,
} from './failures.js';
import { CallStoppedError, type Deadline } from './deadline.js';
import { createRequestBody, type PreparedRequest, type RequestBody } from './request.js';
import { runtimeSupport, type RuntimeSupport } from './runtime.js';
import type { Authenticator } from './auth/token.js';

/** What an attempt needs from its client. */
export interface AttemptOptions {
  readonly signedFetch: SignedFetch;
  /** The scheme, host and port, for messages. */
  readonly origin: string;
  readonly clock: ServerClock;
  readonly dialect: ResolvedDialect;
  readonly rules: ValidationRules;
  readonly maxResponseBytes: number;
}

/** The limits of a call: timeouts in milliseconds and the number of retries. */
export interface CallLimits {
  readonly timeout: number;
  readonly totalTimeout: number;
  readonly maxRetries: number;
  /** In milliseconds. */
  readonly maxRetryAfter: number;
}

/** The result of a successful attempt. */
export interface Success extends Omit<ResponseMetadata, 'attempts'> {
  readonly data: unknown;
  /** Distinguishes it from a failure. */
  readonly error: undefined;
}

// A larger error body is not useful to anyone.
const maxErrorBodyBytes = 1024 * 1024;
// Smaller clock skew is not mentioned in errors.
const minReportedOffset = 10_000;

/** Sends a request once. Returns failures instead of throwing them: the caller decides whether to retry. */
export async function attempt(
  options: AttemptOptions,
  request: OutgoingRequest,
  deadline: Deadline,
  timeout: number,
): Promise<Success | AttemptFailure> {
  let known: Outcome = 'not-sent';
  let during = 'signing the request';
  let isSent = false;
  let hasResponse = false;
  let sentBody: RequestBody | undefined;
  let endUse = (): void => {};
  const signal = deadline.startAttempt(timeout);
  const onSend: OnSend = (body, release) => {
    endUse = release;
    request.beforeSend?.();
    isSent = true;
    sentBody = body;
    known = 'unknown';
    during = 'waiting for the response';
  };
  try {
    const response = await deadline.race(options.signedFetch(request, signal, onSend));
    // Whatever happens from here on, the response has arrived.
    hasResponse = true;
    if ((Object(response) as Response).redirected) {
      discard(response);
      throw new ConfigurationError(
        'the fetch option followed a redirect and may have sent the API key ' +
          'elsewhere. Pass a fetch that supports redirect: "manual"',
      );
    }
    assertResponse(response);
    known = outcomeOf(response, options.dialect);
    during = 'reading the response';
    // The page of a proxy is not of the platform, nor is its Date.
    const isPage = isSuccess(response) && isOfType(response.headers.get('content-type'), 'html');
    if (!isPage) options.clock.update(response.headers);
    const read: ReadBody = (maxBytes) => readText(response, maxBytes, deadline);
    return isSuccess(response)
      ? await readSuccess(options, request, response, read, known)
      : await readErrorResponse(options, response, read);
  } catch (error) {
    if (!hasResponse && sentBody?.close() === true) {
      known = 'not-sent';
      during = 'connecting';
    }
    if (error instanceof CallStoppedError) return timeoutFailure(deadline, error, known, during);
    if (error instanceof CorridorError) return clientFailure(error, known);
    if (!isSent) return clientFailure(preparationError(error, options.rules.redact), known);
    if (isMockError(error)) return mockFailure(error, known, options.rules.redact);
    return connectionFailure(error, { origin: options.origin, known, hasResponse });
  } finally {
    endUse();
    deadline.endAttempt();
  }
}

function preparationError(thrown: unknown, redact: (text: string) => string): ConfigurationError {
  const reason = isError(thrown) ? `${thrown.name}: ${thrown.message}` : typeof thrown;
  return new ConfigurationError(
    `the request could not be prepared, because of an option or of this environment (${redact(reason)}). ` +
      'Check the functions that you pass as options, and node_modules/corridor-sdk/docs/runtimes.md',
  );
}

const isSuccess = ({ status }: Response): boolean => status >= 200 && status < 300;

/** Returns the outcome that a response proves without its body: a proxy can respond with 200 and its own page. */
function outcomeOf(response: Response, dialect: ResolvedDialect): Outcome {
  if (isSuccess(response)) return isOfType(response.headers.get('content-type'), 'json') ? 'applied' : 'unknown';
  return dialect.rejectedStatuses.has(response.status) ? 'rejected' : 'unknown';
}

/** Reads the body of the response. Throws a `BodyError` if it is larger than a number of bytes, or no text. */
type ReadBody = (maxBytes: number) => Promise<string>;

async function readSuccess(
  options: AttemptOptions,
  request: OutgoingRequest,
  response: Response,
  read: ReadBody,
  known: Outcome,
): Promise<Success | AttemptFailure> {
  const { status, headers } = response;
  const success = (data: unknown): Success => ({
    data,
    status,
    headers,
    // Masking takes a while, and few callers read it.
    get requestId() {
      return readRequestId(headers, options);
    },
    error: undefined,
  });
  const unusable = (message: string): AttemptFailure =>
    invalidResponseFailure({
      issues: [{ path: '', message }],
      status,
      requestId: readRequestId(headers, options),
      outcome: known,
    });
  if (request.hasNoContent) {
    discard(response);
    return isOfType(headers.get('content-type'), 'html') ? unusable('is HTML, but must be empty') : success(undefined);
  }
  let text: string;
  try {
    text = await read(options.maxResponseBytes);
  } catch (error) {
    if (error instanceof BodyError) return unusable(error.message);
    throw error;
  }
  // The response is complete: a later failure is neither a connection error nor retryable.
  try {
    const parsed = parseResponse(request, text, headers.get('content-type') ?? '', options.rules);
    if (parsed.issues === undefined) return success(parsed.data);
    const { issues, isJson, isRetryable } = parsed;
    const body = redactOnce(parsed.body, options.rules.createMask());
    const outcome = isJson ? 'applied' : 'unknown';
    const requestId = readRequestId(headers, options);
    return invalidResponseFailure({ issues, body, status, requestId, outcome, isRetryable });
  } catch (error) {
    return unusable(`could not be validated (${isError(error) ? error.name : typeof error})`);
  }
}

/** Returns a function that redacts a body when it is first called. */
function redactOnce(body: unknown, maskSecrets: (text: string) => string): () => unknown {
  let copy: { readonly body: unknown } | undefined;
  return () => (copy ??= { body: redactBody(body, maskSecrets) }).body;
}

async function readErrorResponse(options: AttemptOptions, response: Response, read: ReadBody): Promise<AttemptFailure> {
  const { status, headers } = response;
  const { redact } = options.rules;
  const maskSecrets = options.rules.createMask();
  const masked = [...headers].map(([name, value]): [string, string] => [name, maskSecrets(value)]);
  return statusFailure(
    {
      status,
      headers: new Headers(masked),
      body: await readErrorBody(read, maskSecrets),
      requestId: readRequestId(headers, options),
      now: options.clock.now(),
      fix: status === 401 ? credentialsFix(options.clock.offset) : undefined,
      redact,
    },
    options.dialect,
  );
}

// Report the status even if the error body could not be read, unless the caller aborted.
async function readErrorBody(read: ReadBody, maskSecrets: (text: string) => string): Promise<unknown> {
  try {
    const text = await read(maxErrorBodyBytes);
    if (text === '') return undefined;
    const parsed = parseJson(text);
    return redactBody(parsed.isJson ? parsed.value : text, maskSecrets);
  } catch (error) {
    if (error instanceof CallStoppedError && error.kind === 'aborted') throw error;
    return undefined;
  }
}

function credentialsFix(offset: number): string {
  if (Math.abs(offset) < minReportedOffset)
    return (
      'check that apiKey belongs to this platform, that the public key of privateKey is registered ' +
      'there and that the clock of this machine is right, or run npx corridor-sdk doctor'
    );
  return (
    'set the clock of this machine, which ' +
    `is ${Math.round(Math.abs(offset) / 1000)} ` +
    `s ${offset > 0 ? 'behind' : 'ahead of'} the platform's`
  );
}

// Assumed: A-13, the header with the request id.
function readRequestId(headers: Headers, { dialect, rules }: AttemptOptions): string | undefined {
  for (const name of dialect.requestIdHeaders) {
    const id = headers.get(name);
    if (id !== null && id !== '') return rules.redact(id);
  }
  return undefined;
}

/** Receives the API key of the options, and returns the one to send, or throws. */
export type SelectKey = (apiKey: string) => string | Promise<string>;

/** A request with what its call adds. */
export interface OutgoingRequest extends PreparedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly validation: ValidationMode;
  readonly isBackground: boolean;
  readonly selectKey: SelectKey | undefined;
  /** Whether the failure of its call is logged as a warning. */
  readonly isOptional: boolean;
}

/** What sending a signed request needs. */
export interface SignedFetchOptions {
  readonly baseUrl: string;
  readonly authenticator: Authenticator;
  readonly clock: ServerClock;
  readonly userAgent: string;
  readonly fetch: typeof globalThis.fetch | undefined;
}

/** Signs a request, sends it once and returns the response. Redirects are not followed, and nothing is retried. */
export type SignedFetch = (request: OutgoingRequest, signal: AbortSignal, onSend: OnSend) => Promise<Response>;

/**
 * Called right before `fetch`, with the body if `fetch` can read it once only, and the function to call when the API
 * key can no longer occur in the response.
 */
type OnSend = (body: RequestBody | undefined, endUse: () => void) => void;

/** Creates the signed fetch on ky, with ky's own retries, timeouts and errors disabled. */
export function createSignedFetch(options: SignedFetchOptions): SignedFetch {
  const { baseUrl, authenticator, clock } = options;
  const basePath = new URL(baseUrl).pathname.replace(/\/$/, '');
  let runtime: RuntimeSupport | undefined;
  return async (request, signal, onSend) => {
    const { endpoint, method, uri, body } = request;
    const url = baseUrl + uri;
    let received: { readonly response: Response } | undefined;
    let thrown: { readonly error: unknown } | undefined;
    // A fetch function instead of a ky hook: it runs for every attempt, and no ky error ever sees the headers that it
    // adds.
    const fetchSigned = async (): Promise<Response> => {
      try {
        const current = await authenticator.apiKey();
        const apiKey = request.selectKey === undefined ? current : await request.selectKey(current);
        const token = await authenticator.token({ endpoint, method, uri: basePath + uri }, body, clock.now());
        signal.throwIfAborted();
        runtime ??= runtimeSupport();
        const [init, sent] = requestInit(request, options, { apiKey, token }, signal, runtime);
        const { fetch = globalThis.fetch as typeof globalThis.fetch | undefined } = options;
        if (fetch === undefined)
          throw new ConfigurationError('this environment has no fetch. Pass one as the option fetch');
        onSend(sent, authenticator.use(apiKey));
        const response = await fetch(url, init);
        received = { response };
        // Nobody waits for it any more.
        if (signal.aborted) discard(response);
        return response;
      } catch (error) {
        thrown = { error };
        throw error;
      }
    };
    try {
      await ky(url, { method, fetch: fetchSigned, retry: 0, timeout: false, throwHttpErrors: false });
    } catch (error) {
      // What was received is returned, whatever ky does with it.
      if (received === undefined) throw thrown === undefined ? error : thrown.error;
    }
    if (received === undefined)
      throw new ConfigurationError(
        'the request was not sent, because code alters built-in objects (Object.prototype?). Find and remove that code',
      );
    return received.response;
  };
}

function requestInit(
  { method, headers: callHeaders, body }: OutgoingRequest,
  { userAgent }: SignedFetchOptions,
  { apiKey, token }: { readonly apiKey: string; readonly token: string },
  signal: AbortSignal,
  { streams, cache }: RuntimeSupport,
): readonly [init: RequestInit, body?: RequestBody] {
  const headers: Record<string, string> = {
    accept: 'application/json',
    'user-agent': userAgent,
    ...callHeaders,
    'x-api-key': apiKey,
    authorization: `Bearer ${token}`,
  };
  const init = { method, headers, redirect: 'manual', signal, ...cache } as const;
  if (body === undefined && methodsWithoutBody.has(method)) return [init];
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (!streams) return [{ ...init, body: body ?? null }];
  const sent = createRequestBody(body ?? '');
  headers['content-length'] = String(sent.length);
  const streaming = { ...init, body: sent.stream, duplex: 'half' } as const;
  return [streaming, sent];
}

const methodsWithoutBody: ReadonlySet<string> = new Set(['GET', 'DELETE']);

/** Thrown if a body cannot be used. */
class BodyError extends Error {}

/** Reads a response body as a string, with a size limit after decompression. */
async function readText({ body, headers }: Response, maxBytes: number, deadline: Deadline): Promise<string> {
  if (body === null) return '';
  const reader = body.getReader();
  try {
    return decode(await deadline.race(readBytes(reader, Number(headers.get('content-length') ?? 0), maxBytes)));
  } catch (error) {
    // Not awaited, because canceling some bodies never resolves.
    void reader.cancel().catch(() => {});
    throw error;
  }
}

async function readBytes(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  declared: number,
  maxBytes: number,
): Promise<Uint8Array> {
  const tooLarge = (): BodyError => new BodyError(`is larger than ${maxBytes} bytes (maxResponseBytes)`);
  if (declared > maxBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return chunks.length === 1 ? (chunks[0] as Uint8Array) : concatBytes(chunks, length);
    length += value.byteLength;
    if (length > maxBytes) throw tooLarge();
    chunks.push(value);
  }
}

function decode(bytes: Uint8Array): string {
  try {
    // Fatal, because an invalid byte sequence in an id or an amount must not be replaced by another character.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new BodyError('is not valid UTF-8');
  }
}

function concatBytes(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

/** Throws a ConfigurationError if `fetch` returned something else than a `Response` of the web standard. */
export function assertResponse(value: unknown): asserts value is Response {
  const { status, headers, body } = Object(value) as Partial<Response>;
  const isResponse =
    typeof status === 'number' &&
    typeof headers?.get === 'function' &&
    Symbol.iterator in headers &&
    (body === null || typeof body?.getReader === 'function');
  if (!isResponse)
    throw new ConfigurationError(
      `fetch returned no Response of the web standard (received ${describeType(value)}). ` +
        'Pass the fetch of the runtime or of undici as the option fetch',
    );
}

/** Discards a response body, which frees its socket. */
export function discard(response: Response): void {
  void response.body?.cancel().catch(() => {});
}
