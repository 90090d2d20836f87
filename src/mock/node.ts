import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { ControlAccess, createControlToken } from './control/access.js';
import { encodeResponse } from './server/encode.js';
import { control, hasLines, isControlPath, maxControlBytes, type ControlResponse } from './control/api.js';
import { toMockRequest, writeError, writeResponse } from './adapters/node-http.js';
import { MockPlatformError } from './base/mock-error.js';
import type { Upstream } from './upstream/upstream.js';
import type { MockHttpRequest } from './wire/message.js';
import type { MockClientOptions, MockCredentials, MockOrganization } from './platform/organization.js';
import { createMockPlatform, type MockPlatform } from './platform/platform.js';
import { serveConsole } from './server/console.js';
import {
  closeServer,
  listen,
  type ListeningAddress,
  separateOptions,
  type MockServerOptions,
  type SeparatedOptions,
  type ServeOptions,
  platformWithState,
  stateOf,
  type MockServerState,
} from './server/server.js';

export type { MockServerOptions, ServeOptions } from './server/server.js';
export type { MockServerState } from './server/server.js';

/** A mock platform that is served over HTTP. */
export interface MockPlatformServer {
  /** The base URL for clients on this machine, such as `http://127.0.0.1:4010`. */
  readonly url: string;
  /** The secret of the control API; undefined if the control API is not served. */
  readonly controlToken: string | undefined;
  /** The platform, with its records, faults and clock. */
  readonly platform: MockPlatform;
  /** Returns client options that reach the platform over HTTP, as the first organization by default. */
  clientOptions(organization?: MockOrganization): Omit<MockClientOptions, 'fetch'>;
  /** Returns the credentials of an organization, of the first one by default. */
  credentials(organization?: MockOrganization): Promise<MockCredentials>;
  /** Returns the state of the server, for the option `state` of another one. It contains private keys. */
  state(): Promise<MockServerState>;
  /** Stops the server and closes open connections immediately. */
  close(): Promise<void>;
}

/**
 * Creates a mock platform and serves it over HTTP, on 127.0.0.1 by default, for clients in any language. Rejects with
 * `MockPlatformError` if an option is invalid, and with Node's error if the port is in use.
 *
 * @example
 * ```ts
 * import { Corridor } from 'corridor-sdk';
 * import { serveMockPlatform } from 'corridor-sdk/mock/node';
 * const served = await serveMockPlatform({ seed: 1 });
 * const corridor = new Corridor(served.clientOptions());
 * await corridor.crypto.networks();
 * await served.close();
 * ```
 */
export async function serveMockPlatform(options: ServeOptions = {}): Promise<MockPlatformServer> {
  const separated = separateOptions(options);
  // Otherwise an idle connection is closed, maybe just when a test that was paused in a debugger sends its next
  // payment.
  const server = createServer({ keepAliveTimeout: 0 });
  const address = await listen(server, separated.server.host, separated.server.port);
  try {
    const served = await servedPlatform(separated, address);
    server.on('request', (request, response) => void serve(served, request, response));
    const { url, platform, controlToken } = served;
    return {
      url,
      controlToken,
      platform,
      clientOptions: (organization = platform) => {
        const { baseUrl, apiKey, privateKey, now } = organization.clientOptions();
        return { baseUrl, apiKey, privateKey, now };
      },
      credentials: (organization = platform) => organization.credentials(),
      state: () => stateOf(platform),
      close: () => closeServer(server),
    };
  } catch (error) {
    await closeServer(server);
    throw error;
  }
}

interface ServedPlatform extends Pick<MockServerOptions, 'onChange' | 'onResponse'> {
  readonly url: string;
  readonly platform: MockPlatform;
  readonly access: ControlAccess;
  /** Undefined if the control API is not served. */
  readonly controlToken: string | undefined;
  /** The real platform that requests are passed on to. */
  readonly upstream: Upstream | undefined;
}

async function servedPlatform(
  { server, platform }: SeparatedOptions,
  { url, isLoopback }: ListeningAddress,
): Promise<ServedPlatform> {
  const { control: hasControl = false, controlToken: token = createControlToken(), allowedHosts = [], state } = server;
  const behind = server.upstream === undefined ? undefined : new URL(server.upstream);
  if (hasControl && !isLoopback && allowedHosts.length === 0)
    throw new MockPlatformError(
      `serveMockPlatform: allowedHosts is required, because ${server.host} is not a loopback ` +
        `address. Pass the host names in the URLs of your tests, such as ['mock'].`,
    );
  const platformOptions = {
    ...platform,
    ...(behind !== undefined && { name: behind.host }),
    baseUrl: `${url}${behind?.pathname.replace(/\/$/, '') ?? ''}`,
  };
  const mock =
    state === undefined ? createMockPlatform(platformOptions) : await platformWithState(platformOptions, state);
  const { Upstream } = behind === undefined ? {} : await import('./upstream/upstream.js');
  const { onChange } = server;
  mock.internals().exchanges.hasBodies = hasControl;
  mock.internals().exchanges.subscribe((change) => {
    if (change === 'state') onChange?.();
  });
  return {
    url,
    platform: mock,
    access: new ControlAccess({ token, allowedHosts, isLoopback }),
    controlToken: hasControl ? token : undefined,
    upstream: behind && Upstream && new Upstream(behind.href.replace(/\/$/, ''), mock),
    onChange,
    onResponse: server.onResponse,
  };
}

async function serve(served: ServedPlatform, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { url, platform, access, controlToken, upstream } = served;
  const start = performance.now();
  try {
    const isControlRequest = isControlPath(request.url ?? '/', request.method);
    if (isControlRequest && controlToken === undefined && request.url !== '/')
      return writeError(
        response,
        404,
        'control_not_served',
        'this server does not serve the control API. Start it with `control: true`, or with `npx corridor-sdk mock`.',
      );
    const isControl = isControlRequest && controlToken !== undefined;
    const inLines = isControl && hasLines(request.url ?? '/', request.headers['content-type']);
    const limit = (isControl || upstream ? maxControlBytes : platform.maxRequestBytes) + 1;
    const message = await toMockRequest(request, url, inLines ? undefined : limit);
    if (inLines) {
      const lines = () => createInterface({ input: request, crlfDelay: Infinity });
      const result = await control(platform, access, message, lines);
      request.resume();
      await finished(request, { writable: false });
      return writeResponse(response, result);
    }
    // A body that was not read to its end leaves the connection unusable.
    if (!request.complete) response.setHeader('connection', 'close');
    if (isControl && (await serveConsole(platform, access, message, response))) return;
    if (isControl) await writeControlled(message, await control(platform, access, message), response);
    else await handleRecorded(served, request, message, response, start);
  } catch (error) {
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    const message = error instanceof Error ? error.message : String(error);
    writeError(response, 500, 'mock_failure', message);
  }
}

async function writeControlled(
  message: MockHttpRequest,
  result: ControlResponse,
  response: ServerResponse,
): Promise<void> {
  if (result.lines === undefined) return writeResponse(response, await encodeResponse(message, result));
  response.writeHead(result.status, result.headers);
  await pipeline(Readable.from(result.lines), response);
}

/** Handles a request of a client, and reports the end of its response and its changes. */
async function handleRecorded(
  { platform, upstream, onChange, onResponse }: ServedPlatform,
  request: IncomingMessage,
  message: MockHttpRequest,
  response: ServerResponse,
  start: number,
): Promise<void> {
  const handled = upstream?.handle(request, message, response) ?? platform.handleRaw(message);
  // The request is in the log before the first asynchronous step.
  const recorded = platform.requests.at(-1);
  if (recorded !== undefined) response.once('close', () => onResponse?.(recorded, performance.now() - start));
  const written = await handled.finally(() => {
    if (message.method !== 'GET' || recorded?.fault !== undefined) onChange?.();
  });
  if (written !== undefined) writeResponse(response, written);
}
