import * as core from 'zod/v4/core';
import { resolveDialect } from './dialect.js';
import { endpoints } from './endpoints.js';
import { unwrap } from './validate.js';
import { hasOwn } from './options.js';
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
    if (hasOwn(endpoint, 'result')) visit(endpoint.result());
    if (hasOwn(endpoint, 'body')) visit(endpoint.body(dialect));
  }
  return found;
}

/** A shorter secret would match unrelated text. */
export const minSecretLength = 8;

// The platform, its gateway and its error page may each escape a text again: %25 is an escaped %, and &amp; an escaped &.
const percent = '(?:%|&#(?:37|x25);)(?:25)*';
const ampersand = `(?:&|u0026|${percent}26)(?:amp;)*`;
const backslash = `(?:\\\\|${percent}5c)`;
/** The named entities of characters that occur in keys and in base64. */
const entities: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
  '+': 'plus',
  '/': 'sol',
  '=': 'equals',
  '%': 'percnt',
  _: 'lowbar',
  '.': 'period',
  ':': 'colon',
  '#': 'num',
  $: 'dollar',
  '\\': 'bsol',
};

const hexOf = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0');

/** Returns the pattern of a text as it is. */
const literal = (text: string): string =>
  text.replace(/[^]/g, (character) => `\\u${hexOf(character).padStart(4, '0')}`);

/** Returns the pattern of a character as it is, percent-encoded, or escaped in HTML or, after a backslash, in JSON. */
function escapedCharacter(character: string): string {
  // The flag `i` does not apply to the codes of letters.
  const cases = [...new Set([character.toLowerCase(), character.toUpperCase()])];
  const hex = `(?:${cases.map(hexOf).join('|')})`;
  const decimal = `(?:${cases.map((letter) => letter.charCodeAt(0)).join('|')})`;
  const numeric = `(?:#|${percent}23)(?:0*${decimal}|x0*${hex})`;
  const entity = Object.hasOwn(entities, character) ? `(?:${numeric}|${entities[character]})` : numeric;
  return `(?:(?:u00|x|${percent})${hex}|${ampersand}${entity}(?:;|${percent}3b)?|${literal(character)})`;
}

/** Returns the pattern of a text in which any characters are escaped, once or several times. */
function escapedText(text: string): string {
  // Escaping JSON three times turns a backslash into eight, and puts up to seven before another character. The backslashes
  // before a character are one sequence, because two patterns could match a sequence in many ways.
  return [...text.matchAll(/(\\*)([^\\]?)/g)]
    .map(({ 1: { length } = '', 2: next = '' }) => {
      const counts = `{${length},${8 * length + (next === '' ? 0 : 7)}}`;
      return `${length === 0 ? backslash : escapedCharacter('\\')}${counts}${next && escapedCharacter(next)}`;
    })
    .join('');
}

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
    .replace(/[+/]/g, (character) => `(?:${character === '+' ? '-' : '_'}|${escapedText(character)})`);
}

/**
 * Creates a function that masks a secret of at least `minSecretLength` in every form in which a platform, a gateway or a
 * framework may echo it: unchanged, in another case, percent-encoded, HTML-escaped, JSON-escaped, and in base64 or
 * base64url (alone or as part of a longer value such as `user:key`).
 */
export function createSecretMask(secret: string): (text: string) => string {
  if (secret.length < minSecretLength) return (text) => text;
  const unchanged = new RegExp(literal(secret), 'gi');
  let escaped: RegExp | undefined;
  const base64 = new RegExp(`(?:${base64Pattern(secret)})(?:\\\\+/)?[\\w+/%=-]*`, 'i');
  return (text) => {
    if (text.length < secret.length) return text;
    // Most texts have no escapes, and this pattern takes milliseconds to compile.
    const pattern = /[%&\\]/.test(text) ? (escaped ??= new RegExp(escapedText(secret), 'gi')) : unchanged;
    const parts = text.replace(pattern, '[secret]').split(base64);
    // The characters around the secret contain a part of it.
    return parts
      .map((part, index) => (index < parts.length - 1 ? part.replace(/(?<![\w+/%-])[\w+/%-]+$/, '') : part))
      .join('[secret]');
  };
}

const maxLength = 500;
/** How much of a longer text is searched: enough for a token, a key or a signed URL and the text after it. */
const maxSearched = 4096;
/** The maximum length of one character of a secret after escaping it three times. */
const longestEscape = 16;

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

const scheme =
  /https?(?:\\*(?::|u003a)|%(?:25)*3a|&(?:amp;)*#(?:58|x3a);)(?:\\*(?:\/|u002f)|%(?:25)*2f|&(?:amp;)*#(?:47|x2f);){2}/i;
// In a URL that is escaped in HTML, & and # start a character.
const query = /(?:\?|#(?<!&(?:amp;)*#)|(?:%(?:25)*|\\u00|&(?:amp;)*#x)(?:3f|23)|&(?:amp;)*#(?:63|35);).*/i;
const signature = /(?:sig|signature|token|credential)(?:=|(?:%(?:25)*|\\u00|&(?:amp;)*#x)3d|&(?:amp;)*#61;).*/i;

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
