import { constants, createHash, createPublicKey, randomBytes, verify, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Signer } from '../../index.js';
import type { CheckResult, ReportCheck } from '../check.js';

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
export async function checkSigner(files: SignerFiles, report: ReportCheck): Promise<Signer | undefined> {
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
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const remedy =
      'set a timeout in the KMS client. In a call, the `timeout` option ends the attempt, and nothing is sent';
    timer = setTimeout(
      () => reject(new SignerProblem(`did not sign ${bytes.length} bytes within ${maxDuration / 1000} s`, remedy)),
      maxDuration,
    );
  });
  try {
    return await Promise.race([signer(bytes), late]);
  } catch (error) {
    if (error instanceof SignerProblem) throw error;
    const name = error instanceof Error ? error.name : typeof error;
    throw new SignerProblem(
      `threw ${name} for ${bytes.length} bytes`,
      'check the key, its permissions and the size that the KMS accepts (send a digest). In a call, it throws a SigningError, and nothing is sent',
    );
  } finally {
    clearTimeout(timer);
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
