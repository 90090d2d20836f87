import type { CorridorOptions, TokenClaims } from '../../../index.js';
import { clockOffset } from '../../clock-offset.js';
import { confirmed, contradicted, notTestable, type Probe } from '../probe.js';
import { isSuccess, requestOf, type ReceivedResponse, type Session } from '../session.js';

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

const tokens: Probe = {
  row: 'A-2',
  question: 'the claims and lifetime of the token',
  needs: ['probe-auth'],
  async run(session) {
    const startedAt = session.now();
    const first = await readWith(session, {});
    const offset = clockOffset(first.headers, startedAt, session.now()) ?? 0;
    const longest = await readWith(session, { tokenLifetime: 300 });
    const accepted: string[] = [];
    const rejected: string[] = [];
    for (const [name, options] of Object.entries(invalidTokens)) {
      const now = Math.floor((session.now() + offset) / 1000);
      (isSuccess(await readWith(session, options(now))) ? accepted : rejected).push(name);
    }
    (isSuccess(await replay(session)) ? accepted : rejected).push('replayed');
    const skew = Math.round(offset / 1000);
    const clock = skew === 0 ? 'in sync' : `${Math.abs(skew)} s ${skew < 0 ? 'behind' : 'ahead'}`;
    const evidence = `rejected tokens: ${rejected.join(', ') || 'no token'}; 300 s ${isSuccess(longest) ? 'accepted' : 'rejected'}; clock ${clock}; ${requestOf(first.requestId).join()}`;
    if (accepted.length === 0 && isSuccess(longest) && Math.abs(skew) <= maxSkew) return confirmed(evidence);
    return contradicted(
      `accepted tokens: ${accepted.join(', ') || 'no invalid token'}; ${evidence}`,
      'The tokens of the client work. The mock is stricter or less strict: do not rely on its 401 in tests of your own signer.',
    );
  },
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

const keys: Probe = {
  row: 'A-2',
  question: 'how a key is registered',
  run: () => notTestable('no endpoint registers keys; that of this run is registered'),
};

/** The probes of tokens. */
export const tokenProbes: readonly Probe[] = [tokens, keys];
