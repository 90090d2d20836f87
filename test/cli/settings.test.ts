import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { corridor, ended, environmentOf, startCorridor, type Run } from './corridor.ts';

let served: MockPlatformServer;
let environment: Readonly<Record<string, string>>;
let folder: string;

beforeAll(async () => {
  served = await serveMockPlatform();
  environment = await environmentOf(served);
});

beforeEach(async () => {
  served.platform.reset();
  folder = await mkdtemp(join(tmpdir(), 'corridor-settings-'));
  return () => rm(folder, { recursive: true });
});

afterAll(() => served.close());

const run = (words: readonly string[], variables = {}): Promise<Run> =>
  corridor(words, { environment: variables, folder });
const networks = ['call', 'crypto.networks', '--json'];
const elsewhere = {
  CORRIDOR_BASE_URL: 'http://127.0.0.1:1',
  CORRIDOR_API_KEY: 'other-key',
  CORRIDOR_PRIVATE_KEY: 'x',
};

function writeEnvFile(name: string, settings: Readonly<Record<string, string>>): Promise<void> {
  const lines = Object.entries(settings).map(([variable, value]) => `${variable}="${value}"\n`);
  return writeFile(join(folder, name), lines.join(''), { mode: 0o600 });
}

describe('settings', () => {
  test('of --env-file come before the environment and .env', async () => {
    await writeEnvFile('sandbox.env', environment);
    await writeEnvFile('.env', elsewhere);

    const result = await run([...networks, '--env-file', 'sandbox.env'], elsewhere);

    expect(result).toMatchObject({ code: 0, notes: '' });
  });

  test('of --env-file that does not exist are reported by Node, and nothing is done', async () => {
    const child = startCorridor([...networks, '--env-file', 'sandbox.env'], { environment, folder });

    expect(await ended(child)).toEqual({
      code: 9,
      output: '',
      notes: expect.stringContaining('sandbox.env: not found') as unknown,
    });
  });

  test('of an env file with a byte order mark, as Windows writes it, are read', async () => {
    const file = join(folder, 'windows.env');
    await writeEnvFile('windows.env', environment);
    await writeFile(file, `\uFEFF${await readFile(file, 'utf8')}`);

    expect(await run([...networks, '--env-file', 'windows.env'])).toMatchObject({ code: 0 });
  });

  test('of the environment come before .env', async () => {
    await writeEnvFile('.env', elsewhere);

    expect(await run(networks, environment)).toMatchObject({ code: 0, notes: '' });
  });

  test('of the environment are used if .env is a folder or a link to itself', async () => {
    const env = join(folder, '.env');
    await mkdir(env);
    expect(await run(networks, environment)).toMatchObject({ code: 0, notes: '' });
    await rm(env, { recursive: true });
    await symlink(env, env);
    expect(await run(networks, environment)).toMatchObject({ code: 0, notes: '' });
  });

  test('of .env are used without others', async () => {
    await writeEnvFile('.env', environment);

    expect(JSON.parse((await run(['doctor', '--json'])).output)).toMatchObject({ ok: true, settings: '.env' });
  });

  test.each([
    ['the environment', [], '.env is not used, because settings of several sources are never mixed'],
    ['--env-file', ['--env-file', '.env'], 'CORRIDOR_API_KEY is not set'],
  ])('of two sources are never mixed: a key is not sent to the platform of %s', async (_, words, message) => {
    const { CORRIDOR_API_KEY: apiKey = '', CORRIDOR_PRIVATE_KEY: privateKey = '' } = environment;
    await writeEnvFile('.env', { CORRIDOR_BASE_URL: served.url });
    const variables = { CORRIDOR_API_KEY: apiKey, CORRIDOR_PRIVATE_KEY: privateKey };

    const { code, output } = await run(['doctor', ...words], variables);

    expect(code).toBe(1);
    expect(output).toContain(message);
    expect(served.platform.requests).toHaveLength(0);
  });

  test('of a file that does not exist cause an error', async () => {
    // Node reads the option, too, and ends the process itself.
    const { code, notes } = await run([...networks, '--env-file', 'sandbox.env'], environment);

    expect(code).not.toBe(0);
    expect(notes).toContain('sandbox.env');
    expect(served.platform.requests).toHaveLength(0);
  });

  test('of a file without any cause an error', async () => {
    await writeEnvFile('sandbox.env', { OTHER: 'secret-value' });

    const { code, notes } = await run([...networks, '--env-file', 'sandbox.env'], environment);

    expect(code).toBe(1);
    expect(notes).toContain('sandbox.env has none of CORRIDOR_BASE_URL, CORRIDOR_API_KEY');
    expect(notes).not.toContain('secret-value');
    expect(served.platform.requests).toHaveLength(0);
  });

  test('in a file that other users can read cause a warning', async () => {
    await writeEnvFile('.env', environment);
    await chmod(join(folder, '.env'), 0o644);

    expect((await run(networks)).notes).toContain('can read .env. Run: chmod 600 .env');
  });
});

const notExpanded = 'is a variable that was not expanded, such as ${NAME}, %NAME% or <NAME>. Set its value instead';

describe('a variable that was not expanded is named', () => {
  const copy = ['sync', '--once'];
  test.each([
    ['CORRIDOR_BASE_URL', ['verify'], 'CORRIDOR_BASE_URL'],
    ['CORRIDOR_BASE_URL', networks, 'baseUrl'],
    ['CORRIDOR_API_KEY', networks, 'apiKey'],
    ['CORRIDOR_PRIVATE_KEY', networks, 'privateKey'],
    ['CORRIDOR_WEBHOOK_SECRET', ['follow', '--sqlite', 'a.sqlite', '--forward-to', 'https://shop.example'], undefined],
    ['CORRIDOR_MOCK_CONTROL_TOKEN', ['mock', '--port', '0'], undefined],
    ['DATABASE_URL', copy, undefined],
  ])('%s of %j', async (variable, words, name = variable) => {
    const { code, notes } = await run(words, { ...environment, [variable]: `%${variable}%` });

    expect(code).not.toBe(0);
    expect(notes).toContain(`${name} ${notExpanded}`);
    expect(served.platform.requests).toHaveLength(0);
  });

  test.each([
    [[...copy, '--postgres', '${DATABASE_URL}'], '--postgres'],
    [[...copy, '--sqlite=<file>'], '--sqlite'],
  ])('%j', async (words, name) => {
    const { code, notes } = await run(words, environment);

    expect(code).toBe(2);
    expect(notes).toContain(`${name} ${notExpanded}`);
  });
});

test('a base URL in quotes, as docker --env-file keeps them, is used without them', async () => {
  const quoted = {
    ...environment,
    CORRIDOR_BASE_URL: `"${served.url}"`,
    CORRIDOR_API_KEY: `${environment['CORRIDOR_API_KEY']}\n`,
  };

  expect(await run(networks, quoted)).toMatchObject({ code: 0, notes: '' });
});

test('a PostgreSQL URL in quotes is used without them', async () => {
  const { notes } = await run(['sync', '--once'], { ...environment, DATABASE_URL: `"postgres://user@127.0.0.1:1/db"` });

  expect(notes).toContain('the package pg cannot be loaded in this folder');
});

test('no line of a key in base64 is printed', async () => {
  const { CORRIDOR_PRIVATE_KEY: pem = '' } = environment;
  const [, line = ''] = pem.split('\n');
  const key = Buffer.from(pem).toString('base64');
  const { notes } = await run([...networks, line], { ...environment, CORRIDOR_PRIVATE_KEY: key });

  expect(notes).toContain('[secret]');
  expect(notes).not.toContain(line);
});
