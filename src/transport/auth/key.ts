import { base64url, exportJWK, importJWK, type JWK } from 'jose';
import { ConfigurationError } from '../../errors/api.js';

/** A signature, and the id of the key that made it. */
export interface SignerResult {
  /** The signature. */
  readonly signature: Uint8Array;
  /** The token's `kid` header, if the key rotates. @default the option `keyId` */
  readonly keyId?: string | undefined;
}

/**
 * Signs bytes with RSASSA-PKCS1-v1_5 and SHA-256 (RS256), for example with a KMS or an HSM. If it resolves to another
 * `keyId` than before, it is called once more for the token with the new one.
 */
export type Signer = (bytes: Uint8Array) => Promise<Uint8Array | SignerResult>;

/** A CryptoKey, in the WebCrypto types that the program uses: the DOM's or Node's. */
export type WebCryptoKey = Parameters<typeof crypto.subtle.sign>[1];

/** An RSA private key as a JSON Web Key (RFC 7517), with base64url numbers. All parts of the key are required. */
export interface PrivateKeyJwk {
  /** The key type: `RSA`. */
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
  /** The algorithm: `RS256`, if present. */
  readonly alg?: string | undefined;
  /** The use: `sig`, if present. */
  readonly use?: string | undefined;
  /** The key id. It does not become the token's `kid`: pass the option `keyId` for that. */
  readonly kid?: string | undefined;
  /** The permitted operations; ignored. */
  readonly key_ops?: readonly string[] | undefined;
  /** Whether the key is extractable; ignored. */
  readonly ext?: boolean | undefined;
}

/** A private key: a PEM string (PKCS#8 or PKCS#1), a JWK, or a CryptoKey. */
export type PrivateKey = string | PrivateKeyJwk | WebCryptoKey;

/** A private key and its id. */
export interface PrivateKeyWithId {
  /** The key. */
  readonly privateKey: PrivateKey;
  /** The token's `kid` header. */
  readonly keyId: string;
}

/** A private key, or a function that returns the current one, to rotate keys without a restart. */
export type PrivateKeySource =
  | PrivateKey
  | (() => PrivateKey | PrivateKeyWithId | Promise<PrivateKey | PrivateKeyWithId>);

const minModulusLength = 2048;
const rs256 = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const;

/** Creates a signer for a private key. The key is validated, and has signed and verified a probe, before it is used. */
export async function createSigner(key: PrivateKey): Promise<Signer> {
  const cryptoKey = key instanceof CryptoKey ? await validateCryptoKey(key) : await importKey(key);
  return async (bytes) =>
    new Uint8Array(await crypto.subtle.sign(rs256.name, cryptoKey, bytes as Uint8Array<ArrayBuffer>));
}

async function importKey(key: string | PrivateKeyJwk): Promise<CryptoKey> {
  const jwk = typeof key === 'string' ? await jwkOf(readPem(key)) : validateJwk(key);
  try {
    assertModulusLength(modulusLength(jwk));
    const privateKey = (await importJWK({ ...jwk, alg: 'RS256', ext: false }, 'RS256')) as CryptoKey;
    await selfTest(privateKey, jwk);
    return privateKey;
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    return throwKeyError(`is damaged: it cannot be imported as an RSA key; ${inspectKeyHint}`);
  }
}

async function jwkOf(pkcs8: Uint8Array<ArrayBuffer>): Promise<JWK> {
  const algorithm = keyAlgorithm(pkcs8);
  if (algorithm !== undefined && algorithm !== 'RSA') {
    throwKeyError(`is of type ${algorithm}, but the platform requires RSA (RS256); ${generateKeyHint}`);
  }
  const read = async (): Promise<JWK> =>
    exportJWK(await crypto.subtle.importKey('pkcs8', pkcs8, rs256, true, ['sign']));
  try {
    // Tried twice: Node occasionally reports a leftover error of an unrelated OpenSSL operation for a valid key.
    return await read().catch(read);
  } catch {
    return throwKeyError(
      `is damaged or truncated: it is framed as a private key, but its content cannot be read; ${inspectKeyHint}`,
    );
  }
}

const acceptedKeyForms = 'a PEM string, a JWK, a CryptoKey, or a function that returns one of them';

/** Throws if a value cannot be a key. */
export function assertKeySource(source: unknown): void {
  if (source === '') throwKeyError('is empty');
  if (typeof source !== 'string' && typeof source !== 'function' && (typeof source !== 'object' || source === null))
    throwKeyError(`must be ${acceptedKeyForms}`);
}

function validateJwk(key: PrivateKeyJwk): JWK {
  if (ArrayBuffer.isView(key))
    throwKeyError("is bytes, but must be a string: read the file with readFileSync(path, 'utf8')");
  if ('asymmetricKeyType' in key)
    throwKeyError("is a KeyObject of node:crypto; pass key.export({ type: 'pkcs8', format: 'pem' })");
  if (key.kty === undefined) throwKeyError(`must be ${acceptedKeyForms} (this object has no "kty")`);
  if (key.kty !== 'RSA')
    throwKeyError(
      `is a JWK of ${nameOrOther(key.kty, 'type', 'type ')}, but the platform requires "RSA"; ${generateKeyHint}`,
    );
  if (typeof key.d !== 'string') throwKeyError('is a public JWK: it has no "d"; pass the private key it belongs to');
  if (key.alg !== undefined && key.alg !== 'RS256')
    throwKeyError(`is a JWK for ${nameOrOther(key.alg, 'algorithm')}, but the platform requires "RS256"`);
  if (key.use !== undefined && key.use !== 'sig')
    throwKeyError(`is a JWK for ${nameOrOther(key.use, 'use', 'use ')}, but signing requires "sig"`);
  const { kty, n, e, d, p, q, dp, dq, qi } = key;
  const missing = Object.entries({ n, e, p, q, dp, dq, qi })
    .filter(([, part]) => typeof part !== 'string')
    .map(([name]) => JSON.stringify(name));
  if (missing.length > 0) throwKeyError(`is a JWK without ${missing.join(', ')}; pass all parts of the key`);
  return { kty, n, e, d, p, q, dp, dq, qi } as JWK;
}

// Only a value that looks like a name is shown: if fields were mixed up, it may be a part of the key.
function nameOrOther(value: unknown, field: string, prefix = ''): string {
  return typeof value === 'string' && /^[\w-]{1,12}$/.test(value) ? `${prefix}"${value}"` : `another ${field}`;
}

function modulusLength(jwk: JWK): number {
  const bits = Array.from(base64url.decode(jwk.n as string), (byte) => byte.toString(2).padStart(8, '0'));
  return bits.join('').replace(/^0+/, '').length;
}

function assertModulusLength(bits: number): void {
  if (bits < minModulusLength)
    throwKeyError(`has ${bits} bits, but RS256 requires at least ${minModulusLength}; ${generateKeyHint}`);
}

async function validateCryptoKey(key: CryptoKey): Promise<CryptoKey> {
  const algorithm = key.algorithm as RsaHashedKeyAlgorithm;
  if (key.type !== 'private') throwKeyError(`is a ${key.type} CryptoKey; pass the private one`);
  if (algorithm.name !== rs256.name || algorithm.hash.name !== rs256.hash) {
    throwKeyError(`is a CryptoKey for ${algorithm.name}, but the platform requires ${rs256.name} with ${rs256.hash}`);
  }
  assertModulusLength(algorithm.modulusLength);
  if (key.extractable) await selfTest(key, await exportJWK(key));
  return key;
}

// A key with flipped bits often imports without an error and then signs tokens that the platform rejects.
async function selfTest(privateKey: CryptoKey, jwk: JWK): Promise<void> {
  const { kty, n, e } = jwk;
  const probe = new TextEncoder().encode('corridor-sdk');
  const publicKey = (await importJWK({ kty, n, e, alg: 'RS256' } as JWK, 'RS256')) as CryptoKey;
  const signature = await crypto.subtle.sign(rs256.name, privateKey, probe);
  if (!(await crypto.subtle.verify(rs256.name, publicKey, signature, probe))) {
    throwKeyError(`is damaged: its signatures do not verify with its own public key; ${inspectKeyHint}`);
  }
}

/**
 * Undoes the changes that environment variables and editors make to a PEM string: escaped newlines, carriage returns,
 * quotes, a byte order mark.
 */
function normalizePem(text: string): string {
  return text
    .replace(/(?:\\{1,8}r)?\\{1,8}n/g, '\n')
    .replace(/["']/g, '')
    .trim();
}

/** The command that generates a key that is accepted. */
const generateKeyHint =
  'generate one (and register its public key with the platform) with: openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out new-key.pem';
/** The command that diagnoses a damaged key. */
const inspectKeyHint = 'inspect it with: openssl pkey -in key.pem -check -noout';

const unsupportedPemLabels: Readonly<Record<string, string>> = {
  'ENCRYPTED PRIVATE KEY': 'is encrypted; decrypt it with: openssl pkcs8 -in key.pem -out key-plain.pem',
  'PUBLIC KEY':
    'is a public key; pass the private key it belongs to (its file begins with "-----BEGIN PRIVATE KEY-----")',
  'RSA PUBLIC KEY':
    'is a public key; pass the private key it belongs to (its file begins with "-----BEGIN PRIVATE KEY-----")',
  CERTIFICATE:
    'is a certificate; pass the private key it belongs to (its file begins with "-----BEGIN PRIVATE KEY-----")',
  'EC PRIVATE KEY': `is an EC key, but the platform requires RSA; ${generateKeyHint}`,
  'DSA PRIVATE KEY': `is a DSA key, but the platform requires RSA; ${generateKeyHint}`,
  'OPENSSH PRIVATE KEY': 'is in OpenSSH format; convert a copy of it with: ssh-keygen -p -N "" -m PKCS8 -f key.pem',
};

// Values that are often passed instead of a PEM string, by their pattern.
const commonMistakes: readonly (readonly [pattern: RegExp, message: string])[] = [
  [/^$/, 'is empty'],
  [
    /^0[\s\S]{1,4}\x02\x01\x03/,
    'is a PKCS#12 file; extract the key with: openssl pkcs12 -in key.p12 -nodes -nocerts -out key.pem',
  ],
  [
    /^0[\x80-\xff\ufffd]/,
    'is DER, but must be PEM; convert it with: openssl pkey -inform DER -in key.der -out key.pem',
  ],
  [/^\{/, 'is a JSON string; pass the JWK as an object: JSON.parse(text)'],
  [/^LS0tLS1CRUdJTi/, 'is a base64-encoded PEM string; decode it with: openssl base64 -d -A -in key.b64 -out key.pem'],
  [
    /^MI[\w+/=\s]{200,}$/,
    'is not PEM: the lines "-----BEGIN …-----" and "-----END …-----" are missing; convert it with: openssl base64 -d -A -in key.b64 | openssl pkey -inform DER -out key.pem',
  ],
  [
    /^(?:[.~]{0,2}\/|[a-z]:\\|[^\n]{1,400}\.(?:pem|key|der|p12|pfx|json)$)/i,
    'is a path; pass the content of the file instead',
  ],
];

/** Throws an error about the key that contains the fix, but no byte of the key. */
function throwKeyError(message: string): never {
  throw new ConfigurationError(`privateKey ${message}`);
}

/** Reads the PKCS#8 bytes of a private key from a PEM string in PKCS#8 or PKCS#1. */
function readPem(pem: string): Uint8Array<ArrayBuffer> {
  const text = normalizePem(pem);
  const blocks = [...text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----((?:(?!-----)[\s\S])*)-----END \1-----/g)];
  // Files often also contain the certificate or the key's parameters.
  const block = blocks.find(([, label = '']) => label.endsWith('PRIVATE KEY')) ?? blocks[0];
  if (block === undefined) {
    if (text.includes('-----BEGIN'))
      return throwKeyError('is truncated: its closing "-----END …-----" line is missing');
    return throwKeyError(
      commonMistakes.find(([pattern]) => pattern.test(text))?.[1] ??
        'is not PEM: it must begin with "-----BEGIN PRIVATE KEY-----"',
    );
  }
  const [, label = '', content = ''] = block;
  if (/Proc-Type:.{0,40}ENCRYPTED/.test(content))
    throwKeyError('is encrypted; decrypt it with: openssl pkey -in key.pem -out key-plain.pem');
  const unsupported = unsupportedPemLabels[label];
  if (unsupported !== undefined) throwKeyError(unsupported);
  if (label !== 'PRIVATE KEY' && label !== 'RSA PRIVATE KEY')
    throwKeyError(`is PEM of type "${label}", not a private key`);
  const der = fromBase64(content);
  return label === 'RSA PRIVATE KEY' ? pkcs1ToPkcs8(der) : der;
}

function fromBase64(content: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(content.replace(/\s/g, '')), (character) => character.charCodeAt(0));
  } catch {
    return throwKeyError(`is damaged: it is not valid base64 between its first and last line; ${inspectKeyHint}`);
  }
}

const rsaEncryption = [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];

// PKCS#8 is PKCS#1 in an envelope that names the algorithm: SEQUENCE { 0, SEQUENCE { rsaEncryption, NULL }, OCTET
// STRING }.
function pkcs1ToPkcs8(pkcs1: Uint8Array): Uint8Array<ArrayBuffer> {
  const algorithm = [0x30, rsaEncryption.length + 2, ...rsaEncryption, 0x05, 0x00];
  return Uint8Array.from(encodeTlv(0x30, [0x02, 0x01, 0x00, ...algorithm, ...encodeTlv(0x04, [...pkcs1])]));
}

function encodeTlv(tag: number, content: readonly number[]): number[] {
  // A key is longer than 255 bytes.
  return [tag, 0x82, content.length >> 8, content.length & 0xff, ...content];
}

const algorithms: readonly (readonly [name: string, identifier: readonly number[]])[] = [
  ['RSA', rsaEncryption],
  ['RSA-PSS', [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0a]],
  ['EC', [0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01]],
  ['DSA', [0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x38, 0x04, 0x01]],
  ['X25519', [0x06, 0x03, 0x2b, 0x65, 0x6e]],
  ['X448', [0x06, 0x03, 0x2b, 0x65, 0x6f]],
  ['Ed25519', [0x06, 0x03, 0x2b, 0x65, 0x70]],
  ['Ed448', [0x06, 0x03, 0x2b, 0x65, 0x71]],
];

/** Returns the algorithm of a PKCS#8 key, or undefined if its envelope cannot be read. */
function keyAlgorithm(pkcs8: Uint8Array): string | undefined {
  const head = pkcs8.subarray(0, 40);
  return algorithms.find(([, identifier]) =>
    head.some((_, at) => identifier.every((byte, offset) => head[at + offset] === byte)),
  )?.[0];
}
