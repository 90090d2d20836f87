import { compactVerify, decodeProtectedHeader } from 'jose';
import { sha256 } from './bytes.js';
import { MockPlatformError } from './error.js';
import type { Arrival } from './exchange.js';
import { Refusal } from './refusal.js';
import type { OrganizationState, PlatformState } from './state.js';

/** The claims of a verified token. */
export type Claims = Readonly<Record<string, unknown>>;

/** How far ahead of the mock's clock a token may be issued, in seconds. Assumed: A-2. */
export const aheadAllowed = 30;
/** The longest a token may live, in seconds. Assumed: A-2. */
export const longestLifetime = 300;

const decoder = new TextDecoder();

/** The organization a request claims to come from, by its API key alone. Throws a `Refusal`. */
export function identify(platform: PlatformState, arrival: Arrival): OrganizationState {
  const apiKey = arrival.header('x-api-key');
  if (apiKey === null || apiKey === '') refuse('missing_api_key', 'the x-api-key header is missing');
  return platform.byApiKey(apiKey) ?? refuse('unknown_api_key', 'the API key is unknown');
}

/** Verifies a request's token at a time in milliseconds. Throws a `Refusal` that says what is wrong with it. */
export async function verify(organization: OrganizationState, arrival: Arrival, now: number): Promise<Claims> {
  const token = tokenOf(arrival);
  requireRs256(token);
  const claims = claimsOf(await signedPayload(organization, token));
  const { iat, exp } = requireTimes(claims, now / 1000);
  const jti = requireText(claims, 'jti');
  if (requireText(claims, 'uri') !== arrival.target) refuse('uri_mismatch', `the token is for ${String(claims['uri'])}, the request is for ${arrival.target}`);
  const bodyHash = await sha256(arrival.body);
  if (requireText(claims, 'bodyHash') !== bodyHash) refuse('body_mismatch', `the token is for a body with the SHA-256 ${String(claims['bodyHash'])}, the body that came has ${bodyHash}`);
  requireFirstUse(organization, jti, Math.max(exp, iat));
  return claims;
}

function refuse(code: string, message: string): never {
  throw new Refusal(401, code, message);
}

function tokenOf(arrival: Arrival): string {
  const header = arrival.header('authorization');
  if (header === null || header === '') refuse('missing_token', 'the authorization header is missing');
  const [, token = ''] = /^Bearer +(\S+)$/i.exec(header) ?? [];
  if (token === '') refuse('missing_token', 'the authorization header is not "Bearer" and a token');
  return token;
}

function requireRs256(token: string): void {
  let algorithm: unknown;
  try {
    algorithm = decodeProtectedHeader(token).alg;
  } catch {
    refuse('malformed_token', 'the token is not a JWT: three parts in base64url, separated by points');
  }
  if (algorithm !== 'RS256') refuse('wrong_algorithm', `the token is signed by ${typeof algorithm === 'string' ? algorithm : 'no algorithm'}, it must be RS256`);
}

async function signedPayload(organization: OrganizationState, token: string): Promise<Uint8Array> {
  const payload = await payloadSignedBy(await verifierOf(organization), token);
  if (payload !== undefined) return payload;
  for (const other of organization.platform.organizations) {
    if (other === organization || !other.hasKeys) continue;
    // A key that cannot be read signed nothing.
    const keys = await other.keys().catch(() => undefined);
    if (keys !== undefined && (await payloadSignedBy(keys.verifier, token)) !== undefined) {
      refuse('foreign_key', `the token is signed with the key of another organization (${other.id}), the API key is that of ${organization.id}`);
    }
  }
  return refuse('bad_signature', 'the signature of the token does not fit it, or was made with another key');
}

async function verifierOf(organization: OrganizationState): Promise<CryptoKey> {
  try {
    return (await organization.keys()).verifier;
  } catch (error) {
    if (!(error instanceof MockPlatformError)) throw error;
    return refuse('unusable_key', `no token of ${organization.id} can be verified: ${error.message}`);
  }
}

async function payloadSignedBy(verifier: CryptoKey, token: string): Promise<Uint8Array | undefined> {
  try {
    return (await compactVerify(token, verifier, { algorithms: ['RS256'] })).payload;
  } catch {
    return undefined;
  }
}

function claimsOf(payload: Uint8Array): Claims {
  try {
    const claims: unknown = JSON.parse(decoder.decode(payload));
    if (typeof claims === 'object' && claims !== null && !Array.isArray(claims)) return claims as Claims;
  } catch {
    // Said below.
  }
  return refuse('malformed_token', 'the payload of the token is not a JSON object');
}

function requireText(claims: Claims, name: string): string {
  const value = claims[name];
  return typeof value === 'string' && value !== '' ? value : refuse('invalid_claim', `the claim ${name} must be a string that is not empty`);
}

function requireSeconds(claims: Claims, name: string): number {
  const value = claims[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : refuse('invalid_claim', `the claim ${name} must be a number of seconds since the epoch`);
}

function requireTimes(claims: Claims, now: number): { readonly iat: number; readonly exp: number } {
  const iat = requireSeconds(claims, 'iat');
  const exp = requireSeconds(claims, 'exp');
  if (exp <= now) refuse('token_expired', `the token expired ${Math.floor(now - exp)} s ago on the mock's clock, which says ${new Date(now * 1000).toISOString()}`);
  if (iat > now + aheadAllowed) refuse('token_from_future', `the token was issued ${Math.ceil(iat - now)} s ahead of the mock's clock, ${aheadAllowed} s are allowed`);
  if (exp - iat > longestLifetime) refuse('token_lives_too_long', `the token lives ${exp - iat} s, ${longestLifetime} s are allowed`);
  return { iat, exp };
}

function requireFirstUse(organization: OrganizationState, jti: string, expiry: number): void {
  const { tokens, platform } = organization;
  if (tokens.has(jti)) refuse('token_replayed', `the token with the jti ${JSON.stringify(jti)} was used before; sign every request anew`);
  tokens.set(jti, expiry);
  // Expired ones are refused by their expiry; forgetting them now and then keeps the memory small.
  if (tokens.size % 1000 !== 0) return;
  const now = platform.clock.now() / 1000;
  for (const [id, until] of tokens) if (until <= now) tokens.delete(id);
}
