import { Corridor, CorridorError, type CorridorOptions } from 'corridor-sdk';
import { createMockPlatform, type MockFault, type MockOrganization } from 'corridor-sdk/mock';
import { mockHandlers } from 'corridor-sdk/mock/msw';
import { serveMockPlatform, type ServedMockPlatform } from 'corridor-sdk/mock/node';
import { setupServer } from 'msw/node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { payablePayment } from './fixture.js';

const behindMsw = createMockPlatform();
const server = setupServer(...mockHandlers(behindMsw));
// The served platform is not behind msw.
beforeAll(() => server.listen({ onUnhandledFrame: 'bypass' }));
afterAll(async () => {
  server.close();
  await (await served)?.close();
});

interface Reached {
  readonly organization: MockOrganization;
  readonly options: CorridorOptions;
}

const platform = createMockPlatform();
// One pair for all: to make one for each test takes longer than the tests.
const keys = platform.credentials().then(({ privateKey, publicKey }) => ({ privateKey, publicKey }));
let served: Promise<ServedMockPlatform> | undefined;

/** An organization of its own for each test, and what a client reaches it with. */
const carriers: { readonly [name: string]: () => Promise<Reached> } = {
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

// Long enough for a signature on a busy machine, short enough to wait for.
const limits = { timeout: 1000, retries: 0 };

/** What came of a call, and how many records the platform keeps. */
async function came(organization: MockOrganization, call: PromiseLike<unknown>, records: { all(): readonly unknown[] }): Promise<string> {
  const end = await Promise.resolve(call).then(() => 'resolved', (error: unknown) => {
    if (!(error instanceof CorridorError)) throw error;
    const { status, fault } = error.attempts.at(-1) ?? {};
    return `${error.name} ${error.outcome} ${status ?? fault}`;
  });
  expect(organization.faults.planned.flatMap(({ queue }) => queue)).toEqual([]);
  return `${end}, ${records.all().length} kept`;
}

async function created({ organization, options }: Reached, fault: MockFault): Promise<string> {
  const payment = payablePayment(organization);
  organization.faults.next('payments.create', fault);
  return came(organization, new Corridor({ ...options, ...limits }).payments.create(payment), organization.payments);
}

async function listed({ organization, options }: Reached, fault: MockFault): Promise<string> {
  organization.payments.add();
  organization.faults.next('payments.list', fault);
  return came(organization, new Corridor({ ...options, ...limits }).payments.list(), organization.payments);
}

async function deleted({ organization, options }: Reached, fault: MockFault): Promise<string> {
  const { id } = organization.documents.add();
  organization.faults.next('documents.delete', fault);
  return came(organization, new Corridor({ ...options, ...limits }).documents.delete(id), organization.documents);
}

interface Expected {
  readonly create?: string;
  readonly list?: string;
  readonly remove?: string;
}

interface Row extends Expected {
  readonly fault: MockFault;
  /** Where msw cannot do as a real connection does. */
  readonly msw?: Expected;
}

const reset = 'ConnectionError unknown ECONNRESET';
const resetByMsw = 'ConnectionError unknown FETCH_FAILED';
const noAnswer = 'TimeoutError unknown timeout';
const useless = 'InvalidResponseError applied';

const rows: readonly Row[] = [
  { fault: { kind: 'status', status: 503 }, create: 'ServerError unknown 503, 0 kept', list: 'ServerError unknown 503, 1 kept', remove: 'ServerError unknown 503, 1 kept' },
  { fault: { kind: 'rate-limit', retryAfter: 7 }, create: 'RateLimitError rejected 429, 0 kept', list: 'RateLimitError rejected 429, 1 kept', remove: 'RateLimitError rejected 429, 1 kept' },
  {
    fault: { kind: 'reset' }, create: `${reset}, 0 kept`, list: `${reset}, 1 kept`, remove: `${reset}, 1 kept`,
    msw: { create: `${resetByMsw}, 0 kept`, list: `${resetByMsw}, 1 kept`, remove: `${resetByMsw}, 1 kept` },
  },
  {
    fault: { kind: 'reset-after-commit' }, create: `${reset}, 1 kept`, list: `${reset}, 1 kept`, remove: `${reset}, 0 kept`,
    msw: { create: `${resetByMsw}, 1 kept`, list: `${resetByMsw}, 1 kept`, remove: `${resetByMsw}, 0 kept` },
  },
  { fault: { kind: 'hang' }, create: `${noAnswer}, 0 kept`, list: `${noAnswer}, 1 kept`, remove: `${noAnswer}, 1 kept` },
  { fault: { kind: 'hang-after-commit' }, create: `${noAnswer}, 1 kept`, list: `${noAnswer}, 1 kept`, remove: `${noAnswer}, 0 kept` },
  {
    fault: { kind: 'late-commit', after: 3_600_000 }, create: `${reset}, 0 kept`, list: `${reset}, 1 kept`, remove: `${reset}, 1 kept`,
    msw: { create: `${resetByMsw}, 0 kept`, list: `${resetByMsw}, 1 kept`, remove: `${resetByMsw}, 1 kept` },
  },
  { fault: { kind: 'acked-but-lost' }, create: 'resolved, 0 kept', list: 'resolved, 1 kept', remove: 'resolved, 1 kept' },
  { fault: { kind: 'slow', delay: 20 }, create: 'resolved, 1 kept', list: 'resolved, 1 kept', remove: 'resolved, 0 kept' },
  { fault: { kind: 'slow', delay: 5000 }, create: `${noAnswer}, 1 kept`, list: `${noAnswer}, 1 kept`, remove: `${noAnswer}, 0 kept` },
  { fault: { kind: 'drip', pause: 1 }, create: 'resolved, 1 kept', list: 'resolved, 1 kept', remove: 'resolved, 0 kept' },
  {
    fault: { kind: 'drip', pause: 500 }, create: 'TimeoutError applied timeout, 1 kept', list: 'TimeoutError applied timeout, 1 kept', remove: 'resolved, 0 kept',
  },
  {
    fault: { kind: 'cut-body' }, create: 'ConnectionError applied UND_ERR_SOCKET, 1 kept', list: 'ConnectionError applied UND_ERR_SOCKET, 1 kept', remove: `${reset}, 0 kept`,
    msw: { create: `${useless} 201, 1 kept`, list: `${useless} 200, 1 kept`, remove: `${resetByMsw}, 0 kept` },
  },
  {
    fault: { kind: 'stall-body' }, create: 'TimeoutError applied timeout, 1 kept', list: 'TimeoutError applied timeout, 1 kept', remove: `${noAnswer}, 0 kept`,
    msw: { create: `${noAnswer}, 1 kept`, list: `${noAnswer}, 1 kept` },
  },
  { fault: { kind: 'malformed-json' }, create: `${useless} 201, 1 kept`, list: `${useless} 200, 1 kept`, remove: 'resolved, 0 kept' },
  { fault: { kind: 'html' }, create: `${useless} 201, 1 kept`, list: `${useless} 200, 1 kept`, remove: 'resolved, 0 kept' },
  { fault: { kind: 'wrong-type', path: 'amount' }, create: `${useless} 201, 1 kept` },
  { fault: { kind: 'wrong-type', path: 'items[0].status' }, list: `${useless} 200, 1 kept` },
  { fault: { kind: 'unknown-field' }, create: 'resolved, 1 kept', list: 'resolved, 1 kept' },
  { fault: { kind: 'unknown-status' }, create: 'resolved, 1 kept', list: 'resolved, 1 kept' },
  { fault: { kind: 'redirect', location: 'https://elsewhere.example/' }, create: 'ApiError unknown 307, 0 kept', list: 'ApiError unknown 307, 1 kept', remove: 'ApiError unknown 307, 1 kept' },
  { fault: { kind: 'clock-skew', seconds: 900 }, create: 'AuthenticationError rejected 401, 0 kept', list: 'AuthenticationError rejected 401, 1 kept', remove: 'AuthenticationError rejected 401, 1 kept' },
];

const calls = { create: created, list: listed, remove: deleted };

const cases = Object.keys(carriers).flatMap((carrier) => rows.flatMap(({ fault, msw, ...onConnections }) => {
  const expected: Expected = { ...onConnections, ...(carrier === 'msw' && msw) };
  return Object.entries(expected).map(([call, end]) => ({ carrier, fault, call: call as keyof Expected, end: end as string }));
}));

describe.concurrent('a fault looks the same to the client on every carrier', () => {
  test.each(cases)('$carrier, $fault: $call is $end', async ({ carrier, fault, call, end }) => {
    const reached = await (carriers[carrier] as () => Promise<Reached>)();
    expect(await calls[call](reached, fault)).toBe(end);
  });
});
