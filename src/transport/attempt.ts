import type { ResolvedDialect } from '../contract/dialect.js';
import { owns } from '../contract/own.js';
import { masked } from '../contract/sensitive.js';
import { CorridorError, type Outcome } from '../errors.js';
import { readAnswer, type Answer, type AnswerRules } from './answer.js';
import { BodyError, discard, readText } from './body.js';
import type { ServerClock } from './clock.js';
import type { Exchange } from './exchange.js';
import { connectionFailure, localFailure, statusFailure, stoppedFailure, unusableFailure, type Failure } from './failures.js';
import { Stopped, type Limits } from './limits.js';
import type { PreparedRequest } from './request.js';
import { retryAfter } from './retries.js';

/** What one attempt needs of its client. */
export interface AttemptOptions {
  readonly exchange: Exchange;
  /** Scheme, host and port, for messages. */
  readonly origin: string;
  readonly clock: ServerClock;
  readonly dialect: ResolvedDialect;
  readonly rules: AnswerRules;
  readonly maxResponseBytes: number;
  /** Whether requests go by the runtime's own `fetch`. */
  readonly isRuntimesFetch: boolean;
}

/** What bounds a call, in milliseconds and in further attempts. */
export interface Bounds {
  readonly timeout: number;
  readonly deadline: number;
  readonly retries: number;
}

/** How a successful attempt ends. */
export type Success = Omit<Answer<unknown>, 'attempts'>;

// Beyond this, an error body is of no use to anyone.
const longestErrorBody = 1024 * 1024;
// From here on, a clock that is off is worth telling.
const notableOffset = 10_000;

/** Sends a request once. What goes wrong is an answer, not an exception: the call decides what becomes of it. */
export async function attempt(options: AttemptOptions, request: PreparedRequest, limits: Limits, bounds: Bounds): Promise<Success | Failure> {
  let known: Outcome = 'not-sent';
  let during = 'being signed';
  const signal = limits.begin(bounds.timeout);
  const onSend = (): void => {
    known = 'unknown';
    during = 'waiting for the answer';
  };
  try {
    const response = await limits.run(options.exchange(request, signal, onSend));
    options.clock.learn(response.headers);
    known = outcomeOf(response.status, options.dialect);
    during = 'reading the answer';
    return response.ok
      ? await succeed(options, request, response, limits, signal)
      : await refuse(options, response, limits, signal);
  } catch (thrown) {
    if (thrown instanceof Stopped) return stoppedFailure(thrown.stop, known, bounds, during);
    if (thrown instanceof CorridorError) return localFailure(thrown, known);
    return connectionFailure(thrown, options.origin, known, options.isRuntimesFetch);
  }
}

function outcomeOf(status: number, dialect: ResolvedDialect): Outcome {
  if (status >= 200 && status < 300) return 'applied';
  return dialect.rejects.has(status) ? 'rejected' : 'unknown';
}

async function succeed(options: AttemptOptions, request: PreparedRequest, response: Response, limits: Limits, signal: AbortSignal): Promise<Success | Failure> {
  const { status, headers } = response;
  const requestId = requestIdOf(headers, options);
  if (request.answer === 'nothing') {
    discard(response);
    return { data: undefined, status, headers, requestId };
  }
  let text: string;
  try {
    text = await limits.run(readText(response, options.maxResponseBytes, signal));
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    return unusableFailure([{ path: '', message: error.message }], undefined, status, requestId, false);
  }
  const read = readAnswer(request, text, headers.get('content-type') ?? '', options.rules);
  return owns(read, 'data') ? { data: read.data, status, headers, requestId } : unusableFailure(read.issues, masked(read.body), status, requestId, read.passing);
}

async function refuse(options: AttemptOptions, response: Response, limits: Limits, signal: AbortSignal): Promise<Failure> {
  const { status, headers } = response;
  const { clock, dialect, rules: { scrub } } = options;
  return statusFailure({
    status, headers,
    body: masked(await errorBody(response, limits, signal)),
    requestId: requestIdOf(headers, options),
    retryAfter: retryAfter(headers, clock.now()),
    hint: status === 401 ? credentialsHint(clock.offset) : undefined,
    scrub,
  }, dialect);
}

// The status says more than a body that broke off: only the caller's own signal keeps it from being told.
async function errorBody(response: Response, limits: Limits, signal: AbortSignal): Promise<unknown> {
  let text: string;
  try {
    text = await limits.run(readText(response, longestErrorBody, signal));
  } catch (error) {
    if (error instanceof Stopped && error.stop.kind === 'aborted') throw error;
    return undefined;
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text === '' ? undefined : text;
  }
}

function credentialsHint(offset: number): string {
  if (Math.abs(offset) < notableOffset) return 'see that apiKey is of this platform, and that the public half of the private key is registered there (npx corridor doctor tells)';
  return `your clock is ${Math.round(Math.abs(offset) / 1000)} s ${offset > 0 ? 'behind' : 'ahead of'} the platform's`;
}

// Assumed: A-13, where the request's id stands.
function requestIdOf(headers: Headers, { dialect, rules }: AttemptOptions): string | undefined {
  for (const name of dialect.requestIdHeaders) {
    const id = headers.get(name);
    if (id !== null && id !== '') return rules.scrub(id);
  }
  return undefined;
}
