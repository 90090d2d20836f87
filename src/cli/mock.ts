import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { ServedMockPlatform, ServeOptions } from '../mock/node.js';
import { optionLines, parseArguments, refuseWords, wholeNumber, type Arguments } from './arguments.js';
import { CommandError, exitCodes, UsageError, type Command } from './command.js';
import type { Terminal } from './terminal.js';
import { jsonText, shellPath } from './text.js';

const usualPort = 4010;

const options = {
  port: { value: '<n>', about: `the port on this machine; 0 takes a free one (default: ${usualPort})` },
  seed: { value: '<text>', about: 'what all ids and data follow from (default: 1)' },
  populate: { about: 'begins with a realistic few hundred records' },
  'key-file': { value: '<file>', about: 'the private key of the client: used where the file is there, else made (default: in a new temporary folder)' },
  'public-key': { value: '<file>', about: 'the public key of a client that has its own private key: then none is made' },
  json: { about: 'prints one line of JSON once it answers' },
} as const;

/** `corridor mock` */
export const command: Command = {
  help: () => `Usage: corridor mock [options]

Serves a mock of the whole platform over HTTP on this machine, for clients in any language: it keeps what it is sent
and verifies every signature. It prints its address and its credentials, and runs until it is stopped (Ctrl+C).
Under /__mock, tests in any language do with it what tests in TypeScript do: GET /__mock lists the calls.

${optionLines(options)}
`,
  async run(words, terminal) {
    const given = parseArguments(words, options);
    refuseWords(given.words);
    const port = wholeNumber('port', given.value('port') ?? String(usualPort), 0, 65_535);
    const served = await serve({ port, seed: given.value('seed'), ...keysOf(given) });
    const stop = stopped();
    try {
      if (given.has('populate')) served.platform.populate();
      const keyFile = await keyFileOf(served, given);
      await announce(served, keyFile, given, terminal);
      await stop;
    } finally {
      await served.close();
    }
    if (!given.has('json')) await terminal.notes.line('\nStopped.');
    return exitCodes.done;
  },
};

type Given = Arguments<typeof options>;

function keysOf(given: Given): Pick<ServeOptions, 'publicKey' | 'privateKey'> {
  const [publicKeyFile, keyFile] = [given.value('public-key'), given.value('key-file')];
  if (publicKeyFile !== undefined && keyFile !== undefined) throw new UsageError('give --public-key or --key-file, not both');
  if (publicKeyFile !== undefined) return { publicKey: rsaKey(publicKeyFile, read(publicKeyFile), createPublicKey).export({ type: 'spki', format: 'pem' }).toString() };
  const text = keyFile === undefined ? undefined : readIfThere(keyFile);
  return keyFile === undefined || text === undefined ? {} : { privateKey: rsaKey(keyFile, text, createPrivateKey).export({ type: 'pkcs8', format: 'pem' }).toString() };
}

function rsaKey(file: string, text: string, load: (text: string) => KeyObject): KeyObject {
  let key: KeyObject | undefined;
  try {
    key = load(text);
  } catch {
    // What the error says of the text is not for printing.
  }
  if (key?.asymmetricKeyType === 'rsa') return key;
  throw new CommandError(`${file} holds no RSA key that can be used; corridor keygen makes one`);
}

async function serve(serveOptions: ServeOptions): Promise<ServedMockPlatform> {
  const { serveMockPlatform } = await import('../mock/node.js');
  try {
    return await serveMockPlatform({ ...serveOptions, control: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw new CommandError(`port ${serveOptions.port} is taken; --port 0 takes a free one`);
    if (code === 'EACCES') throw new CommandError(`port ${serveOptions.port} needs rights that you do not have; --port 0 takes a free one`);
    throw error;
  }
}

/** Where the private key lies; undefined where the client has its own. */
async function keyFileOf(served: ServedMockPlatform, given: Given): Promise<string | undefined> {
  if (given.has('public-key')) return undefined;
  const { privateKey } = await served.credentials();
  const wanted = given.value('key-file');
  if (wanted !== undefined) {
    if (readIfThere(wanted) === undefined) write(wanted, privateKey);
    return resolve(wanted);
  }
  const folder = mkdtempSync(join(tmpdir(), 'corridor-mock-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'key.pem');
  write(file, privateKey);
  return file;
}

async function announce(served: ServedMockPlatform, keyFile: string | undefined, given: Given, { output, secrets }: Terminal): Promise<void> {
  const { baseUrl, apiKey } = served.clientOptions();
  // It opens nothing but this mock, and is made to be read.
  secrets.reveal(apiKey);
  if (given.has('json')) return output.line(jsonText({ baseUrl, control: `${baseUrl}/__mock`, apiKey, keyFile: keyFile ?? null, seed: served.platform.seed, processId: process.pid }));
  const keyLine = keyFile === undefined ? '# CORRIDOR_PRIVATE_KEY: the private key that belongs to the public key you gave' : `export CORRIDOR_PRIVATE_KEY="$(cat ${shellPath(keyFile)})"`;
  return output.write(`A mock of the platform answers at ${output.style('bold', baseUrl)}. In another terminal:

  export CORRIDOR_BASE_URL=${baseUrl}
  export CORRIDOR_API_KEY=${apiKey}
  ${keyLine}
  corridor doctor

Tests in any language add records, plan faults and read what was sent over ${baseUrl}/__mock (GET lists the calls).
Ctrl+C stops it.
`);
}

function stopped(): Promise<void> {
  return new Promise((resolveStop) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolveStop());
  });
}

function read(path: string): string {
  const text = readIfThere(path);
  if (text === undefined) throw new CommandError(`${path}: there is no such file`);
  return text;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new CommandError(`${path} cannot be read (${code})`);
  }
}

function write(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw new CommandError(`${path} cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
}
