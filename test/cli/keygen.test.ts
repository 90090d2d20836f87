import { createHash, createPrivateKey, createPublicKey, type JsonWebKey } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Corridor } from 'corridor-sdk';
import { serveMockPlatform } from 'corridor-sdk/mock/node';
import { expect, onTestFinished, test } from 'vitest';
import { corridor, ended, startCorridor } from './corridor.ts';

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-keygen-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

const read = (folder: string, name: string): Promise<string> => readFile(join(folder, name), 'utf8');

test('generates a matching pair: PKCS#8, SPKI and a JWK named by its thumbprint', async () => {
  const folder = await emptyFolder();

  const { code, output } = await corridor(['keygen', '--json'], { folder });

  const { bits, thumbprint, files } = JSON.parse(output) as {
    readonly bits: number;
    readonly thumbprint: string;
    readonly files: object;
  };
  expect({ code, bits, files }).toEqual({
    code: 0,
    bits: 2048,
    files: { privateKey: 'key.pem', publicKey: 'public.pem', publicJwk: 'public.jwk.json' },
  });
  const text = await read(folder, 'key.pem');
  expect(text).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
  const publicKey = createPublicKey(createPrivateKey(text));
  expect(publicKey.asymmetricKeyDetails?.modulusLength).toBe(2048);
  expect(await read(folder, 'public.pem')).toBe(publicKey.export({ type: 'spki', format: 'pem' }));
  const { kty, n, e, ...rest } = JSON.parse(await read(folder, 'public.jwk.json')) as JsonWebKey;
  expect({ kty, n, e }).toEqual(publicKey.export({ format: 'jwk' }));
  expect(rest).toEqual({ alg: 'RS256', use: 'sig', kid: thumbprint });
  // RFC 7638: the required members, in the order of their names, without white space.
  expect(createHash('sha256').update(`{"e":"${e}","kty":"RSA","n":"${n}"}`).digest('base64url')).toBe(thumbprint);
});

test('makes the private key readable by its owner only', async () => {
  const folder = await emptyFolder();

  await corridor(['keygen'], { folder });

  expect(((await stat(join(folder, 'key.pem'))).mode & 0o777).toString(8)).toBe('600');
});

test('generates larger keys in a new folder', async () => {
  const folder = await emptyFolder();

  const { code } = await corridor(['keygen', '--bits', '3072', '--out', 'keys/2027'], { folder });

  expect(code).toBe(0);
  expect(createPrivateKey(await read(folder, 'keys/2027/key.pem')).asymmetricKeyDetails?.modulusLength).toBe(3072);
});

test('lists the next steps for each file and shows nothing of the key', async () => {
  const folder = await emptyFolder();

  const { output, notes } = await corridor(['keygen'], { folder });

  for (const text of [
    'Send public.pem to the platform',
    'Keep key.pem',
    'CORRIDOR_PRIVATE_KEY="$(cat key.pem)"',
    'npx corridor-sdk doctor',
  ])
    expect(output).toContain(text);
  const lines = (await read(folder, 'key.pem')).split('\n').filter((line) => !line.startsWith('-----') && line !== '');
  expect(lines.filter((line) => `${output}${notes}`.includes(line.slice(0, 20)))).toEqual([]);
});

test.each(['key.pem', 'public.pem', 'public.jwk.json'])(
  'does not overwrite an existing %s and generates no key',
  async (name) => {
    const folder = await emptyFolder();
    await writeFile(join(folder, name), 'mine');

    const { code, notes } = await corridor(['keygen'], { folder });

    expect(code).toBe(1);
    expect(notes).toContain(`${name} cannot be written (EEXIST). No key was generated, and no file was replaced`);
    expect(await readdir(folder)).toEqual([name]);
    expect(await read(folder, name)).toBe('mine');
  },
);

test('leaves no file if it is stopped while it generates the key, and the next run generates one', async () => {
  const folder = await emptyFolder();
  const child = startCorridor(['keygen', '--out', 'keys'], { folder, preload: './preload/slow-key.ts' });
  const run = ended(child);
  await once(child.stderr, 'data');
  child.kill('SIGINT');
  await run;

  expect(await readdir(folder)).toEqual([]);
  expect(await corridor(['keygen', '--out', 'keys'], { folder })).toMatchObject({ code: 0 });
});

test.each(['key.pem', 'public.pem', 'public.jwk.json'])(
  'does not overwrite a %s that appeared while it generated the key, and leaves no other file',
  async (name) => {
    const folder = await emptyFolder();
    const child = startCorridor(['keygen'], { folder, preload: './preload/slow-key.ts' });
    const run = ended(child);
    await once(child.stderr, 'data');
    await writeFile(join(folder, name), 'mine');
    child.stdin.end();

    expect(await run).toMatchObject({ code: 1, notes: expect.stringContaining(`${name} cannot be written (EEXIST)`) });
    expect(await readdir(folder)).toEqual([name]);
    expect(await read(folder, name)).toBe('mine');
  },
);

test.each(['notes', 'notes/keys'])('reports that the folder %s cannot be created if notes is a file', async (out) => {
  const folder = await emptyFolder();
  await writeFile(join(folder, 'notes'), 'mine');

  const { code, notes } = await corridor(['keygen', '--out', out], { folder });

  expect({ code, notes }).toEqual({
    code: 1,
    notes: expect.stringMatching(
      new RegExp(
        `^error  ${out} cannot be written \\(E\\w+\\)\\. No key was generated, .*\\. Pass another folder with --out\n$`,
      ),
    ),
  });
  expect(await read(folder, 'notes')).toBe('mine');
});

test('rejects a folder that is a dangling link', async () => {
  const folder = await emptyFolder();
  await symlink('nowhere/keys', join(folder, 'link'));

  const { code, notes } = await corridor(['keygen', '--out', 'link'], { folder });

  expect(code).toBe(1);
  expect(notes).toMatch(/^error {2}link.*\. No key was generated, .*\. Pass another folder with --out\n$/);
});

test('reports that a folder cannot be created', async () => {
  const { code, notes } = await corridor(['keygen', '--out', 'k'.repeat(300)], { folder: await emptyFolder() });

  expect(code).toBe(1);
  expect(notes).toMatch(
    /^error {2}k+ cannot be written \(ENAMETOOLONG\)\. No key was generated, .*\. Pass another folder with --out\n$/,
  );
});

test('rejects other sizes', async () => {
  const { code, notes } = await corridor(['keygen', '--bits', '1024'], { folder: await emptyFolder() });

  expect(code).toBe(2);
  expect(notes).toContain('--bits must be one of 2048, 3072, 4096');
});

test('an option is not mistaken for the name of the folder', async () => {
  const folder = await emptyFolder();

  const { code, notes } = await corridor(['keygen', '--out', '--json'], { folder });

  expect(code).toBe(2);
  expect(notes).toContain('--out requires a value: --out <folder> (pass a value that begins with -- as --out=…)');
  expect(await readdir(folder)).toEqual([]);
});

test('a folder whose name looks like an option is passed with =', async () => {
  const folder = await emptyFolder();

  const { code, output } = await corridor(['keygen', '--out=--keys'], { folder });

  expect(code).toBe(0);
  expect(output).toContain('$(cat ./--keys/key.pem)');
  expect(await readdir(folder)).toEqual(['--keys']);
});

test('the client accepts the private key and the platform the public key', async () => {
  const folder = await emptyFolder();
  await corridor(['keygen'], { folder });
  const served = await serveMockPlatform({ publicKey: await read(folder, 'public.pem') });
  onTestFinished(() => served.close());
  const { baseUrl, apiKey } = served.clientOptions();

  const client = new Corridor({ baseUrl, apiKey, privateKey: await read(folder, 'key.pem') });

  expect(await client.crypto.networks()).not.toHaveLength(0);
});
