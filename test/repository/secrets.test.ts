import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { secretsIn } from '../../scripts/repository/secrets.ts';
import { everything, read } from '../../scripts/repository/tree.ts';

const tree = everything();

describe('the repository', () => {
  test('contains no private key and no token', () => {
    expect(tree.length).toBeGreaterThan(30);
    expect(tree.flatMap(secretsIn)).toEqual([]);
  });

  test("names no path of anybody's machine", () => {
    const path = /(?<![\w.:-])\/(?:home|root|Users|work|mnt)\/[\w.-]+/;
    expect(
      tree.flatMap(({ path: file, text }) =>
        text
          .split('\n')
          .filter((line) => path.test(line))
          .map((line) => `${file}: ${line.trim().slice(0, 120)}`),
      ),
    ).toEqual([]);
  });
});

describe('the search for secrets finds', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

  test.each([
    ['a PEM file', pem],
    ['PKCS#1', privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()],
    ['PEM on one line of source', `const key = ${JSON.stringify(pem)};`],
    ['PEM in a template, indented', `const key = \`\n${pem.replace(/^/gm, '    ')}\`;`],
    [
      'an encrypted key',
      privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'a' }).toString(),
    ],
    ['a JWK', JSON.stringify(privateKey.export({ format: 'jwk' }))],
    ['a token', `eyJ${'a'.repeat(20)}.eyJ${'b'.repeat(30)}.${'c'.repeat(80)}`],
    ['a key of a known service', `AKIA${'A'.repeat(16)}`],
  ])('%s', (_, text) => {
    expect(secretsIn({ path: 'src/probe.ts', text })).toHaveLength(1);
  });

  test('the key of the signing test vectors anywhere but in its own file', () => {
    const { path, text } = read('docs/signing-vectors.json');
    expect(secretsIn({ path, text })).toEqual([]);
    expect(secretsIn({ path: 'docs/signing.md', text })).toEqual([
      'docs/signing.md: a private key',
      'docs/signing.md: a signed token',
    ]);
  });

  test('another key in the file of the signing test vectors, instead of it or next to it', () => {
    const { path, text } = read('docs/signing-vectors.json');
    const vectors = JSON.parse(text) as object;
    const jwk = privateKey.export({ format: 'jwk' });
    expect(secretsIn({ path, text: JSON.stringify({ ...vectors, testOnlyPrivateKey: jwk }) })).toContain(
      `${path}: a private key`,
    );
    expect(secretsIn({ path, text: JSON.stringify({ ...vectors, another: jwk }) })).toEqual([`${path}: a private key`]);
  });

  test('nothing in tests about keys', () => {
    expect(
      secretsIn({
        path: 'test/probe.ts',
        text: "'-----BEGIN PRIVATE KEY-----\\nnot a key\\n-----END PRIVATE KEY-----'",
      }),
    ).toEqual([]);
  });
});
