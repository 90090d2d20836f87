import { longestEscape, maskText, minSecretLength, secretFinder, type Finder } from '../contract/secret-mask.js';

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
