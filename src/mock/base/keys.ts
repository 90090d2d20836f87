import { base64url, exportJWK, exportPKCS8, exportSPKI, importJWK, importPKCS8, importSPKI, type JWK } from 'jose';
import { MockPlatformError } from './error.js';

/** The keys of an organization in PEM format, and the imported key that verifies its tokens. */
export interface OrganizationKeys {
  /** PKCS#8; absent if the organization has a public key only. */
  readonly privateKey?: string;
  /** SPKI. */
  readonly publicKey: string;
  readonly verifier: Parameters<typeof crypto.subtle.verify>[1];
}

interface PemPair {
  readonly privateKey: string;
  readonly publicKey: string;
}

interface KeyPairOptions {
  readonly modulusLength: number;
  readonly publicKeyEncoding: { readonly type: 'spki'; readonly format: 'pem' };
  readonly privateKeyEncoding: { readonly type: 'pkcs8'; readonly format: 'pem' };
}

/** The part of Node's `process` that this module uses; absent in browsers. */
interface NodeProcess {
  readonly getBuiltinModule?: (name: 'node:crypto') => {
    generateKeyPair(
      type: 'rsa',
      options: KeyPairOptions,
      done: (error: Error | null, publicKey: string, privateKey: string) => void,
    ): void;
  };
}

interface KeyPool {
  /** The generated pair, and what the others are derived from. */
  base?: Promise<{ readonly keys: OrganizationKeys; readonly jwk: JWK }>;
  readonly derived: Promise<OrganizationKeys>[];
  readonly exponents: number[];
}

// On globalThis because each CommonJS entry contains its own copy of this file, and generating a pair takes up to
// hundreds of milliseconds.
const poolName = Symbol.for('corridor-sdk.mock.key-pool');

function pool(): KeyPool {
  const holder = globalThis as { [poolName]?: KeyPool };
  return (holder[poolName] ??= { derived: [], exponents: [65_537] });
}

/**
 * Returns the n-th key pair of the process. Generates the first one on first use, and derives the others from it: they
 * have the same modulus and another exponent. Keys related like that are worthless except in a mock, where they take
 * a millisecond instead of hundreds, and still verify only their own signatures.
 */
export async function pooledKeys(index: number): Promise<OrganizationKeys> {
  const { derived } = pool();
  const base = await (pool().base ??= generateBase());
  return index === 0 ? base.keys : (derived[index] ??= deriveKeys(base.jwk, index));
}

async function generateBase(): Promise<{ readonly keys: OrganizationKeys; readonly jwk: JWK }> {
  const { process } = globalThis as { readonly process?: NodeProcess };
  // `node:crypto` generates keys several times faster than WebCrypto.
  const node = process?.getBuiltinModule?.('node:crypto');
  const pair = node === undefined ? await generateWithWebCrypto() : await generateWithNode(node);
  const keys = { ...pair, verifier: await retryOnce(() => importSPKI(pair.publicKey, 'RS256')) };
  return { keys, jwk: await exportJWK(await importPKCS8(pair.privateKey, 'RS256', { extractable: true })) };
}

async function deriveKeys(
  { kty = '', n = '', p = '', q = '', qi = '' }: JWK,
  index: number,
): Promise<OrganizationKeys> {
  const [firstOrder, secondOrder] = [toInteger(p) - 1n, toInteger(q) - 1n];
  const exponent = exponentOf(index, firstOrder * secondOrder);
  const e = fromInteger(BigInt(exponent));
  const inverse = inverseOf(BigInt(exponent), firstOrder * secondOrder);
  const [d, dp, dq] = [inverse, inverse % firstOrder, inverse % secondOrder].map(fromInteger);
  const privateKey = await importJWK({ kty, n, e, d, p, q, dp, dq, qi } as JWK, 'RS256', { extractable: true });
  const publicKey = await importJWK({ kty, n, e }, 'RS256', { extractable: true });
  if (privateKey instanceof Uint8Array || publicKey instanceof Uint8Array) throw new TypeError('not an RSA key');
  return {
    privateKey: await exportPKCS8(privateKey),
    publicKey: await exportSPKI(publicKey),
    verifier: publicKey,
  };
}

/** Returns the n-th prime from 65,537 on that has an inverse modulo the order. */
function exponentOf(index: number, order: bigint): number {
  const { exponents } = pool();
  for (let next = (exponents.at(-1) ?? 0) + 2; exponents.length <= index; next += 2)
    if (isPrime(next) && order % BigInt(next) !== 0n) exponents.push(next);
  return exponents[index] ?? 0;
}

function isPrime(odd: number): boolean {
  for (let divisor = 3; divisor * divisor <= odd; divisor += 2) if (odd % divisor === 0) return false;
  return true;
}

/** Returns the modular inverse, by the extended Euclidean algorithm. */
function inverseOf(value: bigint, modulus: bigint): bigint {
  let [remainder, next, coefficient, nextCoefficient] = [modulus, value, 0n, 1n];
  while (next !== 0n) {
    const quotient = remainder / next;
    [remainder, next] = [next, remainder - quotient * next];
    [coefficient, nextCoefficient] = [nextCoefficient, coefficient - quotient * nextCoefficient];
  }
  return coefficient < 0n ? coefficient + modulus : coefficient;
}

const toInteger = (encoded: string): bigint =>
  BigInt(`0x${[...base64url.decode(encoded)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`);

function fromInteger(value: bigint): string {
  const digits = value.toString(16);
  const bytes = digits.padStart(digits.length + (digits.length % 2), '0').match(/../g) ?? [];
  return base64url.encode(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16)));
}

/** Runs outside the event loop, so that a server with many organizations stays responsive. */
function generateWithNode(crypto: ReturnType<NonNullable<NodeProcess['getBuiltinModule']>>): Promise<PemPair> {
  const options = {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  } as const;
  return new Promise((resolve, reject) => {
    crypto.generateKeyPair('rsa', options, (error, publicKey, privateKey) =>
      error === null ? resolve({ publicKey, privateKey }) : reject(error),
    );
  });
}

async function generateWithWebCrypto(): Promise<PemPair> {
  const algorithm = {
    name: 'RSASSA-PKCS1-v1_5',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: 'SHA-256',
  };
  const pair = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  return { privateKey: await exportPKCS8(pair.privateKey), publicKey: await exportSPKI(pair.publicKey) };
}

/**
 * Imports the keys that the caller passed; derives the public key if only the private one is set. Throws
 * `MockPlatformError` if a string is not a valid key, or if the two keys do not belong together.
 */
export async function importKeys({
  publicKey,
  privateKey,
}: {
  readonly publicKey?: string | undefined;
  readonly privateKey?: string | undefined;
}): Promise<OrganizationKeys> {
  const derivedPublicKey =
    privateKey === undefined ? undefined : await importOrThrow(() => derivePublicKey(privateKey));
  const verifier = await importOrThrow(() => importSPKI(publicKey ?? derivedPublicKey ?? '', 'RS256'));
  const { modulusLength = 0 } = verifier.algorithm as { readonly modulusLength?: number };
  if (modulusLength < 2048) {
    throw new MockPlatformError(
      `${publicKey === undefined ? 'privateKey' : 'publicKey'} must be an RSA key of at least 2048 bits (received ${modulusLength} bits). Generate a pair with \`npx corridor keygen\`.`,
    );
  }
  if (derivedPublicKey !== undefined && publicKey !== undefined && (await exportSPKI(verifier)) !== derivedPublicKey) {
    throw new MockPlatformError(
      'publicKey does not belong to privateKey. Omit publicKey to derive it from privateKey.',
    );
  }
  return { ...(privateKey !== undefined && { privateKey }), publicKey: publicKey ?? derivedPublicKey ?? '', verifier };
}

async function importOrThrow<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await retryOnce(read);
  } catch (cause) {
    throw new MockPlatformError(
      'publicKey or privateKey is not a valid RSA key. Pass publicKey in SPKI PEM format and privateKey in PKCS#8 PEM format.',
      { cause },
    );
  }
}

// Node sometimes rejects a valid key because of an unrelated earlier OpenSSL error.
function retryOnce<Result>(read: () => Promise<Result>): Promise<Result> {
  return read().catch(read);
}

async function derivePublicKey(privateKey: string): Promise<string> {
  const { kty = '', n = '', e = '' } = await exportJWK(await importPKCS8(privateKey, 'RS256', { extractable: true }));
  const publicKey = await importJWK({ kty, n, e }, 'RS256', { extractable: true });
  if (publicKey instanceof Uint8Array) throw new TypeError('not an RSA key');
  return exportSPKI(publicKey);
}
