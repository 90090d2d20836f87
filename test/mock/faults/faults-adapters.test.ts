import { Corridor, CorridorError, type CorridorOptions } from 'corridor-sdk';
import { createMockPlatform, type MockFault, type MockOrganization } from 'corridor-sdk/mock';
import { mockHandlers } from 'corridor-sdk/mock/msw';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { setupServer } from 'msw/node';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { payablePayment } from '../fixture.ts';

const behindMsw = createMockPlatform();
const server = setupServer(...mockHandlers(behindMsw));
// The served platform is not behind msw.
beforeAll(() => server.listen({ onUnhandledFrame: 'bypass' }));
afterAll(async () => {
  server.close();
  await (await served)?.close();
});

interface Fixture {
  readonly organization: MockOrganization;
  readonly options: CorridorOptions;
}

const platform = createMockPlatform();
// One key pair for all: generating one for each test takes longer than the tests.
const keys = platform.credentials().then(({ privateKey, publicKey }) => ({ privateKey, publicKey }));
let served: Promise<MockPlatformServer> | undefined;

/** Each test has its own organization, with the options of a client for it. */
const adapters: { readonly [name: string]: () => Promise<Fixture> } = {
  fetch: async () => {
    const organization = platform.organization(await keys);
    return { organization, options: organization.clientOptions() };
  },
  http: async () => {
    served ??= serveMockPlatform();
    const { platform: onHttp, clientOptions } = await served;
    const organization = onHttp.organization(await keys);
    return { organization, options: clientOptions(organization) };
  },
  msw: async () => {
    const organization = behindMsw.organization(await keys);
    const { fetch: _, ...options } = organization.clientOptions();
    return { organization, options };
  },
};

const timeout = 60_000;

/**
 * The options of a client whose request exceeds its timeout as soon as the platform has handled it and, if the response
 * should start, the client reads its body. A timeout is expected only with a fault that never ends by itself.
 */
function timingOut({ organization, options }: Fixture, result: string): CorridorOptions {
  const { promise: expired, resolve: expire } = Promise.withResolvers<void>();
  const never = new Promise<void>(() => {});
  return {
    ...options,
    timeout,
    maxRetries: 0,
    sleep: (milliseconds) => (milliseconds === timeout ? expired : never),
    fetch: async (input, init) => {
      const sent = (options.fetch ?? globalThis.fetch)(input, init);
      if (!result.startsWith('TimeoutError')) return sent;
      const isHandled = (): boolean => organization.requests.some(({ fault }) => fault !== undefined);
      const started = result.startsWith('TimeoutError applied') ? sent : undefined;
      void vi
        .waitUntil(isHandled, waiting)
        .then(async () => started)
        .then(async (response) => response && vi.waitUntil(() => (response as Response).body?.locked, waiting))
        .then(() => expire());
      return sent;
    },
  };
}

const waiting = { timeout: 30_000, interval: 2 };

/** Returns the result of a call and the number of records that the platform keeps. */
async function came(
  organization: MockOrganization,
  call: PromiseLike<unknown>,
  records: { all(): readonly unknown[] },
): Promise<string> {
  const result = await Promise.resolve(call).then(
    () => 'resolved',
    (error: unknown) => {
      if (!(error instanceof CorridorError)) throw error;
      const { status, errorType } = error.attempts.at(-1) ?? {};
      return `${error.name} ${error.outcome} ${status ?? errorType}`;
    },
  );
  expect(organization.faults.list().filter(({ remaining }) => remaining !== 0)).toEqual([]);
  return `${result}, ${records.all().length} kept`;
}

async function created({ organization }: Fixture, options: CorridorOptions, fault: MockFault): Promise<string> {
  const payment = payablePayment(organization);
  organization.faults.next('payments.create', fault);
  return came(organization, new Corridor(options).payments.create(payment), organization.payments);
}

async function listed({ organization }: Fixture, options: CorridorOptions, fault: MockFault): Promise<string> {
  organization.payments.add();
  organization.faults.next('payments.list', fault);
  return came(organization, new Corridor(options).payments.list(), organization.payments);
}

async function deleted({ organization }: Fixture, options: CorridorOptions, fault: MockFault): Promise<string> {
  const { id } = organization.documents.add();
  organization.faults.next('documents.delete', fault);
  return came(organization, new Corridor(options).documents.delete(id), organization.documents);
}

interface Expected {
  readonly create?: string;
  readonly list?: string;
  readonly remove?: string;
}

interface Row extends Expected {
  readonly fault: MockFault;
  /** The result behind msw, if msw cannot behave as a real connection does. */
  readonly msw?: Expected;
}

const reset = 'ConnectionError unknown ECONNRESET';
const resetByMsw = 'ConnectionError unknown FETCH_FAILED';
const noResponse = 'TimeoutError unknown timeout';
const useless = 'InvalidResponseError applied';

const rows: readonly Row[] = [
  {
    fault: { kind: 'status', status: 503 },
    create: 'ServerError unknown 503, 0 kept',
    list: 'ServerError unknown 503, 1 kept',
    remove: 'ServerError unknown 503, 1 kept',
  },
  {
    fault: { kind: 'rate-limit', retryAfterSeconds: 7 },
    create: 'RateLimitError rejected 429, 0 kept',
    list: 'RateLimitError rejected 429, 1 kept',
    remove: 'RateLimitError rejected 429, 1 kept',
  },
  {
    fault: { kind: 'reset' },
    create: `${reset}, 0 kept`,
    list: `${reset}, 1 kept`,
    remove: `${reset}, 1 kept`,
    msw: { create: `${resetByMsw}, 0 kept`, list: `${resetByMsw}, 1 kept`, remove: `${resetByMsw}, 1 kept` },
  },
  {
    fault: { kind: 'reset-after-commit' },
    create: `${reset}, 1 kept`,
    list: `${reset}, 1 kept`,
    remove: `${reset}, 0 kept`,
    msw: { create: `${resetByMsw}, 1 kept`, list: `${resetByMsw}, 1 kept`, remove: `${resetByMsw}, 0 kept` },
  },
  {
    fault: { kind: 'hang' },
    create: `${noResponse}, 0 kept`,
    list: `${noResponse}, 1 kept`,
    remove: `${noResponse}, 1 kept`,
  },
  {
    fault: { kind: 'hang-after-commit' },
    create: `${noResponse}, 1 kept`,
    list: `${noResponse}, 1 kept`,
    remove: `${noResponse}, 0 kept`,
  },
  {
    fault: { kind: 'late-commit', after: 3_600_000 },
    create: `${reset}, 0 kept`,
    list: `${reset}, 1 kept`,
    remove: `${reset}, 1 kept`,
    msw: { create: `${resetByMsw}, 0 kept`, list: `${resetByMsw}, 1 kept`, remove: `${resetByMsw}, 1 kept` },
  },
  {
    fault: { kind: 'acked-but-lost' },
    create: 'resolved, 0 kept',
    list: 'resolved, 1 kept',
    remove: 'resolved, 1 kept',
  },
  {
    fault: { kind: 'slow', delay: 20 },
    create: 'resolved, 1 kept',
    list: 'resolved, 1 kept',
    remove: 'resolved, 0 kept',
  },
  {
    fault: { kind: 'slow', delay: 60_000 },
    create: `${noResponse}, 1 kept`,
    list: `${noResponse}, 1 kept`,
    remove: `${noResponse}, 0 kept`,
  },
  {
    fault: { kind: 'cut-body' },
    create: 'ConnectionError applied UND_ERR_SOCKET, 1 kept',
    list: 'ConnectionError applied UND_ERR_SOCKET, 1 kept',
    remove: `${reset}, 0 kept`,
    msw: { create: `${useless} 201, 1 kept`, list: `${useless} 200, 1 kept`, remove: `${resetByMsw}, 0 kept` },
  },
  {
    fault: { kind: 'stall-body' },
    create: 'TimeoutError applied timeout, 1 kept',
    list: 'TimeoutError applied timeout, 1 kept',
    remove: `${noResponse}, 0 kept`,
    msw: { create: `${noResponse}, 1 kept`, list: `${noResponse}, 1 kept` },
  },
  {
    fault: { kind: 'response', body: '{', headers: { 'content-type': 'application/json' } },
    create: `${useless} 201, 1 kept`,
    list: `${useless} 200, 1 kept`,
    remove: 'resolved, 0 kept',
  },
  {
    fault: { kind: 'response', body: '<title>Sign in</title>', headers: { 'content-type': 'text/html' } },
    create: 'InvalidResponseError unknown 201, 1 kept',
    list: 'InvalidResponseError unknown 200, 1 kept',
    remove: 'InvalidResponseError unknown 200, 0 kept',
  },
  { fault: { kind: 'response', patch: { amount: 5 } }, create: `${useless} 201, 1 kept` },
  { fault: { kind: 'response', patch: { items: { 0: { status: 5 } } } }, list: `${useless} 200, 1 kept` },
  {
    fault: { kind: 'response', patch: { addedByThePlatform: 1 } },
    create: 'resolved, 1 kept',
    list: 'resolved, 1 kept',
  },
  { fault: { kind: 'response', patch: { status: 'NEW' } }, create: 'resolved, 1 kept' },
  {
    fault: { kind: 'response', status: 307, headers: { location: 'https://elsewhere.example/' } },
    create: 'ApiError unknown 307, 0 kept',
    list: 'ApiError unknown 307, 1 kept',
    remove: 'ApiError unknown 307, 1 kept',
  },
  {
    fault: { kind: 'clock-skew', seconds: 900 },
    create: 'AuthenticationError rejected 401, 0 kept',
    list: 'AuthenticationError rejected 401, 1 kept',
    remove: 'AuthenticationError rejected 401, 1 kept',
  },
];

const calls = { create: created, list: listed, remove: deleted };

const cases = Object.keys(adapters).flatMap((adapter) =>
  rows.flatMap(({ fault, msw, ...onConnections }) => {
    const expected: Expected = { ...onConnections, ...(adapter === 'msw' && msw) };
    return Object.entries(expected).map(([call, result]) => ({
      adapter,
      fault,
      call: call as keyof Expected,
      result: result as string,
    }));
  }),
);

describe.concurrent('a fault has the same effect on the client with every adapter', () => {
  test.each(cases)('$adapter, $fault: $call is $result', async ({ adapter, fault, call, result }) => {
    const fixture = await (adapters[adapter] as () => Promise<Fixture>)();
    expect(await calls[call](fixture, timingOut(fixture, result), fault)).toBe(result);
  });
});
