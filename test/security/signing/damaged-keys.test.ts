import { createPrivateKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ConfigurationError, type PrivateKeySource } from 'corridor-sdk';
import { clientOf, FaultServer, json, networks } from '../../support/fault-server.ts';
import { privateKey } from '../../support/key.ts';
import { pem } from '../../support/certificate.ts';
import { patience, sizes } from '../sizes.ts';

const key = createPrivateKey(privateKey);
const { kty = '', n = '', e = '', ...secret } = key.export({ format: 'jwk' }) as Readonly<Record<string, string>>;

function flipped(bytes: Buffer, bit: number): Buffer {
  const damaged = Buffer.from(bytes);
  damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
  return damaged;
}

/**
 * Tries keys one by one: each is rejected before anything is sent, or its signature verifies with the public key of the
 * undamaged one.
 */
async function expectNoBadSignature(damaged: Iterable<PrivateKeySource>): Promise<{ rejected: number; sent: number }> {
  await using server = await new FaultServer((response) => json(response, 200, networks)).listen();
  let rejected = 0;
  for (const source of damaged) {
    const before = server.received.length;
    const error = await clientOf(server, { privateKey: source })
      .crypto.networks()
      .then(
        () => undefined,
        (reason: unknown) => reason,
      );
    if (error === undefined) continue;
    rejected += 1;
    expect(error).toBeInstanceOf(ConfigurationError);
    expect((error as Error).message).toMatch(/^privateKey (is|has|must) /);
    expect(server.received).toHaveLength(before);
  }
  expect(server.received.filter(({ verified }) => !verified)).toEqual([]);
  return { rejected, sent: server.received.length };
}

describe('a key with one bit flipped never sends a signature that does not verify', patience, () => {
  for (const type of ['pkcs8', 'pkcs1'] as const) {
    const label = type === 'pkcs8' ? 'PRIVATE KEY' : 'RSA PRIVATE KEY';
    const der = key.export({ type, format: 'der' });
    const bits = Array.from(
      { length: Math.floor((der.length * 8) / sizes.flipEvery) },
      (_, index) => index * sizes.flipEvery,
    );

    it(`${type}, at 33 places`, async () => {
      const places = Array.from({ length: 33 }, (_, index) => Math.floor((index * der.length * 8) / 33) + (index % 8));
      const { rejected } = await expectNoBadSignature(places.map((bit) => pem(label, flipped(der, bit))));
      expect(rejected).toBeGreaterThan(0);
    });

    it(`${type}, at ${bits.length} places`, async () => {
      const { rejected, sent } = await expectNoBadSignature(bits.map((bit) => pem(label, flipped(der, bit))));
      expect(rejected + sent).toBe(bits.length);
      expect(rejected).toBeGreaterThan(0);
    });
  }

  it('a JWK, in each of its parts', async () => {
    const parts = Object.entries({ n, e, ...secret });
    const damaged = parts.flatMap(([name, value]) => {
      const bytes = Buffer.from(value, 'base64url');
      return [0, 5, bytes.length * 4, bytes.length * 8 - 1].map(
        (bit) => ({ kty, n, e, ...secret, [name]: flipped(bytes, bit).toString('base64url') }) as JsonWebKey,
      );
    });
    const { rejected } = await expectNoBadSignature(damaged);
    expect(rejected).toBeGreaterThan(0);
  });

  it('a JWK with the public part of another key', async () => {
    const other = await crypto.subtle.exportKey(
      'jwk',
      (
        await crypto.subtle.generateKey(
          {
            name: 'RSASSA-PKCS1-v1_5',
            hash: 'SHA-256',
            modulusLength: 2048,
            publicExponent: new Uint8Array([1, 0, 1]),
          },
          true,
          ['sign', 'verify'],
        )
      ).privateKey,
    );
    expect(await expectNoBadSignature([{ kty, e, ...secret, n: other.n } as JsonWebKey])).toEqual({
      rejected: 1,
      sent: 0,
    });
  });

  it('an extractable CryptoKey with another public exponent', async () => {
    const other = flipped(Buffer.from(e, 'base64url'), 5).toString('base64url');
    const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
    const damaged = await crypto.subtle.importKey('jwk', { kty, n, ...secret, e: other }, algorithm, true, ['sign']);
    expect(await expectNoBadSignature([damaged])).toEqual({ rejected: 1, sent: 0 });
  });

  it('a PEM text that was cut anywhere', async () => {
    const cuts = Array.from({ length: 40 }, (_, index) => Math.floor(((index + 1) * privateKey.length) / 42));
    const closed = cuts.map((cut) => `${privateKey.slice(0, cut).replace(/-*$/, '')}\n-----END PRIVATE KEY-----\n`);
    const { sent } = await expectNoBadSignature([...cuts.map((cut) => privateKey.slice(0, cut)), ...closed]);
    expect(sent).toBe(0);
  });
});
