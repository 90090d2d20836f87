import {
  calculateJwkThumbprint,
  exportJWK,
  exportPKCS8,
  exportSPKI,
  generateKeyPair,
  importJWK,
  importPKCS8,
  importSPKI,
} from 'jose';
import { webCrypto } from '../../contract/web-crypto.js';
import { MockPlatformError } from './mock-error.js';

/** The keys of an organization in PEM format, and the imported key that verifies its tokens. */
export interface OrganizationKeys {
  /** PKCS#8; absent if the organization has a public key only. */
  readonly privateKey?: string;
  /** SPKI. */
  readonly publicKey: string;
  /** The RFC 7638 thumbprint of the public key. */
  readonly keyId: string;
  readonly verifier: Parameters<typeof crypto.subtle.verify>[1];
}

/** The keys with which requests of an organization are accepted; null is the one that it was added with. */
export interface RegisteredKeys {
  readonly apiKeys: readonly (string | null)[];
  /** In SPKI PEM format. */
  readonly publicKeys: readonly (string | null)[];
}

/** The keys of an organization without a rotation. */
export const firstKeys: RegisteredKeys = { apiKeys: [null], publicKeys: [null] };

/** The key pairs that a process generates, which takes time; more organizations share them. */
const poolSize = 8;

// On globalThis because each CommonJS entry contains its own copy of this file.
const poolName = Symbol.for('corridor-sdk.mock.key-pool');

/** Returns the key pair of the n-th organization of any platform. Generates it on first use. */
export function pooledKeys(index: number): Promise<OrganizationKeys> {
  const holder = globalThis as { [poolName]?: Promise<OrganizationKeys>[] };
  const pool = (holder[poolName] ??= []);
  return (pool[index % poolSize] ??= generateKeys());
}

/** Adds the `subtle` of Node to the global `crypto`, which jose uses, if it has none, as that of jsdom in Jest. */
function provideSubtle(): void {
  const own = globalThis.crypto as Partial<Crypto>;
  if (own.subtle === undefined) Object.defineProperty(own, 'subtle', { value: webCrypto().subtle, configurable: true });
}

async function generateKeys(): Promise<OrganizationKeys> {
  provideSubtle();
  const pair = await generateKeyPair('RS256', { extractable: true });
  // As files of PEM end, and as Node exports keys.
  const privateKey = `${await exportPKCS8(pair.privateKey)}\n`;
  return { privateKey, publicKey: `${await exportSPKI(pair.publicKey)}\n`, ...(await identified(pair.publicKey)) };
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
  provideSubtle();
  const derivedPublicKey =
    privateKey === undefined ? undefined : await importOrThrow(() => derivePublicKey(privateKey));
  const verifier = await importOrThrow(() => importSPKI(publicKey ?? derivedPublicKey ?? '', 'RS256'));
  const { modulusLength = 0 } = verifier.algorithm as { readonly modulusLength?: number };
  if (modulusLength < 2048) {
    throw new MockPlatformError(
      `${publicKey === undefined ? 'privateKey' : 'publicKey'} must be an RSA key of at least 2048 bits ` +
        `(received ${modulusLength} bits). Generate a pair with \`npx corridor-sdk keygen\`.`,
    );
  }
  if (derivedPublicKey !== undefined && publicKey !== undefined && (await exportSPKI(verifier)) !== derivedPublicKey) {
    throw new MockPlatformError(
      'publicKey does not belong to privateKey. Omit publicKey to derive it from privateKey.',
    );
  }
  return {
    ...(privateKey !== undefined && { privateKey }),
    publicKey: publicKey ?? derivedPublicKey ?? '',
    ...(await identified(verifier)),
  };
}

async function identified(
  verifier: OrganizationKeys['verifier'],
): Promise<Pick<OrganizationKeys, 'keyId' | 'verifier'>> {
  return { keyId: await calculateJwkThumbprint(await exportJWK(verifier)), verifier };
}

async function importOrThrow<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    // Node sometimes rejects a valid key because of an unrelated earlier OpenSSL error.
    return await read().catch(read);
  } catch (cause) {
    throw new MockPlatformError(
      'publicKey or privateKey is not a valid RSA key. Pass publicKey in ' +
        'SPKI PEM format and privateKey in PKCS#8 PEM format.',
      { cause },
    );
  }
}

async function derivePublicKey(privateKey: string): Promise<string> {
  const { kty = '', n = '', e = '' } = await exportJWK(await importPKCS8(privateKey, 'RS256', { extractable: true }));
  const publicKey = await importJWK({ kty, n, e }, 'RS256', { extractable: true });
  if (publicKey instanceof Uint8Array) throw new TypeError('not an RSA key');
  return exportSPKI(publicKey);
}
