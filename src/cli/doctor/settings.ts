import { createPrivateKey, createPublicKey } from 'node:crypto';
import { ConfigurationError, Corridor, type CorridorOptions } from '../../index.js';
import type { CheckResult, ReportCheck } from '../check.js';
import { describePublicKey } from '../keygen.js';
import { currentShell } from '../shell.js';
import { checkSigner, type SignerFiles } from './signer.js';

/** The usable credentials of the environment. */
export interface Settings {
  readonly baseUrl?: URL;
  readonly apiKey?: string;
  /** The private key or the signer. */
  readonly key?: Pick<CorridorOptions, 'privateKey' | 'signer'>;
  /** The thumbprint of the public key; undefined if Node cannot read the key. */
  readonly thumbprint?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

// Placeholders for the settings that are not being checked.
const neutral = {
  baseUrl: 'https://platform.invalid',
  apiKey: 'neutral',
  signer: () => Promise.resolve(new Uint8Array()),
} as const;

/** Validates the environment with the client's own rules. */
export async function checkSettings(
  environment: Environment,
  report: ReportCheck,
  signerFiles: SignerFiles | undefined,
): Promise<Settings> {
  const {
    CORRIDOR_BASE_URL: baseUrl = '',
    CORRIDOR_API_KEY: apiKey = '',
    CORRIDOR_PRIVATE_KEY: privateKey = '',
  } = environment;
  const shell = currentShell();
  const ofBaseUrl = await checkSetting(
    'base URL',
    'CORRIDOR_BASE_URL',
    baseUrl,
    shell.set('CORRIDOR_BASE_URL', 'https://…'),
    { ...neutral, baseUrl },
    () => ({ detail: baseUrl }),
  );
  await report(ofBaseUrl);
  const ofApiKey = await checkSetting(
    'API key',
    'CORRIDOR_API_KEY',
    apiKey,
    shell.set('CORRIDOR_API_KEY', '…'),
    { ...neutral, apiKey },
    () => describeApiKey(apiKey),
  );
  await report(ofApiKey);
  return {
    ...(isUsable(ofBaseUrl) && { baseUrl: new URL(baseUrl) }),
    ...(isUsable(ofApiKey) && { apiKey }),
    ...(signerFiles === undefined ? await checkPrivateKey(privateKey, report) : await signerOf(signerFiles, report)),
  };
}

async function signerOf(files: SignerFiles, report: ReportCheck): Promise<Pick<Settings, 'key'>> {
  const signer = await checkSigner(files, report);
  return signer === undefined ? {} : { key: { signer } };
}

async function checkPrivateKey(privateKey: string, report: ReportCheck): Promise<Pick<Settings, 'key' | 'thumbprint'>> {
  const { baseUrl, apiKey } = neutral;
  const keyInfo = keyInfoOf(privateKey);
  const result = await checkSetting(
    'private key',
    'CORRIDOR_PRIVATE_KEY',
    privateKey,
    currentShell().setToFile('CORRIDOR_PRIVATE_KEY', 'key.pem'),
    { baseUrl, apiKey, privateKey },
    () => ({ detail: keyInfo?.detail ?? 'can sign, and the signature verifies' }),
  );
  await report(result);
  if (!isUsable(result)) return {};
  return { key: { privateKey }, ...(keyInfo !== undefined && { thumbprint: keyInfo.thumbprint }) };
}

const isUsable = ({ status }: CheckResult): boolean => status === 'ok' || status === 'warning';

type CheckDetail = Pick<CheckResult, 'detail' | 'remedy'>;

// The client suggests to pass a JWK as an object, which an environment variable cannot hold.
const pemOfJwk =
  'crypto.createPrivateKey({ key: JSON.parse(process.env.CORRIDOR_PRIVATE_KEY), format: `jwk` }).export({ type: `pkcs8`, format: `pem` })';
const makePem = (): string =>
  `set PEM text; convert a JWK with: ${currentShell().setToValue('CORRIDOR_PRIVATE_KEY', pemOfJwk)}`;

async function checkSetting(
  check: string,
  variable: string,
  value: string,
  example: string,
  options: CorridorOptions,
  describeValue: () => CheckDetail,
): Promise<CheckResult> {
  if (value === '') return { check, status: 'failed', detail: `${variable} is not set`, remedy: example };
  try {
    await new Corridor(options).ready();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const [problem = '', ...fixes] = error.message.split(/(?:; |\. (?=[A-Z]))(.*)/s);
    const detail = problem.replace(/^(?:baseUrl|apiKey|privateKey)\b/, variable);
    const fix = /^CORRIDOR_PRIVATE_KEY is (?:a )?JSON\b/.test(detail) ? makePem() : fixes.join('');
    return { check, status: 'failed', detail, remedy: fix === '' ? example : fix };
  }
  const { detail, remedy } = describeValue();
  return { check, status: remedy === undefined ? 'ok' : 'warning', detail, ...(remedy !== undefined && { remedy }) };
}

/** Describes an API key without showing it. */
function describeApiKey(apiKey: string): CheckDetail {
  const detail = `set, ${apiKey.length} characters`;
  if (/^(["']).*\1$/.test(apiKey))
    return {
      detail: `${detail}, in quotes`,
      remedy: 'remove the quotes; the program that read your env file kept them',
    };
  if (/^eyJ[\w-]+\./.test(apiKey))
    return {
      detail: `${detail}, looks like a token`,
      remedy: 'set the API key itself; the client creates a token for each request from the private key',
    };
  return { detail };
}

/** Describes a private key by its public key; undefined if Node cannot read the key, although the client can. */
function keyInfoOf(privateKey: string): { readonly detail: string; readonly thumbprint: string } | undefined {
  const [pem = ''] =
    /-----BEGIN ((?:RSA )?PRIVATE KEY)-----(?:(?!-----)[\s\S])*-----END \1-----/.exec(
      privateKey.replaceAll(/(?:\\r)?\\n/g, '\n'),
    ) ?? [];
  try {
    const key = createPrivateKey(pem);
    const { thumbprint } = describePublicKey(createPublicKey(key));
    return { detail: `RSA, ${key.asymmetricKeyDetails?.modulusLength} bits, thumbprint ${thumbprint}`, thumbprint };
  } catch {
    return undefined;
  }
}
