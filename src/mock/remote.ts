import { forgetJournals } from './state/journals.js';
import { loadSubject, type RemoteSubject } from './matchers.js';
import type { MockOrganizationOptions } from './base/mock-options.js';
import type { MockCredentials, MockClientOptions, MockOrganization } from './platform/organization.js';
import type { EndpointName } from '../contract/endpoints.js';
import type { PlannedResponse, RespondOptions } from './faults/fault-plan.js';
import type { FaultTarget } from './faults/request-condition.js';
import type { RecordedRequest } from './wire/request-log.js';
import type { ClockTime, OrganizationSummary } from './control/calls.js';
import type { MockPlatform } from './platform/platform.js';
import type { MockScenarios } from './platform/load-scenario.js';
import { bytesToJson, fromBase64 } from './data/files.js';
import { snapshotFromLines, snapshotToLines, type PlatformSnapshot } from './state/snapshot.js';
import { linesType } from './wire/message.js';
import type { RecordKindName } from './state/record-kinds.js';
import { MockPlatformError } from './base/mock-error.js';

/**
 * Connects to a platform that `corridor mock` or `serveMockPlatform` serves, for tests in other processes such as those
 * of Playwright. The result has the same names as a platform in process, and every method returns a promise. Arguments
 * are plain JSON: the condition of a fault cannot be a function. It uses only `fetch`. Rejects with `MockPlatformError`
 * if the server cannot be reached or requires another token.
 *
 * @param token The control token, which servers on other machines require.
 * @example
 * ```ts
 * import { Corridor } from 'corridor-sdk';
 * import { connectMockPlatform } from 'corridor-sdk/mock';
 * import { serveMockPlatform } from 'corridor-sdk/mock/node';
 * const served = await serveMockPlatform({ control: true }); // in another process
 * const platform = await connectMockPlatform(served.url);
 * const corridor = new Corridor(await platform.clientOptions());
 * await platform.faults.next('payments.list', { kind: 'status', status: 503 });
 * await corridor.payments.create(await platform.payments.createParams({ currencyCode: 'MXN' }));
 * console.log((await platform.requests.to('payments.create')).length); // 1
 * await served.close();
 * ```
 */
export async function connectMockPlatform(url: string, token?: string): Promise<RemoteMockPlatform> {
  const connection = new Connection(url, token);
  const { seed } = await connection.call<{ readonly seed: string }>('');
  const infos = (): Promise<[OrganizationSummary, ...OrganizationSummary[]]> => connection.call('organizations');
  const organizationOf = (info: OrganizationSummary): RemoteMockOrganization =>
    remoteOrganization(connection, seed, info, info.id);
  const [first] = await infos();
  return remoteOrganization<RemoteMockPlatform>(connection, seed, first, undefined, {
    organization: async (options: unknown) => organizationOf(await connection.call('organization', [options])),
    organizations: async () => (await infos()).map(organizationOf),
    snapshot: () => connection.snapshot(),
    restore: (snapshot: PlatformSnapshot) => connection.restore(snapshot),
    reset: async () => {
      await connection.call('resetAll');
      forgetJournals(url);
    },
    [loadSubject]: async () => ({
      ...(await subjectOf(connection, seed)),
      organizations: await Promise.all((await infos()).map(({ id }) => subjectOf(connection, seed, id))),
    }),
  });
}

/** The most records that one call of `addMany` returns, of more it returns the ids; and the most that it adds. */
const [maxReturned, maxAddMany] = [1000, 100_000];

type Method = (...args: readonly unknown[]) => Promise<unknown>;

/** Creates an organization; without an id, the server selects the target of its calls. */
function remoteOrganization<T extends RemoteMockOrganization>(
  connection: Connection,
  seed: string,
  info: OrganizationSummary,
  id?: string,
  more: object = {},
): T {
  /** The clock that it follows: its own, or that of the platform. */
  const timeline = info.clock === 'own' ? info.id : undefined;
  const credentials = async (): Promise<MockCredentials> => ({
    ...(await connection.call<MockCredentials>('credentials', [], id)),
    baseUrl: connection.url,
  });
  const own: Pick<
    RemoteMockOrganization,
    'id' | 'name' | 'seed' | 'requests' | 'onRequest' | 'credentials' | 'clientOptions'
  > &
    RemoteSubject = {
    id: info.id,
    name: info.name,
    seed,
    requests: {
      all: () => connection.call('requests', [], id),
      to: (endpoint) => connection.call('requests', [endpoint], id),
      clear: async () => void (await connection.call('requests.clear', [], id)),
    },
    onRequest: (listener) => connection.listen(listener, id),
    credentials,
    clientOptions: async () => {
      const { baseUrl, apiKey, privateKey } = await credentials();
      await connection.time('clock.now', [], timeline);
      return { baseUrl, apiKey, privateKey: () => Promise.resolve(privateKey), now: () => connection.now(timeline) };
    },
    [loadSubject]: () => subjectOf(connection, seed, info.id),
  };
  return withCalls({ ...own, ...more }, (name) =>
    withCalls(methodOf(connection, name, id, timeline), (part) =>
      methodOf(connection, `${name}.${part}`, id, timeline),
    ),
  ) as T;
}

/** Returns an object whose other methods are calls of their names, which the server knows or rejects. */
function withCalls(target: object, callOf: (name: string) => object): object {
  return new Proxy(target, {
    get: (_, name) =>
      // Runtimes and test runners look for these in any object.
      typeof name === 'symbol' || name in target || /^(?:then|toJSON|asymmetricMatch|\$\$typeof)$/.test(name)
        ? (Reflect.get(target, name) as unknown)
        : callOf(name),
  });
}

/** Returns the method of a call. Its arguments and result are those of the method in process. */
function methodOf(connection: Connection, name: string, id: string | undefined, timeline: string | undefined): Method {
  // In process a missing result is undefined, which JSON cannot represent.
  const call: Method = async (...args) => (await connection.call(name, args, id)) ?? undefined;
  if (name === 'clock.now') return () => connection.time(name, [], timeline);
  if (name.startsWith('clock.')) return async (...args) => void (await connection.time(name, args, timeline));
  if (!name.endsWith('.addMany')) return call;
  const add = methodOf(connection, name.replace(/Many$/, ''), id, timeline);
  return async (count, input) => {
    const isFunction = typeof input === 'function';
    // The server validates everything else.
    if (!(Number.isInteger(count) && Number(count) >= 0 && Number(count) <= maxAddMany))
      return call(count, isFunction ? undefined : input);
    const added: unknown[] = [];
    while (added.length < Number(count)) {
      const left = Math.min(Number(count) - added.length, maxReturned);
      const next: unknown = isFunction
        ? [await add((input as (index: number) => unknown)(added.length))]
        : await call(left, input);
      added.push(...(next as readonly unknown[]));
    }
    return added;
  };
}

/** Loads what the matchers read: of one organization, or of the whole platform without an id. */
async function subjectOf(connection: Connection, seed: string, id?: string): Promise<object> {
  const [requests, payments, tickets, faults] = await Promise.all(
    ['requests', 'payments.all', 'tickets.all', 'faults.list'].map((name) => connection.call(name, [], id)),
  );
  return {
    id,
    seed,
    requests,
    payments: { all: () => payments },
    tickets: { all: () => tickets },
    faults: { list: () => faults },
  };
}

/** The methods of `T`, each of which returns a promise. */
export type AsyncMethods<T> = {
  readonly [Name in keyof T as T[Name] extends (...args: never[]) => unknown ? Name : never]: T[Name] extends (
    ...args: infer Args
  ) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never;
};

type RemoteParts<T, Part extends keyof T> = { readonly [Name in Part]: AsyncMethods<T[Name]> };

/** The requests that a served platform or one of its organizations received. */
export interface RemoteRequests {
  /** Returns all requests, oldest first. */
  all(): Promise<RecordedRequest[]>;
  /** Returns the requests to one endpoint. */
  to(endpoint: EndpointName): Promise<RecordedRequest[]>;
  /** Removes them. */
  clear(): Promise<void>;
}

/** An organization on a served platform: the methods of `MockOrganization`, each of which returns a promise. */
export interface RemoteMockOrganization
  extends
    RemoteParts<MockOrganization, RecordKindName | 'crypto' | 'keys' | 'faults' | 'clock'>,
    AsyncMethods<Pick<MockOrganization, 'populate' | 'scheduled' | 'configure' | 'reset' | 'waitForRequest'>> {
  /** Plans the response to requests, as `MockOrganization.respond` does; it cannot be a function. */
  respond<Target extends FaultTarget>(
    endpoint: Target,
    response: PlannedResponse<Target>,
    options?: RespondOptions<Target>,
  ): Promise<string>;
  /** The organization's id. */
  readonly id: string;
  /** The organization's name. */
  readonly name: string;
  /** The seed of all ids and data of its platform. */
  readonly seed: string;
  /** The requests with this organization's API key. */
  readonly requests: RemoteRequests;
  /** The scenarios that the server knows, to load into this organization, and those that you pass. */
  readonly scenarios: AsyncMethods<MockScenarios>;
  /**
   * Calls a function with each request after it was handled, until you call the function that the promise returns, or
   * the server closes the connection. It resolves as soon as the server reports requests.
   */
  onRequest(listener: (request: RecordedRequest) => void): Promise<() => void>;
  /** Returns the organization's credentials, with the URL of the connection. */
  credentials(): Promise<MockCredentials>;
  /**
   * Returns client options that reach the platform as this organization. Their `now` follows the mock's clock as of
   * this call and of later calls of this connection.
   */
  clientOptions(): Promise<Omit<MockClientOptions, 'fetch' | 'sleep'>>;
}

/** A served platform: the methods of `MockPlatform`, each of which returns a promise. */
export interface RemoteMockPlatform
  extends
    RemoteMockOrganization,
    AsyncMethods<Pick<MockPlatform, 'removeOrganization' | 'assumptions' | 'snapshot' | 'restore'>> {
  /** Adds an organization. */
  organization(options?: MockOrganizationOptions): Promise<RemoteMockOrganization>;
  /** Returns all organizations, oldest first. */
  organizations(): Promise<RemoteMockOrganization[]>;
  /** Removes all records, requests and faults of all organizations, and restores clock and behavior. */
  reset(): Promise<void>;
}

/** A connection to the control API of a served platform. */
class Connection {
  /** The base URL of the platform. */
  readonly url: string;
  readonly #token: string | undefined;
  /** The clocks by the ids of their organizations; that of the platform has none. */
  readonly #clocks = new Map<string | undefined, () => number>();

  constructor(url: string, token: string | undefined) {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw new MockPlatformError(
        'connectMockPlatform: url must be an http or https URL such as ' +
          `http://127.0.0.1:4010 (received ${JSON.stringify(url)})`,
      );
    this.url = url.replace(/(?<!\/)\/+$/, '');
    this.#token = token;
  }

  /**
   * Calls the control API. Rejects with `MockPlatformError` if it reports an error or cannot be reached, or if an
   * argument contains a function.
   */
  async call<T>(name: string, args: readonly unknown[] = [], organization?: string): Promise<T> {
    const query = queryOf(organization);
    const init =
      name === '' ? {} : { method: 'POST', headers: { 'content-type': 'application/json' }, body: bodyOf(name, args) };
    return this.#resultOf<T>(name, await this.#send(`${name === '' ? '' : `/${name}`}${query}`, init));
  }

  /** Reads a snapshot as lines, because a large one exceeds the longest string. */
  async snapshot(): Promise<PlatformSnapshot> {
    const response = await this.#send('/snapshot', { method: 'POST', headers: { accept: linesType } });
    if (!response.ok || response.body === null) return this.#resultOf('snapshot', response);
    return snapshotFromLines(linesOf(response.body));
  }

  /** Calls a function with the requests of an organization, or of all, until the returned function is called. */
  async listen(listener: (request: RecordedRequest) => void, organization?: string): Promise<() => void> {
    const stopped = new AbortController();
    const response = await this.#send(`/onRequest${queryOf(organization)}`, { signal: stopped.signal });
    const { body } = response;
    if (!response.ok || body === null) return this.#resultOf('onRequest', response);
    void (async () => {
      for await (const line of untilBroken(linesOf(body)))
        if (line.startsWith('data: ') && !stopped.signal.aborted)
          listener(JSON.parse(line.slice('data: '.length)) as RecordedRequest);
    })();
    return () => stopped.abort();
  }

  /** Restores a snapshot, which it sends as lines. */
  async restore(snapshot: PlatformSnapshot): Promise<void> {
    const init = {
      method: 'POST',
      headers: { 'content-type': linesType },
      body: new Blob([...snapshotToLines(snapshot)]),
    };
    await this.#resultOf('restore', await this.#send('/restore', init));
  }

  async #resultOf<T>(name: string, response: Response): Promise<T> {
    const result = await resultOf(name, response);
    if (response.ok && result !== undefined) return result.value as T;
    const { message } = Object(result?.value) as { readonly message?: unknown };
    throw new MockPlatformError(
      typeof message === 'string'
        ? message
        : `connectMockPlatform: ${this.url}/__mock does not respond as a mock platform ` +
            `(status ${response.status}). Pass the URL of a server with a control API.`,
    );
  }

  /** Returns the time of a clock, as of its last call, in milliseconds since the epoch. */
  now(organization: string | undefined): number {
    return (this.#clocks.get(organization) ?? Date.now)();
  }

  /** Calls a clock, and remembers its state. Returns its time in milliseconds since the epoch. */
  async time(name: string, args: readonly unknown[], organization: string | undefined): Promise<number> {
    const { now, running } = await this.call<ClockTime>(name, args, organization);
    const time = Date.parse(now);
    const offset = time - Date.now();
    this.#clocks.set(organization, running ? () => Date.now() + offset : () => time);
    return time;
  }

  async #send(
    call: string,
    { headers, ...init }: RequestInit & { headers?: Record<string, string> },
  ): Promise<Response> {
    const authorization = this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` };
    try {
      return await fetch(`${this.url}/__mock${call}`, { ...init, headers: { ...headers, ...authorization } });
    } catch (cause) {
      throw new MockPlatformError(
        `connectMockPlatform: ${this.url} cannot be reached. ` +
          'Start it with `npx corridor-sdk mock`, and pass its URL.',
        { cause },
      );
    }
  }
}

const queryOf = (organization: string | undefined): string =>
  organization === undefined ? '' : `?organization=${encodeURIComponent(organization)}`;

function bodyOf(name: string, args: readonly unknown[]): string {
  return JSON.stringify(
    args.slice(0, args.findLastIndex((value) => value !== undefined) + 1),
    (key, value: unknown) => {
      // JSON cannot represent undefined, which restores the default of an option.
      if (value === undefined && name === 'configure') return null;
      if (typeof value !== 'function') return bytesToJson(key, value);
      throw new MockPlatformError(
        `connectMockPlatform: ${name} cannot send a function (${key}) to another ` +
          `process. Pass plain JSON, such as fields of the request as \`when\`.`,
      );
    },
  );
}

async function resultOf(name: string, response: Response): Promise<{ readonly value: unknown } | undefined> {
  // Requests may contain such objects, too, which are no files.
  const reviver = /^(?:documents|tickets)\./.test(name) ? bytesFromJson : undefined;
  try {
    return { value: JSON.parse(await response.text(), reviver) as unknown };
  } catch {
    return undefined;
  }
}

async function* linesOf(body: ReadableStream<BufferSource>): AsyncGenerator<string> {
  let rest = '';
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

/** Ends with the connection: without a server there are no requests. */
async function* untilBroken<T>(items: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } catch {
    // Stopped, or the server was closed.
  }
}

function bytesFromJson(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.keys(value).join() !== 'base64') return value;
  return fromBase64((value as { readonly base64: string }).base64);
}
