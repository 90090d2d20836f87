import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ConfigurationError, Corridor, type CorridorOptions, type PrivateKeySource } from 'corridor-sdk';
import { clientOf, FaultServer, json, networks } from '../../support/fault-server.ts';
import { privateKey as pkcs8 } from '../../support/key.ts';
import { pem } from '../../support/certificate.ts';
import { key, jwk, certificate, binary } from './key-forms.ts';

const base64Of = (text: string): string => text.replaceAll(/-----[^-]+-----|\s/g, '');
const pkcs8Of = ({ privateKey }: { readonly privateKey: KeyObject }): string =>
  privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

const makeKey =
  'generate one (and register its public key with the platform) with: openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out new-key.pem';
const damaged =
  'is damaged, truncated or no RSA key; inspect it with: openssl pkey -in key.pem -check -noout -text_pub';
const encrypted = 'is encrypted; decrypt it with: openssl pkey -in key.pem -out key-plain.pem';
const notPem =
  'is not PEM: it must begin with "-----BEGIN PRIVATE KEY-----"; convert its file with: openssl pkey -in key.der -out key.pem';
const truncated =
  'is truncated: its closing "-----END …-----" line is missing; in an env file, put it in double quotes';
const isOfType = (label: string): string =>
  `is PEM of type "${label}", but must be of type "PRIVATE KEY" or "RSA PRIVATE KEY"; pass the private RSA key, or ${makeKey}`;
const notJwk = (...issues: string[]): string =>
  `is not a private RSA key as a JWK: ${issues.join('; ')}; pass all parts of a private RSA key`;
const isRequired = (name: string): string => `${name} is required: it must be a string`;

/** Returns the message for a rejected key. Nothing may be sent, and no byte of the key may be in the message. */
async function messageOf(privateKey: unknown): Promise<string> {
  await using server = await new FaultServer((response) => json(response, 200, networks)).listen();
  const call = async (): Promise<unknown> =>
    clientOf(server, { privateKey: privateKey as PrivateKeySource }).crypto.networks();
  const error = await call().then(
    () => expect.unreachable('the key should be rejected'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error).toMatchObject({ outcome: 'not-sent' });
  expect(server.received).toEqual([]);
  const { message } = error as Error;
  for (const piece of base64Of(typeof privateKey === 'string' ? privateKey : pkcs8).match(/[\w+/]{24}/g) ?? [])
    expect(message).not.toContain(piece);
  return message;
}

describe('a key is rejected with its cause and the fix', () => {
  const dsa = generateKeyPairSync('dsa', { modulusLength: 2048, divisorLength: 256 });

  test.each<readonly [name: string, make: () => unknown, message: string]>([
    [
      '512 bits',
      () => pkcs8Of(generateKeyPairSync('rsa', { modulusLength: 512 })),
      `has 512 bits, but RS256 requires at least 2048; ${makeKey}`,
    ],
    [
      '1024 bits',
      () => pkcs8Of(generateKeyPairSync('rsa', { modulusLength: 1024 })),
      `has 1024 bits, but RS256 requires at least 2048; ${makeKey}`,
    ],
    [
      '2047 bits',
      () => pkcs8Of(generateKeyPairSync('rsa', { modulusLength: 2047 })),
      `has 2047 bits, but RS256 requires at least 2048; ${makeKey}`,
    ],
    [
      '2047 bits as a JWK',
      () => generateKeyPairSync('rsa', { modulusLength: 2047 }).privateKey.export({ format: 'jwk' }),
      `has 2047 bits, but RS256 requires at least 2048; ${makeKey}`,
    ],
    [
      '2047 bits as a JWK, behind a zero byte as Java writes it',
      () => {
        const { n = '', ...rest } = generateKeyPairSync('rsa', { modulusLength: 2047 }).privateKey.export({
          format: 'jwk',
        });
        const padded = Buffer.concat([Buffer.from([0]), Buffer.from(String(n), 'base64url')]);
        return { ...rest, n: padded.toString('base64url') };
      },
      `has 2047 bits, but RS256 requires at least 2048; ${makeKey}`,
    ],
    [
      'public',
      () => generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'spki', format: 'pem' }),
      isOfType('PUBLIC KEY'),
    ],
    [
      'public PKCS#1',
      () => generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'pkcs1', format: 'pem' }),
      isOfType('RSA PUBLIC KEY'),
    ],
    ['a certificate', () => certificate, isOfType('CERTIFICATE')],
    ['EC in PKCS#8', () => pkcs8Of(generateKeyPairSync('ec', { namedCurve: 'P-256' })), damaged],
    [
      'EC in SEC 1',
      () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'sec1', format: 'pem' }),
      isOfType('EC PRIVATE KEY'),
    ],
    ['PSS', () => pkcs8Of(generateKeyPairSync('rsa-pss', { modulusLength: 2048 })), damaged],
    ['Ed25519', () => pkcs8Of(generateKeyPairSync('ed25519')), damaged],
    [
      'OpenSSH',
      () => pem('OPENSSH PRIVATE KEY', Buffer.from('openssh-key-v1\0and so on')),
      isOfType('OPENSSH PRIVATE KEY'),
    ],
    ['DSA in PKCS#8', () => pkcs8Of(dsa), damaged],
    ['DSA of old', () => pem('DSA PRIVATE KEY', Buffer.alloc(400, 7)), isOfType('DSA PRIVATE KEY')],
    [
      'DSA behind its parameters',
      () => pem('DSA PARAMETERS', Buffer.alloc(100, 7)) + pem('DSA PRIVATE KEY', Buffer.alloc(400, 7)),
      isOfType('DSA PRIVATE KEY'),
    ],
    ['X25519', () => pkcs8Of(generateKeyPairSync('x25519')), damaged],
    ['Ed448', () => pkcs8Of(generateKeyPairSync('ed448')), damaged],
    [
      'EC behind its parameters, as openssl writes it',
      () =>
        pem('EC PARAMETERS', Buffer.from('06082a8648ce3d030107', 'hex')) +
        generateKeyPairSync('ec', { namedCurve: 'P-256' })
          .privateKey.export({ type: 'sec1', format: 'pem' })
          .toString(),
      isOfType('EC PRIVATE KEY'),
    ],
    ['parameters only', () => pem('DH PARAMETERS', Buffer.alloc(100, 7)), isOfType('DH PARAMETERS')],
    [
      'encrypted PKCS#1',
      () => key.export({ type: 'pkcs1', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }),
      encrypted,
    ],
    [
      'encrypted PKCS#1 on one line',
      () =>
        key
          .export({ type: 'pkcs1', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' })
          .toString()
          .replaceAll('\n', ' '),
      encrypted,
    ],
    [
      'encrypted PKCS#8',
      () => key.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }).toString(),
      encrypted,
    ],
    ['DER PKCS#8, read as Latin-1', () => binary('pkcs8').toString('latin1'), notPem],
    ['DER PKCS#1, read as UTF-8', () => binary('pkcs1').toString('utf8'), notPem],
    ['PKCS#12', () => Buffer.from([0x30, 0x82, 0x09, 0x50, 0x02, 0x01, 0x03, 0x30, 0x82]).toString('latin1'), notPem],
    ['the base64 of another text', () => Buffer.from('a key of some kind').toString('base64'), notPem],
    ['the base64 of DER', () => binary('pkcs8').toString('base64'), notPem],
    [
      'a JWK as text',
      () => JSON.stringify(jwk),
      'is a JSON string; pass PEM text, or the JWK as an object: JSON.parse(text)',
    ],
    ['a path', () => '/etc/keys/corridor.pem', 'is a path; pass the content of the file instead'],
    ['a path of Windows', () => String.raw`C:\keys\corridor.key`, 'is a path; pass the content of the file instead'],
    ['a path in quotes', () => ' "\n./key.pem" ', 'is a path; pass the content of the file instead'],
    ['white space', () => ' \n ', 'is empty'],
    ['some words', () => 'my key', notPem],
    [
      'bytes in place of text',
      () => Buffer.from(pkcs8),
      "is bytes, but must be a string: read the file with readFileSync(path, 'utf8')",
    ],
    [
      'a KeyObject',
      () => key,
      'must be a PEM string, a JWK, a CryptoKey, or a function that returns one of them (received KeyObject without "kty")',
    ],
    [
      'a pair of CryptoKeys',
      () => ({ privateKey: {}, publicKey: {} }),
      'must be a PEM string, a JWK, a CryptoKey, or a function that returns one of them (received object without "kty")',
    ],
    [
      'a public JWK',
      () => ({ kty: 'RSA', n: jwk.n, e: jwk.e }),
      notJwk(...['d', 'p', 'q', 'dp', 'dq', 'qi'].map(isRequired)),
    ],
    ['a JWK for encryption', () => ({ ...jwk, use: 'enc' }), notJwk('use must be "sig" (received string)')],
    [
      'an EC JWK',
      () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }),
      notJwk('kty must be "RSA" (received string)', ...['n', 'e', 'p', 'q', 'dp', 'dq', 'qi'].map(isRequired)),
    ],
    [
      'a JWK without its primes',
      () => ({ kty: 'RSA', n: jwk.n, e: jwk.e, d: jwk.d }),
      notJwk(...['p', 'q', 'dp', 'dq', 'qi'].map(isRequired)),
    ],
    [
      'a JWK whose fields are mixed up',
      () => ({ ...jwk, kty: jwk.d, alg: jwk.p }),
      notJwk('kty must be "RSA" (received string)', 'alg must be "RS256" (received string)'),
    ],
    ['a JWK whose type is a number', () => ({ ...jwk, kty: 7 }), notJwk('kty must be "RSA" (received number)')],
    ['cut off', () => pkcs8.slice(0, 900), truncated],
    ['the base64 of a PEM text, cut off', () => Buffer.from(pkcs8).toString('base64').slice(0, 900), truncated],
    ['only its first line, as of an env file without quotes', () => '-----BEGIN PRIVATE KEY-----', truncated],
    ['with lines that got lost', () => pkcs8.slice(0, 900) + pkcs8.slice(1030), damaged],
    ['of bytes that name no algorithm', () => pem('PRIVATE KEY', Buffer.alloc(400, 7)), damaged],
    ['with a character that is none of base64', () => `${pkcs8.slice(0, 500)}*${pkcs8.slice(501)}`, damaged],
    [
      'nothing at all, by a function',
      () => () => undefined,
      'must be a PEM string, a JWK, a CryptoKey, or a function that returns one of them',
    ],
    ['a path, by a function', () => async () => './key.pem', 'is a path; pass the content of the file instead'],
  ])('%s', async (_, make, message) => {
    expect(await messageOf(make())).toBe(`privateKey ${message}`);
  });

  const algorithmOf = (hash: string): RsaHashedKeyGenParams => ({
    name: 'RSASSA-PKCS1-v1_5',
    hash,
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  });

  test.each<readonly [name: string, make: () => Promise<CryptoKey>, message: string]>([
    [
      'for another hash',
      async () => (await crypto.subtle.generateKey(algorithmOf('SHA-512'), false, ['sign', 'verify'])).privateKey,
      'is a CryptoKey for RSASSA-PKCS1-v1_5, but the platform requires RSASSA-PKCS1-v1_5 with SHA-256',
    ],
    [
      'for PSS',
      async () =>
        (await crypto.subtle.generateKey({ ...algorithmOf('SHA-256'), name: 'RSA-PSS' }, false, ['sign', 'verify']))
          .privateKey,
      'is a CryptoKey for RSA-PSS, but the platform requires RSASSA-PKCS1-v1_5 with SHA-256',
    ],
    [
      'that is public',
      async () => (await crypto.subtle.generateKey(algorithmOf('SHA-256'), false, ['sign', 'verify'])).publicKey,
      'is a public CryptoKey; pass the private one',
    ],
    [
      'of 1024 bits',
      async () =>
        (await crypto.subtle.generateKey({ ...algorithmOf('SHA-256'), modulusLength: 1024 }, false, ['sign', 'verify']))
          .privateKey,
      `has 1024 bits, but RS256 requires at least 2048; ${makeKey}`,
    ],
  ])('a CryptoKey %s', async (_, make, message) => {
    expect(await messageOf(await make())).toBe(`privateKey ${message}`);
  });

  test.each([[''], [null], [5], [true]])(
    '%j is rejected at once, and the environment is not used instead',
    (privateKey) => {
      const options = {
        baseUrl: 'https://api.example.com',
        apiKey: 'key_for_tests',
        privateKey,
      } as unknown as CorridorOptions;
      expect(() => new Corridor(options)).toThrow(
        privateKey === ''
          ? 'privateKey is empty'
          : 'privateKey must be a PEM string, a JWK, a CryptoKey, or a function that returns one of them',
      );
    },
  );
});
