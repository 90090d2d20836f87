import { exportJWK, importJWK, importPKCS8, type JWK } from 'jose';
import { ConfigurationError } from '../errors.js';
import { algorithmOf, readPem, refuseKey, writePem } from './pem.js';

/** Signs bytes with RSASSA-PKCS1-v1_5 and SHA-256 (RS256): what a KMS or an HSM offers. */
export type Signer = (bytes: Uint8Array) => Promise<Uint8Array>;

/** A private key as it may be given: PEM text (PKCS#8 or PKCS#1), a JWK, or a CryptoKey. */
export type PrivateKey = string | JsonWebKey | CryptoKey;

/** A private key, or a function that gives the one to use now: the way to rotate keys without a restart. */
export type PrivateKeySource = PrivateKey | (() => PrivateKey | Promise<PrivateKey>);

const shortestModulus = 2048;
const rs256 = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const;
const makeKey = 'make one with: openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out key.pem';

/** A signer for a private key. The key is checked, and has signed and verified once, before it is used. */
export async function signerOf(key: PrivateKey): Promise<Signer> {
  const cryptoKey = isCryptoKey(key) ? await checkedCryptoKey(key) : await imported(key);
  return async (bytes) => new Uint8Array(await crypto.subtle.sign(rs256.name, cryptoKey, bytes as Uint8Array<ArrayBuffer>));
}

function isCryptoKey(key: unknown): key is CryptoKey {
  return typeof CryptoKey !== 'undefined' && key instanceof CryptoKey;
}

async function imported(key: string | JsonWebKey): Promise<CryptoKey> {
  const jwk = typeof key === 'string' ? await jwkOf(readPem(key)) : checkedJwk(key);
  checkLength(modulusLength(jwk));
  try {
    const privateKey = await importJWK({ ...jwk, alg: 'RS256', ext: true }, 'RS256');
    await selfTest(privateKey as CryptoKey, jwk);
    return (await importJWK({ ...jwk, alg: 'RS256', ext: false }, 'RS256')) as CryptoKey;
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    return refuseKey('is damaged: it cannot be imported as an RSA key');
  }
}

async function jwkOf(pkcs8: Uint8Array): Promise<JWK> {
  const algorithm = algorithmOf(pkcs8);
  if (algorithm !== undefined && algorithm !== 'RSA') {
    refuseKey(`is of type ${algorithm}, and the platform wants plain RSA (RS256); ${makeKey}`);
  }
  try {
    return await exportJWK(await importPKCS8(writePem(pkcs8), 'RS256', { extractable: true }));
  } catch {
    return refuseKey('is damaged or cut off: it has the frame of a private key, but its content cannot be read');
  }
}

function checkedJwk(key: JsonWebKey): JWK {
  if (typeof key !== 'object' || key === null) refuseKey('must be a PEM text, a JWK, a CryptoKey, or a function that gives one');
  if (key.kty !== 'RSA') refuseKey(`is a JWK of type ${JSON.stringify(key.kty) ?? 'undefined'}, and the platform wants "RSA"; ${makeKey}`);
  if (typeof key.d !== 'string') refuseKey('is a public JWK: it has no "d"; give the private key it belongs to');
  if (key.alg !== undefined && key.alg !== 'RS256') refuseKey(`is a JWK for ${JSON.stringify(key.alg)}, and the platform wants "RS256"`);
  if (key.use !== undefined && key.use !== 'sig') refuseKey(`is a JWK for use ${JSON.stringify(key.use)}, and signing wants "sig"`);
  const { kty, n, e, d, p, q, dp, dq, qi } = key;
  return { kty, n, e, d, p, q, dp, dq, qi } as JWK;
}

function modulusLength(jwk: JWK): number {
  const modulus = typeof jwk.n === 'string' ? jwk.n.replace(/^A+/, '') : '';
  return Math.floor((modulus.length * 6) / 8) * 8;
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
    refuseKey('is damaged: what it signs does not verify with its own public half');
  }
}
