import { isBytes, isPlainObject } from '../../contract/objects.js';
import { settingIssue } from '../../contract/setting.js';
import { CorridorError, SigningError } from '../../errors/api.js';
import { isTransientServiceError, TransientSigningError } from '../transient.js';
import type { PrivateKey, PrivateKeySource, PrivateKeyWithId, Signer, SignerResult } from './key.js';

// Credentials as callers pass them. Functions among them can return anything, and their errors can contain secrets.

/** The request that a token is signed for. */
export interface ClaimsContext {
  /** The endpoint, such as `payments.create`. */
  readonly endpoint: string;
  /** The HTTP method. */
  readonly method: string;
  /** The path and query exactly as sent. */
  readonly uri: string;
  /** The SHA-256 of the exact bytes of the body, in hex. */
  readonly bodyHash: string;
}

/** The claims of a token. */
export type TokenClaims = Readonly<Record<string, unknown>>;

/** An API key, or a function that returns the current one. */
export type ApiKeySource = string | (() => string | Promise<string>);

/**
 * Checks whether a value can be an API key in a header, without white space around it; an empty one counts as missing.
 */
export function isApiKey(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]*$/.test(value.trim());
}

/** The options that tokens are created from. */
export interface CredentialOptions {
  readonly apiKey: ApiKeySource;
  readonly privateKey: PrivateKeySource | undefined;
  readonly signer: Signer | undefined;
  readonly keyId: string | undefined;
  readonly issuer: string | undefined;
  readonly subject: string | undefined;
  readonly audience: string | undefined;
  readonly claims: ((request: ClaimsContext) => TokenClaims) | undefined;
  readonly tokenLifetime: number;
}

/** Calls a function that returns the current API key. */
export async function callApiKey(apiKey: () => string | Promise<string>): Promise<string> {
  const current: unknown = await call('apiKey', apiKey);
  const issue = settingIssue(current);
  if (issue !== undefined) throw new SigningError(`what apiKey returned ${issue}`);
  const key = isApiKey(current) ? current.trim() : '';
  if (key !== '') return key;
  throw new SigningError(
    'apiKey must return a non-empty string of printable ASCII without white space ' +
      `(received ${current === '' ? 'an empty string' : typeof current}). Return the key as the platform ` +
      'issued it',
  );
}

/** Calls a function that returns the current private key, whose form is not checked yet. */
export function callPrivateKey(
  privateKey: Extract<PrivateKeySource, (...parameters: never) => unknown>,
): Promise<PrivateKey | PrivateKeyWithId> {
  return call('privateKey', privateKey);
}

/** Calls a signer. */
export async function callSigner(signer: Signer, bytes: Uint8Array): Promise<SignerResult> {
  const result: unknown = await call('signer', () => signer(bytes));
  const { signature, keyId } = isBytes(result) ? { signature: result } : ((result ?? {}) as Partial<SignerResult>);
  if (!isBytes(signature) || signature.byteLength < 256) {
    throw new SigningError(
      'signer must resolve to the RS256 signature as a Uint8Array of at least 256 ' +
        'bytes (RSA of 2048 bits or more). Return the bytes, not base64',
    );
  }
  return keyId === undefined ? { signature } : { signature, keyId: validateKeyId('signer', keyId) };
}

/** Calls a function that returns claims. */
export function callClaims(claims: (request: ClaimsContext) => TokenClaims, request: ClaimsContext): TokenClaims {
  const returned: unknown = claims(request);
  if (isPlainObject(returned)) return returned as TokenClaims;
  throw new SigningError(
    'claims must return an object of claims, not a promise or another value. Make the function synchronous',
  );
}

/** Throws a SigningError unless a value is the id of a key. `option` is the function that returned it. */
export function validateKeyId(option: string, keyId: unknown): string {
  if (typeof keyId === 'string' && keyId !== '') return keyId;
  throw new SigningError(
    `the keyId that ${option} returned must be a non-empty string ` +
      `(received ${keyId === '' ? 'an empty string' : typeof keyId}). Return the id that the platform ` +
      'has for the key',
  );
}

async function call<T>(option: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw signingError(option, error);
  }
}

/**
 * Creates the error of a user-supplied function. It contains only the name of what the function threw: the message of a
 * KMS client may contain its credentials.
 */
export function signingError(option: string, error: unknown): CorridorError {
  if (error instanceof CorridorError) return error;
  const { name = typeof error } = Object(error) as { readonly name?: unknown };
  const problem = `the token could not be signed: ${option} threw ${/^\w{1,60}$/.test(String(name)) ? String(name) : 'an error'}`;
  return option !== 'claims' && isTransientServiceError(error)
    ? new TransientSigningError(`${problem}, which may pass. Check the service behind ${option}`)
    : new SigningError(`${problem}. Fix the function that is passed as ${option}`);
}
