import { format, inspect } from 'node:util';
import { expect } from 'vitest';
import { privateKey } from '../support/key.ts';

/** Secrets that must never be printed, placed at likely leaks. */
export const canary = {
  apiKey: 'canary-api-key-8f3b2c',
  signature: 'canary-signature-77',
  account: 'canary-iban-DE8937',
  kms: 'canary-kms-credential-31',
} as const;

/** A signed URL as the platform returns it for a file. */
export const signedUrl = `https://files.example.com/f?X-Signature=${canary.signature}`;

const keyLines = privateKey.split('\n').filter((line) => line !== '' && !line.startsWith('-----'));

/** All ways in which a value gets printed or sent somewhere, by name. */
export function renderings(value: unknown): ReadonlyMap<string, string> {
  const texts = new Map<string, string>([
    ['String', String(value)],
    ['inspect', inspect(value)],
    ['inspect, hidden and deep', inspect(value, { showHidden: true, depth: 20 })],
    ['inspect, with getters', inspect(value, { getters: true, depth: 20 })],
    ['%o', format('%o', value)],
    ['%j', format('%j', value)],
    ['JSON.stringify', JSON.stringify(value) ?? ''],
    ['spread', inspect({ ...(value as object) }, { depth: 20 })],
    ['structuredClone', cloned(value)],
  ]);
  if (!(value instanceof Error)) return texts;
  texts.set('message', value.message).set('stack', String(value.stack));
  if (value.cause !== undefined) for (const [name, text] of renderings(value.cause)) texts.set(`cause: ${name}`, text);
  return texts;
}

function cloned(value: unknown): string {
  try {
    return inspect(structuredClone(value), { showHidden: true, depth: 20 });
  } catch {
    return ''; // Not everything can be cloned; then it cannot leak that way.
  }
}

/** The secrets that a text shows, by name. */
export function secretsIn(text: string, tokens: readonly string[] = []): string[] {
  const planted = Object.entries(canary)
    .filter(([, secret]) => text.includes(secret))
    .map(([name]) => name);
  const parts = tokens
    .flatMap((token) => token.split('.').slice(1))
    .filter((part) => part !== '' && text.includes(part));
  return [
    ...planted,
    ...(keyLines.some((line) => text.includes(line.slice(0, 40))) ? ['private key'] : []),
    ...(parts.length > 0 || /eyJ[\w-]{10,}\.[\w-]{10,}/.test(text) ? ['token'] : []),
  ];
}

/** Expects that no rendering of a value shows a secret; `tokens` are those that were sent. */
export function expectNoSecret(value: unknown, tokens: readonly string[] = []): void {
  const shown = [...renderings(value)].flatMap(([name, text]) =>
    secretsIn(text, tokens).map((secret) => `${secret} in ${name}`),
  );
  expect(shown).toEqual([]);
}
