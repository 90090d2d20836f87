import {
  constants,
  createHash,
  createPrivateKey,
  createPublicKey,
  randomBytes,
  verify,
  type KeyObject,
} from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CheckResult, ReportCheck } from './check.js';
import { describePublicKey } from '../keygen.js';
import { currentShell } from '../shell.js';
import { isBytes, isError } from '../../contract/objects.js';
import { ConfigurationError, Corridor, type CorridorOptions, type Signer } from '../../index.js';

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
      value: baseUrl,
      example: shell.set('CORRIDOR_BASE_URL', 'https://…'),
      client: { ...neutral, baseUrl },
      found: { detail: baseUrl },
    },
    {
      check: 'API key',
      variable: 'CORRIDOR_API_KEY',
      value: apiKey,
      example: shell.set('CORRIDOR_API_KEY', '…'),
      client: { ...neutral, apiKey },
      found: describeApiKey(apiKey.trim()),
    },
    {
      check: 'private key',
      variable: 'CORRIDOR_PRIVATE_KEY',
      value: privateKey,
      example: shell.setToFile('CORRIDOR_PRIVATE_KEY', 'key.pem'),
      origin: `; generate a key with: ${shell.corridor('keygen')}`,
      client: { baseUrl: neutral.baseUrl, apiKey: neutral.apiKey, privateKey },
      found: { detail: keyInfo?.detail ?? 'can sign, and the signature verifies' },
    },
  ];
  let isUsable = true;
  for (const setting of signerFiles === undefined ? settings : settings.slice(0, -1)) {
    const result = await checkSetting(setting);
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
  readonly value: string;
  /** A statement that sets the variable. */
  readonly example: string;
  /** Where the value comes from. */
  readonly origin?: string;
  /** The options of a client with the value. */
  readonly client: CorridorOptions;
  /** What to report if the client accepts the value. */
  readonly found: Pick<CheckResult, 'detail' | 'remedy'>;
}

// The client suggests to pass a JWK as an object, which an environment variable cannot hold.
const pemOfJwk =
  'crypto.createPrivateKey({ key: JSON.parse(process.env.CORRIDOR_PRIVATE_KEY), ' +
  'format: `jwk` }).export({ type: `pkcs8`, format: `pem` })';

async function checkSetting({
  check,
  variable,
  value,
  example,
  origin = '',
  client,
  found,
}: Setting): Promise<CheckResult> {
  if (value === '') return { check, status: 'failed', detail: `${variable} is not set${origin}`, remedy: example };
  try {
    await new Corridor(client).ready();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const [problem = '', ...fixes] = error.message.split(/(?:; |\. (?=[A-Z]))(.*)/s);
    const detail = problem.replace(/^(?:baseUrl|apiKey|privateKey)\b/, variable);
    const [fix = ''] = fixes;
    const remedy = /^CORRIDOR_PRIVATE_KEY is (?:a )?JSON\b/.test(detail)
      ? `Set PEM text; convert a JWK with: ${currentShell().setToValue(variable, pemOfJwk)}`
      : fix.charAt(0).toUpperCase() + fix.slice(1);
    return { check, status: 'failed', detail, remedy: remedy || example };
  }
  return { check, status: found.remedy === undefined ? 'ok' : 'warning', ...found };
}

/** Describes an API key without showing it. */
function describeApiKey(apiKey: string): Setting['found'] {
  const detail = `set, ${apiKey.length} characters`;
  if (/^eyJ[\w-]+\./.test(apiKey))
    return {
      detail: `${detail}, looks like a token`,
      remedy: 'Set the API key itself; the client creates a token for each request from the private key',
    };
  return { detail };
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

/** How long one signature may take, in milliseconds. */
const maxDuration = 10_000;
const concurrency = 5;
// The last one is longer than a KMS accepts as a message: the signer must send a digest.
const sizes = [0, 700, 100_000];

/** The paths of the module that exports a signer and of its public key. */
export interface SignerFiles {
  readonly signer: string;
  readonly publicKey: string;
}

/** Checks a signer and returns it if it can be used. */
async function checkSigner(files: SignerFiles, report: ReportCheck): Promise<Signer | undefined> {
  const check = 'signer';
  try {
    const publicKey = createPublicKey(await readFile(files.publicKey, 'utf8'));
    const signer = await loadSigner(files.signer);
    for (const size of sizes) await verifySignature(signer, publicKey, randomBytes(size));
    const started = performance.now();
    await Promise.all(Array.from({ length: concurrency }, () => verifySignature(signer, publicKey, randomBytes(300))));
    const duration = Math.round(performance.now() - started);
    const detail =
      `${sizes.length + concurrency} signatures verify with the public ` +
      `key; ${concurrency} at a time took ${duration} ms`;
    await report({ check, status: 'ok', detail });
    return signer;
  } catch (error) {
    const { message, remedy } =
      error instanceof SignerProblem
        ? error
        : new SignerProblem(`could not be loaded: ${nameOf(error)}`, 'Check both paths');
    await report({ check, status: 'failed', detail: message, remedy });
    return undefined;
  }
}

/** What is wrong with a signer. The message never contains that of another error, which could contain a secret. */
class SignerProblem extends Error {
  readonly remedy: string;

  constructor(message: string, remedy: string) {
    super(message);
    this.remedy = remedy;
  }
}

function nameOf(error: unknown): string {
  const { name = 'an error', code } = Object(error) as { readonly name?: string; readonly code?: unknown };
  return typeof code === 'string' ? `${name} (${code})` : name;
}

async function loadSigner(file: string): Promise<Signer> {
  const module = (await import(pathToFileURL(resolve(file)).href)) as {
    readonly default?: unknown;
    readonly signer?: unknown;
  };
  const signer = module.default ?? module.signer;
  if (typeof signer === 'function') return signer as Signer;
  throw new SignerProblem('the module exports no signer', 'Export the function as default, or as `signer`');
}

/** Signs bytes, and throws `SignerProblem` unless the signature verifies. */
async function verifySignature(signer: Signer, publicKey: KeyObject, bytes: Uint8Array): Promise<void> {
  const result = await sign(signer, bytes);
  const signature = isBytes(result) ? result : (result as { readonly signature?: unknown } | null)?.signature;
  if (!isBytes(signature))
    throw new SignerProblem(
      'did not resolve to a Uint8Array or to { signature, keyId }',
      'Return the bytes of the signature, not base64',
    );
  if (!verify('sha256', bytes, publicKey, signature)) throw mismatch(publicKey, bytes, signature);
}

async function sign(signer: Signer, bytes: Uint8Array): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const problem = new SignerProblem(
      `did not sign ${bytes.length} bytes within ${maxDuration / 1000} s`,
      'Set a timeout in the KMS client. In a call, the `timeout` option ends the attempt, and nothing is sent',
    );
    timer = setTimeout(() => reject(problem), maxDuration);
  });
  try {
    return await Promise.race([signer(bytes), late]);
  } catch (error) {
    if (error instanceof SignerProblem) throw error;
    throw new SignerProblem(
      `threw ${isError(error) ? error.name : typeof error} for ${bytes.length} bytes`,
      'Check the key, its permissions and the size that the KMS accepts (send a ' +
        'digest). In a call, it throws a SigningError, and nothing is sent',
    );
  } finally {
    clearTimeout(timer);
  }
}

function mismatch(publicKey: KeyObject, bytes: Uint8Array, signature: Uint8Array): SignerProblem {
  const digest = createHash('sha256').update(bytes).digest();
  const pss = { key: publicKey, padding: constants.RSA_PKCS1_PSS_PADDING };
  if (verify('sha256', bytes, pss, signature))
    return new SignerProblem('the signature uses PSS', 'Use RSASSA-PKCS1-v1_5 with SHA-256 (RS256)');
  if (verify('sha256', digest, publicKey, signature))
    return new SignerProblem(
      'the digest was hashed again',
      'Declare the message as a digest (AWS: MessageType DIGEST), or send the bytes',
    );
  if (verify('sha512', bytes, publicKey, signature) || verify('sha384', bytes, publicKey, signature))
    return new SignerProblem('the signature uses another hash', 'Use SHA-256 (RS256)');
  return new SignerProblem(
    'the signature does not verify with the public key',
    'Compare the public key of the KMS with the file, and use RSASSA-PKCS1-v1_5 with SHA-256 (RS256)',
  );
}
