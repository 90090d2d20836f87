/** A range of a text to mask, and its replacement. */
export interface SecretRange {
  readonly start: number;
  readonly end: number;
  readonly label: string;
}

/** Finds the ranges of a text to mask. Called with the text, and with the text decoded once, twice and three times. */
export type Finder = (text: string) => readonly SecretRange[];

/** A shorter secret is searched for only as it is: in another case or in base64 it would match unrelated text. */
export const minSecretLength = 8;
/** The platform, its gateway and its error page may each escape a text once. */
const maxDecodings = 3;
/** The maximum length of one character of a secret after escaping it three times. */
export const longestEscape = 16;

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
