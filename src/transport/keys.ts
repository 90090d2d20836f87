import { base64url, exportJWK, importJWK, importPKCS8, type JWK } from 'jose';
import { ConfigurationError } from '../errors.js';
import { algorithmOf, checkKey, makeKey, readPem, refuseKey, writePem } from './pem.js';

/** Signs bytes with RSASSA-PKCS1-v1_5 and SHA-256 (RS256): what a KMS or an HSM offers. */
export type Signer = (bytes: Uint8Array) => Promise<Uint8Array>;

/** A CryptoKey, by the types of WebCrypto that the program has: the DOM's or Node's. */
export type WebCryptoKey = Parameters<typeof crypto.subtle.sign>[1];

/** An RSA private key as a JSON Web Key (RFC 7517), numbers in base64url. All parts of the key are needed. */
export interface PrivateKeyJwk {
  /** The type of the key: `RSA`. */
  readonly kty?: string | undefined;
  /** The modulus. */
  readonly n?: string | undefined;
  /** The public exponent. */
  readonly e?: string | undefined;
  /** The private exponent. */
  readonly d?: string | undefined;
  /** The first prime. */
  readonly p?: string | undefined;
  /** The second prime. */
  readonly q?: string | undefined;
  /** `d` modulo `p` - 1. */
  readonly dp?: string | undefined;
  /** `d` modulo `q` - 1. */
  readonly dq?: string | undefined;
  /** The inverse of `q` modulo `p`. */
  readonly qi?: string | undefined;
  /** The algorithm: `RS256`, where it is said. */
  readonly alg?: string | undefined;
  /** The use: `sig`, where it is said. */
  readonly use?: string | undefined;
  /** Its id. It does not become the token's `kid`: that is the option `keyId`. */
  readonly kid?: string | undefined;
  /** What it may be used for; not read. */
  readonly key_ops?: readonly string[] | undefined;
  /** Whether it may be exported; not read. */
  readonly ext?: boolean | undefined;
}

/** A private key as it may be given: PEM text (PKCS#8 or PKCS#1), a JWK, or a CryptoKey. */
export type PrivateKey = string | PrivateKeyJwk | WebCryptoKey;

/** A private key, or a function that gives the one to use now: the way to rotate keys without a restart. */
export type PrivateKeySource = PrivateKey | (() => PrivateKey | Promise<PrivateKey>);

const shortestModulus = 2048;
const rs256 = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const;

/** A signer for a private key. The key is checked, and has signed and verified once, before it is used. */
export async function signerOf(key: PrivateKey): Promise<Signer> {
  const cryptoKey = isCryptoKey(key) ? await checkedCryptoKey(key) : await imported(key);
  return async (bytes) => new Uint8Array(await crypto.subtle.sign(rs256.name, cryptoKey, bytes as Uint8Array<ArrayBuffer>));
}

function isCryptoKey(key: unknown): key is CryptoKey {
  return typeof CryptoKey !== 'undefined' && key instanceof CryptoKey;
}

async function imported(key: string | PrivateKeyJwk): Promise<CryptoKey> {
  const jwk = typeof key === 'string' ? await jwkOf(readPem(key)) : checkedJwk(key);
  try {
    checkLength(modulusLength(jwk));
    const privateKey = await importJWK({ ...jwk, alg: 'RS256', ext: true }, 'RS256');
    await selfTest(privateKey as CryptoKey, jwk);
    return (await importJWK({ ...jwk, alg: 'RS256', ext: false }, 'RS256')) as CryptoKey;
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    return refuseKey(`is damaged: it cannot be imported as an RSA key; ${checkKey}`);
  }
}

async function jwkOf(pkcs8: Uint8Array): Promise<JWK> {
  const algorithm = algorithmOf(pkcs8);
  if (algorithm !== undefined && algorithm !== 'RSA') {
    refuseKey(`is of type ${algorithm}, and the platform wants plain RSA (RS256); ${makeKey}`);
  }
  const pem = writePem(pkcs8);
  const read = async (): Promise<JWK> => exportJWK(await importPKCS8(pem, 'RS256', { extractable: true }));
  try {
    // Twice: Node now and then blames a sound key for what went wrong in something else of OpenSSL's before.
    return await read().catch(read);
  } catch {
    return refuseKey(`is damaged or cut off: it has the frame of a private key, but its content cannot be read; ${checkKey}`);
  }
}

const whatItMayBe = 'a PEM text, a JWK, a CryptoKey, or a function that gives one';

/** Refuses at once what can never be a key. */
export function checkKeySource(source: unknown): void {
  if (source === '') refuseKey('is empty');
  if (typeof source !== 'string' && typeof source !== 'function' && (typeof source !== 'object' || source === null)) refuseKey(`must be ${whatItMayBe}`);
}

function checkedJwk(key: PrivateKeyJwk): JWK {
  if (typeof key !== 'object' || key === null) refuseKey(`must be ${whatItMayBe}`);
  if (ArrayBuffer.isView(key)) refuseKey("is bytes, and must be text: read the file with readFileSync(path, 'utf8')");
  if ('asymmetricKeyType' in key) refuseKey("is a KeyObject of node:crypto; give key.export({ type: 'pkcs8', format: 'pem' })");
  if (key.kty === undefined) refuseKey(`must be ${whatItMayBe} (this object has no "kty")`);
  if (key.kty !== 'RSA') refuseKey(`is a JWK of ${shown(key.kty, 'type', 'type ')}, and the platform wants "RSA"; ${makeKey}`);
  if (typeof key.d !== 'string') refuseKey('is a public JWK: it has no "d"; give the private key it belongs to');
  if (key.alg !== undefined && key.alg !== 'RS256') refuseKey(`is a JWK for ${shown(key.alg, 'algorithm')}, and the platform wants "RS256"`);
  if (key.use !== undefined && key.use !== 'sig') refuseKey(`is a JWK for ${shown(key.use, 'use', 'use ')}, and signing wants "sig"`);
  const { kty, n, e, d, p, q, dp, dq, qi } = key;
  const missing = Object.entries({ n, e, p, q, dp, dq, qi }).filter(([, part]) => typeof part !== 'string').map(([name]) => JSON.stringify(name));
  if (missing.length > 0) refuseKey(`is a JWK without ${missing.join(', ')}: all parts of the key are needed`);
  return { kty, n, e, d, p, q, dp, dq, qi } as JWK;
}

// Only what looks like a name: where fields were mixed up, a part of the key may stand in its place.
function shown(value: unknown, field: string, prefix = ''): string {
  return typeof value === 'string' && /^[\w-]{1,12}$/.test(value) ? `${prefix}"${value}"` : `another ${field}`;
}

function modulusLength(jwk: JWK): number {
  const bytes = base64url.decode(jwk.n ?? '');
  const first = bytes.findIndex((byte) => byte !== 0);
  return first === -1 ? 0 : (bytes.length - first) * 8 - (Math.clz32(bytes[first] as number) - 24);
}

function checkLength(bits: number): void {
  if (bits < shortestModulus) refuseKey(`has ${bits} bits, and RS256 wants at least ${shortestModulus}; ${makeKey}`);
}

async function checkedCryptoKey(key: CryptoKey): Promise<CryptoKey> {
  const algorithm = key.algorithm as RsaHashedKeyAlgorithm;
  if (key.type !== 'private') refuseKey(`is a ${key.type} CryptoKey; give the private one`);
  if (algorithm.name !== rs256.name || algorithm.hash.name !== rs256.hash) {
    refuseKey(`is a CryptoKey for ${algorithm.name}, and the platform wants ${rs256.name} with ${rs256.hash}`);
  }
  if (!key.usages.includes('sign')) refuseKey('is a CryptoKey that may not sign: import it with the usage "sign"');
  checkLength(algorithm.modulusLength);
  if (key.extractable) await selfTest(key, await exportJWK(key));
  return key;
}

// A key with flipped bits often imports without complaint and then signs tokens that nobody accepts.
async function selfTest(privateKey: CryptoKey, jwk: JWK): Promise<void> {
  const { kty, n, e } = jwk;
  const probe = new TextEncoder().encode('corridor-sdk');
  const publicKey = (await importJWK({ kty, n, e, alg: 'RS256' } as JWK, 'RS256')) as CryptoKey;
  const signature = await crypto.subtle.sign(rs256.name, privateKey, probe);
  if (!(await crypto.subtle.verify(rs256.name, publicKey, signature, probe))) {
    refuseKey(`is damaged: what it signs does not verify with its own public half; ${checkKey}`);
  }
}
