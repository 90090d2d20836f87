import * as z from 'zod/mini';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  custom,
  functionOf,
  hostName,
  integerFrom,
  optionsObject,
  type OptionsShape,
} from '../../contract/option-schemas.js';
import { nonEmptyString, boolean, memoize, withMetadata, type Schema } from '../../contract/schema/schema.js';
import { controlToken } from '../control/access.js';
import { type MockPlatformOptions, resolveOptions } from '../base/mock-options.js';
import type { RecordedRequest } from '../wire/request-log.js';
import { requireValid, MockPlatformError } from '../base/mock-error.js';
import { createMockPlatform, type MockPlatform } from '../platform/platform.js';
import { fieldsOf } from '../records/builder.js';
import { contentOf, toSnapshot, type SnapshotFields } from '../state/snapshot.js';

/** The address of a listening server. */
export interface ListeningAddress {
  /** The URL for clients on this machine. */
  readonly url: string;
  /** Whether only this machine can reach it. */
  readonly isLoopback: boolean;
}

/** Starts to listen. Rejects with Node's error if the address is in use. */
export function listen(server: Server, host: string, port: number): Promise<ListeningAddress> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve(addressOf(server.address() as AddressInfo));
    });
  });
}

function addressOf({ address, family, port }: AddressInfo): ListeningAddress {
  const isWildcard = address === '0.0.0.0' || address === '::';
  const name = isWildcard ? '127.0.0.1' : family === 'IPv6' ? `[${address}]` : address;
  return { url: `http://${name}:${port}`, isLoopback: address.startsWith('127.') || address === '::1' };
}

/** Stops a server and closes its connections. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Options of the server, besides those of its platform. */
export interface MockServerOptions {
  /**
   * The address to listen on. Off loopback, the control API requires `allowedHosts` and its control token.
   * @default '127.0.0.1'
   */
  readonly host?: string | undefined;
  /** The port; 0 selects a free port. @default 0 */
  readonly port?: number | undefined;
  /**
   * Whether to serve the control API at `/__mock/*`, so that tests in other languages can add organizations and
   * records, change their status, plan faults, set the clock and read the requests. Requests of web pages are rejected.
   * @default false
   */
  readonly control?: boolean | undefined;
  /**
   * The secret of the control API, sent as `Authorization: Bearer <token>`: 16 to 200 letters, digits and characters of
   * `-._~`. Callers on loopback may omit it. @default a generated one
   */
  readonly controlToken?: string | undefined;
  /**
   * The host names in URLs of the control API, besides those of loopback, without ports: `['mock']`. Wildcards are not
   * allowed. @default none
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /**
   * The state to continue with, from `state()` of an earlier server: records, organizations and their keys, faults,
   * clock and behavior. The options of the platform must not contradict it. @default none
   */
  readonly state?: MockServerState | undefined;
  /**
   * The base URL of a real platform. All requests are passed on to it, and the log, the console and the faults are
   * about its responses. An https URL, or an http URL of this machine. @default none: the server is the platform
   */
  readonly upstream?: string | undefined;
  /**
   * Called when records, faults, the clock or the behavior may have changed, by a request of a client or of the control
   * API, before its response is sent. A request that only reads does not call it. @default none
   */
  readonly onChange?: (() => void) | undefined;
  /**
   * Called when the response to a request of a client has been sent, or its connection has broken, with the entry of
   * the request log and the time since the request arrived, in milliseconds. @default none
   */
  readonly onResponse?: ((request: RecordedRequest, duration: number) => void) | undefined;
}

/** Options of `serveMockPlatform`. */
export interface ServeOptions extends MockServerOptions, Omit<MockPlatformOptions, 'baseUrl'> {}

const serverOptions: Schema<MockServerOptions> = memoize(() =>
  optionsObject<MockServerOptions>({
    host: nonEmptyString({ fix: "Pass '127.0.0.1', or '0.0.0.0' for all addresses" }),
    port: integerFrom(0, 65_535),
    control: boolean(),
    controlToken: controlToken(),
    allowedHosts: withMetadata(z.array(hostName()), { rule: "must be an array of host names, such as ['mock']" }),
    // Validated when the platform is created.
    state: z.unknown() as z.ZodMiniType<MockServerState>,
    upstream: custom<string>(isUpstream, {
      rule: 'must be an https URL without credentials, a query and a fragment, or an http URL of this machine',
      sensitive: true,
    }),
    onChange: functionOf(),
    onResponse: functionOf(),
  } satisfies OptionsShape<MockServerOptions>),
);

function isUpstream(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(value);
  const isLocal = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
  return (protocol === 'https:' || (protocol === 'http:' && isLocal)) && username + password + search + hash === '';
}

/** The options of the server with defaults, and those of its platform. */
export interface SeparatedOptions {
  readonly server: MockServerOptions & { readonly host: string; readonly port: number };
  readonly platform: Omit<MockPlatformOptions, 'baseUrl'>;
}

/** Separates the options. Throws `MockPlatformError` if an option of the server is invalid. */
export function separateOptions(options: ServeOptions): SeparatedOptions {
  const isOfServer = (name: string): boolean => Object.hasOwn(fieldsOf(serverOptions()), name);
  const entries = Object.entries(options);
  const server = Object.fromEntries(entries.filter(([name]) => isOfServer(name))) as MockServerOptions;
  requireValid('serveMockPlatform', serverOptions, server, 'the options');
  return {
    server: { ...server, host: server.host ?? '127.0.0.1', port: server.port ?? 0 },
    platform: Object.fromEntries(entries.filter(([name]) => !isOfServer(name))),
  };
}

/**
 * The state of a server as plain JSON, from `state()` and for the option `state`: a snapshot and the keys of all
 * organizations. It contains secrets; its fields other than `version` may change in any release.
 */
export interface MockServerState {
  /** The version of the format. */
  readonly version: 1;
}

/** The keys of an organization, in the order of the organizations in the snapshot. */
interface StoredKeys {
  readonly publicKey: string;
  readonly privateKey?: string;
}

interface StateFields extends SnapshotFields {
  readonly keys: readonly StoredKeys[];
}

/** Returns the state of a platform. */
export async function stateOf(platform: MockPlatform): Promise<MockServerState> {
  // Both are read at once, because another request may add an organization while the keys are generated.
  const { organizations } = platform;
  const snapshot = platform.snapshot();
  const keys = await Promise.all(organizations.map((each) => each.keyPair()));
  return toSnapshot({
    ...snapshot,
    keys: keys.map(({ publicKey, privateKey }) => ({ publicKey, ...(privateKey !== undefined && { privateKey }) })),
  });
}

/**
 * Creates a platform with a state. Rejects with `MockPlatformError` if the state is invalid, or if an option
 * contradicts it; then the message begins with `state: `.
 */
export async function platformWithState(options: MockPlatformOptions, state: MockServerState): Promise<MockPlatform> {
  resolveOptions(options); // An option that is invalid in itself is no problem of the state.
  try {
    return await restored(options, state);
  } catch (error) {
    throw error instanceof MockPlatformError ? new MockPlatformError(`state: ${error.message}`) : error;
  }
}

async function restored(options: MockPlatformOptions, state: MockServerState): Promise<MockPlatform> {
  const [problem, fix] = ['this is not the state of a server', 'Pass another state, or start without one.'];
  const { keys, seed, organizations } = contentOf<StateFields>(problem, fix, state);
  // A snapshot has no keys.
  if ((keys as unknown) === undefined) throw new MockPlatformError(`${problem}. ${fix}`);
  const [first, ...others] = organizations.map(({ id, name, apiKey, clock }, index) => ({
    id,
    name,
    apiKey,
    ...keys[index],
    ...(clock !== undefined && { clock: 'own' as const }),
  }));
  const stored: MockPlatformOptions = { seed, ...first };
  for (const [name, value] of Object.entries(stored) as [keyof MockPlatformOptions, unknown][])
    if (options[name] !== undefined && String(options[name]) !== value)
      throw new MockPlatformError(`it has another ${name}. Omit ${name}, or pass another state.`);
  const platform = createMockPlatform({ ...options, ...stored });
  for (const organization of others) platform.organization(organization);
  // Imports the keys, so that invalid ones do not appear as invalid tokens later.
  await Promise.all(platform.organizations.map((each) => each.keyPair()));
  platform.restore(state);
  return platform;
}
