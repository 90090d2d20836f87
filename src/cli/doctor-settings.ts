import { createPrivateKey, createPublicKey } from 'node:crypto';
import { ConfigurationError, Corridor, type CorridorOptions } from '../index.js';
import type { Finding, Note } from './finding.js';
import { describe } from './keygen.js';

/** The credentials of the environment, those that can be used. */
export interface Settings {
  readonly baseUrl?: URL;
  readonly apiKey?: string;
  readonly privateKey?: string;
  /** Names the public half of the key, where it could be told. */
  readonly thumbprint?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

// Stand in for the settings that are not being looked at.
const neutral = { baseUrl: 'https://platform.invalid', apiKey: 'neutral', signer: () => Promise.resolve(new Uint8Array()) } as const;

/** Looks at the environment by the client's own rules. */
export async function checkSettings(environment: Environment, note: Note): Promise<Settings> {
  const { CORRIDOR_BASE_URL: baseUrl = '', CORRIDOR_API_KEY: apiKey = '', CORRIDOR_PRIVATE_KEY: privateKey = '' } = environment;
  const ofBaseUrl = await findingOf('base URL', 'CORRIDOR_BASE_URL', baseUrl, 'https://…', { ...neutral, baseUrl }, () => ({ detail: baseUrl }));
  await note(ofBaseUrl);
  const ofApiKey = await findingOf('API key', 'CORRIDOR_API_KEY', apiKey, '…', { ...neutral, apiKey }, () => shapeOf(apiKey));
  await note(ofApiKey);
  const { baseUrl: url, apiKey: key } = neutral;
  const looks = identityOf(privateKey);
  const ofPrivateKey = await findingOf('private key', 'CORRIDOR_PRIVATE_KEY', privateKey, '"$(cat key.pem)"', { baseUrl: url, apiKey: key, privateKey }, () => ({ detail: looks?.detail ?? 'signs, and its signature verifies' }));
  await note(ofPrivateKey);
  return {
    ...(usable(ofBaseUrl) && { baseUrl: new URL(baseUrl) }),
    ...(usable(ofApiKey) && { apiKey }),
    ...(usable(ofPrivateKey) && { privateKey }),
    ...(usable(ofPrivateKey) && looks !== undefined && { thumbprint: looks.thumbprint }),
  };
}

const usable = ({ status }: Finding): boolean => status === 'ok' || status === 'warning';

type Good = Pick<Finding, 'detail' | 'remedy'>;

// The client's own remedy is to give a JWK as an object, which no environment can hold.
const makePem = `the environment takes PEM text; make it of a JWK with: export CORRIDOR_PRIVATE_KEY="$(node -p 'require("node:crypto").createPrivateKey({ key: JSON.parse(process.env.CORRIDOR_PRIVATE_KEY), format: "jwk" }).export({ type: "pkcs8", format: "pem" })')"`;

async function findingOf(check: string, variable: string, value: string, example: string, options: CorridorOptions, good: () => Good): Promise<Finding> {
  if (value === '') return { check, status: 'failed', detail: `${variable} is not set`, remedy: `export ${variable}=${example}` };
  try {
    await new Corridor(options).ready();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const [problem = '', ...fixes] = error.message.split(/; (.*)/s);
    const detail = problem.replace(/^(?:baseUrl|apiKey|privateKey)\b/, variable);
    const fix = /^CORRIDOR_PRIVATE_KEY is JSON\b/.test(detail) ? makePem : fixes.join('');
    return { check, status: 'failed', detail, remedy: fix === '' ? `export ${variable}=${example}` : fix };
  }
  const { detail, remedy } = good();
  return { check, status: remedy === undefined ? 'ok' : 'warning', detail, ...(remedy !== undefined && { remedy }) };
}

/** What can be said of an API key without showing it. */
function shapeOf(apiKey: string): Good {
  const detail = `set, ${apiKey.length} characters`;
  if (/^(["']).*\1$/.test(apiKey)) return { detail: `${detail}, in quotes`, remedy: 'take the quotes away: whatever read your env file has kept them' };
  if (/^eyJ[\w-]+\./.test(apiKey)) return { detail: `${detail}, looks like a token`, remedy: 'give the API key itself: tokens are made of the private key, for each request' };
  return { detail };
}

/** Which key it is, by its public half; undefined where Node cannot read what the client could. */
function identityOf(privateKey: string): { readonly detail: string; readonly thumbprint: string } | undefined {
  const [pem = ''] = /-----BEGIN ((?:RSA )?PRIVATE KEY)-----[\s\S]*?-----END \1-----/.exec(privateKey.replaceAll(/(?:\\r)?\\n/g, '\n')) ?? [];
  try {
    const key = createPrivateKey(pem);
    const { thumbprint } = describe(createPublicKey(key));
    return { detail: `RSA, ${key.asymmetricKeyDetails?.modulusLength} bits, thumbprint ${thumbprint}`, thumbprint };
  } catch {
    return undefined;
  }
}
