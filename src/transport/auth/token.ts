import { encode as encodeBase64Url } from 'jose/base64url';
import { sha256, webCrypto } from '../../contract/web-crypto.js';
import { createSecretMask, minSecretLength, type Secret } from '../../contract/redact.js';
import { ConfigurationError, SigningError } from '../../errors/api.js';
import {
  callApiKey,
  callClaims,
  callPrivateKey,
  callSigner,
  type ClaimsContext,
  type CredentialOptions,
  signingError,
  validateKeyId,
} from './credentials.js';
import { importPrivateKey, type PrivateKey, type PrivateKeyWithId, rs256, type Signer } from './key.js';

/** An API key, and the number of attempts that are using it. */
interface UsedSecret extends Secret {
  /** The key in a string of JSON. */
  readonly json: string;
  uses: number;
  fingerprint?: Promise<string>;
}

/**
 * Provides the API key and a token for each attempt. Assumed: A-2, the token's claims, its lifetime and how the key is
 * registered.
 */
export class Authenticator {
  readonly #options: CredentialOptions;
  readonly #crypto = webCrypto();
  readonly #secrets: UsedSecret[] = [];
  /** The id of the key that the signer used last. */
  #currentKeyId: string | undefined;
  #lastHeader: { readonly keyId: string | undefined; readonly text: string };
  #lastKey: { readonly key: PrivateKey; readonly imported: Promise<CryptoKey> } | undefined;

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
    const key = await callApiKey(apiKey);
    this.#remember(key);
    return key;
  }

  /** Returns a text that is equal for equal keys of a platform, and from which the key cannot be computed. */
  fingerprint(apiKey: string, platform: string): Promise<string> {
    const secret = this.#remember(apiKey);
    return (secret.fingerprint ??= sha256(`corridor-sdk account: ${platform} ${apiKey}`, this.#crypto).then((hash) =>
      hash.slice(0, 16),
    ));
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
    const json = JSON.stringify(apiKey).slice(1, -1);
    const secret: UsedSecret = { value: apiKey, json, mask: createSecretMask(apiKey), uses: 0 };
    this.#secrets.push(secret);
    for (let index = 0; this.#secrets.length > maxSecrets && index < this.#secrets.length - 1;)
      if (this.#secrets[index]?.uses === 0) this.#secrets.splice(index, 1);
      else index += 1;
    return secret;
  }

  /** Imports and verifies the private key, and gets the API key. */
  async ready(): Promise<void> {
    await this.apiKey();
    if (this.#options.signer === undefined) await this.#currentKey();
  }

  /** Returns a token for one attempt; `now` is the platform's time in milliseconds. */
  async token(request: Omit<ClaimsContext, 'bodyHash'>, body: string | undefined, now: number): Promise<string> {
    const { signer } = this.#options;
    const current = signer === undefined ? await this.#currentKey() : undefined;
    const bodyHash = body === undefined ? emptyHash : await sha256(body, this.#crypto);
    const claims = this.#payload({ ...request, bodyHash }, Math.floor(now / 1000));
    if (current === undefined) return this.#signWith(signer as Signer, claims);
    const input = this.#signingInput(current.keyId, claims);
    const signature = await this.#crypto.subtle.sign(rs256.name, current.key, new TextEncoder().encode(input));
    return `${input}.${encodeBase64Url(new Uint8Array(signature))}`;
  }

  // The header contains the key id, but a signer reports it only with the signature: if it is another one, sign again.
  async #signWith(signer: Signer, claims: string): Promise<string> {
    let expected = this.#currentKeyId;
    for (let tries = 0; tries < maxKeyChanges; tries += 1) {
      const input = this.#signingInput(expected, claims);
      const { signature, keyId = expected } = await callSigner(signer, new TextEncoder().encode(input));
      if (keyId === expected) return `${input}.${encodeBase64Url(signature)}`;
      this.#currentKeyId = expected = keyId;
    }
    throw new SigningError(
      `signer resolved to another keyId for each of ${maxKeyChanges} signatures. ` +
        'Return the id of the key, which changes only if the key is rotated',
    );
  }

  #signingInput(keyId: string | undefined, claims: string): string {
    if (this.#lastHeader.keyId !== keyId) this.#lastHeader = this.#createHeader(keyId);
    return `${this.#lastHeader.text}.${claims}`;
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
    if (this.#secrets.some(({ value, json }) => value.length >= minSecretLength && searched.includes(json)))
      throw new ConfigurationError(
        'claims and keyId must not contain the API key, because anyone who sees a token can read it. Remove it',
      );
    return encodeBase64Url(text);
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
        ...(claims === undefined ? undefined : callClaims(claims, request)),
      });
    } catch (error) {
      throw signingError('claims', error);
    }
  }

  /** Returns the current private key and its id. */
  async #currentKey(): Promise<{ readonly key: CryptoKey; readonly keyId: string | undefined }> {
    const { privateKey, keyId } = this.#options;
    const current = typeof privateKey === 'function' ? await callPrivateKey(privateKey) : (privateKey as PrivateKey);
    return isKeyWithId(current)
      ? { key: await this.#import(current.privateKey), keyId: validateKeyId('privateKey', current.keyId) }
      : { key: await this.#import(current), keyId };
  }

  // The last key is imported once: importing takes several times as long as signing.
  #import(key: PrivateKey): Promise<CryptoKey> {
    // A function can return undefined.
    if (this.#lastKey === undefined || this.#lastKey.key !== key)
      this.#lastKey = { key, imported: importPrivateKey(key) };
    return this.#lastKey.imported;
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

// The SHA-256 of no bytes.
const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
