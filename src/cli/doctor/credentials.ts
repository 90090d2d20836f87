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
import type { CheckResult, ReportCheck } from '../check.js';
import { describePublicKey } from '../keygen.js';
import { currentShell } from '../shell.js';
import { within } from './connection.js';
import { ConfigurationError, Corridor, type CorridorOptions, type Signer } from '../../index.js';

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

/** How long one signature may take, in milliseconds. */
const maxDuration = 10_000;
const slowDuration = 500;
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
    for (const size of sizes) await measure(signer, publicKey, randomBytes(size));
    const durations = await Promise.all(
      Array.from({ length: concurrency }, async () => measure(signer, publicKey, randomBytes(300))),
    );
    await report({
      check,
      status: 'ok',
      detail: `${sizes.length + concurrency} signatures verify with the public key`,
    });
    await report(latency(durations));
    return signer;
  } catch (error) {
    const problem = error instanceof SignerProblem ? error : new SignerProblem(describe(error), 'check both paths');
    await report({ check, status: 'failed', detail: problem.message, remedy: problem.remedy });
    await report({ check: 'latency', status: 'skipped', detail: 'needs a signer' });
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

function describe(error: unknown): string {
  const { name = 'an error', code } = (error ?? {}) as { readonly name?: string; readonly code?: unknown };
  return `could not be loaded: ${name}${typeof code === 'string' ? ` (${code})` : ''}`;
}

async function loadSigner(file: string): Promise<Signer> {
  const module = (await import(pathToFileURL(resolve(file)).href)) as {
    readonly default?: unknown;
    readonly signer?: unknown;
  };
  const signer = module.default ?? module.signer;
  if (typeof signer === 'function') return signer as Signer;
  throw new SignerProblem('the module exports no signer', 'export the function as default, or as `signer`');
}

/** Signs bytes, verifies the signature and returns how long signing took, in milliseconds. */
async function measure(signer: Signer, publicKey: KeyObject, bytes: Uint8Array): Promise<number> {
  const started = performance.now();
  const result = await sign(signer, bytes);
  const duration = performance.now() - started;
  const signature =
    result instanceof Uint8Array ? result : (result as { readonly signature?: unknown } | null)?.signature;
  if (!(signature instanceof Uint8Array))
    throw new SignerProblem(
      'did not resolve to a Uint8Array or to { signature, keyId }',
      'return the bytes of the signature, not base64',
    );
  if (!verify('sha256', bytes, publicKey, signature)) throw mismatch(publicKey, bytes, signature);
  return duration;
}

async function sign(signer: Signer, bytes: Uint8Array): Promise<unknown> {
  const late = new SignerProblem(
    `did not sign ${bytes.length} bytes within ${maxDuration / 1000} s`,
    'set a timeout in the KMS client. In a call, the `timeout` option ends the attempt, and nothing is sent',
  );
  try {
    return await within(Promise.resolve(signer(bytes)), maxDuration, late);
  } catch (error) {
    if (error instanceof SignerProblem) throw error;
    const name = error instanceof Error ? error.name : typeof error;
    throw new SignerProblem(
      `threw ${name} for ${bytes.length} bytes`,
      'check the key, its permissions and the size that the KMS accepts (send a digest). In a call, it throws a SigningError, and nothing is sent',
    );
  }
}

function mismatch(publicKey: KeyObject, bytes: Uint8Array, signature: Uint8Array): SignerProblem {
  const digest = createHash('sha256').update(bytes).digest();
  const pss = { key: publicKey, padding: constants.RSA_PKCS1_PSS_PADDING };
  if (verify('sha256', bytes, pss, signature))
    return new SignerProblem('the signature uses PSS', 'use RSASSA-PKCS1-v1_5 with SHA-256 (RS256)');
  if (verify('sha256', digest, publicKey, signature))
    return new SignerProblem(
      'the digest was hashed again',
      'declare the message as a digest (AWS: MessageType DIGEST), or send the bytes',
    );
  if (verify('sha512', bytes, publicKey, signature) || verify('sha384', bytes, publicKey, signature))
    return new SignerProblem('the signature uses another hash', 'use SHA-256 (RS256)');
  return new SignerProblem(
    'the signature does not verify with the public key',
    'compare the public key of the KMS with the file, and use RSASSA-PKCS1-v1_5 with SHA-256 (RS256)',
  );
}

function latency(durations: readonly number[]): CheckResult {
  const median = Math.round(durations.toSorted((one, other) => one - other)[Math.floor(durations.length / 2)] ?? 0);
  const detail = `${median} ms for a signature, ${durations.length} at a time`;
  return median < slowDuration
    ? { check: 'latency', status: 'ok', detail }
    : {
        check: 'latency',
        status: 'warning',
        detail,
        remedy: 'every attempt waits for its signature: use a KMS in the same region, and check its rate limit',
      };
}
