import type { Hooks } from '../index.js';
import { telemetryHooks, type TelemetryOptions } from './hooks.js';

interface Channel {
  subscribe(listener: (event: unknown) => void): void;
  unsubscribe(listener: (event: unknown) => void): void;
}

/** Returns a channel of Node's diagnostics_channel. */
function diagnosticsChannel(name: string): Channel {
  interface NodeLike {
    readonly process?: { readonly getBuiltinModule?: (name: string) => { channel(name: string): Channel } | undefined };
  }
  const channel = (globalThis as NodeLike).process?.getBuiltinModule?.('node:diagnostics_channel')?.channel(name);
  if (channel === undefined)
    throw new Error(
      'observeAllClients requires diagnostics_channel of Node, Bun or Deno. In other runtimes, pass telemetryHooks() as `hooks` to each client',
    );
  return channel;
}

/**
 * Records the telemetry of `telemetryHooks` for every client of the process, including clients that libraries create.
 * Returns a function that stops it. Do not pass `telemetryHooks()` to a client as well, which would record it twice.
 *
 * @throws Error in a runtime without `diagnostics_channel`.
 * @example
 * ```ts
 * import { observeAllClients } from 'corridor-sdk/opentelemetry';
 * const stop = observeAllClients();
 * process.once('SIGTERM', stop);
 * ```
 */
export function observeAllClients(options: TelemetryOptions = {}): () => void {
  const hooks = telemetryHooks(options) as Required<{ readonly [name in keyof Hooks]: (event: never) => void }>;
  const subscriptions = Object.entries(hooks).map(([name, hook]) => ({
    channel: diagnosticsChannel(`corridor-sdk:${name.slice('on'.length).toLowerCase()}`),
    listener: hook as (event: unknown) => void,
  }));
  for (const { channel, listener } of subscriptions) channel.subscribe(listener);
  return () => {
    for (const { channel, listener } of subscriptions) channel.unsubscribe(listener);
  };
}
