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

/**
 * Returns a copy of a body with personal and account data masked at every depth. `maskSecrets` masks secrets in its
 * other texts, in its numbers and in the names of its fields.
 */
export function redactBody(body: unknown, maskSecrets: (text: string) => string): unknown {
  if (typeof body === 'string') return maskSecrets(redactText(body));
  const copy = (value: unknown, sensitive: boolean, depth: number): unknown => {
    if (typeof value === 'string' || typeof value === 'number') {
      if (sensitive) return mask;
      const text = maskSecrets(String(value));
      return text === String(value) ? value : text;
    }
    if (typeof value !== 'object' || value === null) return value;
    if (depth > maxDepth) return '[too deep]';
    if (Array.isArray(value)) return value.map((item: unknown) => copy(item, sensitive, depth + 1));
    const fields: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      const field = copy((value as Record<string, unknown>)[key], sensitive || sensitiveNames().has(key), depth + 1);
      const name = maskSecrets(key);
      // An assignment would set the prototype.
      if (name === '__proto__')
        Object.defineProperty(fields, name, { value: field, enumerable: true, configurable: true, writable: true });
      else fields[name] = field;
    }
    return fields;
  };
  return copy(body, false, 0);
}

// An invalid JSON body may still be a truncated record.
function redactText(text: string): string {
  let clean = '';
  let position = 0;
  for (const { 0: field, 1: name = '', index } of text.matchAll(/"(\w+)"\s*:\s*/g)) {
    if (index < position || !sensitiveNames().has(name)) continue;
    const start = index + field.length;
    const end = endOfValue(text, start);
    if (end === start) continue;
    clean += `${text.slice(position, start)}"${mask}"`;
    position = end;
  }
  return clean + text.slice(position);
}

/**
 * Returns where the text, number, array or object ends that starts at a position of a text: at the latest at the end of
 * the text, which may be cut off; the position itself if nothing of these starts there.
 */
function endOfValue(text: string, start: number): number {
  const part = /"(?:[^"\\]|\\.)*(?:"|\\?$)|[[\]{}]|[^"[\]{}]+/sy;
  const number = /-?\d[\d.eE+-]*/y;
  part.lastIndex = number.lastIndex = start;
  if (number.test(text)) return number.lastIndex;
  if (!/["[{]/.test(text.charAt(start))) return start;
  let depth = 0;
  do {
    const [found = ''] = part.exec(text) ?? [];
    if (found === '[' || found === '{') depth += 1;
    if (found === ']' || found === '}') depth -= 1;
  } while (depth > 0 && part.lastIndex < text.length);
  return part.lastIndex;
}

function collectSensitiveNames(): ReadonlySet<string> {
  const found = new Set<string>();
  const seen = new Set<core.$ZodType>();
  const visit = (schema: core.$ZodType, name: string | undefined): void => {
    const inner = unwrap(schema);
    if (metadataOf(inner).sensitive === true && name !== undefined) found.add(name);
    if (inner instanceof core.$ZodArray) visit(inner._zod.def.element, name);
    // A shared string schema occurs under many names, so only objects are visited once.
    if (seen.has(inner)) return;
    if (inner instanceof core.$ZodObject) {
      seen.add(inner);
      for (const [key, field] of Object.entries(inner._zod.def.shape)) visit(field, key);
    }
    if (inner instanceof core.$ZodUnion) for (const option of inner._zod.def.options) visit(option, name);
  };
  const dialect = resolveDialect();
  for (const endpoint of Object.values(endpoints)) {
    if (hasOwn(endpoint, 'result')) visit(endpoint.result(), undefined);
    if (hasOwn(endpoint, 'body')) visit(endpoint.body(dialect), undefined);
  }
  return found;
}

/** A range of a text to mask, and its replacement. */
export interface SecretRange {
  readonly start: number;
  readonly end: number;
  readonly label: string;
}

/** Finds the ranges of a text to mask. Called with the text, and with the text decoded once, twice and three times. */
export type Finder = (text: string) => readonly SecretRange[];

/** A shorter secret is searched for only as it is: in another case or in base64 it would match unrelated text. */
const minSecretLength = 8;
/** The platform, its gateway and its error page may each escape a text once. */
const maxDecodings = 3;
/** The maximum length of one character of a secret after escaping it three times. */
const longestEscape = 16;

/**
 * Masks everything that the finders find in the first `shown` characters of a text, and returns these characters. A
 * match that begins in this part is masked completely. To limit the search, truncate the text to `shown` plus the
 * length of the longest secret first.
 */
export function maskText(text: string, finders: readonly Finder[], shown = text.length): string {
  const found = layersOf(text).flatMap(({ text: decoded, origins }) =>
    finders
      .flatMap((find) => find(decoded))
      .map(({ start, end, label }) => ({ label, start: origins?.[start] ?? start, end: origins?.[end] ?? end })),
  );
  let clean = '';
  let position = 0;
  for (const { start, end, label } of found.toSorted((one, other) => one.start - other.start || other.end - one.end)) {
    if (start >= shown) break;
    if (start >= position) clean += text.slice(position, start) + label;
    position = Math.max(position, end);
  }
  return clean + text.slice(position, Math.max(position, shown));
}

/** Creates a finder of exact matches. */
export function exactFinder(secrets: readonly string[]): Finder {
  return (text) => secrets.flatMap((secret) => occurrences(text, secret));
}

/**
 * Creates a finder of a secret in every form in which a platform, a gateway or a framework may echo it: unchanged, in
 * another case, in base64 or base64url (alone or as part of a longer value such as `user:key`), and, because decoded
 * text is also searched, percent-encoded, HTML-escaped and JSON-escaped.
 */
export function secretFinder(secret: string): Finder {
  if (secret.length < minSecretLength) return (text) => occurrences(text, secret);
  const forms = [...new Set(layersOf(secret).flatMap((layer) => [secret, layer.text]))].filter(
    ({ length }) => length >= minSecretLength,
  );
  const folded = forms.map(toLowerAscii);
  const encoded = base64Forms(secret);
  return (text) => {
    const small = toLowerAscii(text);
    const standard = text.replaceAll('-', '+').replaceAll('_', '/');
    return [
      ...folded.flatMap((form) => occurrences(small, form)),
      ...encoded.flatMap((form) => base64Occurrences(standard, form)),
    ];
  };
}

function occurrences(text: string, secret: string): SecretRange[] {
  const found: SecretRange[] = [];
  if (secret === '') return found;
  for (let start = text.indexOf(secret); start !== -1; start = text.indexOf(secret, start + secret.length))
    found.push({ start, end: start + secret.length, label: '[secret]' });
  return found;
}

/** Finds the complete base64 value around a secret, because the characters at its ends contain a part of the secret. */
function base64Occurrences(text: string, form: string): SecretRange[] {
  const found: SecretRange[] = [];
  let end = 0;
  for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, end)) {
    let start = at;
    while (start > end && isBase64(text.charCodeAt(start - 1))) start -= 1;
    end = at + form.length;
    while (end < text.length && isBase64(text.charCodeAt(end))) end += 1;
    while (text[end] === '=') end += 1;
    found.push({ start, end, label: '[secret]' });
  }
  return found;
}

/** Checks whether a character code is a letter, a digit, `+` or `/`. */
function isBase64(code: number): boolean {
  return (
    (code >= 0x2f && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code === 0x2b
  );
}

/**
 * Returns the base64 of a secret for each alignment (bytes before it, modulo 3), without the characters shared with
 * adjacent bytes.
 */
function base64Forms(secret: string): string[] {
  const bytes = Array.from(new TextEncoder().encode(secret), (byte) => String.fromCharCode(byte)).join('');
  return [0, 1, 2].map((before) =>
    btoa('x'.repeat(before) + bytes).slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6)),
  );
}

// Preserves the length, unlike toLowerCase(), which turns some characters into two.
function toLowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

interface Layer {
  readonly text: string;
  /** The start of each character in the original text, and the end of the last; undefined if nothing was decoded. */
  readonly origins: Uint32Array | undefined;
}

/** Returns a text and its decodings (once, twice and three times), until there is nothing left to decode. */
function layersOf(text: string): Layer[] {
  const layers: Layer[] = [{ text, origins: undefined }];
  for (let count = 0; count < maxDecodings; count += 1) {
    const next = decodeOnce(layers[count] as Layer);
    if (next === undefined) break;
    layers.push(next);
  }
  return layers;
}

const escapes =
  /%([0-9a-f]{2})|&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));?|\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|([^ux]))/gi;

function decodeOnce({ text, origins }: Layer): Layer | undefined {
  if (!/[%&\\]/.test(text)) return undefined;
  let clean = '';
  let position = 0;
  const nextOrigins = new Uint32Array(text.length + 1);
  const copyTo = (end: number): void => {
    for (let index = position; index < end; index += 1)
      nextOrigins[clean.length + index - position] = origins?.[index] ?? index;
    clean += text.slice(position, end);
  };
  for (const match of text.matchAll(escapes)) {
    const character = decodeCharacter(match);
    if (character === undefined) continue;
    copyTo(match.index);
    nextOrigins[clean.length] = origins?.[match.index] ?? match.index;
    clean += character;
    position = match.index + match[0].length;
  }
  if (position === 0) return undefined;
  copyTo(text.length);
  nextOrigins[clean.length] = origins?.[text.length] ?? text.length;
  return { text: clean, origins: nextOrigins };
}

/** The named entities that escape functions write, and those of characters in base64 and ids. */
const namedCharacters: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  plus: '+',
  sol: '/',
  equals: '=',
  percnt: '%',
  lowbar: '_',
  period: '.',
  colon: ':',
  num: '#',
  dollar: '$',
  bsol: '\\',
};
const escapedCharacters: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** Decodes an escape sequence; undefined if it is not a valid escape or decodes to a non-ASCII character. */
function decodeCharacter([, percent, decimal, hexadecimal, name, unicode, byte, escaped]: RegExpExecArray):
  | string
  | undefined {
  if (escaped !== undefined) return Object.hasOwn(escapedCharacters, escaped) ? escapedCharacters[escaped] : escaped;
  const lowercase = name?.toLowerCase();
  if (lowercase !== undefined)
    return Object.hasOwn(namedCharacters, lowercase) ? namedCharacters[lowercase] : undefined;
  const code =
    decimal === undefined ? Number.parseInt(percent ?? hexadecimal ?? unicode ?? byte ?? '', 16) : Number(decimal);
  return code < 0x80 ? String.fromCharCode(code) : undefined;
}

const maxLength = 500;
/** How much of a longer string is searched: enough for a token, a key or a signed URL and the text after it. */
const longestRead = 4096;

/**
 * Creates a function that redacts untrusted text before it is put in an error message: it removes these secrets in any
 * encoding, keys, tokens and signed URLs, and limits the length. The text is cut first, so that the time does not
 * depend on its length. A secret that the cut splits is still found.
 */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const finders = [...secrets.map(secretFinder), findTokens, findKeys, findSignatures];
  const margin = longestEscape * Math.max(0, ...secrets.map(({ length }) => length));
  return (text) => {
    const clean = maskText(text.slice(0, longestRead + margin), finders, longestRead)
      .replace(/\p{Cc}+/gu, ' ')
      .trim();
    return text.length > longestRead || clean.length > maxLength ? `${clean.slice(0, maxLength)}…` : clean;
  };
}

/** Creates a function that masks a secret in a text of any length. A short one would match unrelated text. */
export function createSecretMask(secret: string): (text: string) => string {
  const finders = [secretFinder(secret)];
  return (text) => (secret.length < minSecretLength || text.length < secret.length ? text : maskText(text, finders));
}

// None of these patterns can fail after it has started a long match, which would make the search quadratic. Each also
// matches a secret that the end of the text cuts off.

/** Finds JSON Web Tokens. It matches every dotted base64url sequence, so that the search passes over the text once. */
const findTokens: Finder = (text) =>
  [...text.matchAll(/[\w-]+(?:\.[\w-]+)*/g)].flatMap(({ 0: dotted, index }) => {
    const start = dotted.search(/\beyJ[\w-]{8}/);
    const end = index + dotted.length;
    // Without a dot, it is JSON in base64, such as a cursor.
    return start === -1 || (end < text.length && !dotted.slice(start).includes('.'))
      ? []
      : [{ start: index + start, end, label: '[token]' }];
  });

/** Finds keys in PEM. */
const findKeys: Finder = (text) =>
  [...text.matchAll(/-----BEGIN [\s\S]*?(?:-----END [A-Z0-9 ]{1,40}-----|$)/g)].map(({ 0: key, index }) => ({
    start: index,
    end: index + key.length,
    label: '[key]',
  }));

/** Finds the queries and fragments of URLs, which contain the signatures. */
const findSignatures: Finder = (text) =>
  [...text.matchAll(/\bhttps?:\/\/[^\s?#"']+(?:[?#][^\s"']*)?/g)].flatMap(({ 0: url, index }) => {
    const start = url.search(/[?#]/);
    return start === -1 ? [] : [{ start: index + start, end: index + url.length, label: '?[signed]' }];
  });
