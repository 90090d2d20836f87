import { ConfigurationError } from '../errors.js';

/** Puts right what environment variables and editors do to a PEM text: escaped newlines, carriage returns, quotes, a byte order mark. */
function tidied(text: string): string {
  return text.replace(/^\uFEFF/, '').replace(/(?:\\+r)?\\+n/g, '\n').replace(/\r\n?/g, '\n').trim().replace(/^(["'])([\s\S]*)\1$/, '$2').trim();
}

/** How to make a key that is taken. */
export const makeKey = 'make one (the platform must get its public half) with: openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out new-key.pem';
/** How to see what is wrong with a damaged key. */
export const checkKey = 'look at it with: openssl pkey -in key.pem -check -noout';

const refusals: Readonly<Record<string, string>> = {
  'ENCRYPTED PRIVATE KEY': 'is encrypted; decrypt it with: openssl pkcs8 -in key.pem -out key-plain.pem',
  'PUBLIC KEY': 'is a public key; give the private key it belongs to (its file begins with "-----BEGIN PRIVATE KEY-----")',
  'RSA PUBLIC KEY': 'is a public key; give the private key it belongs to (its file begins with "-----BEGIN PRIVATE KEY-----")',
  CERTIFICATE: 'is a certificate; give the private key it belongs to (its file begins with "-----BEGIN PRIVATE KEY-----")',
  'EC PRIVATE KEY': `is an EC key, and the platform wants RSA; ${makeKey}`,
  'DSA PRIVATE KEY': `is a DSA key, and the platform wants RSA; ${makeKey}`,
  'OPENSSH PRIVATE KEY': 'is in OpenSSH format; convert a copy of it with: ssh-keygen -p -N "" -m PKCS8 -f key.pem',
};

// What people give in place of a PEM text, by its looks.
const mistaken: readonly (readonly [looks: RegExp, message: string])[] = [
  [/^$/, 'is empty'],
  [/^0[\s\S]{1,4}\x02\x01\x03/, 'is a PKCS#12 file; take the key out of it with: openssl pkcs12 -in key.p12 -nodes -nocerts -out key.pem'],
  [/^0[\x80-\xff\ufffd]/, 'is DER, and must be PEM text; convert it with: openssl pkey -inform DER -in key.der -out key.pem'],
  [/^\{/, 'is JSON text; give the JWK as an object: JSON.parse(text)'],
  [/^LS0tLS1CRUdJTi/, 'is the base64 of a PEM text; decode it with: openssl base64 -d -A -in key.b64 -out key.pem'],
  [/^MI[\w+/=\s]{200,}$/, 'is not a PEM text: the lines "-----BEGIN …-----" and "-----END …-----" are missing; put it right with: openssl base64 -d -A -in key.b64 | openssl pkey -inform DER -out key.pem'],
  [/^(?:[.~]{0,2}\/|[a-z]:\\|[^\n]{1,400}\.(?:pem|key|der|p12|pfx|json)$)/i, 'is a path; give the content of the file, not its path'],
];

/** Refuses a key, saying what it is and what to do; never a byte of it. */
export function refuseKey(message: string): never {
  throw new ConfigurationError(`privateKey ${message}`);
}

/** The PKCS#8 bytes of a private key given as PEM text, be it PKCS#8 or PKCS#1. */
export function readPem(given: string): Uint8Array<ArrayBuffer> {
  const text = tidied(given);
  const blocks = [...text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----([\s\S]*?)-----END \1-----/g)];
  // Files often hold the certificate, or the parameters of the key, too.
  const block = blocks.find(([, label]) => label?.endsWith('PRIVATE KEY')) ?? blocks[0];
  if (block === undefined) {
    if (text.includes('-----BEGIN')) return refuseKey('is cut off: its closing "-----END …-----" line is missing');
    return refuseKey(mistaken.find(([looks]) => looks.test(text))?.[1] ?? 'is not a PEM text: it must begin with "-----BEGIN PRIVATE KEY-----"');
  }
  const [, label = '', content = ''] = block;
  if (/Proc-Type:.*ENCRYPTED/.test(content)) refuseKey('is encrypted; decrypt it with: openssl pkey -in key.pem -out key-plain.pem');
  const refusal = refusals[label];
  if (refusal !== undefined) refuseKey(refusal);
  if (label !== 'PRIVATE KEY' && label !== 'RSA PRIVATE KEY') refuseKey(`is PEM of type "${label}", not a private key`);
  const der = fromBase64(content);
  return label === 'RSA PRIVATE KEY' ? wrapped(der) : der;
}

/** The same bytes as PEM text again, tidy. */
export function writePem(der: Uint8Array): string {
  const base64 = btoa(Array.from(der, (byte) => String.fromCharCode(byte)).join(''));
  return `-----BEGIN PRIVATE KEY-----\n${base64.replace(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----`;
}

function fromBase64(content: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(content.replace(/\s/g, '')), (character) => character.charCodeAt(0));
  } catch {
    return refuseKey(`is damaged: it is not valid base64 between its first and last line; ${checkKey}`);
  }
}

const rsaEncryption = [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];

// PKCS#8 is PKCS#1 in an envelope that names the algorithm: SEQUENCE { 0, SEQUENCE { rsaEncryption, NULL }, OCTET STRING }.
function wrapped(pkcs1: Uint8Array): Uint8Array<ArrayBuffer> {
  const algorithm = tagged(0x30, [...rsaEncryption, 0x05, 0x00]);
  return Uint8Array.from(tagged(0x30, [0x02, 0x01, 0x00, ...algorithm, ...tagged(0x04, [...pkcs1])]));
}

function tagged(tag: number, content: readonly number[]): number[] {
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

/** Which algorithm a PKCS#8 key is for; undefined where its envelope cannot be read. */
export function algorithmOf(pkcs8: Uint8Array): string | undefined {
  const head = pkcs8.subarray(0, 40);
  return algorithms.find(([, identifier]) => head.some((_, at) => identifier.every((byte, offset) => head[at + offset] === byte)))?.[0];
}
