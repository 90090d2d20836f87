import * as core from 'zod/v4/core';
import { resolveDialect } from './dialect.js';
import { endpoints } from './endpoints.js';
import { unwrap } from './describe.js';
import { metadataOf } from './schema/schema.js';

const mask = '[masked]';
// No record of the contract is nested this deep, but a malicious body may be.
const maxDepth = 64;
let cachedNames: ReadonlySet<string> | undefined;

/** Returns the names of all fields that the contract marks as personal or account data. */
function sensitiveNames(): ReadonlySet<string> {
  return (cachedNames ??= collectSensitiveNames());
}

/** Returns whether the contract marks fields of this name as personal or account data. */
export function isSensitiveName(name: string): boolean {
  return sensitiveNames().has(name);
}

/**
 * Returns a copy of a body with personal and account data masked at every depth. `maskSecrets` masks secrets in its
 * other texts, in its numbers and in the names of its fields.
 */
export function redactBody(body: unknown, maskSecrets: (text: string) => string): unknown {
  if (typeof body === 'string') return maskSecrets(redactText(body));
  const copy = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string' || typeof value === 'number') {
      const text = maskSecrets(String(value));
      return text === String(value) ? value : text;
    }
    if (typeof value !== 'object' || value === null) return value;
    if (depth > maxDepth) return '[too deep]';
    if (Array.isArray(value)) return value.map((item: unknown) => copy(item, depth + 1));
    // Unlike an assignment, this also copies a field named __proto__.
    return Object.fromEntries(
      Object.entries<unknown>({ ...value }).map(([name, field]) => [
        maskSecrets(name),
        sensitiveNames().has(name) && field !== null ? mask : copy(field, depth + 1),
      ]),
    );
  };
  return copy(body, 0);
}

/** Masks a text from the first personal or account data on: an invalid JSON body may be a truncated record. */
function redactText(text: string): string {
  for (const { 0: field, 1: name = '', index } of text.matchAll(/"(\w+)"\s*:\s*/g))
    if (sensitiveNames().has(name)) return `${text.slice(0, index + field.length)}${mask}`;
  return text;
}

function collectSensitiveNames(): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (schema: core.$ZodType, name = ''): void => {
    const inner = unwrap(schema);
    if (metadataOf(inner).sensitive === true) found.add(name);
    if (inner instanceof core.$ZodArray) visit(inner._zod.def.element, name);
    if (inner instanceof core.$ZodObject)
      for (const [key, field] of Object.entries(inner._zod.def.shape)) visit(field, key);
    if (inner instanceof core.$ZodUnion) for (const option of inner._zod.def.options) visit(option, name);
  };
  const dialect = resolveDialect();
  for (const endpoint of Object.values(endpoints)) {
    if ('result' in endpoint) visit(endpoint.result());
    if ('body' in endpoint) visit(endpoint.body(dialect));
  }
  return found;
}

/** A shorter secret would match unrelated text. */
export const minSecretLength = 8;

/** Returns the pattern of a text in which any characters are percent-encoded. */
const percentEncoded = (text: string): string =>
  text.replace(/[^]/g, (character) => {
    const code = character.charCodeAt(0).toString(16);
    return `(?:%${code.padStart(2, '0')}|${literal(character)})`;
  });

/** Returns the pattern of a text as it is. */
const literal = (text: string): string =>
  text.replace(/[^]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Returns the pattern of a text in a string of JSON, where a slash may have a backslash. */
const jsonEscaped = (text: string): string =>
  JSON.stringify(text)
    .slice(1, -1)
    .split('/')
    .map(literal)
    .join(String.raw`\\?/`);

/**
 * Returns the base64 and base64url of a secret for each alignment (bytes before it, modulo 3) as a pattern, without the
 * characters shared with adjacent bytes.
 */
function base64Pattern(secret: string): string {
  const bytes = Array.from(new TextEncoder().encode(secret), (byte) => String.fromCharCode(byte)).join('');
  return [0, 1, 2]
    .map((before) =>
      btoa('x'.repeat(before) + bytes).slice(
        Math.ceil((before * 8) / 6),
        Math.floor(((before + bytes.length) * 8) / 6),
      ),
    )
    .join('|')
    .replace(/[+/]/g, (character) => (character === '+' ? '[+-]' : '[/_]'));
}

/**
 * Creates a function that masks a secret of at least `minSecretLength` as a platform or a gateway may echo it:
 * unchanged, in another case, percent-encoded, in a string of JSON, and in base64 or base64url (alone or as part of a
 * longer value such as `user:key`).
 */
export function createSecretMask(secret: string): (text: string) => string {
  if (secret.length < minSecretLength) return (text) => text;
  const pattern = new RegExp(`${jsonEscaped(secret)}|${percentEncoded(secret)}`, 'gi');
  const base64 = new RegExp(`(?:${base64Pattern(secret)})[\\w+/=-]*`, 'i');
  return (text) => {
    if (text.length < secret.length) return text;
    const parts = text.replace(pattern, '[secret]').split(base64);
    // The characters around the secret contain a part of it.
    return parts
      .map((part, index) => (index < parts.length - 1 ? part.replace(/(?<![\w+/-])[\w+/-]+$/, '') : part))
      .join('[secret]');
  };
}

/** Masks keys, tokens and signed URLs in a text of any length. The client does not contain it. */
export const maskCredentials = (text: string): string => maskSignatures(maskKeys(maskRawSignatures(maskTokens(text))));

const maxLength = 500;
/** How much of a longer text is searched: enough for a token, a key or a signed URL and the text after it. */
const maxSearched = 4096;
/** The length of a percent-encoded character. */
const longestEscape = 3;

/** A secret, and the function that masks it. */
export interface Secret {
  readonly value: string;
  readonly mask: (text: string) => string;
}

/** Creates a function that masks the secrets of an array. */
export function createMask(secrets: readonly Secret[]): (text: string) => string {
  return (text) => secrets.reduce((masked, secret) => secret.mask(masked), text);
}

/**
 * Creates a function that redacts untrusted text before it is put in an error message: it removes the secret in any
 * encoding, keys, tokens and signed URLs, and limits the length. The text is cut first, so that the time does not
 * depend on its length.
 */
export function createRedactor(secrets: readonly Secret[]): (text: string) => string {
  const maskShort = (text: string): string =>
    secrets.reduce(
      (masked, { value }) => (value.length < minSecretLength ? masked.replaceAll(value, '[secret]') : masked),
      text,
    );
  const maskSecrets = createMask(secrets);
  return (text) => {
    const margin = longestEscape * Math.max(0, ...secrets.map(({ value }) => value.length));
    const isCut = text.length > maxSearched + margin;
    const masked = maskSignatures(
      maskKeys(maskRawSignatures(maskTokens(maskSecrets(maskShort(text.slice(0, maxSearched + margin)))))),
    );
    // A secret that the cut splits is in the margin.
    const clean = (isCut ? masked.slice(0, masked.length - margin) : masked).replace(/\p{Cc}+/gu, ' ').trim();
    return isCut || clean.length > maxLength ? `${clean.slice(0, maxLength)}…` : clean;
  };
}

// None of these patterns can fail after it has started a long match, which would make the search quadratic. Each also
// matches a secret that the end of the text cuts off.

/** Masks JSON Web Tokens. It matches every dotted base64url sequence, so that the search passes over the text once. */
const maskTokens = (text: string): string =>
  text.replace(/[\w-]+(?:\.[\w-]+)*/g, (dotted, index: number) => {
    const start = dotted.search(/eyJ[\w-]{8}/);
    // Without a dot, it is JSON in base64, such as a cursor.
    return start === -1 || (index + dotted.length < text.length && !dotted.slice(start).includes('.'))
      ? dotted
      : `${dotted.slice(0, start)}[token]`;
  });

// That of the shortest RSA key has 342 characters in base64, and 512 in hexadecimal.
const minSignatureLength = 300;

/** Masks signatures without the rest of their token. */
const maskRawSignatures = (text: string): string =>
  text.replace(/[\w+/=%-]+/g, (run) =>
    run.length >= minSignatureLength && /\d/.test(run) && /[a-z]/i.test(run) ? '[signature]' : run,
  );

/** Masks keys in PEM. */
const maskKeys = (text: string): string =>
  text.replace(/-----BEGIN\b[\s\S]*?(?:-----END [A-Z0-9 ]{1,40}-----|$)/g, '[key]');

// A URL may be in a string of JSON, or percent-encoded in the query of another one.
const scheme = /https?(?::|%3a)/i;
const query = /(?:[?#]|%3f|%23).*/i;
const signature = /(?:sig|signature|token|credential)(?:=|%3d).*/i;

/** Masks the queries and fragments of URLs, also of those without a scheme, because they contain the signatures. */
const maskSignatures = (text: string): string =>
  text.replace(/[^\s"']+/g, (word) => {
    const start = Math.max(0, word.search(scheme));
    const [before = ''] = word.slice(start).split(query, 1);
    // A host has a dot, and is followed by a slash.
    const isUrl = scheme.test(word) || before.slice(0, Math.max(0, before.lastIndexOf('/'))).includes('.');
    if (!isUrl && !signature.test(word)) return word;
    const masked = word.slice(0, start) + word.slice(start).replace(query, '?[signed]');
    return masked === word ? word.replace(signature, '?[signed]') : masked;
  });
