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
