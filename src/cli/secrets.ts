import { unescape } from 'node:querystring';
import { createSecretMask, minSecretLength } from '../contract/redact.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The minimum length of a text that is masked: the last line of a PEM, or a short key, can be this short. */
const minTextLength = 6;
const minJwkValueLength = 24;
const pemLabel = /-----[A-Z ]+-----/g;
/** More than the number of concurrent requests. */
const maxTokens = 16;

/** Masks secrets in printed text, as a second line of defense: the client does not expose them. */
export class Secrets {
  readonly #keys = new Map<string, (text: string) => string>();
  readonly #texts = new Set<string>();
  readonly #tokens: string[] = [];

  /** Masks the credentials of an environment: the API key, every line of the private key, the secrets of webhooks. */
  addCredentials({
    CORRIDOR_API_KEY: apiKey = '',
    CORRIDOR_PRIVATE_KEY: privateKey = '',
    CORRIDOR_WEBHOOK_SECRET: webhookSecret = '',
  }: Environment): void {
    const key = apiKey.trim();
    if (key.length >= minSecretLength) this.#keys.set(key, createSecretMask(key));
    else this.add(key);
    // The names of a JWK's fields must not be masked.
    const minLength = privateKey.includes('-----BEGIN') ? minTextLength : minJwkValueLength;
    const pem = Buffer.from(privateKey, 'base64').toString();
    const text = pem.includes('-----BEGIN') ? `${privateKey} ${pem}` : privateKey;
    for (const line of text.replaceAll(pemLabel, ' ').split(/\\n|\\r|[\s"']/))
      if (line.length >= minLength) this.#texts.add(line);
    for (const secret of webhookSecret.split(/\s+/)) this.add(secret);
  }

  /** Masks a text. */
  add(secret: string): void {
    if (secret.length >= minTextLength) this.#texts.add(secret);
  }

  /** Masks the token of an Authorization header. */
  addToken(authorization: string | null): void {
    const token = authorization?.replace(/^Bearer /, '') ?? '';
    if (token.length < minTextLength) return;
    this.#tokens.push(token);
    if (this.#tokens.length > maxTokens) this.#tokens.shift();
  }

  /** Stops masking an API key: the user must be able to read the key of a mock. */
  reveal(text: string): void {
    this.#keys.delete(text);
  }

  /** Returns the text with all secrets masked. */
  redact(text: string): string {
    // A secret can be a part of another one.
    const texts = [...this.#texts, ...this.#tokens].toSorted((one, other) => other.length - one.length);
    const masked = texts.reduce((clean, secret) => clean.replaceAll(secret, '[secret]'), text);
    return [...this.#keys.values()].reduce((clean, mask) => mask(clean), masked);
  }
}

/**
 * Masks the passwords in texts that connect to a database, also invalid ones, in all output: `://user:…@` and
 * `password=…`.
 */
export function maskPasswords(texts: readonly string[], secrets: Secrets): void {
  for (const text of texts) {
    const [, rest = ''] = /:\/\/[^:/@]*:(.*)/s.exec(text) ?? [];
    const parameters = text.matchAll(/[?&]password=([^?&#]*)|\bpassword\s*=\s*(?:'([^']*)|(\S*))/gi);
    const given = Array.from(parameters, ([, ...groups]) => groups.join(''));
    for (const password of [rest.slice(0, Math.max(rest.lastIndexOf('@'), 0)), ...given]) {
      secrets.add(password);
      secrets.add(unescape(password));
    }
  }
}
