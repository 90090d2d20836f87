import { createHash, generateKeyPair, type JsonWebKey, type KeyObject } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describeText } from '../contract/describe.js';
import { optionLines } from './arguments.js';
import { CommandError, exitCodes, UsageError, type Command } from './command.js';
import { alignColumns, jsonText } from './print/text.js';
import { currentShell } from './shell.js';

const sizes = ['2048', '3072', '4096'];

const options = {
  bits: { value: '<n>', about: `the size of the key: ${sizes.join(', ')} (default: ${sizes[0]})` },
  out: { value: '<folder>', about: 'the folder for the files, created if it does not exist (default: this folder)' },
  json: { about: 'prints the result as JSON' },
} as const;

const names = { privateKey: 'key.pem', publicKey: 'public.pem', publicJwk: 'public.jwk.json' } as const;
type File = keyof typeof names;

/** `corridor keygen` */
export const command: Command<typeof options> = {
  options,
  help: () => `Usage: corridor keygen [options]

Generates an RSA key pair for signing requests, in three files:

${alignColumns([
  [names.privateKey, 'the private key: PKCS#8 PEM, readable by you alone'],
  [names.publicKey, 'the public key: SPKI PEM'],
  [names.publicJwk, 'the public key as a JWK; its kid is the thumbprint of RFC 7638 (SHA-256)'],
])}

Existing files are never overwritten.

${optionLines(options)}
`,
  async run(args, { output }) {
    const bits = args.value('bits') ?? '2048';
    if (!sizes.includes(bits))
      throw new UsageError(`--bits must be one of ${sizes.join(', ')} (received ${describeText(bits)})`);
    const folder = args.value('out') ?? '.';
    const { files, thumbprint } = await generateKeyFiles(Number(bits), folder);
    if (args.has('json')) await output.line(jsonText({ bits: Number(bits), thumbprint, files }));
    else await output.write(printReport(Number(bits), thumbprint, files, (text) => output.style('bold', text)));
    return exitCodes.done;
  },
};

function printReport(
  bits: number,
  thumbprint: string,
  files: Readonly<Record<File, string>>,
  strong: (text: string) => string,
): string {
  const rows: readonly (readonly [string, string])[] = [
    [files.privateKey, 'the private key; keep it secret'],
    [files.publicKey, 'the public key, for the platform'],
    [files.publicJwk, 'the public key as a JWK'],
  ];
  const shell = currentShell();
  return `A new RSA key of ${bits} bits, thumbprint ${strong(thumbprint)}

${alignColumns(rows)}

Next steps:

  1. Send ${files.publicKey} to the platform (or ${names.publicJwk}, whichever it accepts) and ask whether it requires a key id.
  2. Keep ${files.privateKey} in your secret store. Never put it in repositories, images, emails or chats.
  3. ${shell.setToFile('CORRIDOR_PRIVATE_KEY', files.privateKey)}
  4. ${shell.corridor('doctor')}
`;
}

async function generateKeyFiles(
  bits: number,
  folder: string,
): Promise<{ readonly files: Readonly<Record<File, string>>; readonly thumbprint: string }> {
  const files = {
    privateKey: join(folder, names.privateKey),
    publicKey: join(folder, names.publicKey),
    publicJwk: join(folder, names.publicJwk),
  };
  // Generating a large key takes time and may be interrupted, so write nothing before it is complete.
  const pair = await promisify(generateKeyPair)('rsa', { modulusLength: bits });
  const { jwk, thumbprint } = describePublicKey(pair.publicKey);
  await createFolder(folder);
  await writeNewFiles([
    { path: files.privateKey, mode: 0o600, text: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) },
    { path: files.publicKey, mode: 0o644, text: pair.publicKey.export({ type: 'spki', format: 'pem' }) },
    { path: files.publicJwk, mode: 0o644, text: `${JSON.stringify(jwk, undefined, 2)}\n` },
  ]);
  return { files, thumbprint };
}

async function createFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    // For a folder, EEXIST means that a file has its name.
    const code = codeOf(error) === 'EEXIST' ? 'ENOTDIR' : codeOf(error);
    throw writeError(join(folder, names.privateKey), code);
  }
}

/** Writes new files. If one fails, the others are removed. */
async function writeNewFiles(
  files: readonly { readonly path: string; readonly mode: number; readonly text: string | Buffer }[],
): Promise<void> {
  const created: string[] = [];
  for (const { path, mode, text } of files) {
    try {
      const handle = await open(path, 'wx', mode);
      created.push(path);
      await handle
        .writeFile(text)
        .then(() => handle.sync())
        .finally(() => handle.close());
    } catch (error) {
      for (const each of created) await rm(each, { force: true });
      throw writeError(path, codeOf(error));
    }
  }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

function writeError(path: string, code: string | undefined): CommandError {
  const problems: Readonly<Record<string, string>> = {
    EEXIST: `${path} already exists`,
    ENOTDIR: `${dirname(path)} cannot be created because a file is in its path`,
  };
  return new CommandError(
    `${problems[code ?? ''] ?? `${path} cannot be written (${code})`}; no ` +
      'key was generated. Pass another folder with --out',
  );
}

/** Returns a public key as a JWK, with its RFC 7638 thumbprint as `kid`. */
export function describePublicKey(key: KeyObject): {
  readonly jwk: JsonWebKey & { readonly kid: string };
  readonly thumbprint: string;
} {
  const { e = '', n = '' } = key.export({ format: 'jwk' });
  const thumbprint = createHash('sha256')
    .update(JSON.stringify({ e, kty: 'RSA', n }))
    .digest('base64url');
  return { jwk: { kty: 'RSA', n, e, alg: 'RS256', use: 'sig', kid: thumbprint }, thumbprint };
}
