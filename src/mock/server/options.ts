import * as z from 'zod/mini';
import { functionOf, hostName, integerFrom, optionsObject, type OptionsShape } from '../../contract/options.js';
import { nonEmptyString, boolean, memoize, withMetadata, type Schema } from '../../contract/schema/schema.js';
import { controlToken } from '../control/access.js';
import type { MockPlatformOptions } from '../options.js';
import type { RecordedRequest } from '../wire/request-log.js';
import { requireValid } from '../require-valid.js';
import type { MockServerState } from './state.js';

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
  /** Called after each request, also of the control API, before the response is sent. @default none */
  readonly onRequest?: (() => void) | undefined;
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
    onRequest: functionOf(),
    onChange: functionOf(),
    onResponse: functionOf(),
  } satisfies OptionsShape<MockServerOptions>),
);

/** The options of the server with defaults, and those of its platform. */
export interface SeparatedOptions {
  readonly server: MockServerOptions & { readonly host: string; readonly port: number };
  readonly platform: Omit<MockPlatformOptions, 'baseUrl'>;
}

/** Separates the options. Throws `MockPlatformError` if an option of the server is invalid. */
export function separateOptions(options: ServeOptions): SeparatedOptions {
  const {
    host,
    port,
    control,
    controlToken: token,
    allowedHosts,
    state,
    onRequest,
    onChange,
    onResponse,
    ...platform
  } = options;
  const server = { host, port, control, controlToken: token, allowedHosts, state, onRequest, onChange, onResponse };
  requireValid('serveMockPlatform', serverOptions, server, 'the options');
  return { server: { ...server, host: host ?? '127.0.0.1', port: port ?? 0 }, platform };
}
