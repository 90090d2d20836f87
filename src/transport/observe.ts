import type { ErrorCode, Outcome } from '../errors.js';

/** What every event of a call tells. No ids of records, no queries, no bodies, no headers: nothing in it is secret. */
export interface CallEvent {
  /** Tells calls apart that are under way at once: random, and the same in all events of a call. */
  readonly call: string;
  /** The endpoint, such as `payments.create`. */
  readonly endpoint: string;
  /** The HTTP method. */
  readonly method: string;
  /** The path with `{name}` where ids stand: fit for `url.template`. */
  readonly path: string;
  /** The number of the attempt; the first is 1. */
  readonly attempt: number;
}

/** An attempt begins. */
export interface RequestEvent extends CallEvent {
  /** Tells the events apart. */
  readonly type: 'request';
}

/** An answer came, of whatever status. */
export interface ResponseEvent extends CallEvent {
  /** Tells the events apart. */
  readonly type: 'response';
  /** The HTTP status. */
  readonly status: number;
  /** `invalid-response` where the status is a success and the answer cannot be used. */
  readonly fault: string | undefined;
  /** The platform's id of the request, where it sent one. */
  readonly requestId: string | undefined;
  /** How long the attempt took, in milliseconds. */
  readonly duration: number;
}

/** An attempt failed, and another one follows. */
export interface RetryEvent extends CallEvent {
  /** Tells the events apart. */
  readonly type: 'retry';
  /** The HTTP status, where an answer came. */
  readonly status: number | undefined;
  /** What went wrong, where no usable answer came. */
  readonly fault: string | undefined;
  /** How long is waited before the next attempt, in milliseconds. */
  readonly wait: number;
}

/** The call failed. */
export interface ErrorEvent extends CallEvent {
  /** Tells the events apart. */
  readonly type: 'error';
  /** The error's code. */
  readonly code: ErrorCode;
  /** What is known of the call. */
  readonly outcome: Outcome;
  /** The HTTP status of the last attempt, where an answer came. */
  readonly status: number | undefined;
  /** The platform's id of the last answer. */
  readonly requestId: string | undefined;
  /** How long the whole call took, in milliseconds. */
  readonly duration: number;
}

/** A page that was fetched ahead was given up, because the walk through its list ended before it came. Nothing failed. */
export interface CancelEvent extends CallEvent {
  /** Tells the events apart. */
  readonly type: 'cancel';
  /** How long the call lasted, in milliseconds. */
  readonly duration: number;
}

/** Functions that hear of what calls do, for metrics and traces. What they throw, or reject with, is dropped: they cannot make a call fail. */
export interface Hooks {
  /** An attempt begins. */
  readonly request?: ((event: RequestEvent) => void) | undefined;
  /** An answer came. */
  readonly response?: ((event: ResponseEvent) => void) | undefined;
  /** An attempt failed, and another one follows. */
  readonly retry?: ((event: RetryEvent) => void) | undefined;
  /** A call failed. */
  readonly error?: ((event: ErrorEvent) => void) | undefined;
  /** A page that was fetched ahead was given up. */
  readonly cancel?: ((event: CancelEvent) => void) | undefined;
}

/** Where log lines go; `console` will do. Requests, answers and pages given up are `debug`, retries `warn`, failed calls `error`. */
export interface Logger {
  /** Takes a line and its fields. */
  readonly debug: (line: string, fields: object) => void;
  /** Takes a line and its fields. */
  readonly warn: (line: string, fields: object) => void;
  /** Takes a line and its fields. */
  readonly error: (line: string, fields: object) => void;
}

/** One of the events of a call. */
export type AnyEvent = RequestEvent | ResponseEvent | RetryEvent | ErrorEvent | CancelEvent;

/** Tells hooks, logger and Node's diagnostics_channel of an event. */
export type Observe = (event: AnyEvent) => void;

/** Makes the teller; channels are `corridor-sdk:request`, `:response`, `:retry`, `:error` and `:cancel`. */
export function createObserve(hooks: Hooks, logger: Logger | undefined): Observe {
  const channels = channelsOf();
  return (event) => {
    // Called on the object, which may be an instance of a class.
    const told = hooks as { readonly [type in AnyEvent['type']]?: ((event: AnyEvent) => unknown) | undefined };
    const channel = channels?.[event.type];
    if (told[event.type] === undefined && logger === undefined && channel?.hasSubscribers !== true) return;
    Object.freeze(event);
    quietly(() => told[event.type]?.(event));
    quietly(() => channel?.publish(event));
    quietly(() => logger?.[levels[event.type]](lineOf(event), event));
  };
}

/** Calls what is the caller's own; what it throws, or a promise of it rejects with, cannot make a call fail. */
export function quietly(tell: () => unknown): void {
  try {
    const returned = tell();
    if (typeof returned === 'object' && returned !== null) Promise.resolve(returned).catch(() => {});
  } catch {
    // Whoever watches a payment must not be able to lose it.
  }
}

const levels = { request: 'debug', response: 'debug', retry: 'warn', error: 'error', cancel: 'debug' } as const;

function lineOf(event: AnyEvent): string {
  const what = `${event.endpoint} (${event.method} ${event.path}), attempt ${event.attempt}`;
  switch (event.type) {
    case 'request':
      return `${what}: sending`;
    case 'response':
      return `${what}: ${event.status} in ${Math.round(event.duration)} ms`;
    case 'retry':
      return `${what}: ${event.fault ?? event.status}, again in ${event.wait} ms`;
    case 'error':
      return `${what}: ${event.code}, outcome ${event.outcome}, after ${Math.round(event.duration)} ms`;
    case 'cancel':
      return `${what}: not wanted any more, after ${Math.round(event.duration)} ms`;
  }
}

interface Channel {
  readonly hasSubscribers: boolean;
  publish(message: unknown): void;
}

// Reached through globalThis: the core runs where Node's modules are not.
function channelsOf(): Readonly<Record<AnyEvent['type'], Channel>> | undefined {
  interface NodeLike { readonly process?: { readonly getBuiltinModule?: (name: string) => { channel(name: string): Channel } | undefined } }
  const module = (globalThis as NodeLike).process?.getBuiltinModule?.('node:diagnostics_channel');
  if (module === undefined) return undefined;
  const channel = (type: AnyEvent['type']): Channel => module.channel(`corridor-sdk:${type}`);
  return { request: channel('request'), response: channel('response'), retry: channel('retry'), error: channel('error'), cancel: channel('cancel') };
}
