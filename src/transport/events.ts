import { type ErrorCode, type Outcome, CorridorError } from '../errors/api.js';
import type { Timing } from './clock.js';

/**
 * The fields of every event of a call. Contains no record ids, queries, bodies or headers, so nothing in it is secret.
 */
export interface CallEvent {
  /** A random id that all events of one call share. */
  readonly callId: string;
  /** The endpoint, such as `payments.create`. */
  readonly endpoint: string;
  /** The scheme, host and port of `baseUrl`, such as `https://api.example.com`. */
  readonly origin: string;
  /** The HTTP method. */
  readonly method: string;
  /** The path with `{name}` in place of ids, suitable for `url.template`. */
  readonly pathTemplate: string;
  /** The number of the attempt; the first is 1. */
  readonly attempt: number;
}

/** An attempt begins. */
export interface RequestEvent extends CallEvent {
  /** The kind of event. */
  readonly type: 'request';
}

/** A response arrived, with any status. */
export interface ResponseEvent extends CallEvent {
  /** The kind of event. */
  readonly type: 'response';
  /** The HTTP status. */
  readonly status: number;
  /** `invalid-response` if the status is a success but the response cannot be used. */
  readonly errorType: string | undefined;
  /** The platform's id of the request, if it sent one. */
  readonly requestId: string | undefined;
  /** How long the attempt took, in milliseconds. */
  readonly duration: number;
}

/** An attempt failed, and another one follows. */
export interface RetryEvent extends CallEvent {
  /** The kind of event. */
  readonly type: 'retry';
  /** The HTTP status, if there was a response. */
  readonly status: number | undefined;
  /** The kind of failure, if there was no usable response. */
  readonly errorType: string | undefined;
  /** The delay before the next attempt, in milliseconds. */
  readonly delay: number;
}

/** The call failed. */
export interface RequestErrorEvent extends CallEvent {
  /** The kind of event. */
  readonly type: 'error';
  /** The code of the error. */
  readonly code: ErrorCode;
  /** Whether the call took effect. */
  readonly outcome: Outcome;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  /** The HTTP status of the last attempt, if there was a response. */
  readonly status: number | undefined;
  /** The platform's id of the last response. */
  readonly requestId: string | undefined;
  /** How long the whole call took, in milliseconds. */
  readonly duration: number;
}

/** The option `rateLimit` was lowered, because the platform responded with 429. It grows back within a minute. */
export interface ThrottleEvent extends CallEvent {
  /** The kind of event. */
  readonly type: 'throttle';
  /** The rate at which the client sends requests now. */
  readonly requestsPerSecond: number;
}

/** A prefetched page was canceled, because iteration ended before it arrived. Nothing failed. */
export interface CancelEvent extends CallEvent {
  /** The kind of event. */
  readonly type: 'cancel';
  /** How long the call lasted, in milliseconds. */
  readonly duration: number;
}

/**
 * A call that is built on several requests starts, such as `payments.createOnce`, or one poll of `payments.changes`.
 */
export interface WorkflowEvent {
  /** The kind of event. */
  readonly type: 'workflow';
  /** The name of the call, such as `payments.createOnce`. */
  readonly workflow: string;
  /** Follows the workflow to its end. Call it before the hook returns. */
  readonly observe: (observer: WorkflowObserver) => void;
}

/** Follows one workflow. Errors that its functions throw are ignored. */
export interface WorkflowObserver {
  /**
   * Runs a part of the workflow, for example in an async context that its requests then have. It must call `work` once
   * and return what `work` returns. A workflow can have several parts, one after another.
   */
  readonly run?: (<T>(work: () => Promise<T>) => Promise<T>) | undefined;
  /** The workflow has ended. */
  readonly end?: ((result: WorkflowResult) => void) | undefined;
}

/** How a workflow ended. Contains no ids and no values. */
export interface WorkflowResult {
  /** How long it took, in milliseconds. */
  readonly duration: number;
  /** The code of its error; `other` if the error is not one of this package; undefined if it succeeded. */
  readonly errorType: ErrorCode | 'other' | undefined;
  /** The outcome of its error. */
  readonly outcome: Outcome | undefined;
  /** Whether `createOnce` created the payment. */
  readonly created: boolean | undefined;
  /** Whether `createOnce` found the payment in the list. */
  readonly recovered: boolean | undefined;
}

/**
 * Functions that are called with the events of calls, for metrics and traces: an object of them, or an instance of a
 * class with these methods. Errors that they throw are ignored: they cannot make a call fail.
 */
export interface Hooks {
  /** An attempt begins. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
  /** A response arrived. */
  readonly onResponse?: ((event: ResponseEvent) => void) | undefined;
  /** An attempt failed, and another one follows. */
  readonly onRetry?: ((event: RetryEvent) => void) | undefined;
  /** A call failed. */
  readonly onError?: ((event: RequestErrorEvent) => void) | undefined;
  /** A prefetched page was canceled. */
  readonly onCancel?: ((event: CancelEvent) => void) | undefined;
  /** The rate limit was lowered. */
  readonly onThrottle?: ((event: ThrottleEvent) => void) | undefined;
  /** A call that is built on several requests starts. */
  readonly onWorkflow?: ((event: WorkflowEvent) => void) | undefined;
}

/**
 * Receives log lines; `console` works. Requests, responses and canceled pages are `debug`, retries and lowered rate
 * limits `warn`, failed calls `error`; failed requests of `createOnce`, which can still find the payment, `warn`.
 */
export interface Logger {
  /** Logs a message and its fields. */
  readonly debug: (message: string, fields: object) => void;
  /** Logs a message and its fields. */
  readonly warn: (message: string, fields: object) => void;
  /** Logs a message and its fields. */
  readonly error: (message: string, fields: object) => void;
}

/** One of the events of a call. */
export type AnyEvent = RequestEvent | ResponseEvent | RetryEvent | RequestErrorEvent | CancelEvent | ThrottleEvent;

/** The abort reason of a prefetched page that is no longer needed. Its call emits `cancel` instead of `error`. */
export const prefetchCanceled: unique symbol = Symbol('a prefetched page is no longer needed');
/**
 * Reports an event to hooks, the logger and Node's diagnostics_channel. `fields` is called only if one of them listens.
 * `level` is that of the log line, if it is another one than that of the event.
 */
export type Emit = <T extends AnyEvent['type']>(
  type: T,
  fields: () => Omit<Extract<AnyEvent, { readonly type: T }>, 'type'>,
  level?: keyof Logger,
) => void;

/**
 * Creates the event emitter; its channels are `corridor-sdk:request`, `:response`, `:retry`, `:error`, `:cancel`
 * and `:throttle`.
 */
export function createEmitter(hooks: readonly Hooks[], logger: Logger | undefined): Emit {
  const channels = new Map(Object.keys(kinds).map((type) => [type, diagnosticsChannel(type)]));
  // Called as methods, because hooks may be an instance of a class.
  const handlers = hooks as readonly { readonly [name in keyof Hooks]?: ((event: AnyEvent) => unknown) | undefined }[];
  return (type, fields, level = kinds[type].level) => {
    const { hook } = kinds[type];
    const channel = channels.get(type);
    if (handlers.every((each) => each[hook] === undefined) && logger === undefined && channel?.hasSubscribers !== true)
      return;
    const event = Object.freeze({ type, ...fields() }) as AnyEvent;
    for (const each of handlers) ignoreErrors(() => each[hook]?.(event));
    ignoreErrors(() => channel?.publish(event));
    ignoreErrors(() => logger?.[level](formatEvent(event), fieldsForLogger(event)));
  };
}

/**
 * Returns the fields for a logger. On `console` of Node, they need one line with the message, which contains the
 * others.
 */
function fieldsForLogger(event: AnyEvent): object {
  const { callId, requestId } = event as { readonly callId: string; readonly requestId?: string };
  const inspect = (_depth: number, options: object, toText: (value: object, options: object) => string): string =>
    toText({ callId, ...(requestId !== undefined && { requestId }) }, { ...options, breakLength: Infinity });
  return Object.freeze(
    Object.defineProperty({ ...event }, Symbol.for('nodejs.util.inspect.custom'), { value: inspect }),
  );
}

/** Calls a user-supplied function and ignores what it throws or rejects with. */
export function ignoreErrors(callback: () => unknown): void {
  try {
    const returned = callback();
    if (typeof returned === 'object' && returned !== null) Promise.resolve(returned).catch(() => {});
  } catch {
    // An observer must never be able to break a payment.
  }
}

/** The hook of each event, and the level of its log line. */
const kinds = {
  request: { hook: 'onRequest', level: 'debug' },
  response: { hook: 'onResponse', level: 'debug' },
  retry: { hook: 'onRetry', level: 'warn' },
  error: { hook: 'onError', level: 'error' },
  cancel: { hook: 'onCancel', level: 'debug' },
  throttle: { hook: 'onThrottle', level: 'warn' },
} as const;

function formatEvent(event: AnyEvent): string {
  const call = `${event.endpoint} (${event.method} ${event.pathTemplate}), attempt ${event.attempt}`;
  switch (event.type) {
    case 'request':
      return `${call}: sending`;
    case 'response':
      return `${call}: ${event.status} in ${Math.round(event.duration)} ms`;
    case 'retry':
      return `${call}: ${event.errorType ?? event.status}, retrying in ${event.delay} ms`;
    case 'error':
      return `${call}: ${event.code}, outcome ${event.outcome}, after ${Math.round(event.duration)} ms`;
    case 'cancel':
      return `${call}: canceled after ${Math.round(event.duration)} ms, no longer needed`;
    case 'throttle':
      return `${call}: 429, lowering the rate to ${event.requestsPerSecond.toFixed(2)} requests per second`;
  }
}

/** What the result of `createOnce` adds to its report. */
type WorkflowDetails = Partial<Pick<WorkflowResult, 'created' | 'recovered'>>;

/** Reports workflows to the hook `onWorkflow` and to the channel `corridor-sdk:workflow`. */
export interface WorkflowTracer {
  /** Reports a workflow that is one promise. `describe` returns what its result adds to the report. */
  trace<T>(workflow: string, work: () => Promise<T>, describe?: (result: T) => WorkflowDetails): Promise<T>;
  /** Reports a workflow that yields values. The code of the consumer does not run in the context of the observers. */
  iterate<T>(workflow: string, values: AsyncGenerator<T, void, undefined>): AsyncGenerator<T, void, undefined>;
}

/** One workflow that is being reported. */
interface Trace {
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Only the first call counts. */
  end(result: WorkflowDetails & { readonly error?: unknown }): void;
}

const untraced: Trace = { run: (work) => work(), end: () => {} };

/** Creates the tracer of a client. Without a hook or a subscriber, it does nothing. */
export function createTracer(hooks: readonly Hooks[], timing: Timing): WorkflowTracer {
  const channel = diagnosticsChannel('workflow');
  const start = (workflow: string): Trace => {
    if (hooks.every(({ onWorkflow }) => onWorkflow === undefined) && channel?.hasSubscribers !== true) return untraced;
    const observers: WorkflowObserver[] = [];
    const observe = (observer: WorkflowObserver): void => void observers.push(observer);
    const event = Object.freeze({ type: 'workflow' as const, workflow, observe });
    for (const each of hooks) ignoreErrors(() => each.onWorkflow?.(event));
    ignoreErrors(() => channel?.publish(event));
    return createTrace(observers, timing);
  };
  return {
    async trace(workflow, work, describe = () => ({})) {
      const trace = start(workflow);
      try {
        const result = await trace.run(work);
        trace.end(describe(result));
        return result;
      } catch (error) {
        trace.end({ error });
        throw error;
      }
    },
    async *iterate(workflow, values) {
      const trace = start(workflow);
      try {
        for (;;) {
          const { done, value } = await trace.run(() => values.next());
          if (done === true) return;
          yield value;
        }
      } catch (error) {
        trace.end({ error });
        throw error;
      } finally {
        await values.return();
        trace.end({});
      }
    },
  };
}

function createTrace(observers: readonly WorkflowObserver[], timing: Timing): Trace {
  const started = timing.elapsed();
  let ended = false;
  return {
    run: (work) => observers.reduceRight<typeof work>((inner, observer) => runIn(observer, inner), work)(),
    end: ({ error, created, recovered }) => {
      if (ended) return;
      ended = true;
      const known = error instanceof CorridorError ? error : undefined;
      const result: WorkflowResult = Object.freeze({
        duration: timing.elapsed() - started,
        errorType: known?.code ?? (error === undefined ? undefined : ('other' as const)),
        outcome: known?.outcome,
        created,
        recovered,
      });
      for (const observer of observers) ignoreErrors(() => observer.end?.(result));
    },
  };
}

// An observer that throws, or that calls the work twice or never, must not be able to break a payment.
function runIn<T>(observer: WorkflowObserver, work: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined;
  const start = (): Promise<T> => (started ??= work());
  return () => {
    ignoreErrors(() => observer.run?.(start));
    return start();
  };
}

/** A channel of Node's diagnostics_channel. */
interface Channel {
  readonly hasSubscribers: boolean;
  publish(message: unknown): void;
  subscribe(listener: (event: unknown) => void): void;
  unsubscribe(listener: (event: unknown) => void): void;
}

/** Returns the channel of an event; undefined in runtimes without Node's modules. */
export function diagnosticsChannel(type: string): Channel | undefined {
  interface NodeLike {
    readonly process?: { readonly getBuiltinModule?: (name: string) => { channel(name: string): Channel } | undefined };
  }
  return (globalThis as NodeLike).process
    ?.getBuiltinModule?.('node:diagnostics_channel')
    ?.channel(`corridor-sdk:${type}`);
}
