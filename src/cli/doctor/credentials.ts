import { createPrivateKey, createPublicKey, verify, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CheckResult, ReportCheck } from './check.js';
import { CommandError } from '../command.js';
import { describePublicKey } from '../keygen.js';
import { currentShell } from '../shell.js';
import { ConfigurationError, Corridor, CorridorError, type CorridorOptions, type Signer } from '../../index.js';

/** The usable credentials of the environment. */
export interface Credentials {
  readonly client: CorridorOptions;
  /** The thumbprint of the public key; undefined with a signer, or if Node cannot read the key. */
  readonly thumbprint: string | undefined;
}

// Placeholders for the settings that are not being checked.
const neutral = {
  baseUrl: 'https://platform.invalid',
  apiKey: 'neutral',
  signer: () => Promise.resolve(new Uint8Array()),
} as const;

/** Validates the environment with the client's own rules. Resolves to undefined if a setting cannot be used. */
export async function checkCredentials(
  environment: Readonly<Record<string, string | undefined>>,
  report: ReportCheck,
  signerFiles: SignerFiles | undefined,
): Promise<Credentials | undefined> {
  const {
    CORRIDOR_BASE_URL: baseUrl = '',
    CORRIDOR_API_KEY: apiKey = '',
    CORRIDOR_PRIVATE_KEY: privateKey = '',
  } = environment;
  const shell = currentShell();
  const keyInfo = keyInfoOf(privateKey);
  const settings: readonly Setting[] = [
    {
      check: 'base URL',
      variable: 'CORRIDOR_BASE_URL',
      example: shell.set('CORRIDOR_BASE_URL', 'https://…'),
      client: { ...neutral, baseUrl },
      found: baseUrl,
    },
    {
      check: 'API key',
      variable: 'CORRIDOR_API_KEY',
      example: shell.set('CORRIDOR_API_KEY', '…'),
      client: { ...neutral, apiKey },
      found: `set, ${apiKey.trim().length} characters`,
    },
    {
      check: 'private key',
      variable: 'CORRIDOR_PRIVATE_KEY',
      example: shell.setToFile('CORRIDOR_PRIVATE_KEY', 'key.pem'),
      origin: `; generate a key with: ${shell.corridor('keygen')}`,
      client: { ...neutral, signer: undefined, privateKey },
      found: keyInfo?.detail ?? 'can sign, and the signature verifies',
    },
  ];
  let isUsable = true;
  for (const setting of signerFiles === undefined ? settings : settings.slice(0, -1)) {
    const result = await checkSetting(setting, environment[setting.variable] ?? '');
    await report(result);
    isUsable &&= result.status !== 'failed';
  }
  const signer = signerFiles && (await checkSigner(signerFiles, report));
  if (!isUsable || (signerFiles !== undefined && signer === undefined)) return undefined;
  return signer === undefined
    ? { client: { baseUrl, apiKey, privateKey }, thumbprint: keyInfo?.thumbprint }
    : { client: { baseUrl, apiKey, signer }, thumbprint: undefined };
}

interface Setting {
  readonly check: string;
  readonly variable: string;
  /** A statement that sets the variable. */
  readonly example: string;
  /** Where the value comes from. */
  readonly origin?: string;
  /** The options of a client with the value. */
  readonly client: CorridorOptions;
  /** What to report if the client accepts the value. */
  readonly found: string;
}

async function checkSetting(
  { check, variable, example, origin = '', client, found }: Setting,
  value: string,
): Promise<CheckResult> {
  if (value === '') return { check, status: 'failed', detail: `${variable} is not set${origin}`, remedy: example };
  try {
    await new Corridor(client).ready();
    return { check, status: 'ok', detail: found };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const [problem = '', fix = ''] = error.message.split(/(?:; |\. (?=[A-Z]))(.*)/s);
    const detail = problem.replace(/^(?:baseUrl|apiKey|privateKey)\b/, variable);
    return { check, status: 'failed', detail, remedy: fix.charAt(0).toUpperCase() + fix.slice(1) || example };
  }
}

/** Describes a private key by its public key; undefined if Node cannot read the key, although the client can. */
function keyInfoOf(privateKey: string): { readonly detail: string; readonly thumbprint: string } | undefined {
  const [pem = ''] =
    /-----BEGIN ((?:RSA )?PRIVATE KEY)-----(?:(?!-----)[\s\S])*-----END \1-----/.exec(
      (privateKey.includes('-----BEGIN') ? privateKey : Buffer.from(privateKey, 'base64').toString()).replaceAll(
        /(?:\\r)?\\n/g,
        '\n',
      ),
    ) ?? [];
  try {
    const key = createPrivateKey(pem);
    const { thumbprint } = describePublicKey(createPublicKey(key));
    return { detail: `RSA, ${key.asymmetricKeyDetails?.modulusLength} bits, thumbprint ${thumbprint}`, thumbprint };
  } catch {
    return undefined;
  }
}

/** The paths of the module that exports a signer and of its public key. */
export interface SignerFiles {
  readonly signer: string;
  readonly publicKey: string;
}

/** How long one signature may take, in milliseconds. */
const timeout = 10_000;
const concurrency = 5;

/** Lets a client sign requests with a signer, and sends none. Returns the signer if each signature verifies. */
async function checkSigner(files: SignerFiles, report: ReportCheck): Promise<Signer | undefined> {
  const check = 'signer';
  try {
    const publicKey = createPublicKey(await readFile(files.publicKey, 'utf8'));
    const module = (await import(pathToFileURL(resolve(files.signer)).href)) as {
      readonly default?: Signer;
      readonly signer?: Signer;
    };
    const signer = module.default ?? module.signer;
    if (typeof signer !== 'function')
      throw new CommandError('the module exports no signer. Export it as default, or as signer');
    const tokens: string[] = [];
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const headers = new Headers(init?.headers ?? (input as Request).headers);
      tokens.push(headers.get('authorization')?.replace('Bearer ', '') ?? '');
      return Response.json({ networks: [] });
    };
    // With more bytes than a KMS accepts as a message: the signer must send a digest.
    const claims = () => ({ doctor: 'x'.repeat(5_000) });
    const corridor = new Corridor({ ...neutral, signer, claims, fetch, timeout, maxRetries: 0 });
    const started = performance.now();
    await Promise.all(Array.from({ length: concurrency }, () => corridor.crypto.networks()));
    const duration = Math.round(performance.now() - started);
    if (!tokens.every((token) => isSignedBy(publicKey, token)))
      throw new CommandError(
        'a signature does not verify with the public key. Compare the public key of the KMS with the file, use ' +
          'RSASSA-PKCS1-v1_5 with SHA-256 (RS256), and declare a digest as one (AWS: MessageType DIGEST)',
      );
    const detail = `${concurrency} signatures at a time verify with the public key, and took ${duration} ms`;
    await report({ check, status: 'ok', detail });
    return signer;
  } catch (error) {
    // The message of another error could contain a secret.
    const isKnown = error instanceof CommandError || error instanceof CorridorError;
    const { name, code, message } = Object(error) as NodeJS.ErrnoException;
    const text = isKnown
      ? message
      : `could not be loaded: ${name}${code === undefined ? '' : ` (${code})`}. Check both paths`;
    const [, detail = text, remedy = 'Set a time limit in the client of the KMS'] =
      /^(.*?)\. ([A-Z].*)$/s.exec(text) ?? [];
    await report({ check, status: 'failed', detail, remedy });
    return undefined;
  }
}

function isSignedBy(publicKey: KeyObject, token: string): boolean {
  const end = token.lastIndexOf('.');
  return verify('sha256', Buffer.from(token.slice(0, end)), publicKey, Buffer.from(token.slice(end + 1), 'base64url'));
}
