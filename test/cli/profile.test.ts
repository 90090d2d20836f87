import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { corridor, environmentOf, type Run } from './corridor.js';

let served: MockPlatformServer;
let environment: Readonly<Record<string, string>>;
let folder: string;
let profiles: string;
let key: string;

beforeAll(async () => {
  served = await serveMockPlatform();
  environment = await environmentOf(served);
});

beforeEach(async () => {
  served.platform.reset();
  folder = await mkdtemp(join(tmpdir(), 'corridor-profile-'));
  profiles = join(folder, 'corridor', 'profiles.json');
  key = join(folder, 'key.pem');
  await writeFile(key, environment['CORRIDOR_PRIVATE_KEY'] ?? '', { mode: 0o600 });
  return () => rm(folder, { recursive: true });
});

afterAll(() => served.close());

const run = (words: readonly string[], variables = {}, input = ''): Promise<Run> =>
  corridor(words, { environment: { XDG_CONFIG_HOME: folder, ...variables }, folder, input });
const networks = ['call', 'crypto.networks', '--json'];

/** Adds a profile of the mock; the API key comes from standard input. */
async function addProfile(name: string, ...more: readonly string[]): Promise<Run> {
  const words = ['profile', 'add', name, '--base-url', served.url, '--private-key', key, ...more];
  return run(words, {}, `${environment['CORRIDOR_API_KEY']}\n`);
}

describe('corridor profile', () => {
  test('stores settings in a file that only its owner can read, with the path of the key', async () => {
    const added = await addProfile('sandbox');

    expect(added).toMatchObject({ code: 0, output: '' });
    expect((await stat(profiles)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(profiles, 'utf8'))).toEqual({
      sandbox: { baseUrl: served.url, apiKey: environment['CORRIDOR_API_KEY'], privateKeyFile: key },
    });
    expect(await run([...networks, '--profile', 'sandbox'])).toMatchObject({ code: 0, notes: '' });
  });

  test('does not write through a file or link that exists already', async () => {
    await mkdir(join(folder, 'corridor'));
    const target = join(folder, 'target');
    await writeFile(target, 'other', { mode: 0o644 });
    await symlink(target, `${profiles}.new`);

    await addProfile('sandbox', '--store-key');

    expect((await lstat(profiles)).isFile()).toBe(true);
    expect((await lstat(profiles)).mode & 0o777).toBe(0o600);
    expect(await readFile(target, 'utf8')).toBe('other');
    expect(await readdir(join(folder, 'corridor'))).toEqual(['profiles.json', 'profiles.json.new']);
  });

  test('stores the key itself only if asked', async () => {
    await addProfile('sandbox', '--store-key');
    await rm(key);

    expect((await run([...networks, '--profile', 'sandbox'])).code).toBe(0);
  });

  test('lists, shows and removes profiles without their secrets', async () => {
    await addProfile('sandbox', '--store-key');
    const [listed, shown] = [await run(['profile', 'list']), await run(['profile', 'show', 'sandbox', '--json'])];
    const removed = await run(['profile', 'remove', 'sandbox']);

    expect(listed.output).toBe(`sandbox  ${served.url}\n`);
    expect(JSON.parse(shown.output)).toEqual({
      name: 'sandbox',
      baseUrl: served.url,
      apiKey: `set, ${environment['CORRIDOR_API_KEY']?.length} characters`,
      privateKey: 'stored in the profile',
    });
    expect(removed).toMatchObject({ code: 0, notes: 'Removed sandbox.\n' });
    expect(await readFile(profiles, 'utf8')).toBe('{}\n');
  });

  test.each([
    [['add', 'sandbox', '--base-url', 'http://shop.example', '--private-key', 'key.pem'], 1, 'baseUrl must be https'],
    [['add', 'sandbox', '--private-key', 'key.pem'], 2, 'the base URL is missing'],
    [['add', 'sandbox', '--base-url', 'https://shop.example'], 2, 'the private key is missing'],
    [['add', '../x'], 2, 'is not a name for a profile'],
    [['show', 'sandbox'], 2, 'there is no profile "sandbox" (profiles: none)'],
    [['list', '--store-key'], 2, '--store-key applies to add only'],
    [['remov', 'sandbox'], 2, 'unknown action "remov"; did you mean remove?'],
  ])('rejects %j', async (words, code, message) => {
    const result = await run(['profile', ...words], {}, 'some-api-key\n');

    expect({ code: result.code, output: result.output }).toEqual({ code, output: '' });
    expect(result.notes).toContain(message);
    await expect(stat(profiles)).rejects.toThrow('ENOENT');
  });

  test('asks for the API key, which must not be empty', async () => {
    const words = ['profile', 'add', 'sandbox', '--base-url', served.url, '--private-key', key];
    const { code, notes } = await run(words, {}, '\n');

    expect(code).toBe(2);
    expect(notes).toContain('the API key is missing. Set CORRIDOR_API_KEY, or enter it when asked');
  });

  test('does not replace a profile', async () => {
    await addProfile('sandbox');

    expect(await addProfile('sandbox')).toMatchObject({ code: 2 });
  });

  test('reports a damaged file without its content', async () => {
    await addProfile('sandbox');
    await writeFile(profiles, '{"sandbox":{"apiKey":"secret-api-key","baseUrl":1}}');
    const { code, notes } = await run([...networks, '--profile', 'sandbox']);

    expect(code).toBe(1);
    expect(notes).toContain('profiles.json is not a valid file of profiles');
    expect(notes).not.toContain('secret-api-key');
  });
});

describe('settings', () => {
  const elsewhere = {
    CORRIDOR_BASE_URL: 'http://127.0.0.1:1',
    CORRIDOR_API_KEY: 'other-key',
    CORRIDOR_PRIVATE_KEY: 'x',
  };
  const envFile = (settings: Readonly<Record<string, string>>): Promise<void> =>
    writeFile(
      join(folder, '.env'),
      Object.entries(settings)
        .map(([name, value]) => `${name}="${value}"\n`)
        .join(''),
      { mode: 0o600 },
    );

  test('of --profile come before the environment and .env', async () => {
    await addProfile('sandbox');
    await envFile(elsewhere);

    expect(await run([...networks, '--profile', 'sandbox'], elsewhere)).toMatchObject({ code: 0, notes: '' });
  });

  test('of the environment come before .env', async () => {
    await envFile(elsewhere);

    expect(await run(networks, environment)).toMatchObject({ code: 0, notes: '' });
  });

  test('of .env come before the profile "default"', async () => {
    await addProfile('default');
    expect(await run(networks)).toMatchObject({ code: 0, notes: '' });
    await envFile(environment);

    expect(JSON.parse((await run(['doctor', '--json'])).output)).toMatchObject({ ok: true, settings: '.env' });
  });

  test('of two sources are never mixed: a key is not sent to the platform of the other source', async () => {
    const { CORRIDOR_API_KEY: apiKey = '', CORRIDOR_PRIVATE_KEY: privateKey = '' } = environment;
    await envFile({ CORRIDOR_BASE_URL: served.url });

    const { code, output } = await run(['doctor'], { CORRIDOR_API_KEY: apiKey, CORRIDOR_PRIVATE_KEY: privateKey });

    expect(code).toBe(1);
    expect(output).toContain('.env is not used, because settings of several sources are never mixed');
    expect(output).toContain('Missing: CORRIDOR_BASE_URL.');
    expect(served.platform.requests).toHaveLength(0);
  });

  test('in a file that other users can read cause a warning', async () => {
    await addProfile('sandbox');
    await chmod(key, 0o644);
    await envFile(environment);
    await chmod(join(folder, '.env'), 0o644);

    expect((await run([...networks, '--profile', 'sandbox'])).notes).toBe(
      `warning  other users of this machine can read ${key}. Run: chmod 600 ${key}\n`,
    );
    expect((await run(networks)).notes).toContain('can read .env. Run: chmod 600 .env');
  });
});
