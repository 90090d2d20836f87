import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { corridor } from '../corridor.ts';

let served: MockPlatformServer;
let folder: string;
let environment: Readonly<Record<string, string>>;

beforeAll(async () => {
  served = await serveMockPlatform();
  const { baseUrl, apiKey, privateKey, publicKey } = await served.credentials();
  environment = { CORRIDOR_BASE_URL: baseUrl, CORRIDOR_API_KEY: apiKey };
  folder = await mkdtemp(join(tmpdir(), 'corridor-signer-'));
  await writeFile(join(folder, 'key.pem'), privateKey);
  await writeFile(join(folder, 'public.pem'), publicKey);
});

afterAll(async () => {
  await served.close();
  await rm(folder, { recursive: true });
});

/**
 * Runs doctor with a signer whose body is the passed code; `key` is the private key, `bytes` what to sign, and
 * `endTime()` ends the time limit of doctor.
 */
async function check(body: string, name = 'signer') {
  const module = `
    const limits = [];
    const { setTimeout } = globalThis;
    globalThis.setTimeout = (run, delay, ...rest) => {
      if (delay === 10_000) limits.push(run);
      return setTimeout(run, delay, ...rest);
    };
    const endTime = () => limits.forEach((run) => run());
    import { constants, createHash, sign } from 'node:crypto';
    import { readFileSync } from 'node:fs';
    const key = readFileSync(new URL('key.pem', import.meta.url), 'utf8');
    export ${name === 'default' ? 'default' : `const ${name} =`} async (bytes) => { ${body} };`;
  const file = `${crypto.randomUUID()}.mjs`;
  await writeFile(join(folder, file), module);
  const { code, output } = await corridor(['doctor', '--json', '--signer', file, '--public-key', 'public.pem'], {
    environment,
    folder,
  });
  const { findings } = JSON.parse(output) as {
    readonly findings: readonly { check: string; status: string; detail: string; remedy?: string }[];
  };
  return { code, output, of: Object.fromEntries(findings.map((finding) => [finding.check, finding])) };
}

test.each(['signer', 'default'])('a signer that is exported as %s is checked, and signs the read', async (name) => {
  const { code, of } = await check("return sign('sha256', bytes, key);", name);

  expect(of['signer']).toMatchObject({
    status: 'ok',
    detail: expect.stringMatching(/^5 signatures at a time verify with the public key, and took \d+ ms$/) as string,
  });
  expect(of['signed read']).toMatchObject({ status: 'ok' });
  expect(of['private key']).toBeUndefined();
  expect(code).toBe(0);
});

test.each([
  [
    'uses PSS',
    "return sign('sha256', bytes, { key, padding: constants.RSA_PKCS1_PSS_PADDING });",
    'a signature does not verify with the public key',
  ],
  ['uses SHA-512', "return sign('sha512', bytes, key);", 'a signature does not verify with the public key'],
  [
    'hashes the digest again',
    "return sign('sha256', createHash('sha256').update(bytes).digest(), key);",
    'a signature does not verify with the public key',
  ],
  [
    'signs something else',
    "return sign('sha256', new Uint8Array(3), key);",
    'a signature does not verify with the public key',
  ],
  [
    'returns base64',
    "return sign('sha256', bytes, key).toString('base64');",
    'signer must resolve to the RS256 signature as a Uint8Array',
  ],
  [
    'sends the bytes, of which a KMS accepts 4096',
    "if (bytes.length > 4096) throw Object.assign(new Error('secret text'), { name: 'ValidationException' }); return sign('sha256', bytes, key);",
    'signer threw ValidationException',
  ],
])('doctor finds a signer that %s', async (_, body, detail) => {
  const { code, output, of } = await check(body);

  expect(of['signer']).toMatchObject({ status: 'failed', detail: expect.stringContaining(detail) as string });
  expect(of['signer']?.remedy).toBeTruthy();
  expect(of['signed read']).toMatchObject({ status: 'skipped' });
  expect(output).not.toContain('secret text');
  expect(code).toBe(1);
});

test.each([
  [
    'fails',
    "throw Object.assign(new Error('secret text'), { name: 'AccessDeniedException' });",
    'the token could not be signed: signer threw AccessDeniedException',
    'Fix the function that is passed as signer',
  ],
  [
    'hangs',
    // The timer takes the place of an open connection.
    'setInterval(() => {}, 1_000); endTime(); return new Promise(() => {});',
    'crypto.networks exceeded its timeout of 10000 ms while signing the request (nothing was sent)',
    'Set a time limit in the client of the KMS',
  ],
])('doctor ends if a signer %s, and says what happens then', async (_, body, detail, remedy) => {
  const { code, output, of } = await check(body);

  expect(of['signer']).toMatchObject({ status: 'failed', detail });
  expect(of['signer']?.remedy).toContain(remedy);
  expect([of['signed read']?.status, code]).toEqual(['skipped', 1]);
  expect(output).not.toContain('secret text');
});

test.each([
  [
    'exports no function',
    "export default 'secret text';",
    'the module exports no signer',
    'Export it as default, or as signer\n',
  ],
  ['throws no error', 'throw undefined;', 'could not be loaded: undefined', 'Check both paths'],
])('doctor reports a module that %s', async (_, module, detail, remedy) => {
  const file = `${crypto.randomUUID()}.mjs`;
  await writeFile(join(folder, file), module);
  const { code, output } = await corridor(['doctor', '--signer', file, '--public-key', 'public.pem'], {
    environment,
    folder,
  });
  expect(output).toContain(`FAILED   signer       ${detail}\n         -> ${remedy}`);
  expect([code, output]).toEqual([1, expect.not.stringContaining('secret text')]);
});

test('doctor reports a module that cannot be loaded, and options that belong together', async () => {
  const missing = await corridor(['doctor', '--signer', 'no.mjs', '--public-key', 'public.pem'], {
    environment,
    folder,
  });
  expect(missing.output).toMatch(/FAILED +signer +could not be loaded: Error \(ERR_MODULE_NOT_FOUND\)/);
  expect((await corridor(['doctor', '--signer', 'no.mjs'], { environment, folder })).code).toBe(2);
});
