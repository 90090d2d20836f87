import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { MockPlatformServer, ServeOptions } from '../../mock/node.js';
import { CommandError, UsageError } from '../command.js';
import { readText, readTextIfExists, writeSecret } from './files.js';
import { currentShell } from '../shell.js';

/** The files of the first organization's keys. */
export interface KeyFiles {
  /** The private key of the client: read if the file exists. */
  readonly privateKey: string | undefined;
  /** The public key of a client that has its own private key. */
  readonly publicKey: string | undefined;
}

/** Returns the keys in the files. */
export function keysIn({ privateKey, publicKey }: KeyFiles): Pick<ServeOptions, 'publicKey' | 'privateKey'> {
  if (publicKey !== undefined && privateKey !== undefined)
    throw new UsageError('pass either --public-key or --key-file, not both');
  if (publicKey !== undefined)
    return {
      publicKey: rsaKey(publicKey, readText(publicKey), createPublicKey)
        .export({ type: 'spki', format: 'pem' })
        .toString(),
    };
  const text = privateKey === undefined ? undefined : readTextIfExists(privateKey);
  return privateKey === undefined || text === undefined
    ? {}
    : { privateKey: rsaKey(privateKey, text, createPrivateKey).export({ type: 'pkcs8', format: 'pem' }).toString() };
}

function rsaKey(file: string, text: string, load: (text: string) => KeyObject): KeyObject {
  let key: KeyObject | undefined;
  try {
    key = load(text);
  } catch {
    // Ignored: the error's message may contain parts of the key.
  }
  if (key?.asymmetricKeyType === 'rsa') return key;
  throw new CommandError(
    `${file} does not contain a usable RSA key. Run ${currentShell().corridor('keygen')} to generate one`,
  );
}

/** Returns the path of the private key, and writes the file if necessary; undefined if the client has its own key. */
export async function writeKey(server: MockPlatformServer, files: KeyFiles): Promise<string | undefined> {
  if (files.publicKey !== undefined) return undefined;
  const { privateKey } = await server.credentials();
  const path = files.privateKey;
  if (path !== undefined) {
    if (readTextIfExists(path) === undefined) writeSecret(path, privateKey);
    return resolve(path);
  }
  const folder = mkdtempSync(join(tmpdir(), 'corridor-mock-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'key.pem');
  writeSecret(file, privateKey);
  return file;
}
