import { exportJWK, exportPKCS8, exportSPKI, importJWK, importPKCS8, importSPKI } from 'jose';
import { MockPlatformError } from './error.js';

/** The keys of an organization: PEM texts, and the key that verifies its tokens. */
export interface OrganizationKeys {
  /** PKCS#8; absent where only a public key was given. */
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

/** What we use of Node, where there is one. */
interface NodeProcess {
  readonly getBuiltinModule?: (name: 'node:crypto') => {
    generateKeyPair(type: 'rsa', options: KeyPairOptions, done: (error: Error | null, publicKey: string, privateKey: string) => void): void;
  };
}

// On globalThis, because the CommonJS entries each carry their own copy of this file and a pair costs tens of milliseconds.
const poolName = Symbol.for('corridor-sdk.mock.keys');

function pool(): Promise<OrganizationKeys>[] {
  const holder = globalThis as { [poolName]?: Promise<OrganizationKeys>[] };
  return (holder[poolName] ??= []);
}

/** The n-th pair of the process, made when it is first asked for. */
export function pooledKeys(index: number): Promise<OrganizationKeys> {
  const pairs = pool();
  return (pairs[index] ??= makeKeys());
}

async function makeKeys(): Promise<OrganizationKeys> {
  const { process } = globalThis as { readonly process?: NodeProcess };
  // Node's own generator is several times as fast as its WebCrypto.
  const node = process?.getBuiltinModule?.('node:crypto');
  const pair = node === undefined ? await inWebCrypto() : await inNode(node);
  return { ...pair, verifier: await twice(() => importSPKI(pair.publicKey, 'RS256')) };
}

/** Beside the event loop, so that a server of many organizations goes on answering. */
function inNode(crypto: ReturnType<NonNullable<NodeProcess['getBuiltinModule']>>): Promise<PemPair> {
  const options = { modulusLength: 2048, publicKeyEncoding: { type: 'spki', format: 'pem' }, privateKeyEncoding: { type: 'pkcs8', format: 'pem' } } as const;
  return new Promise((resolve, reject) => {
    crypto.generateKeyPair('rsa', options, (error, publicKey, privateKey) => (error === null ? resolve({ publicKey, privateKey }) : reject(error)));
  });
}

async function inWebCrypto(): Promise<PemPair> {
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' };
  const pair = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  return { privateKey: await exportPKCS8(pair.privateKey), publicKey: await exportSPKI(pair.publicKey) };
}

/** The keys that were given: a private one gives its public one too. Throws `MockPlatformError` where a text is no such key, or the two are no pair. */
export async function givenKeys({ publicKey, privateKey }: { readonly publicKey?: string | undefined; readonly privateKey?: string | undefined }): Promise<OrganizationKeys> {
  const ownPublicKey = privateKey === undefined ? undefined : await readGiven(() => publicOf(privateKey));
  const verifier = await readGiven(() => importSPKI(publicKey ?? ownPublicKey ?? '', 'RS256'));
  const { modulusLength = 0 } = verifier.algorithm as { readonly modulusLength?: number };
  if (modulusLength < 2048) {
    throw new MockPlatformError(`${publicKey === undefined ? 'privateKey' : 'publicKey'}: is an RSA key of ${modulusLength} bits, RS256 takes 2048 or more; make a pair with npx corridor keygen`);
  }
  if (ownPublicKey !== undefined && publicKey !== undefined && (await exportSPKI(verifier)) !== ownPublicKey) {
    throw new MockPlatformError('publicKey: does not belong to privateKey; leave it out, and it is taken from there');
  }
  return { ...(privateKey !== undefined && { privateKey }), publicKey: publicKey ?? ownPublicKey ?? '', verifier };
}

async function readGiven<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await twice(read);
  } catch (cause) {
    throw new MockPlatformError('the keys of an organization are PEM texts of an RSA key: publicKey as SPKI, privateKey as PKCS#8', { cause });
  }
}

// Node now and then blames a sound key for what went wrong in something else of OpenSSL's before.
function twice<Result>(read: () => Promise<Result>): Promise<Result> {
  return read().catch(read);
}

async function publicOf(privateKey: string): Promise<string> {
  const { kty = '', n = '', e = '' } = await exportJWK(await importPKCS8(privateKey, 'RS256', { extractable: true }));
  const publicKey = await importJWK({ kty, n, e }, 'RS256', { extractable: true });
  if (publicKey instanceof Uint8Array) throw new TypeError('not an RSA key');
  return exportSPKI(publicKey);
}
