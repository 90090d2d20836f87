import { webCrypto } from '../../contract/web-crypto.js';
import { compactVerify, decodeJwt, decodeProtectedHeader } from 'jose';
import { isPlainObject } from '../../contract/objects.js';
import { MockPlatformError } from '../base/mock-error.js';
import type { MockHttpRequest } from '../wire/message.js';
import { HttpError } from '../wire/http-error.js';
import type { OrganizationKeys } from '../base/keys.js';
import type { PlatformState, OrganizationState } from '../state/platform-state.js';

/** The claims of a verified token. */
export type TokenClaims = Readonly<Record<string, unknown>>;

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
  /** The thumbprint of the public key that verified it. */
  readonly keyId: string;
  readonly bodyHash: string;
}

/** Verifies the signature of a request's token. Throws an `HttpError` if it is invalid. */
export async function verifySignature(organization: OrganizationState, request: MockHttpRequest): Promise<SignedToken> {
  const { authorization: header = '' } = request.headers;
  if (header === '') fail('missing_token', 'the authorization header is missing');
  const [, token = ''] = /^Bearer +(\S+)$/i.exec(header) ?? [];
  if (token === '') fail('missing_token', 'the authorization header must be "Bearer" followed by a token');

  const { alg: algorithm }: { readonly alg?: unknown } = await orFail(
    'malformed_token',
    'the token is not a JWT: it must be three base64url parts separated by dots',
    () => {
      // jose accepts padding, which RFC 7515 excludes.
      if (token.includes('=')) throw new SyntaxError('padded');
      return decodeProtectedHeader(token);
    },
  );
  if (algorithm !== 'RS256')
    fail(
      'wrong_algorithm',
      `the token must be signed with RS256 (received ${typeof algorithm === 'string' ? algorithm : 'no algorithm'})`,
    );

  const keys = await organization.publicKeys().catch((error: unknown) => {
    if (!(error instanceof MockPlatformError)) throw error;
    return fail('unusable_key', `the tokens of ${organization.id} cannot be verified: ${error.message}`);
  });
  const signed = await verify(keys, token);
  if (signed === undefined) return fail('bad_signature', await signatureProblem(organization, token));
  const { payload, keyId } = signed;
  const claims: unknown = await orFail(...notAnObject, () => JSON.parse(decoder.decode(payload)) as unknown);
  if (!isPlainObject(claims)) fail(...notAnObject);
  return { claims: claims as TokenClaims, keyId, bodyHash: await sha256(request.body) };
}

/** Returns the payload of a token with the id of the key that verifies it; undefined if none does. */
async function verify(
  keys: readonly OrganizationKeys[],
  token: string,
): Promise<{ readonly payload: Uint8Array; readonly keyId: string } | undefined> {
  for (const { verifier, keyId } of keys) {
    const verified = await compactVerify(token, verifier).catch(() => undefined);
    if (verified !== undefined) return { payload: verified.payload, keyId };
  }
  return undefined;
}

/** Returns the claims of a token that was rejected; undefined if they cannot be read. */
export function rejectedClaims({ headers }: MockHttpRequest): TokenClaims | undefined {
  try {
    return decodeJwt(headers['authorization'] ?? '');
  } catch {
    return undefined;
  }
}

/** Describes a signature that is not that of an organization, with thumbprints as `corridor doctor` prints them. */
async function signatureProblem(organization: OrganizationState, token: string): Promise<string> {
  const keyIds = (await organization.publicKeys()).map(({ keyId }) => keyId);
  const thumbprints = keyIds.length === 0 ? 'no public key' : `the thumbprint ${keyIds.join(' or ')}`;
  const expected = `that of ${organization.id}, which has ${thumbprints}`;
  for (const other of organization.platform.organizations) {
    const signed = await verify(await other.publicKeys().catch(() => []), token);
    if (signed !== undefined)
      return (
        `the key of the token is that of ${other.id}, which has the thumbprint ${signed.keyId}, ` +
        `instead of ${expected}`
      );
  }
  return `the signature of the token is invalid, or was made with another key than ${expected}`;
}

const notAnObject = ['malformed_token', 'the payload of the token is not a JSON object'] as const;

/**
 * Checks the claims of a token at a time in milliseconds, marks it as used, and returns its claims. Throws an
 * `HttpError` if one is invalid or the token was used before.
 */
export function acceptToken(
  { tokens, clock, options: { clockTolerance } }: OrganizationState,
  { claims, bodyHash }: SignedToken,
  target: string,
  at: number,
): TokenClaims {
  const now = at / 1000;
  const iat = requireSeconds(claims, 'iat');
  const exp = requireSeconds(claims, 'exp');
  if (exp <= now)
    fail(
      'token_expired',
      `the token expired ${Math.floor(now - exp)} s ago on the mock's clock, which is at ${new Date(at).toISOString()}`,
    );
  if (iat > now + clockTolerance)
    fail(
      'token_from_future',
      `the token was issued ${Math.ceil(iat - now)} s ahead of the mock's clock, which is at ` +
        `${new Date(at).toISOString()}; at most ${clockTolerance} s are allowed`,
    );
  if (exp <= iat) fail('invalid_claim', `the claim exp must be after iat (received ${exp} and ${iat})`);
  if (exp - iat > maxTokenLifetime)
    fail(
      'token_lives_too_long',
      `the token has a lifetime of ${exp - iat} s; at most ${maxTokenLifetime} s are allowed`,
    );

  const jti = requireString(claims, 'jti');
  const uri = requireString(claims, 'uri');
  if (uri !== target) fail('uri_mismatch', `the token is for ${uri}, the request is for ${target}`);
  const hash = requireString(claims, 'bodyHash');
  if (hash !== bodyHash)
    fail('body_mismatch', `the token is for a body with the SHA-256 ${hash}, the received body has ${bodyHash}`);

  if (tokens.has(jti))
    fail(
      'token_replayed',
      `the token with the jti ${JSON.stringify(jti)} was already used; create a new token for every request`,
    );
  tokens.set(jti, exp);
  // Expired tokens are rejected anyway: delete them from time to time to bound the memory.
  if (tokens.size % 100 === 0) for (const [id, until] of tokens) if (until <= clock.now() / 1000) tokens.delete(id);
  return claims;
}

function fail(code: string, message: string): never {
  throw new HttpError(401, code, message);
}

/** Returns what a function reads. Throws an `HttpError` if it throws. */
async function orFail<T>(code: string, message: string, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch {
    return fail(code, message);
  }
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

let emptyHash: Promise<string> | undefined;

/** Returns the SHA-256 hash of bytes in hexadecimal. */
function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  // Cached for empty bodies: most requests have no body, and `subtle.digest` runs on another thread.
  return bytes.length === 0 ? (emptyHash ??= digest(bytes)) : digest(bytes);
}

async function digest(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  let hex = '';
  for (const byte of new Uint8Array(await webCrypto().subtle.digest('SHA-256', bytes)))
    hex += byte.toString(16).padStart(2, '0');
  return hex;
}
