import { createHash, generateKeyPair, type JsonWebKey, type KeyObject } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describeText } from '../contract/describe.js';
import { optionLines } from './arguments.js';
import { exitCodes, UsageError, type Command } from './command.js';
import { unwritable } from './files.js';
import { alignColumns, jsonText } from './print/text.js';
import { currentShell } from './shell.js';

const sizes = ['2048', '3072', '4096'];

const options = {
  bits: { value: '<n>', about: `the size of the key: ${sizes.join(', ')} (default: ${sizes[0]})` },
  out: { value: '<folder>', about: 'the folder for the files, created if it does not exist (default: this folder)' },
  json: { about: 'prints the result as JSON' },
} as const;

const names = { privateKey: 'key.pem', publicKey: 'public.pem', publicJwk: 'public.jwk.json' } as const;
type Files = Readonly<Record<keyof typeof names, string>>;

const table = ({ privateKey, publicKey, publicJwk }: Files): string =>
  alignColumns([
    [privateKey, 'the private key; keep it secret'],
    [publicKey, 'the public key, for the platform'],
    [publicJwk, 'the public key as a JWK'],
  ]);

/** `corridor keygen` */
export const command: Command<typeof options> = {
  options,
  help: () => `Usage: corridor keygen [options]

Generates an RSA key pair for signing requests, in three files:

${table(names)}

The private key is PKCS#8 PEM of mode 600, the public key SPKI PEM; the kid of the JWK is its thumbprint (RFC 7638, SHA-256).
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

function printReport(bits: number, thumbprint: string, files: Files, strong: (text: string) => string): string {
  const shell = currentShell();
  return `A new RSA key of ${bits} bits, thumbprint ${strong(thumbprint)}

${table(files)}

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
): Promise<{ readonly files: Files; readonly thumbprint: string }> {
  const files = {
    privateKey: join(folder, names.privateKey),
    publicKey: join(folder, names.publicKey),
    publicJwk: join(folder, names.publicJwk),
  };
  // Generating a large key takes time and may be interrupted, so write nothing before it is complete.
  const pair = await promisify(generateKeyPair)('rsa', { modulusLength: bits });
  const { jwk, thumbprint } = describePublicKey(pair.publicKey);
  const created: string[] = [];
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const [path, mode, text] of [
      [files.privateKey, 0o600, pair.privateKey.export({ type: 'pkcs8', format: 'pem' })],
      [files.publicKey, 0o644, pair.publicKey.export({ type: 'spki', format: 'pem' })],
      [files.publicJwk, 0o644, `${JSON.stringify(jwk, undefined, 2)}\n`],
    ] as const) {
      const handle = await open(path, 'wx', mode);
      created.push(path);
      await handle
        .writeFile(text)
        .then(() => handle.sync())
        .finally(() => handle.close());
    }
  } catch (error) {
    for (const each of created) await rm(each, { force: true });
    const { path = folder } = error as NodeJS.ErrnoException;
    const fix = 'No key was generated, and no file was replaced. Pass another folder with --out';
    throw unwritable(path, error, fix);
  }
  return { files, thumbprint };
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
