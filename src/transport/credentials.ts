import { base64url } from 'jose';
import { ConfigurationError } from '../errors.js';
import { signerOf, type PrivateKey, type PrivateKeySource, type Signer } from './keys.js';

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
  readonly #signers = new WeakMap<object, Promise<Signer>>();
  #lastText: { readonly key: string; readonly signer: Promise<Signer> } | undefined;

  constructor(options: CredentialOptions) {
    this.#options = options;
    const header = { alg: 'RS256', typ: 'JWT', ...(options.keyId === undefined ? {} : { kid: options.keyId }) };
    this.#header = base64url.encode(JSON.stringify(header));
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
    const payload = JSON.stringify(this.#claims({ ...request, bodyHash }, Math.floor(now / 1000)));
    // The API key is a secret, and a token's payload can be read by whoever sees the token.
    if (this.#options.apiKey.length >= shortestSecret && payload.includes(this.#options.apiKey)) {
      throw new ConfigurationError('claims must not hold the API key: a token can be read by whoever sees it');
    }
    const input = `${this.#header}.${base64url.encode(payload)}`;
    const signature = await signer(encoder.encode(input));
    if (!(signature instanceof Uint8Array) || signature.byteLength < 256) {
      throw new ConfigurationError('signer must resolve to the RS256 signature as a Uint8Array of at least 256 bytes (RSA of 2048 bits or more)');
    }
    return `${input}.${base64url.encode(signature)}`;
  }

  #claims(request: TokenRequest, issuedAt: number): Claims {
    const { issuer, subject, audience, claims, tokenLifetime } = this.#options;
    return {
      iat: issuedAt,
      exp: issuedAt + tokenLifetime,
      jti: crypto.randomUUID(),
      uri: request.uri,
      bodyHash: request.bodyHash,
      ...(issuer === undefined ? {} : { iss: issuer }),
      ...(subject === undefined ? {} : { sub: subject }),
      ...(audience === undefined ? {} : { aud: audience }),
      ...claims?.(request),
    };
  }

  async #signer(): Promise<Signer> {
    const { signer, privateKey } = this.#options;
    if (signer !== undefined) return signer;
    const key = typeof privateKey === 'function' ? await privateKey() : privateKey;
    return this.#signerOf(key as PrivateKey);
  }

  // The last text and every key object are imported once: importing costs as much as signing.
  #signerOf(key: PrivateKey): Promise<Signer> {
    if (typeof key !== 'object' || key === null) {
      if (this.#lastText?.key !== key) this.#lastText = { key, signer: signerOf(key) };
      return this.#lastText.signer;
    }
    const known = this.#signers.get(key) ?? signerOf(key);
    this.#signers.set(key, known);
    return known;
  }
}

// A key of a few characters, as in tests, may stand in a token by chance.
const shortestSecret = 8;
const encoder = new TextEncoder();
let emptyHash: Promise<string> | undefined;

function hashOf(body: string | undefined): Promise<string> {
  return body === undefined ? (emptyHash ??= sha256('')) : sha256(body);
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', encoder.encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
