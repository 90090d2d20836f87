import { compactVerify, decodeProtectedHeader } from 'jose';
import { MockPlatformError } from '../base/error.js';
import type { MockHttpRequest } from '../wire/message.js';
import { HttpError } from '../wire/http-error.js';
import type { PlatformState, OrganizationState } from '../state/platform.js';

/** The claims of a verified token. */
export type TokenClaims = Readonly<Record<string, unknown>>;

/** The furthest that `iat` may be ahead of the mock's clock, in seconds. Assumed: A-2. */
export const maxClockAhead = 30;
/** The longest lifetime of a token, in seconds. Assumed: A-2. */
export const maxTokenLifetime = 300;

const decoder = new TextDecoder();

/** Returns the organization with the API key of a request. Throws an `HttpError` if the key is missing or unknown. */
export function identify(platform: PlatformState, request: MockHttpRequest): OrganizationState {
  const apiKey = request.headers['x-api-key'] ?? '';
  if (apiKey === '') fail('missing_api_key', 'the x-api-key header is missing');
  return platform.byApiKey(apiKey) ?? fail('unknown_api_key', 'the API key is unknown');
}

/** A token with a valid signature, and the hash of the body that it came with. */
export interface SignedToken {
  readonly claims: TokenClaims;
  readonly bodyHash: string;
}

/** Verifies the signature of a request's token. Throws an `HttpError` if it is invalid. */
export async function verifySignature(organization: OrganizationState, request: MockHttpRequest): Promise<SignedToken> {
  const token = tokenOf(request);
  assertRs256(token);
  const claims = claimsOf(await signedPayload(organization, token));
  return { claims, bodyHash: await sha256(request.body) };
}

/**
 * Checks the claims of a token at a time in milliseconds, marks it as used, and returns its claims. Throws an
 * `HttpError` if one is invalid or the token was used before.
 */
export function acceptToken(
  organization: OrganizationState,
  { claims, bodyHash }: SignedToken,
  target: string,
  now: number,
): TokenClaims {
  const expiry = requireTimes(claims, now / 1000);
  const jti = requireString(claims, 'jti');
  if (requireString(claims, 'uri') !== target)
    fail('uri_mismatch', `the token is for ${String(claims['uri'])}, the request is for ${target}`);
  if (requireString(claims, 'bodyHash') !== bodyHash)
    fail(
      'body_mismatch',
      `the token is for a body with the SHA-256 ${String(claims['bodyHash'])}, the received body has ${bodyHash}`,
    );
  requireFirstUse(organization, jti, expiry);
  return claims;
}

function fail(code: string, message: string): never {
  throw new HttpError(401, code, message);
}

function tokenOf(request: MockHttpRequest): string {
  const header = request.headers['authorization'] ?? '';
  if (header === '') fail('missing_token', 'the authorization header is missing');
  const [, token = ''] = /^Bearer +(\S+)$/i.exec(header) ?? [];
  if (token === '') fail('missing_token', 'the authorization header must be "Bearer" followed by a token');
  return token;
}

function assertRs256(token: string): void {
  let algorithm: unknown;
  try {
    algorithm = decodeProtectedHeader(token).alg;
  } catch {
    fail('malformed_token', 'the token is not a JWT: it must be three base64url parts separated by dots');
  }
  if (algorithm !== 'RS256')
    fail(
      'wrong_algorithm',
      `the token must be signed with RS256 (received ${typeof algorithm === 'string' ? algorithm : 'no algorithm'})`,
    );
}

async function signedPayload(organization: OrganizationState, token: string): Promise<Uint8Array> {
  const verifier = await verifierOf(organization);
  try {
    return (await compactVerify(token, verifier)).payload;
  } catch {
    return fail('bad_signature', 'the signature of the token is invalid, or was made with another key');
  }
}

async function verifierOf(organization: OrganizationState): Promise<CryptoKey> {
  try {
    return (await organization.keys()).verifier;
  } catch (error) {
    if (!(error instanceof MockPlatformError)) throw error;
    return fail('unusable_key', `the tokens of ${organization.id} cannot be verified: ${error.message}`);
  }
}

function claimsOf(payload: Uint8Array): TokenClaims {
  try {
    const claims: unknown = JSON.parse(decoder.decode(payload));
    if (typeof claims === 'object' && claims !== null && !Array.isArray(claims)) return claims as TokenClaims;
  } catch {
    // Falls through to the error below.
  }
  return fail('malformed_token', 'the payload of the token is not a JSON object');
}

function requireString(claims: TokenClaims, name: string): string {
  const value = claims[name];
  return typeof value === 'string' && value !== ''
    ? value
    : fail('invalid_claim', `the claim ${name} must be a non-empty string`);
}

function requireSeconds(claims: TokenClaims, name: string): number {
  const value = claims[name];
  return Number.isFinite(value)
    ? (value as number)
    : fail('invalid_claim', `the claim ${name} must be a number of seconds since the epoch`);
}

/** Validates the times of a token, and returns when it expires. */
function requireTimes(claims: TokenClaims, now: number): number {
  const iat = requireSeconds(claims, 'iat');
  const exp = requireSeconds(claims, 'exp');
  if (exp <= now)
    fail(
      'token_expired',
      `the token expired ${Math.floor(now - exp)} s ago on the mock's clock, which is at ${new Date(now * 1000).toISOString()}`,
    );
  if (iat > now + maxClockAhead)
    fail(
      'token_from_future',
      `the token was issued ${Math.ceil(iat - now)} s ahead of the mock's clock; at most ${maxClockAhead} s are allowed`,
    );
  if (exp - iat > maxTokenLifetime)
    fail(
      'token_lives_too_long',
      `the token has a lifetime of ${exp - iat} s; at most ${maxTokenLifetime} s are allowed`,
    );
  return exp;
}

function requireFirstUse(organization: OrganizationState, jti: string, expiry: number): void {
  const { tokens, clock } = organization;
  if (tokens.has(jti))
    fail(
      'token_replayed',
      `the token with the jti ${JSON.stringify(jti)} was already used; create a new token for every request`,
    );
  tokens.set(jti, expiry);
  // Expired tokens are rejected anyway: delete them from time to time to bound the memory.
  if (tokens.size % 100 !== 0) return;
  const now = clock.now() / 1000;
  for (const [id, until] of tokens) if (until <= now) tokens.delete(id);
}

let emptyHash: Promise<string> | undefined;

/** Returns the SHA-256 hash of bytes in hexadecimal. */
function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  // Cached for empty bodies: most requests have no body, and `subtle.digest` runs on another thread.
  return bytes.length === 0 ? (emptyHash ??= digest(bytes)) : digest(bytes);
}

async function digest(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  let hex = '';
  for (const byte of new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
    hex += byte.toString(16).padStart(2, '0');
  return hex;
}
