import { ConfigurationError } from '../../errors/api.js';

/**
 * Undoes the changes that environment variables and editors make to a PEM string: escaped newlines, carriage returns,
 * quotes, a byte order mark.
 */
function normalizePem(text: string): string {
  return text
    .replace(/^\uFEFF/, '')
    .replace(/(?:\\{1,8}r)?\\{1,8}n/g, '\n')
    .replace(/\r\n?/g, '\n')
    .trim()
    .replace(/^(["'])([\s\S]*)\1$/, '$2')
    .trim();
}

/** The command that generates a key that is accepted. */
export const generateKeyHint =
  'generate one (and register its public key with the platform) with: openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out new-key.pem';
/** The command that diagnoses a damaged key. */
export const inspectKeyHint = 'inspect it with: openssl pkey -in key.pem -check -noout';

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
export function throwKeyError(message: string): never {
  throw new ConfigurationError(`privateKey ${message}`);
}

/** Reads the PKCS#8 bytes of a private key from a PEM string in PKCS#8 or PKCS#1. */
export function readPem(pem: string): Uint8Array<ArrayBuffer> {
  const text = normalizePem(pem);
  const blocks = [...text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----((?:(?!-----)[\s\S])*)-----END \1-----/g)];
  // Files often also contain the certificate or the key's parameters.
  const block = blocks.find(([, label]) => label?.endsWith('PRIVATE KEY')) ?? blocks[0];
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

/** Writes the bytes as a normalized PEM string. */
export function writePem(der: Uint8Array): string {
  const base64 = btoa(Array.from(der, (byte) => String.fromCharCode(byte)).join(''));
  return `-----BEGIN PRIVATE KEY-----\n${base64.replace(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----`;
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
  const algorithm = encodeTlv(0x30, [...rsaEncryption, 0x05, 0x00]);
  return Uint8Array.from(encodeTlv(0x30, [0x02, 0x01, 0x00, ...algorithm, ...encodeTlv(0x04, [...pkcs1])]));
}

function encodeTlv(tag: number, content: readonly number[]): number[] {
  const { length } = content;
  if (length < 0x80) return [tag, length, ...content];
  const size = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return [tag, ...size, ...content];
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
export function keyAlgorithm(pkcs8: Uint8Array): string | undefined {
  const head = pkcs8.subarray(0, 40);
  return algorithms.find(([, identifier]) =>
    head.some((_, at) => identifier.every((byte, offset) => head[at + offset] === byte)),
  )?.[0];
}
