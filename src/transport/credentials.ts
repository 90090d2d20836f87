import { base64url } from 'jose';
import { ConfigurationError, CorridorError } from '../errors.js';
import { checkKeySource, signerOf, type PrivateKey, type PrivateKeySource, type Signer } from './keys.js';
import { sha256 } from './sha256.js';
import { sharedSigner } from './shared-signers.js';

/** What a token is signed for. */
export interface TokenRequest {
  /** The endpoint that is called. */
  readonly endpoint: string;
  /** The HTTP method. */
  readonly method: string;
  /** Path and query exactly as sent. */
  readonly uri: string;
  /** The SHA-256 of exactly the bytes sent, in hex. */
  readonly bodyHash: string;
}

/** Claims of a token. */
export type Claims = Readonly<Record<string, unknown>>;

/** How tokens are made. */
export interface CredentialOptions {
  readonly apiKey: string;
  readonly privateKey: PrivateKeySource | undefined;
  readonly signer: Signer | undefined;
  readonly keyId: string | undefined;
  readonly issuer: string | undefined;
  readonly subject: string | undefined;
  readonly audience: string | undefined;
  readonly claims: ((request: TokenRequest) => Claims) | undefined;
  readonly tokenLifetime: number;
}

/** Signs a token per attempt. Assumed: A-2, its claims, its lifetime and how the key gets registered. */
export class Credentials {
  readonly #options: CredentialOptions;
  readonly #header: string;
  // As it would stand in a token's JSON; a key of a few characters, as in tests, may stand there by chance.
  readonly #secret: string | undefined;
  readonly #signers = new WeakMap<object, Promise<Signer>>();
  #lastText: { readonly key: string; readonly signer: Promise<Signer> } | undefined;

  constructor(options: CredentialOptions) {
    this.#options = options;
    this.#secret = options.apiKey.length >= shortestSecret ? JSON.stringify(options.apiKey).slice(1, -1) : undefined;
    this.#header = base64url.encode(this.#readable(Object.assign(Object.create(null) as object, { alg: 'RS256', typ: 'JWT', kid: options.keyId })));
  }

  /** The platform's API key. */
  get apiKey(): string {
    return this.#options.apiKey;
  }

  /** Imports and checks the key. */
  async ready(): Promise<void> {
    await this.#signer();
  }

  /** A token for one attempt; `now` is the platform's time in milliseconds. */
  async token(request: Omit<TokenRequest, 'bodyHash'>, body: string | undefined, now: number): Promise<string> {
    const [signer, bodyHash] = await Promise.all([this.#signer(), hashOf(body)]);
    const payload = await own('claims', () => this.#readable(this.#claims({ ...request, bodyHash }, Math.floor(now / 1000))));
    const input = `${this.#header}.${base64url.encode(payload)}`;
    const signature = await own('signer', () => signer(encoder.encode(input)));
    if (!(signature instanceof Uint8Array) || signature.byteLength < 256) {
      throw new ConfigurationError('signer must resolve to the RS256 signature as a Uint8Array of at least 256 bytes (RSA of 2048 bits or more)');
    }
    return `${input}.${base64url.encode(signature)}`;
  }

  // What a toJSON on Object.prototype would put in here is never sent: with one, nothing is.
  #readable(fields: object): string {
    const text = JSON.stringify(fields);
    // The API key is a secret, and a token can be read by whoever sees it.
    if (this.#secret !== undefined && text.includes(this.#secret)) {
      throw new ConfigurationError('claims and keyId must not hold the API key: a token can be read by whoever sees it');
    }
    return text;
  }

  #claims(request: TokenRequest, issuedAt: number): Claims {
    const { issuer, subject, audience, claims, tokenLifetime } = this.#options;
    return {
      iat: issuedAt,
      exp: issuedAt + tokenLifetime,
      jti: crypto.randomUUID(),
      uri: request.uri,
      bodyHash: request.bodyHash,
      iss: issuer,
      sub: subject,
      aud: audience,
      ...(claims === undefined ? {} : checkedClaims(claims(request))),
    };
  }

  async #signer(): Promise<Signer> {
    const { signer, privateKey } = this.#options;
    if (signer !== undefined) return signer;
    const key = typeof privateKey === 'function' ? await own('privateKey', privateKey) : privateKey;
    return this.#signerOf(key as PrivateKey);
  }

  // The last text and every key object are imported once: importing costs several times as much as signing.
  #signerOf(key: PrivateKey): Promise<Signer> {
    checkKeySource(key);
    if (typeof key === 'string') {
      if (this.#lastText?.key !== key) this.#lastText = { key, signer: sharedSigner(key) };
      return this.#lastText.signer;
    }
    const known = this.#signers.get(key) ?? signerOf(key);
    this.#signers.set(key, known);
    return known;
  }
}

const shortestSecret = 8;
const encoder = new TextEncoder();

/** Runs what is the caller's own. Of what it throws only the name is told: a KMS client's message may hold credentials of its own. */
async function own<T>(what: string, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof CorridorError) throw error;
    const name = error instanceof Error ? error.name : typeof error;
    throw new ConfigurationError(`the token could not be signed: ${what} threw ${/^\w{1,60}$/.test(name) ? name : 'an error'}`);
  }
}

function checkedClaims(claims: unknown): Claims {
  if (Object.prototype.toString.call(claims) === '[object Object]') return claims as Claims;
  throw new ConfigurationError('claims must return an object of claims, and not a promise of one');
}

let emptyHash: Promise<string> | undefined;

function hashOf(body: string | undefined): Promise<string> {
  return body === undefined ? (emptyHash ??= sha256('')) : sha256(body);
}
