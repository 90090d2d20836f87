import { isBytes, sha256, webCrypto } from '../../contract/web-crypto.js';
import { settingIssue } from '../../contract/setting.js';
import { createSecretMask, minSecretLength, type Secret } from '../../contract/redact.js';
import { ConfigurationError, SigningError, CorridorError } from '../../errors/api.js';
import {
  assertKeySource,
  createSigner,
  type PrivateKey,
  type PrivateKeySource,
  type PrivateKeyWithId,
  type Signer,
  type SignerResult,
} from './key.js';

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

/** An API key, and the number of attempts that are using it. */
interface UsedSecret extends Secret {
  uses: number;
}

/** Signs one token per attempt. Assumed: A-2, its claims, its lifetime and how the key is registered. */
export class Credentials {
  readonly #options: CredentialOptions;
  readonly #crypto = webCrypto();
  readonly #secrets: UsedSecret[] = [];
  /** The id of the key that the signer used last. */
  #currentKeyId: string | undefined;
  #lastHeader: { readonly keyId: string | undefined; readonly text: string };
  #lastKey: { readonly key: PrivateKey; readonly signer: Promise<Signer> } | undefined;

  constructor(options: CredentialOptions) {
    this.#options = options;
    if (typeof options.apiKey === 'string') this.#remember(options.apiKey);
    this.#currentKeyId = options.keyId;
    this.#lastHeader = this.#createHeader(options.keyId);
  }

  /** The API keys that are in use or were used lately, to mask them. */
  get secrets(): readonly Secret[] {
    return this.#secrets;
  }

  /** Returns the API key for one attempt. */
  async apiKey(): Promise<string> {
    const { apiKey } = this.#options;
    if (typeof apiKey === 'string') return apiKey;
    let current: unknown;
    try {
      current = await apiKey();
    } catch (error) {
      throw signingError('apiKey', error);
    }
    const issue = settingIssue(current);
    if (issue !== undefined) throw new SigningError(`what apiKey returned ${issue}`);
    const key = isApiKey(current) ? current.trim() : '';
    if (key === '')
      throw new SigningError(
        'apiKey must return a non-empty string of printable ASCII without white space ' +
          `(received ${current === '' ? 'an empty string' : typeof current}). Return the key as the platform ` +
          'issued it',
      );
    this.#remember(key);
    return key;
  }

  /** Masks a key until the returned function is called, and some time longer. */
  use(apiKey: string): () => void {
    const secret = this.#remember(apiKey);
    secret.uses += 1;
    return () => void (secret.uses -= 1);
  }

  #remember(apiKey: string): UsedSecret {
    const known = this.#secrets.find(({ value }) => value === apiKey);
    if (known !== undefined) return known;
    const secret = { value: apiKey, mask: createSecretMask(apiKey), uses: 0 };
    this.#secrets.push(secret);
    for (let index = 0; this.#secrets.length > maxSecrets && index < this.#secrets.length - 1;)
      if (this.#secrets[index]?.uses === 0) this.#secrets.splice(index, 1);
      else index += 1;
    return secret;
  }

  /** Imports and verifies the private key, and gets the API key. */
  async ready(): Promise<void> {
    await this.apiKey();
    await this.#key();
  }

  /** Returns a token for one attempt; `now` is the platform's time in milliseconds. */
  async token(request: Omit<ClaimsContext, 'bodyHash'>, body: string | undefined, now: number): Promise<string> {
    const { sign, keyId } = await this.#key();
    const bodyHash = body === undefined ? emptyHash : await sha256(body, this.#crypto);
    return this.#sign(sign, keyId, this.#payload({ ...request, bodyHash }, Math.floor(now / 1000)));
  }

  // The header contains the key id, but a signer reports it only with the signature: if it is another one, sign again.
  async #sign(sign: Signer, expectedKeyId: string | undefined, claims: string): Promise<string> {
    let expected = expectedKeyId;
    for (let tries = 0; tries < maxKeyChanges; tries += 1) {
      if (this.#lastHeader.keyId !== expected) this.#lastHeader = this.#createHeader(expected);
      const input = `${this.#lastHeader.text}.${claims}`;
      let result: unknown;
      try {
        result = await sign(new TextEncoder().encode(input));
      } catch (error) {
        throw signingError('signer', error);
      }
      const { signature, keyId = expected } = validateSignature(result);
      if (keyId === expected) return `${input}.${encodeBase64Url(signature)}`;
      this.#currentKeyId = expected = keyId;
    }
    throw new SigningError(
      `signer resolved to another keyId for each of ${maxKeyChanges} signatures. ` +
        'Return the id of the key, which changes only if the key is rotated',
    );
  }

  #createHeader(keyId: string | undefined): { readonly keyId: string | undefined; readonly text: string } {
    return { keyId, text: this.#encode({ __proto__: null, alg: 'RS256', typ: 'JWT', kid: keyId }) };
  }

  #encode(fields: Readonly<Record<string, unknown>>): string {
    const text = JSON.stringify(fields);
    const { subject } = this.#options;
    const isSubject = fields['sub'] === subject && this.#secrets.some(({ value }) => value === subject);
    // The API key is a secret, and anyone who sees a token can read it; some platforms expect it as the subject. A key
    // of a few characters, as in tests, may appear by chance.
    const searched = isSubject ? JSON.stringify({ ...fields, sub: undefined }) : text;
    const secrets = this.#secrets.filter(({ value }) => value.length >= minSecretLength);
    if (secrets.some(({ value }) => searched.includes(JSON.stringify(value).slice(1, -1)))) {
      throw new ConfigurationError(
        'claims and keyId must not contain the API key, because anyone who sees a token can read it. Remove it',
      );
    }
    return encodeBase64Url(new TextEncoder().encode(text));
  }

  #payload(request: ClaimsContext, now: number): string {
    const { issuer, subject, audience, claims, tokenLifetime } = this.#options;
    try {
      return this.#encode({
        iat: now - backdating,
        exp: now + tokenLifetime,
        jti: this.#crypto.randomUUID(),
        uri: request.uri,
        bodyHash: request.bodyHash,
        iss: issuer,
        sub: subject,
        aud: audience,
        ...(claims === undefined ? undefined : validateClaims(claims(request))),
      });
    } catch (error) {
      throw signingError('claims', error);
    }
  }

  /** Returns the current key and its id. */
  async #key(): Promise<{ readonly sign: Signer; readonly keyId: string | undefined }> {
    const { signer, privateKey, keyId } = this.#options;
    if (signer !== undefined) return { sign: signer, keyId: this.#currentKeyId };
    let current: unknown = privateKey;
    if (typeof privateKey === 'function') {
      try {
        current = await privateKey();
      } catch (error) {
        throw signingError('privateKey', error);
      }
    }
    return isKeyWithId(current)
      ? { sign: await this.#getSignerOf(current.privateKey), keyId: validateKeyId('privateKey', current.keyId) }
      : { sign: await this.#getSignerOf(current as PrivateKey), keyId };
  }

  // The last key is imported once: importing takes several times as long as signing.
  #getSignerOf(key: PrivateKey): Promise<Signer> {
    if (this.#lastKey === undefined || this.#lastKey.key !== key) {
      assertKeySource(key);
      this.#lastKey = { key, signer: createSigner(key) };
    }
    return this.#lastKey.signer;
  }
}

// Seconds by which tokens are issued earlier, because many platforms reject every `iat` of the future: the client does
// not correct a smaller clock skew, and an `Age` header can hide as much.
const backdating = 5;
const maxKeyChanges = 3;
const maxSecrets = 10;

function isKeyWithId(key: unknown): key is PrivateKeyWithId {
  return typeof key === 'object' && key !== null && 'privateKey' in key;
}

function validateKeyId(option: string, keyId: unknown): string {
  if (typeof keyId === 'string' && keyId !== '') return keyId;
  throw new SigningError(
    `the keyId that ${option} returned must be a non-empty string ` +
      `(received ${keyId === '' ? 'an empty string' : typeof keyId}). Return the id that the platform ` +
      'has for the key',
  );
}

function validateSignature(result: unknown): SignerResult {
  const { signature, keyId } = isBytes(result) ? { signature: result } : ((result ?? {}) as Partial<SignerResult>);
  if (!isBytes(signature) || signature.byteLength < 256) {
    throw new SigningError(
      'signer must resolve to the RS256 signature as a Uint8Array of at least 256 ' +
        'bytes (RSA of 2048 bits or more). Return the bytes, not base64',
    );
  }
  return keyId === undefined ? { signature } : { signature, keyId: validateKeyId('signer', keyId) };
}

function validateClaims(claims: unknown): TokenClaims {
  if (Object.prototype.toString.call(claims) === '[object Object]') return claims as TokenClaims;
  throw new SigningError(
    'claims must return an object of claims, not a promise or another value. Make the function synchronous',
  );
}

// The SHA-256 of no bytes.
const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

function encodeBase64Url(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replace(/[+/=]/g, (character) => ({ '+': '-', '/': '_' })[character] ?? '');
}

/** A signing error that another attempt may not have, such as a KMS that limits the rate of its requests. */
export class TransientSigningError extends SigningError {}

/**
 * Creates the error of a user-supplied function. It contains only the name of what the function threw: the message of a
 * KMS client may contain its credentials.
 */
function signingError(option: string, error: unknown): CorridorError {
  if (error instanceof CorridorError) return error;
  const { name = typeof error } = Object(error) as { readonly name?: unknown };
  const problem = `the token could not be signed: ${option} threw ${/^\w{1,60}$/.test(String(name)) ? String(name) : 'an error'}`;
  return option !== 'claims' && isTransient(error)
    ? new TransientSigningError(`${problem}, which may pass. Check the service behind ${option}`)
    : new SigningError(`${problem}. Fix the function that is passed as ${option}`);
}

// Names, codes and statuses of HTTP clients and those of AWS, Google Cloud and Azure. AWS KMS limits its rate with
// status 400; the numbers up to 14 are gRPC's DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ABORTED, INTERNAL and UNAVAILABLE.
const transient =
  /^(TimeoutError|ThrottlingException|TooManyRequestsException|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EAI_AGAIN|UND_ERR_SOCKET|UND_ERR_CONNECT_TIMEOUT|408|429|50[0234]|4|8|10|13|14)$/;

function isTransient(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > 3) return false;
  const { name, code, status, statusCode, $retryable, $metadata, cause } = error as Readonly<Record<string, unknown>>;
  const { httpStatusCode } = Object($metadata) as { readonly httpStatusCode?: unknown };
  return (
    $retryable !== undefined ||
    [name, code, status, statusCode, httpStatusCode].some(
      (each) => (typeof each === 'string' || typeof each === 'number') && transient.test(String(each)),
    ) ||
    isTransient(cause, depth + 1)
  );
}
