import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createMockPlatform, snapshotToLines } from 'corridor-sdk/mock';
import { expect, test } from 'vitest';
import { corridor } from '../corridor.ts';
import { announcedBy, emptyFolder, start, startWith } from './process.ts';

const token = 'a-control-token-of-the-team';
const everywhere = ['--json', '--host', '0.0.0.0', '--allowed-host', 'mock', '--allowed-host', 'mock.test'];

const statusOf = async (baseUrl: string, headers: Record<string, string> = {}): Promise<number> =>
  (await fetch(`${baseUrl}/__mock/payments.all`, { headers })).status;

test('accepts the control token in the environment, and does not print it', async () => {
  const mock = await startWith({ CORRIDOR_MOCK_CONTROL_TOKEN: token }, ...everywhere);
  const { baseUrl } = announcedBy(mock);

  expect(await statusOf(baseUrl)).toBe(401);
  expect(await statusOf(baseUrl, { authorization: `Bearer ${token}` })).toBe(200);
  const { output, notes } = await mock.stop();
  expect(output + notes).not.toContain(token);
});

test('generates a control token and prints it', async () => {
  const { baseUrl, controlToken } = announcedBy(await start(...everywhere));

  expect(await statusOf(baseUrl)).toBe(401);
  expect(await statusOf(baseUrl, { authorization: `Bearer ${controlToken}` })).toBe(200);
});

test('loads scenarios of the package and of a file, and offers them to the control API', async () => {
  const file = join(await emptyFolder(), 'ours.json');
  await writeFile(file, '{"customers": [{"id": "cus_ours"}]}');

  const { baseUrl } = announcedBy(await start('--json', '--scenario', 'returned-payout', '--scenario', file));

  const get = async (call: string): Promise<unknown> => (await fetch(`${baseUrl}/__mock/${call}`)).json();
  expect(await get('payments.all')).toMatchObject([{ id: 'pay_returned' }]);
  expect(await get('customers.all')).toContainEqual(expect.objectContaining({ id: 'cus_ours' }));
  expect(await get('scenarios.list')).toContainEqual({ name: 'ours', description: '' });
});

test.each([
  ['2020-03-01T09:00:00Z', /is at 2020-03-01T09:00:0.*Z, \d+ days behind this machine, so it rejects the tokens/],
  ['2200-03-01T09:00:00Z', /is at 2200-03-01T09:00:0.*Z, \d+ days ahead of this machine/],
  [new Date().toISOString(), /^$/],
])('says how far a clock of a scenario at %s is off', async (now, note) => {
  const file = join(await emptyFolder(), 'past.json');
  await writeFile(file, JSON.stringify({ clock: { now } }));
  const mock = await start('--json', '--scenario', file);
  expect((await mock.stop()).notes.trim()).toMatch(note);
});

test('behaves as the platform that verify measured, and rejects another file', async () => {
  const file = join(await emptyFolder(), 'corridor.platform.json');
  const measured = { dialect: { requestIdHeaders: ['x-trace'] }, behavior: { errorBody: 'nested' }, rows: {} };
  await writeFile(file, JSON.stringify({ version: 1, ...measured }));
  const { baseUrl } = announcedBy(await start('--json', '--platform', file));
  const response = await fetch(`${baseUrl}/api/v1/payment`);
  expect(response.headers.get('x-trace')).toMatch(/^req_/);
  expect(await response.json()).toMatchObject({ error: { code: 'missing_api_key' } });

  await writeFile(file, '{"version": 2}');
  const { code, notes } = await corridor(['mock', '--port', '0', '--platform', file]);
  expect([code, notes]).toEqual([2, expect.stringContaining('--platform.version must be 1')]);
});

test.each([
  [['--host', '0.0.0.0'], 2, '--allowed-host is required, because 0.0.0.0 is not a loopback address'],
  [['--host', '0.0.0.0', '--allowed-host', '*.test'], 2, '--allowed-host must be a host name without a port'],
  [['--host', '192.0.2.1', '--allowed-host', 'mock'], 1, 'cannot listen at 192.0.2.1:0 (EADDRNOTAVAIL)'],
  [['--scenario', 'nowhere'], 1, '--scenario nowhere: unknown scenario "nowhere" (expected: first-payment,'],
  [['--scenario', 'README.md'], 2, 'README.md is not valid JSON'],
  [['--scenario', 'tsconfig.json'], 1, 'tsconfig.json: compilerOptions is not a known field'],
  [['--platform', 'nowhere.json'], 2, 'nowhere.json cannot be read (ENOENT)'],
  [['--platform', 'README.md'], 2, 'README.md is not valid JSON'],
  [['--platform', 'package.json'], 2, 'platform.name is not a known field'],
])('%j is rejected', async (words, code, message) => {
  const run = await corridor(['mock', '--port', '0', ...words]);

  expect(run).toMatchObject({ code, output: '', notes: expect.stringContaining(message) });
});

test.each([
  ['{"dialect": {"seed": 1}}', '--platform.dialect.seed is not a known field'],
  ['{"dialect": {"amountFormat": {"separator": "seed"}}}', '--platform.dialect.amountFormat.separator must be one of'],
  ['{"dialect": {"amountFormat": {"separator": "seed"}}}', '(received "seed")'],
  ['[]', 'platform.json must be a JSON object'],
])('a platform with %s is rejected with the name of its field, also if there is a state', async (platform, message) => {
  const folder = await emptyFolder();
  const [file, state] = [join(folder, 'platform.json'), join(folder, 'state.json')];
  await writeFile(file, platform);
  await writeFile(state, [...snapshotToLines(createMockPlatform().snapshot())]);
  const words = ['mock', '--port', '0', '--platform', file];

  for (const run of await Promise.all([corridor(words), corridor([...words, '--state', state])]))
    expect(run).toMatchObject({ code: 2, output: '', notes: expect.stringContaining(message) });
});

test('a control token in the environment that is too short is rejected and not printed', async () => {
  const run = await corridor(['mock', '--port', '0'], { environment: { CORRIDOR_MOCK_CONTROL_TOKEN: 'hunter2' } });

  expect(run).toMatchObject({ code: 2, output: '', notes: expect.stringContaining('the control token must have 16') });
  expect(run.notes).not.toContain('hunter2');
});
