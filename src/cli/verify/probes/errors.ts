import { createHash } from 'node:crypto';
import { endpoints } from '../../../contract/endpoints.js';
import { endpointNames, RateLimitError, type CorridorOptions, type TokenClaims } from '../../../index.js';
import { createMockPlatform, type MeasuredBehavior } from '../../../mock/index.js';
import { clockOffset } from '../../check.js';
import { dryRun, reasonOf, unknownId } from '../payments.js';
import type { Probe } from '../probe.js';
import { readAll } from '../samples.js';
import {
  describeResponse,
  fieldsOf,
  isSuccess,
  PaymentsStoppedError,
  requestOf,
  type CallInput,
  type ReceivedResponse,
  type Session,
} from '../session.js';

const unknownCustomer = (session: Session): Promise<ReceivedResponse> =>
  session.share('unknown customer', () => session.call('customers.get', { ids: { id: unknownId } }));

/** Returns the known shape of an error body. */
function shapeOf({ body, headers }: ReceivedResponse): MeasuredBehavior['errorBody'] {
  const { code, message, error, statusCode, detail, title } = fieldsOf(body);
  const isText = (value: unknown): boolean => typeof value === 'string';
  if (/problem\+json/i.test(headers.get('content-type') ?? '') && (isText(detail) || isText(title)))
    return 'problem+json';
  if (isText(fieldsOf(error)['message'])) return 'nested';
  if (typeof statusCode === 'number' && isText(message)) return 'status-code';
  return isText(code) && isText(message) ? 'plain' : undefined;
}

const assumedRejections = [400, 401, 403, 404, 422, 429];

/** Sends requests with errors that no other probe sends. */
async function provokeErrors(session: Session): Promise<void> {
  const { status = 'status', cursor = 'cursor' } = session.filterNames;
  const list = (query: NonNullable<CallInput['query']>): Promise<ReceivedResponse> =>
    session.call('payments.list', { query });
  session.noteError('invalid_query', await list({ [status]: 'CORRIDOR_VERIFY' }));
  session.noteError('invalid_cursor', await list({ [cursor]: 'corridor-verify' }));
  session.noteError('not_found', await unknownCustomer(session));
  session.noteError('unknown_endpoint', await session.send({ method: 'GET', path: '/api/v1/corridor-verify' }));
  if (session.settings.writes === undefined) return;
  session.noteError('invalid_body', await dryRun(session, { amount: 'x' }));
  session.noteError('customer_not_found', await dryRun(session));
  session.noteError('unsupported_media_type', await sendText(session, 'text/plain', '{}'));
  session.noteError('invalid_json', await sendText(session, 'application/json', '{'));
}

/** Sends a text instead of a payment. */
function sendText(session: Session, contentType: string, text: string): Promise<ReceivedResponse> {
  const fetch: typeof globalThis.fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('content-type', contentType);
    headers.delete('content-length');
    return session.fetch(input, { ...init, headers, body: text });
  };
  const bodyHash = createHash('sha256').update(text).digest('hex');
  return session.pay({}, 'invalid', session.clientWith({ fetch, claims: () => ({ bodyHash }) }));
}

/** The largest difference of the clocks that is as assumed, in seconds. */
const maxSkew = 30;

/** Calls an endpoint without personal data with a client that signs in another way. */
const readWith = (session: Session, options: CorridorOptions): Promise<ReceivedResponse> =>
  session.call('crypto.networks', {}, session.clientWith({ maxRetries: 0, ...options }));

const claimsWith = (claims: TokenClaims): CorridorOptions => ({ claims: () => claims });

/** The tokens that the platform should reject, by what is wrong with them. */
const invalidTokens: Readonly<Record<string, (now: number) => CorridorOptions>> = {
  'without iat': () => claimsWith({ iat: undefined }),
  'without exp': () => claimsWith({ exp: undefined }),
  'without jti': () => claimsWith({ jti: undefined }),
  'without uri': () => claimsWith({ uri: undefined }),
  'without bodyHash': () => claimsWith({ bodyHash: undefined }),
  'for another uri': () => claimsWith({ uri: '/api/v1/customers' }),
  'for another body': () => claimsWith({ bodyHash: '0'.repeat(64) }),
  expired: (now) => claimsWith({ iat: now - 120, exp: now - 60 }),
  'from 60 s ahead': (now) => claimsWith({ iat: now + 60, exp: now + 120 }),
  'valid for 301 s': () => ({ tokenLifetime: 301 }),
};

/** Sends the token of an earlier request again. */
async function replay(session: Session): Promise<ReceivedResponse> {
  let token: string | null = null;
  const fetch: typeof globalThis.fetch = (input, init) => {
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    token ??= headers.get('authorization');
    headers.set('authorization', token ?? '');
    return session.fetch(input, { ...init, headers });
  };
  await readWith(session, { fetch });
  return readWith(session, { fetch });
}

interface Burst {
  readonly accepted: number;
  readonly seconds: number;
  /** The error of the 429; undefined if there was none. */
  readonly limit: RateLimitError | undefined;
}

/** Reads until the platform limits the requests. */
async function burst(session: Session): Promise<Burst> {
  const corridor = session.clientWith({ maxRetries: 0 });
  const { maxBurst } = session.settings;
  const start = performance.now();
  const elapsed = (): number => (performance.now() - start) / 1000;
  for (let accepted = 0; accepted < maxBurst; accepted += 1) {
    try {
      await session.call('crypto.networks', {}, corridor);
    } catch (error) {
      if (!(error instanceof RateLimitError)) throw error;
      return { accepted, limit: error, seconds: elapsed() };
    }
  }
  return { accepted: maxBurst, limit: undefined, seconds: elapsed() };
}

const describeBurst = ({ accepted, limit }: Burst): string =>
  `429 after ${accepted} requests, Retry-After ${limit?.retryAfter ?? 'missing'}, ${requestOf(limit?.requestId).join()}`;

/** The longest wait for a new window, in seconds. */
const maxWait = 120;

/** Returns the usual length of a window that is at most a second from the measured one. */
const windowOf = (measured: number): number =>
  [1, 5, 10, 15, 30, 60, 300].find((seconds) => Math.abs(seconds - measured) <= 1) ?? measured;

const maxRequestBytes = 1_048_576;
const sizes = [64 * 1024, 256 * 1024, 512 * 1024, maxRequestBytes, maxRequestBytes + 1, 4 * maxRequestBytes];

/** Sends a body of a size, which is no payment. */
function sendBody(session: Session, size: number): Promise<ReceivedResponse> {
  const overhead = JSON.stringify({ padding: '' }).length;
  return session.pay({ padding: 'x'.repeat(size - overhead) }, 'invalid');
}

/** The probes of errors. */
export const errorProbes: readonly Probe[] = [
  {
    row: 'A-6',
    question: 'the shape and codes of errors',
    assumed: 'plain',
    setting: 'behavior.errorBody',
    async observe(session) {
      const reply = await unknownCustomer(session);
      const evidence = `customers.get with an unknown id: ${describeResponse(reply)}`;
      const unknownShape = { value: undefined, measured: { 'behavior.errorBody': undefined } };
      if (isSuccess(reply))
        return {
          ...unknownShape,
          evidence,
          meaning: 'An unknown id is no error: check the id of each record that you get.',
        };
      const value = shapeOf(reply);
      if (value === undefined)
        return {
          ...unknownShape,
          evidence: `the body has none of the known shapes: ${evidence}`,
          meaning: 'platformCode of errors is undefined. Read body of the error instead.',
        };
      return {
        value,
        evidence: `${value === 'plain' ? '{ code, message }' : value}: ${evidence}`,
        meaning: 'The client reads this shape. Your tests should see it too.',
      };
    },
  },
  {
    row: 'A-15',
    question: 'which error responses to a POST mean that it was not processed',
    needs: ['allow-writes'],
    assumed: 'as assumed',
    meaning:
      'The client treats these as payments that may exist, and searches for them. Pass this dialect if the platform confirms that they do not.',
    async observe(session) {
      let responses: readonly ReceivedResponse[];
      try {
        responses = [await dryRun(session), await dryRun(session, { amount: 'x' })];
      } catch (error) {
        if (!(error instanceof PaymentsStoppedError) || error.accepted === undefined) throw error;
        return {
          value: 'accepted',
          evidence: error.message,
          meaning: 'Report it, and look for the payment. Do not pass --allow-writes for this platform.',
          measured: { 'dialect.rejectedStatuses': undefined },
        };
      }
      const others = [...new Set(responses.map(({ status }) => status))].filter(
        (status) => !assumedRejections.includes(status),
      );
      const isAssumed = others.length === 0;
      return {
        value: isAssumed ? 'as assumed' : others,
        evidence: `invalid payments: ${responses.map(describeResponse).join('; ')}`,
        measured: { 'dialect.rejectedStatuses': isAssumed ? undefined : [...assumedRejections, ...others] },
      };
    },
  },
  {
    row: 'A-35',
    question: 'whether unknown fields and query parameters are rejected',
    assumed: 'reject',
    setting: 'behavior.unknownFields',
    meaning:
      'A mistyped name has no effect instead of an error. The client rejects unknown names itself; corridor.request does not.',
    async observe(session) {
      const query = await session.call('payments.list', { query: { corridorVerify: 1 } });
      const isIgnored = [isSuccess(query)];
      const evidence = [`an unknown query parameter: ${describeResponse(query)}`];
      if (session.settings.writes !== undefined) {
        const [known, unknown] = [await dryRun(session), await dryRun(session, { corridorVerify: 1 })];
        isIgnored.push(reasonOf(known) === reasonOf(unknown));
        evidence.push(`an unknown field: ${describeResponse(unknown)}`);
      }
      const isMixed = new Set(isIgnored).size > 1;
      return {
        value: isIgnored.includes(true) ? 'ignore' : 'reject',
        evidence: evidence.join('; '),
        ...(isMixed && { measured: { 'behavior.unknownFields': undefined } }),
      };
    },
  },
];

/** The probe of tokens. */
export const tokenProbe: Probe = {
  row: 'A-2',
  question: 'the claims and lifetime of the token',
  needs: ['probe-auth'],
  assumed: true,
  meaning:
    'The tokens of the client work. The mock is stricter or less strict: do not rely on its 401 in tests of your own signer.',
  async observe(session) {
    const startedAt = session.now();
    const first = await readWith(session, {});
    const offset = clockOffset(first.headers, startedAt, session.now()) ?? 0;
    const isLongAccepted = isSuccess(await readWith(session, { tokenLifetime: 300 }));
    const accepted: string[] = [];
    const rejected: string[] = [];
    for (const [name, options] of Object.entries(invalidTokens)) {
      const now = Math.floor((session.now() + offset) / 1000);
      (isSuccess(await readWith(session, options(now))) ? accepted : rejected).push(name);
    }
    (isSuccess(await replay(session)) ? accepted : rejected).push('replayed');
    const skew = Math.round(offset / 1000);
    const clock = skew === 0 ? 'in sync' : `${Math.abs(skew)} s ${skew < 0 ? 'behind' : 'ahead'}`;
    const evidence = `rejected tokens: ${rejected.join(', ') || 'no token'}; 300 s ${isLongAccepted ? 'accepted' : 'rejected'}; clock ${clock}; ${requestOf(first.requestId).join()}`;
    const value = accepted.length === 0 && isLongAccepted && Math.abs(skew) <= maxSkew;
    return {
      value,
      evidence: value ? evidence : `accepted tokens: ${accepted.join(', ') || 'no invalid token'}; ${evidence}`,
    };
  },
};

/** The probes that come last, in this order: they use the responses of all others, or end in a limit. */
export const lastProbes: readonly Probe[] = [
  {
    row: 'A-3',
    question: 'success statuses',
    assumed: 'as assumed',
    meaning: 'The client accepts any 2xx. Code of yours that compares the status does not.',
    isSample: true,
    async observe(session) {
      await readAll(session);
      const seen = [...session.successes].map(([name, { status }]) => [name, status] as const);
      const others = seen.filter(([name, status]) => status !== endpoints[name].success);
      const unseen = endpointNames.length - seen.length;
      const evidence = `${seen.length} endpoints${unseen === 0 ? '' : `, ${unseen} without a success in this run`}`;
      const measured = Object.fromEntries(
        seen.map(([name, status]) => [
          `behavior.successStatuses.${name}`,
          status === endpoints[name].success ? undefined : status,
        ]),
      );
      if (others.length === 0) return { value: 'as assumed', evidence, measured };
      const names = others.map(([name, status]) => `${name} ${status}`).join(', ');
      return { value: 'different', evidence: `${names}; ${evidence}`, measured };
    },
  },
  {
    row: 'A-29',
    question: 'the maximum size of a request',
    needs: ['allow-writes', 'probe-limits'],
    assumed: maxRequestBytes,
    setting: 'behavior.maxRequestBytes',
    meaning: 'No request of the client is that large. Your tests should see the same limit.',
    async observe(session) {
      const small = await sendBody(session, 1024);
      let largest = 0;
      for (const size of sizes) {
        const response = await sendBody(session, size);
        if (reasonOf(response) !== reasonOf(small)) {
          session.noteError('body_too_large', response);
          const evidence = `${largest} bytes as 1 KiB, ${size} bytes: ${describeResponse(response)}`;
          return {
            value: largest,
            evidence,
            ...(largest === 0 && { measured: { 'behavior.maxRequestBytes': undefined } }),
          };
        }
        largest = size;
      }
      return {
        value: largest,
        evidence: `no limit up to ${largest} bytes`,
        meaning: 'The platform reads larger requests than the mock. No request of the client is that large.',
      };
    },
  },
  {
    row: 'A-36',
    question: 'the statuses of errors',
    assumed: 'as assumed',
    meaning:
      'The client decides by the status whether a payment can exist (A-15). Your tests should see the same statuses.',
    isSample: true,
    async observe(session) {
      await provokeErrors(session);
      const assumptions = createMockPlatform().assumptions();
      const defaults = fieldsOf(assumptions.find(({ option }) => option === 'errorStatuses')?.value);
      const seen = [...session.errors].map(([code, { status }]) => [code, status] as const);
      const others = seen.filter(([code, status]) => status !== defaults[code]).map(([code]) => code);
      const evidence = `${seen.length} errors: ${seen.map(([code, status]) => `${code} ${status}`).join(', ')}`;
      return {
        value: others.length === 0 ? 'as assumed' : 'different',
        evidence: others.length === 0 ? evidence : `different: ${others.join(', ')}, of ${evidence}`,
        measured: Object.fromEntries(
          seen.map(([code, status]) => [`behavior.errorStatuses.${code}`, others.includes(code) ? status : undefined]),
        ),
      };
    },
  },
  {
    row: 'A-12',
    question: 'rate limits',
    assumed: 'no limit',
    meaning: 'The client retries a 429 after its Retry-After. Set rateLimit to stay below the limit.',
    async observe(session) {
      const { settings, throttled, requests } = session;
      if (!settings.permissions.has('probe-limits'))
        return throttled === 0
          ? { reason: 'needs --probe-limits; no request of this run was limited', flag: 'probe-limits' }
          : { value: 'a limit', evidence: `${throttled} of ${requests} requests got a 429`, measured: {} };
      const first = await burst(session);
      if (first.limit === undefined)
        return {
          value: 'no limit',
          evidence: `no limit within ${first.accepted} requests in ${Math.ceil(first.seconds)} s`,
          measured: { 'behavior.rateLimit': undefined },
        };
      const { retryAfter } = first.limit;
      if (retryAfter === undefined || retryAfter > maxWait)
        return { value: 'a limit', evidence: describeBurst(first), measured: {} };
      // The first window began before the burst: only the next one shows the whole limit.
      await session.sleep(retryAfter * 1000);
      const second = await burst(session);
      if (second.limit === undefined)
        return {
          value: 'a limit',
          evidence: `${describeBurst(first)}; no 429 within ${second.accepted} requests of a second burst`,
          measured: {},
        };
      const seconds = windowOf(Math.floor(second.seconds) + (second.limit.retryAfter ?? retryAfter));
      const rateLimit = { requests: second.accepted, per: { seconds } };
      return {
        value: 'a limit',
        evidence: describeBurst(second),
        measured: second.accepted > 0 && seconds > 0 ? { 'behavior.rateLimit': rateLimit } : {},
      };
    },
  },
];
