import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ConfigurationError, Corridor, type CorridorError, type CorridorOptions, type PrivateKeySource } from 'corridor-sdk';
import { FaultServer, json, networks } from '../reliability/fault-server.js';
import { privateKey as pem } from '../reliability/key.js';

const key = createPrivateKey(pem);
const pkcs8 = (object: KeyObject): string => object.export({ type: 'pkcs8', format: 'pem' }).toString();
const rsa = (modulusLength: number): KeyObject => generateKeyPairSync('rsa', { modulusLength }).privateKey;
const pkcs1 = key.export({ type: 'pkcs1', format: 'pem' }).toString();
const jwk = key.export({ format: 'jwk' }) as JsonWebKey;

const withKey = (privateKey: PrivateKeySource, options: CorridorOptions = {}): Corridor =>
  new Corridor({ baseUrl: 'https://api.example.com', apiKey: 'key_for_tests', privateKey, ...options });

const refusalOf = async (privateKey: PrivateKeySource): Promise<string> => {
  const error = await withKey(privateKey).ready().then(() => expect.unreachable('the key should be refused'), (reason: unknown) => reason);
  expect(error).toBeInstanceOf(ConfigurationError);
  return (error as Error).message;
};

const { subtle } = globalThis.crypto;
const rs256 = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
const cryptoKey = (algorithm: RsaHashedImportParams = rs256, extractable = false, usages: KeyUsage[] = ['sign']): Promise<CryptoKey> => subtle.importKey('jwk', jwk, algorithm, extractable, usages);

describe('a key that is refused', () => {
  it.each<readonly [name: string, make: () => PrivateKeySource, message: RegExp]>([
    ['J1 1024 bits', () => pkcs8(rsa(1024)), /has 1024 bits, and RS256 wants at least 2048.*openssl genpkey/],
    ['J1 2040 bits', () => pkcs8(rsa(2040)), /has 2040 bits/],
    ['J2 encrypted PKCS#8', () => key.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }).toString(), /is encrypted; decrypt it with: openssl pkcs8/],
    ['J2 encrypted PKCS#1', () => key.export({ type: 'pkcs1', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }).toString(), /is encrypted; decrypt it with: openssl pkey/],
    ['J2 public', () => generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'spki', format: 'pem' }).toString(), /is a public key; give the private key/],
    ['J2 public PKCS#1', () => generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'pkcs1', format: 'pem' }).toString(), /is a public key/],
    ['J2 a certificate', () => '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----', /is a certificate; give the private key/],
    ['J2 EC in PKCS#8', () => pkcs8(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey), /is of type EC, and the platform wants plain RSA.*openssl genpkey/],
    ['J2 EC in SEC 1', () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'sec1', format: 'pem' }).toString(), /is an EC key.*openssl genpkey/],
    ['J2 Ed25519', () => pkcs8(generateKeyPairSync('ed25519').privateKey), /is of type Ed25519/],
    ['J2 PSS', () => pkcs8(generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).privateKey), /is of type RSA-PSS/],
    ['J2 OpenSSH', () => '-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n-----END OPENSSH PRIVATE KEY-----', /is in OpenSSH format; convert a copy of it with: ssh-keygen/],
    ['J2 DER as text', () => key.export({ type: 'pkcs8', format: 'der' }).toString('base64'), /is not a PEM text.*openssl pkey -inform DER/],
    ['J2 a path', () => '/etc/keys/corridor.pem', /give the content of the file, not its path/],
    ['J2 cut off before its end', () => pem.slice(0, 900), /is cut off: its closing/],
    ['J2 cut off within', () => pem.replace(/\n[^\n]+\n[^\n]+\n-----END/, '\n-----END'), /is damaged or cut off/],
    ['J2 not base64', () => '-----BEGIN PRIVATE KEY-----\n***\n-----END PRIVATE KEY-----', /not valid base64/],
    ['J2 a public JWK', () => ({ kty: 'RSA', n: jwk.n, e: jwk.e }) as JsonWebKey, /is a public JWK: it has no "d"/],
    ['J4 a JWK for another algorithm', () => ({ ...jwk, alg: 'PS256' }), /is a JWK for "PS256", and the platform wants "RS256"/],
    ['J4 a JWK for encryption', () => ({ ...jwk, use: 'enc' }), /for use "enc"/],
    ['J4 an EC JWK', () => ({ kty: 'EC', crv: 'P-256', x: 'x', y: 'y', d: 'd' }), /is a JWK of type "EC"/],
  ])('%s: with its cause and what to do', async (_name, make, message) => {
    expect(await refusalOf(make())).toMatch(message);
  });

  it('J4 a CryptoKey for another hash, or that may not sign', async () => {
    expect(await refusalOf(await cryptoKey({ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-512' }))).toContain('the platform wants RSASSA-PKCS1-v1_5 with SHA-256');
    const { publicKey } = await subtle.generateKey({ ...rs256, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) }, true, ['sign', 'verify']);
    expect(await refusalOf(publicKey)).toContain('is a public CryptoKey');
  });

  it('J2 shows not a byte of itself', async () => {
    const message = await refusalOf(pem.replace(/\n[^\n]+\n[^\n]+\n-----END/, '\n-----END'));
    for (const line of pem.split('\n').slice(1, -2)) expect(message).not.toContain(line.slice(0, 16));
  });
});

describe('a key that is taken', () => {
  it.each([
    ['PKCS#8', pem], ['PKCS#1', pkcs1], ['with CRLF', pem.replaceAll('\n', '\r\n')], ['with escaped newlines', pem.replaceAll('\n', '\\n')],
    ['in quotes, as of an env file', `"${pem.replaceAll('\n', '\\n')}"`], ['with a byte order mark and white space', `\uFEFF\n  ${pem}  \n`], ['a JWK', jwk],
    ['a function that gives one', () => pem], ['a function that promises one', async () => pkcs1],
  ] as const)('%s', async (_name, privateKey) => {
    await expect(withKey(privateKey).ready()).resolves.toBeUndefined();
  });

  it('a CryptoKey, be it extractable or not', async () => {
    await withKey(await cryptoKey()).ready();
    await withKey(await cryptoKey(rs256, true)).ready();
  });

  it('J9 is exchanged without a restart: the next send uses the new one', async () => {
    await using server = await new FaultServer((response) => json(response, 200, networks)).listen();
    let current = pkcs8(rsa(2048));
    const corridor = new Corridor({ baseUrl: server.url, apiKey: 'key_for_tests', privateKey: () => current });
    await corridor.crypto.networks();
    current = pem;
    await corridor.crypto.networks();
    expect(server.received.map(({ verified }) => verified)).toEqual([false, true]);
  });
});

describe('a damaged key', () => {
  it('J3 with one bit flipped, at 33 places: never sends a signature that does not verify', async () => {
    await using server = await new FaultServer((response) => json(response, 200, networks)).listen();
    const der = key.export({ type: 'pkcs8', format: 'der' });
    let refused = 0;
    for (let place = 0; place < 33; place += 1) {
      const damaged = Buffer.from(der);
      const at = 30 + Math.floor((place * (der.length - 31)) / 33);
      damaged[at] = (damaged[at] as number) ^ (1 << (place % 8));
      const text = `-----BEGIN PRIVATE KEY-----\n${damaged.toString('base64')}\n-----END PRIVATE KEY-----`;
      const corridor = new Corridor({ baseUrl: server.url, apiKey: 'key_for_tests', privateKey: text });
      await corridor.crypto.networks().catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'configuration', outcome: 'not-sent' });
        refused += 1;
      });
    }
    expect(server.received).toHaveLength(33 - refused);
    // A key whose modulus was changed consistently does not exist: what was sent verifies with the key it claims to be.
    expect(server.received.every(({ verified }) => verified)).toBe(true);
  });
});

describe('a signer', () => {
  const withSigner = (server: FaultServer, signer: (bytes: Uint8Array) => Promise<Uint8Array>, options: CorridorOptions = {}): Corridor => new Corridor({ baseUrl: server.url, apiKey: 'key_for_tests', signer, ...options });
  const failureOf = (call: Promise<unknown>): Promise<CorridorError> => call.then(() => expect.unreachable('the call should fail'), (error: CorridorError) => error);

  it('J8 that signs: its signatures verify', async () => {
    await using server = await new FaultServer((response) => json(response, 200, networks)).listen();
    const signing = await cryptoKey();
    await withSigner(server, async (bytes) => new Uint8Array(await subtle.sign('RSASSA-PKCS1-v1_5', signing, bytes as Uint8Array<ArrayBuffer>))).crypto.networks();
    expect(server.received[0]?.verified).toBe(true);
  });

  it('J8 that throws: nothing is sent, and its message is not shown', async () => {
    await using server = await new FaultServer((response) => json(response, 200, networks)).listen();
    const error = await failureOf(withSigner(server, async () => {
      throw new RangeError('kms token is s3cret');
    }).crypto.networks());
    expect(error).toMatchObject({ code: 'configuration', outcome: 'not-sent' });
    expect(error.message).toContain('threw RangeError');
    expect(error.message).not.toContain('s3cret');
    expect(server.received).toHaveLength(0);
  });

  it('J8 that hangs: ends with the deadline, and nothing is sent', async () => {
    await using server = await new FaultServer((response) => json(response, 200, networks)).listen();
    const error = await failureOf(withSigner(server, () => new Promise(() => {}), { deadline: 40 }).crypto.networks());
    expect(error).toMatchObject({ code: 'timeout', outcome: 'not-sent' });
    expect(server.received).toHaveLength(0);
  });

  it('J8 that gives something else than a signature: refused', async () => {
    await using server = await new FaultServer((response) => json(response, 200, networks)).listen();
    const error = await failureOf(withSigner(server, async () => new Uint8Array(64)).crypto.networks());
    expect(error.message).toContain('at least 256 bytes');
    expect(server.received).toHaveLength(0);
  });
});
