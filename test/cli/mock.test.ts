import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Corridor } from 'corridor-sdk';
import { expect, onTestFinished, test } from 'vitest';
import { corridor, ended, startCorridor, type Run } from './corridor.js';

interface Announced {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly keyFile: string | null;
  readonly seed: string;
  readonly processId: number;
}

interface Started {
  /** What it printed first. */
  readonly first: string;
  stop(signal?: NodeJS.Signals): Promise<Run>;
}

/** Starts a mock and waits until it has said where it is. */
async function start(...words: readonly string[]): Promise<Started> {
  const child = startCorridor(['mock', '--port', '0', ...words]);
  const run = ended(child);
  onTestFinished(async () => {
    child.kill();
    await run;
  });
  const [first] = (await Promise.race([once(child.stdout, 'data'), run.then(({ notes }) => Promise.reject(new Error(notes)))])) as [Buffer];
  const stop = (signal: NodeJS.Signals = 'SIGTERM'): Promise<Run> => {
    child.kill(signal);
    return run;
  };
  return { first: first.toString(), stop };
}

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-mock-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** The variables that a shell has after the lines that it prints to people. */
function exportedBy({ first }: Started): Readonly<Record<string, string>> {
  const lines = first.split('\n').filter((line) => line.startsWith('  export '));
  const show = 'process.stdout.write(JSON.stringify(process.env))';
  const variables = JSON.parse(execFileSync('sh', ['-ec', `${lines.join('\n')}\n"$0" -e '${show}'`, process.execPath], { encoding: 'utf8' })) as Readonly<Record<string, string>>;
  return Object.fromEntries(Object.entries(variables).filter(([variable]) => variable.startsWith('CORRIDOR_')));
}

const announcedBy = ({ first }: Started): Announced => JSON.parse(first) as Announced;
const clientOf = async ({ baseUrl, apiKey, keyFile }: Announced): Promise<Corridor> => new Corridor({ baseUrl, apiKey, privateKey: await readFile(keyFile ?? '', 'utf8'), retries: 0 });

test('serves a platform that the credentials it prints open', async () => {
  const mock = await start('--json', '--populate', '--seed', '7');
  const announced = announcedBy(mock);

  expect(announced).toMatchObject({ seed: '7', baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/), processId: expect.any(Number) });
  expect(await (await clientOf(announced)).payments.list().toArray()).toHaveLength(250);
});

test('lets nobody else read the key, and takes it away at the end', async () => {
  const mock = await start('--json');
  const { keyFile } = announcedBy(mock);

  expect(((await stat(keyFile ?? '')).mode & 0o777).toString(8)).toBe('600');
  expect(((await stat(dirname(keyFile ?? ''))).mode & 0o777).toString(8)).toBe('700');
  await mock.stop();
  expect(existsSync(dirname(keyFile ?? ''))).toBe(false);
});

test.each(['SIGINT', 'SIGTERM'] as const)('stops cleanly at %s, with a connection open', async (signal) => {
  const mock = await start('--json');
  await (await clientOf(announcedBy(mock))).crypto.networks();

  expect(await mock.stop(signal)).toMatchObject({ code: 0, notes: '' });
});

test('says to people what to type, and those lines are good', async () => {
  const mock = await start();

  const { code, output } = await corridor(['doctor'], { environment: exportedBy(mock) });

  expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('All is well.') });
  expect(await mock.stop('SIGINT')).toMatchObject({ code: 0, notes: '\nStopped.\n' });
});

test.each(["o'brien's keys", '$(keys) `keys`'])('those lines are good where the key lies in %s', async (name) => {
  const folder = join(await emptyFolder(), name);
  await mkdir(folder);

  const { CORRIDOR_PRIVATE_KEY: key } = exportedBy(await start('--key-file', join(folder, 'key.pem')));

  expect(`${key}\n`).toBe(await readFile(join(folder, 'key.pem'), 'utf8'));
});

test('shows its API key even where that of the environment is the same', async () => {
  const { apiKey } = announcedBy(await start('--json'));
  const child = startCorridor(['mock', '--port', '0', '--json'], { environment: { CORRIDOR_API_KEY: apiKey } });
  const run = ended(child);
  await once(child.stdout, 'data');
  child.kill();

  expect((await run).output).toContain(apiKey);
});

test('keeps a key where it is told to, and takes it up again', async () => {
  const file = join(await emptyFolder(), 'mock-key.pem');
  await (await start('--json', '--key-file', file)).stop();
  const key = await readFile(file, 'utf8');

  const again = announcedBy(await start('--json', '--key-file', file));

  expect(again.keyFile).toBe(file);
  expect(await readFile(file, 'utf8')).toBe(key);
  expect(await (await clientOf(again)).crypto.networks()).not.toHaveLength(0);
});

test('takes the public key of a client that has its own', async () => {
  const folder = await emptyFolder();
  await corridor(['keygen'], { folder });

  const announced = announcedBy(await start('--json', '--public-key', join(folder, 'public.pem')));

  expect(announced.keyFile).toBeNull();
  expect(await (await clientOf({ ...announced, keyFile: join(folder, 'key.pem') })).crypto.networks()).not.toHaveLength(0);
});

test('says that a port is taken', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;

  const { code, notes } = await corridor(['mock', '--port', String(port)]);

  expect(code).toBe(1);
  expect(notes).toBe(`error  port ${port} is taken; --port 0 takes a free one\n`);
});

test.each([
  [['--port', 'http'], 2, '--port wants a whole number from 0 to 65535'],
  [['--public-key', 'nowhere.pem'], 1, 'nowhere.pem: there is no such file'],
  [['--public-key', 'package.json'], 1, 'package.json holds no RSA key that can be used'],
  [['--public-key', 'a.pem', '--key-file', 'b.pem'], 2, 'give --public-key or --key-file, not both'],
])('%j is refused', async (words, code, message) => {
  const run = await corridor(['mock', ...words]);

  expect(run).toMatchObject({ code, output: '', notes: expect.stringContaining(message) });
});

test('a file that is no key is left as it is', async () => {
  const file = join(await emptyFolder(), 'notes.txt');
  await writeFile(file, 'mine');

  const { code, notes } = await corridor(['mock', '--key-file', file]);

  expect(code).toBe(1);
  expect(notes).toContain('notes.txt holds no RSA key');
  expect(await readFile(file, 'utf8')).toBe('mine');
});
