import type { ResolvedDialect } from '../../contract/dialect.js';
import { redactBody } from '../../contract/redact.js';
import { CorridorError, type Outcome } from '../../errors/api.js';
import { parseJson, parseResponse, type ParsedResponse, type ValidationRules } from '../response/parse-response.js';
import { BodyError, discard, readText } from '../response/read-body.js';
import type { ServerClock } from '../timing/server-clock.js';
import type { OutgoingRequest, SignedFetch } from '../signed-fetch.js';
import {
  connectionFailure,
  isMockError,
  mockFailure,
  clientFailure,
  statusFailure,
  timeoutFailure,
  invalidResponseFailure,
  type AttemptFailure,
} from '../map-error.js';
import { CallStoppedError, type CallTimeouts } from '../timing/call-timeouts.js';
import type { PreparedRequest } from '../request/build-request.js';
import { retryAfter } from './retry-policy.js';

/** What an attempt needs from its client. */
export interface AttemptOptions {
  readonly signedFetch: SignedFetch;
  /** The scheme, host and port, for messages. */
  readonly origin: string;
  /** The host of the proxy of the environment, for messages. */
  readonly proxy: string | undefined;
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
}

/** The result of a successful attempt. */
export interface Success extends Omit<ParsedResponse<unknown>, 'attempts'> {
  /** Distinguishes it from a failure. An own property, so that additions to Object.prototype have no effect. */
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
  timeouts: CallTimeouts,
  limits: CallLimits,
): Promise<Success | AttemptFailure> {
  let known: Outcome = 'not-sent';
  let during = 'signing the request';
  let hasResponse = false;
  const signal = timeouts.startAttempt(limits.timeout);
  const onSend = (): void => {
    known = 'unknown';
    during = 'waiting for the response';
  };
  try {
    const response = await timeouts.race(options.signedFetch(request, signal, onSend));
    // Whatever happens from here on, the response has arrived.
    hasResponse = true;
    known = outcomeOf(response.status, options.dialect);
    during = 'reading the response';
    options.clock.update(response.headers);
    return known === 'applied'
      ? await readSuccess(options, request, response, timeouts, signal)
      : await readErrorResponse(options, response, timeouts, signal);
  } catch (error) {
    if (error instanceof CallStoppedError) return timeoutFailure(error.reason, known, limits, during);
    if (error instanceof CorridorError) return clientFailure(error, known);
    if (isMockError(error)) return mockFailure(error, known, options.rules.redact);
    const { origin, proxy } = options;
    return connectionFailure(error, { origin, known, hasResponse, address: 'baseUrl', proxy });
  } finally {
    timeouts.endAttempt();
  }
}

function outcomeOf(status: number, dialect: ResolvedDialect): Outcome {
  if (status >= 200 && status < 300) return 'applied';
  return dialect.rejectedStatuses.has(status) ? 'rejected' : 'unknown';
}

async function readSuccess(
  options: AttemptOptions,
  request: PreparedRequest,
  response: Response,
  timeouts: CallTimeouts,
  signal: AbortSignal,
): Promise<Success | AttemptFailure> {
  const { status, headers } = response;
  const requestId = readRequestId(headers, options);
  if (request.responseKind === 'nothing') {
    discard(response);
    return { data: undefined, status, headers, requestId, error: undefined };
  }
  let text: string;
  try {
    text = await timeouts.race(readText(response, options.maxResponseBytes, signal));
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    return invalidResponseFailure([{ path: '', message: error.message }], undefined, status, requestId, false);
  }
  // The response is complete: a later failure is neither a connection error nor retryable.
  try {
    const parsed = parseResponse(request, text, headers.get('content-type') ?? '', options.rules);
    return parsed.issues === undefined
      ? { data: parsed.data, status, headers, requestId, error: undefined }
      : invalidResponseFailure(
          parsed.issues,
          redactOnce(parsed.body, options.rules.maskSecrets),
          status,
          requestId,
          parsed.isRetryable,
        );
  } catch (error) {
    return invalidResponseFailure(
      [{ path: '', message: `could not be validated (${error instanceof Error ? error.name : typeof error})` }],
      undefined,
      status,
      requestId,
      false,
    );
  }
}

/** Returns a function that redacts a body when it is first called. */
function redactOnce(body: unknown, maskSecrets: (text: string) => string): () => unknown {
  let copy: { readonly body: unknown } | undefined;
  return () => (copy ??= { body: redactBody(body, maskSecrets) }).body;
}

async function readErrorResponse(
  options: AttemptOptions,
  response: Response,
  timeouts: CallTimeouts,
  signal: AbortSignal,
): Promise<AttemptFailure> {
  const { status, headers } = response;
  const {
    clock,
    dialect,
    rules: { redact, maskSecrets },
  } = options;
  return statusFailure(
    {
      status,
      headers: new Headers([...headers].map(([name, value]): [string, string] => [name, maskSecrets(value)])),
      body: await readErrorBody(response, timeouts, signal, maskSecrets),
      requestId: readRequestId(headers, options),
      retryAfter: retryAfter(headers, clock.now()),
      fix: status === 401 ? credentialsFix(clock.offset) : undefined,
      redact,
    },
    dialect,
  );
}

// Report the status even if the error body could not be read, unless the caller aborted.
async function readErrorBody(
  response: Response,
  timeouts: CallTimeouts,
  signal: AbortSignal,
  maskSecrets: (text: string) => string,
): Promise<unknown> {
  let text: string;
  try {
    text = await timeouts.race(readText(response, maxErrorBodyBytes, signal));
  } catch (error) {
    if (error instanceof CallStoppedError && error.reason.kind === 'aborted') throw error;
    return undefined;
  }
  if (text === '') return undefined;
  const parsed = parseJson(text);
  try {
    return redactBody(parsed.isJson ? parsed.value : text, maskSecrets);
  } catch {
    return undefined;
  }
}

function credentialsFix(offset: number): string {
  if (Math.abs(offset) < minReportedOffset)
    return 'check that apiKey belongs to this platform and that the public key of privateKey is registered there, or run npx corridor doctor';
  return `set the clock of this machine, which is ${Math.round(Math.abs(offset) / 1000)} s ${offset > 0 ? 'behind' : 'ahead of'} the platform's`;
}

// Assumed: A-13, the header with the request id.
function readRequestId(headers: Headers, { dialect, rules }: AttemptOptions): string | undefined {
  for (const name of dialect.requestIdHeaders) {
    const id = headers.get(name);
    if (id !== null && id !== '') return rules.redact(id);
  }
  return undefined;
}
