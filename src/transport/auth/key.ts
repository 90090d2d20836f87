import { webCrypto } from '../../contract/web-crypto.js';
import * as z from 'zod/mini';
import { formatIssues } from '../../contract/issue.js';
import { settingIssue, unwrapSetting } from '../../contract/setting.js';
import { literal, memoize, string } from '../../contract/schema/schema.js';
import { validateRequest } from '../../contract/violations.js';
import { describeType } from '../../contract/describe.js';
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
/** The algorithm of signatures. */
export const rs256 = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const;

/** Imports a private key, which is validated, and has signed and verified a probe. */
export async function importPrivateKey(key: PrivateKey): Promise<CryptoKey> {
  assertKeySource(key);
  return isCryptoKey(key) ? validateCryptoKey(key) : importKey(key);
}

// Checked by shape: not every test environment has the class.
function isCryptoKey(key: PrivateKey): key is CryptoKey {
  return typeof key === 'object' && 'algorithm' in key && 'extractable' in key;
}

async function importKey(key: string | PrivateKeyJwk): Promise<CryptoKey> {
  try {
    const jwk = typeof key === 'string' ? await jwkOf(readPem(key)) : validateJwk(key);
    const privateKey = await importJwk(jwk, 'sign');
    assertModulusLength(privateKey);
    await selfTest(privateKey, jwk);
    return privateKey;
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    return throwKeyError(`is damaged, truncated or no RSA key; ${inspectKeyHint}`);
  }
}

async function jwkOf(pkcs8: Uint8Array<ArrayBuffer>): Promise<JsonWebKey> {
  const read = async (): Promise<JsonWebKey> =>
    webCrypto().subtle.exportKey('jwk', await webCrypto().subtle.importKey('pkcs8', pkcs8, rs256, true, ['sign']));
  // Tried twice: Node occasionally reports a leftover error of an unrelated OpenSSL operation for a valid key.
  return read().catch(read);
}

// Only the fields of the key, because runtimes reject others, such as another `key_ops`.
function importJwk({ kty, n, e, ...secret }: JsonWebKey, usage: 'sign' | 'verify'): Promise<CryptoKey> {
  const { d, p, q, dp, dq, qi } = secret;
  const key = usage === 'sign' ? { kty, n, e, d, p, q, dp, dq, qi } : { kty, n, e };
  return webCrypto().subtle.importKey('jwk', key as JsonWebKey, rs256, false, [usage]);
}

const acceptedKeyForms = 'a PEM string, a JWK, a CryptoKey, or a function that returns one of them';

/** Throws if a value cannot be a key. */
export function assertKeySource(source: unknown): void {
  if (typeof source === 'string' && unwrapSetting(source) === '') throwKeyError('is empty');
  const issue = settingIssue(source, true);
  if (issue !== undefined) throwKeyError(issue);
  if (typeof source !== 'string' && typeof source !== 'function' && (typeof source !== 'object' || source === null))
    throwKeyError(`must be ${acceptedKeyForms}`);
}

// The issues name fields, but no value: if fields were mixed up, it may be a part of the key.
const privateJwk = memoize(() => {
  const part = string();
  const parts = { n: part, e: part, d: part, p: part, q: part, dp: part, dq: part, qi: part };
  const purpose = { alg: z.optional(literal('RS256')), use: z.optional(literal('sig')) };
  return z.looseObject({ kty: literal('RSA'), ...parts, ...purpose });
});

function validateJwk(key: PrivateKeyJwk): JsonWebKey {
  if (ArrayBuffer.isView(key))
    throwKeyError("is bytes, but must be a string: read the file with readFileSync(path, 'utf8')");
  if (key.kty === undefined) throwKeyError(`must be ${acceptedKeyForms} (received ${describeType(key)} without "kty")`);
  const issues = validateRequest(privateJwk(), key);
  if (issues.length > 0)
    throwKeyError(
      `is not a private RSA key as a JWK: ${formatIssues(issues, 'it')}; pass all parts of a private RSA key`,
    );
  return key as JsonWebKey;
}

function assertModulusLength({ algorithm }: CryptoKey): void {
  const { modulusLength } = algorithm as RsaHashedKeyAlgorithm;
  if (modulusLength < minModulusLength)
    throwKeyError(`has ${modulusLength} bits, but RS256 requires at least ${minModulusLength}; ${generateKeyHint}`);
}

async function validateCryptoKey(key: CryptoKey): Promise<CryptoKey> {
  const algorithm = key.algorithm as RsaHashedKeyAlgorithm;
  if (key.type !== 'private') throwKeyError(`is a ${key.type} CryptoKey; pass the private one`);
  if (algorithm.name !== rs256.name || algorithm.hash.name !== rs256.hash) {
    throwKeyError(`is a CryptoKey for ${algorithm.name}, but the platform requires ${rs256.name} with ${rs256.hash}`);
  }
  assertModulusLength(key);
  if (key.extractable) await selfTest(key, await webCrypto().subtle.exportKey('jwk', key));
  return key;
}

// A key with flipped bits often imports without an error and then signs tokens that the platform rejects.
async function selfTest(privateKey: CryptoKey, jwk: JsonWebKey): Promise<void> {
  const probe = new TextEncoder().encode('corridor-sdk');
  const signature = await webCrypto().subtle.sign(rs256.name, privateKey, probe);
  if (!(await webCrypto().subtle.verify(rs256.name, await importJwk(jwk, 'verify'), signature, probe)))
    throwKeyError(`is damaged: its signatures do not verify with its own public key; ${inspectKeyHint}`);
}

/** The command that generates a key that is accepted. */
const generateKeyHint =
  'generate one (and register its public key with the platform) with: openssl ' +
  'genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out new-key.pem';
/** The command that diagnoses a damaged key, and shows its type. */
const inspectKeyHint = 'inspect it with: openssl pkey -in key.pem -check -noout -text_pub';

/** Throws an error about the key that contains the fix, but no byte of the key. */
function throwKeyError(message: string): never {
  throw new ConfigurationError(`privateKey ${message}`);
}

/** Reads the PKCS#8 bytes of a private key from a PEM string in PKCS#8 or PKCS#1. */
function readPem(pem: string): Uint8Array<ArrayBuffer> {
  const text = unwrapPem(decodePem(unwrapPem(pem)));
  const blocks = [...text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----((?:(?!-----)[\s\S])*)-----END \1-----/g)];
  // Files often also contain the certificate or the key's parameters.
  const block = blocks.find(([, label = '']) => label.endsWith('PRIVATE KEY')) ?? blocks[0];
  if (block === undefined) return throwKeyError(whyNotPem(text));
  const [, label = '', content = ''] = block;
  if (label === 'ENCRYPTED PRIVATE KEY' || /Proc-Type:.{0,40}ENCRYPTED/.test(content))
    throwKeyError('is encrypted; decrypt it with: openssl pkey -in key.pem -out key-plain.pem');
  if (label !== 'PRIVATE KEY' && label !== 'RSA PRIVATE KEY')
    throwKeyError(
      `is PEM of type "${label}", but must be of type "PRIVATE KEY" or "RSA ` +
        `PRIVATE KEY"; pass the private RSA key, or ${generateKeyHint}`,
    );
  const der = Uint8Array.from(atob(content.replace(/\s/g, '')), (character) => character.charCodeAt(0));
  return label === 'RSA PRIVATE KEY' ? pkcs1ToPkcs8(der) : der;
}

/** Undoes the changes that environment variables and editors make: escaped newlines, quotes, a byte order mark. */
function unwrapPem(pem: string): string {
  return pem
    .replace(/(?:\\{1,8}r)?\\{1,8}n/g, '\n')
    .replace(/["'`]/g, '')
    .trim();
}

/** Decodes the base64 of a PEM text, in which a variable loses no line break. Returns any other text as it is. */
function decodePem(text: string): string {
  try {
    const decoded = atob(text);
    return decoded.includes('-----BEGIN') ? decoded : text;
  } catch {
    return text;
  }
}

function whyNotPem(text: string): string {
  if (text === '') return 'is empty';
  if (text.includes('-----BEGIN'))
    return 'is truncated: its closing "-----END …-----" line is missing; in an env file, put it in double quotes';
  if (text.startsWith('{')) return 'is a JSON string; pass PEM text, or the JWK as an object: JSON.parse(text)';
  if (/^(?:[.~]{0,2}\/|[a-z]:\\|[^\n]{1,400}\.(?:pem|key|der|p12|pfx|json)$)/i.test(text))
    return 'is a path; pass the content of the file instead';
  return (
    'is not PEM: it must begin with "-----BEGIN PRIVATE KEY-----"; convert ' +
    'its file with: openssl pkey -in key.der -out key.pem'
  );
}

// PKCS#8 is PKCS#1 in an envelope that names the algorithm: SEQUENCE { 0, SEQUENCE { rsaEncryption, NULL }, OCTET
// STRING }.
function pkcs1ToPkcs8(pkcs1: Uint8Array): Uint8Array<ArrayBuffer> {
  const rsaEncryption = [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
  const algorithm = [0x30, rsaEncryption.length + 2, ...rsaEncryption, 0x05, 0x00];
  return Uint8Array.from(encodeTlv(0x30, [0x02, 0x01, 0x00, ...algorithm, ...encodeTlv(0x04, [...pkcs1])]));
}

function encodeTlv(tag: number, content: readonly number[]): number[] {
  // A key is longer than 255 bytes.
  return [tag, 0x82, content.length >> 8, content.length & 0xff, ...content];
}
