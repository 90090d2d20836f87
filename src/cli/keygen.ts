import { createHash, generateKeyPair, type JsonWebKey, type KeyObject } from 'node:crypto';
import { mkdir, open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { optionLines, parseArguments, refuseWords } from './arguments.js';
import { CommandError, exitCodes, UsageError, type Command } from './command.js';
import { aligned, jsonText } from './text.js';

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
  3. export CORRIDOR_PRIVATE_KEY="$(cat ${quoted(files.privateKey)})"
  4. corridor doctor
`;
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}

async function makeKey(bits: number, folder: string): Promise<{ readonly files: Readonly<Record<File, string>>; readonly thumbprint: string }> {
  const files = { privateKey: join(folder, names.privateKey), publicKey: join(folder, names.publicKey), publicJwk: join(folder, names.publicJwk) };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // All names are taken before there is anything to write: either all three files come about, or none.
  const taken: { readonly path: string; readonly handle: FileHandle }[] = [];
  try {
    for (const path of Object.values(files)) taken.push({ path, handle: await take(path, path === files.privateKey ? 0o600 : 0o644) });
    const pair = await promisify(generateKeyPair)('rsa', { modulusLength: bits });
    const { jwk, thumbprint } = describe(pair.publicKey);
    const texts = [pair.privateKey.export({ type: 'pkcs8', format: 'pem' }), pair.publicKey.export({ type: 'spki', format: 'pem' }), `${JSON.stringify(jwk, undefined, 2)}\n`];
    for (const [index, { handle }] of taken.entries()) {
      await handle.writeFile(texts[index] ?? '');
      await handle.sync();
    }
    return { files, thumbprint };
  } catch (error) {
    for (const { path } of taken) await rm(path, { force: true });
    throw error;
  } finally {
    for (const { handle } of taken) await handle.close();
  }
}

async function take(path: string, mode: number): Promise<FileHandle> {
  try {
    return await open(path, 'wx', mode);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new CommandError(`${path} is there already, and is left as it is; no key was made. Give another folder with --out`);
    throw new CommandError(`${path} cannot be written (${code}); no key was made`);
  }
}

/** A public key as a JWK, named by its thumbprint as RFC 7638 has it. */
export function describe(key: KeyObject): { readonly jwk: JsonWebKey & { readonly kid: string }; readonly thumbprint: string } {
  const { e = '', n = '' } = key.export({ format: 'jwk' });
  const thumbprint = createHash('sha256').update(JSON.stringify({ e, kty: 'RSA', n })).digest('base64url');
  return { jwk: { kty: 'RSA', n, e, alg: 'RS256', use: 'sig', kid: thumbprint }, thumbprint };
}
