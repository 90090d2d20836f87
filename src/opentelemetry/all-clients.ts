import type { Hooks } from '../index.js';
import { diagnosticsChannel } from '../transport/events.js';
import { telemetryHooks, type TelemetryOptions } from './hooks.js';

/**
 * Records the telemetry of `telemetryHooks` for every client of the process, including clients that libraries create.
 * Returns a function that stops it.
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
  const subscriptions = Object.entries(hooks).map(([name, hook]) => {
    const channel = diagnosticsChannel(name.slice('on'.length).toLowerCase());
    if (channel === undefined)
      throw new Error(
        'observeAllClients requires diagnostics_channel of Node, Bun or Deno. In other ' +
          'runtimes, pass telemetryHooks() as `hooks` to each client',
      );
    return { channel, listener: hook as (event: unknown) => void };
  });
  for (const { channel, listener } of subscriptions) channel.subscribe(listener);
  return () => {
    for (const { channel, listener } of subscriptions) channel.unsubscribe(listener);
  };
}
