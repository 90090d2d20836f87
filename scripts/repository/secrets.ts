import { createHash, createPrivateKey } from 'node:crypto';
import type { SourceFile } from './tree.ts';

// The key of the signing test vectors is published on purpose, so that anybody can compute the tokens. It is
// this key, in this file.
const published = {
  path: 'docs/signing-vectors.json',
  modulusHash: 'ae3c11d83523e9bb48b498e179ccfb5ad19a665560801789b56e1a771371ce03',
};

const tokens: Readonly<Record<string, RegExp>> = {
  'a signed token': /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{60,}/,
  'a key of AWS': /\bAKIA[0-9A-Z]{16}\b/,
  'a token of GitHub': /\bgh[pousr]_[A-Za-z0-9]{36}/,
  'a token of npm': /\bnpm_[A-Za-z0-9]{36}\b|_authToken\s*=\s*[^$\s]/,
  'a token of Slack': /\bxox[abpr]-[A-Za-z0-9-]{10,}/,
  'a live key': /\b[sr]k_live_[A-Za-z0-9]{16,}/,
};

/** Finds secrets that must not be in a repository: working private keys, tokens, keys of known services. */
export function secretsIn({ path, text: whole }: SourceFile): string[] {
  const text = path === published.path ? withoutPublished(whole) : whole;
  const found = Object.entries(tokens)
    .filter(([, pattern]) => pattern.test(text))
    .map(([what]) => what);
  return [...(holdsPrivateKey(text) ? ['a private key'] : []), ...found].map((what) => `${path}: ${what}`);
}

interface SigningVectors {
  readonly testOnlyPrivateKey: { readonly n: string };
  readonly vectors: readonly { readonly token: string }[];
}

function withoutPublished(text: string): string {
  const { testOnlyPrivateKey, vectors, ...rest } = JSON.parse(text) as SigningVectors;
  if (createHash('sha256').update(testOnlyPrivateKey.n).digest('hex') !== published.modulusHash) return text;
  return JSON.stringify([rest, ...vectors.map(({ token: _token, ...vector }) => vector)]);
}

function holdsPrivateKey(text: string): boolean {
  const plain = text.replaceAll('\\n', '\n');
  const pems = plain.match(/-----BEGIN ([A-Z ]*PRIVATE KEY)-----[\s\S]+?-----END \1-----/g) ?? [];
  const parts = /"?\bd"?\s*:\s*["'][\w-]{40,}["']/.test(text);
  return parts || pems.some((pem) => (pem.includes('BEGIN ENCRYPTED') ? pem.length > 400 : works(pem)));
}

function works(pem: string): boolean {
  try {
    // Source code indents and quotes the lines of a key.
    createPrivateKey(
      pem
        .split('\n')
        .map((line) => line.replace(/^[\s'"`*|]+|[\s'"`,\\|]+(?:\+\s*)?$/g, ''))
        .join('\n'),
    );
    return true;
  } catch {
    return false;
  }
}
