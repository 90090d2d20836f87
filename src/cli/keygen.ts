import { createHash, generateKeyPair, type JsonWebKey, type KeyObject } from 'node:crypto';
import { lstat, mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { optionLines, parseArguments, refuseWords } from './arguments.js';
import { CommandError, exitCodes, UsageError, type Command } from './command.js';
import { aligned, jsonText, shellPath } from './text.js';

const sizes = ['2048', '3072', '4096'];

const options = {
  bits: { value: '<n>', about: `the size of the key: ${sizes.join(', ')} (default: ${sizes[0]})` },
  out: { value: '<folder>', about: 'where the files go; made where there is none (default: this folder)' },
  json: { about: 'prints the result as JSON' },
} as const;

const names = { privateKey: 'key.pem', publicKey: 'public.pem', publicJwk: 'public.jwk.json' } as const;
type File = keyof typeof names;

/** `corridor keygen` */
export const command: Command = {
  help: () => `Usage: corridor keygen [options]

Makes an RSA key pair for signing requests, in three files:

${aligned([
  [names.privateKey, 'the private key: PKCS#8 PEM, readable by you alone'],
  [names.publicKey, 'the public key: SPKI PEM'],
  [names.publicJwk, 'the public key as a JWK; its kid is the thumbprint of RFC 7638 (SHA-256)'],
])}

A file that is there is never overwritten.

${optionLines(options)}
`,
  async run(words, { output }) {
    const given = parseArguments(words, options);
    refuseWords(given.words);
    const bits = given.value('bits') ?? '2048';
    if (!sizes.includes(bits)) throw new UsageError(`--bits wants ${sizes.join(', ')}`);
    const folder = given.value('out') ?? '.';
    const { files, thumbprint } = await makeKey(Number(bits), folder);
    if (given.has('json')) await output.line(jsonText({ bits: Number(bits), thumbprint, files }));
    else await output.write(report(Number(bits), thumbprint, files, (text) => output.style('bold', text)));
    return exitCodes.done;
  },
};

function report(bits: number, thumbprint: string, files: Readonly<Record<File, string>>, strong: (text: string) => string): string {
  const rows: readonly (readonly [string, string])[] = [
    [files.privateKey, 'the private key; it stays with you'],
    [files.publicKey, 'the public key, for the platform'],
    [files.publicJwk, 'the public key as a JWK'],
  ];
  return `A new RSA key of ${bits} bits, thumbprint ${strong(thumbprint)}

${aligned(rows)}

What to do next:

  1. Send ${files.publicKey} to the platform (or ${names.publicJwk}, whichever it takes) and ask whether it wants a key id.
  2. Keep ${files.privateKey} in your secret store, and out of repositories, images, mails and chats.
  3. export CORRIDOR_PRIVATE_KEY="$(cat ${shellPath(files.privateKey)})"
  4. corridor doctor
`;
}

async function makeKey(bits: number, folder: string): Promise<{ readonly files: Readonly<Record<File, string>>; readonly thumbprint: string }> {
  const files = { privateKey: join(folder, names.privateKey), publicKey: join(folder, names.publicKey), publicJwk: join(folder, names.publicJwk) };
  for (const path of Object.values(files)) await refuseTaken(path);
  // A large key takes its time, and may be given up meanwhile: nothing is written before it is there.
  const pair = await promisify(generateKeyPair)('rsa', { modulusLength: bits });
  const { jwk, thumbprint } = describe(pair.publicKey);
  await makeFolder(folder);
  await writeAll([
    { path: files.privateKey, mode: 0o600, text: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) },
    { path: files.publicKey, mode: 0o644, text: pair.publicKey.export({ type: 'spki', format: 'pem' }) },
    { path: files.publicJwk, mode: 0o644, text: `${JSON.stringify(jwk, undefined, 2)}\n` },
  ]);
  return { files, thumbprint };
}

/** Refuses a name that is taken, before time goes into a key. */
async function refuseTaken(path: string): Promise<void> {
  const code = await lstat(path).then(() => 'EEXIST', codeOf);
  if (code !== 'ENOENT') throw refusal(path, code);
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    // Of a folder it means that something else has its name.
    const code = codeOf(error) === 'EEXIST' ? 'ENOTDIR' : codeOf(error);
    throw refusal(join(folder, names.privateKey), code);
  }
}

/** Writes new files: either all come about, or none. */
async function writeAll(files: readonly { readonly path: string; readonly mode: number; readonly text: string | Buffer }[]): Promise<void> {
  const made: string[] = [];
  for (const { path, mode, text } of files) {
    try {
      const handle = await open(path, 'wx', mode);
      made.push(path);
      await handle.writeFile(text).then(() => handle.sync()).finally(() => handle.close());
    } catch (error) {
      for (const each of made) await rm(each, { force: true });
      throw refusal(path, codeOf(error));
    }
  }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

function refusal(path: string, code: string | undefined): CommandError {
  const problems: Readonly<Record<string, string>> = {
    EEXIST: `${path} is there already, and is left as it is`,
    ENOTDIR: `${dirname(path)} cannot be a folder, for a file stands in its place`,
  };
  return new CommandError(`${problems[code ?? ''] ?? `${path} cannot be written (${code})`}; no key was made. Give another folder with --out`);
}

/** A public key as a JWK, named by its thumbprint as RFC 7638 has it. */
export function describe(key: KeyObject): { readonly jwk: JsonWebKey & { readonly kid: string }; readonly thumbprint: string } {
  const { e = '', n = '' } = key.export({ format: 'jwk' });
  const thumbprint = createHash('sha256').update(JSON.stringify({ e, kty: 'RSA', n })).digest('base64url');
  return { jwk: { kty: 'RSA', n, e, alg: 'RS256', use: 'sig', kid: thumbprint }, thumbprint };
}
