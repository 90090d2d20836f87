import { webCrypto } from '../contract/web-crypto.js';
import { ConfigurationError } from '../errors/api.js';

/** The shortest secret that the specification of Standard Webhooks allows, in bytes. */
const minBytes = 24;

/** A key that signs webhooks, and verifies them. */
export type WebhookKey = Awaited<ReturnType<Crypto['subtle']['importKey']>>;

/** Imports secrets separated by white space; during a rotation there are two. Throws `ConfigurationError`. */
export async function importSecrets(secret: string): Promise<readonly WebhookKey[]> {
  const secrets = typeof secret === 'string' ? secret.trim().split(/\s+/) : [''];
  return Promise.all(
    secrets.map((each) => {
      const bytes = decodeBase64(each.replace(/^whsec_/, ''));
      if (bytes === undefined || bytes.length < minBytes)
        throw new ConfigurationError(
          `the secret of the webhooks must be whsec_ and at least ${minBytes} bytes in base64. ` +
            `Generate one with: node -p 'crypto.randomBytes(32).toString(\`base64\`)'`,
        );
      const algorithm = { name: 'HMAC', hash: 'SHA-256' };
      return webCrypto().subtle.importKey('raw', bytes, algorithm, false, ['sign', 'verify']);
    }),
  );
}

/** Decodes base64; undefined if it is invalid. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
