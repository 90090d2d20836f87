import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { corridor, ended, startCorridor } from '../corridor.ts';
import { announcedBy, clientOf, emptyFolder, start, type Started } from './process.ts';

/** The variables that a shell has after the lines that it prints to people. */
function exportedBy({ first }: Started): Readonly<Record<string, string>> {
  const lines = first.split('\n').filter((line) => line.startsWith('  export '));
  const show = 'process.stdout.write(JSON.stringify(process.env))';
  const variables = JSON.parse(
    execFileSync('sh', ['-ec', `${lines.join('\n')}\n"$0" -e '${show}'`, process.execPath], { encoding: 'utf8' }),
  ) as Readonly<Record<string, string>>;
  return Object.fromEntries(Object.entries(variables).filter(([variable]) => variable.startsWith('CORRIDOR_')));
}

test('serves a platform that accepts the printed credentials', async () => {
  const mock = await start('--json', '--populate', '--seed', '7');
  const announced = announcedBy(mock);

  expect(announced).toMatchObject({
    seed: '7',
    baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    processId: expect.any(Number),
  });
  expect(await (await clientOf(announced)).payments.list().toArray()).toHaveLength(250);
});

test('makes the key readable by its owner only and deletes it at the end', async () => {
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

test('prints shell lines in a terminal, and they work', async () => {
  const mock = await start();

  const { code, output } = await corridor(['doctor'], { environment: exportedBy(mock) });

  expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('All checks passed.') });
  expect(await mock.stop('SIGINT')).toMatchObject({ code: 0, notes: '\nStopped.\n' });
});

test.each(["o'brien's keys", '$(keys) `keys`'])('the printed shell lines work if the key is in %s', async (name) => {
  const folder = join(await emptyFolder(), name);
  await mkdir(folder);

  const { CORRIDOR_PRIVATE_KEY: key } = exportedBy(await start('--key-file', join(folder, 'key.pem')));

  expect(`${key}\n`).toBe(await readFile(join(folder, 'key.pem'), 'utf8'));
});

test('prints its API key even if the environment has the same one', async () => {
  const { apiKey } = announcedBy(await start('--json'));
  const child = startCorridor(['mock', '--port', '0', '--json'], { environment: { CORRIDOR_API_KEY: apiKey } });
  const run = ended(child);
  await once(child.stdout, 'data');
  child.kill();

  expect((await run).output).toContain(apiKey);
});

test('stores a key in the given file and reuses it', async () => {
  const file = join(await emptyFolder(), 'mock-key.pem');
  await (await start('--json', '--key-file', file)).stop();
  const key = await readFile(file, 'utf8');

  const again = announcedBy(await start('--json', '--key-file', file));

  expect(again.keyFile).toBe(file);
  expect(await readFile(file, 'utf8')).toBe(key);
  expect(await (await clientOf(again)).crypto.networks()).not.toHaveLength(0);
});

test('reports that a port is in use', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;

  const { code, notes } = await corridor(['mock', '--port', String(port)]);

  expect(code).toBe(1);
  expect(notes).toBe(
    `error  cannot listen at 127.0.0.1:${port} (EADDRINUSE). Pass another --port (0: a free one) or --host\n`,
  );
});

test.each([[['--port', 'http'], 2, '--port must be an integer from 0 to 65535']])(
  '%j is rejected',
  async (words, code, message) => {
    const run = await corridor(['mock', ...words]);

    expect(run).toMatchObject({ code, output: '', notes: expect.stringContaining(message) });
  },
);

test('a file that is not a key is not overwritten', async () => {
  const file = join(await emptyFolder(), 'notes.txt');
  await writeFile(file, 'mine');

  const { code, notes } = await corridor(['mock', '--key-file', file]);

  expect(code).toBe(1);
  expect(notes).toContain('notes.txt: publicKey or privateKey is not a valid RSA key');
  expect(await readFile(file, 'utf8')).toBe('mine');
});
