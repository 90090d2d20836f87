import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Corridor } from 'corridor-sdk';
import { expect, test, vi } from 'vitest';
import { corridor } from '../corridor.ts';
import { announcedBy, clientOf, emptyFolder, start, startIn, type Announced } from './process.ts';

async function control<T>(
  { baseUrl }: Pick<Announced, 'baseUrl'>,
  call: string,
  ...args: readonly unknown[]
): Promise<T> {
  const response = await fetch(`${baseUrl}/__mock/${call}`, { method: 'POST', body: JSON.stringify(args) });
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

test('the state survives a restart: records, organizations, keys, faults, clock and behavior', async () => {
  const folder = await emptyFolder();
  const scenario = join(folder, 'small.json');
  await writeFile(scenario, '{"populate": {"customers": 2, "payments": 3}}');
  const words = ['--json', '--state', join(folder, 'state.json'), '--scenario', scenario];
  const mock = await start(...words);
  const first = announcedBy(mock);
  const client = await clientOf(first);
  await client.payments.create(await control(first, 'payments.createParams'));
  const partner = await control<{ apiKey: string; privateKey: string }>(first, 'organization', { name: 'Acme' });
  await control(first, 'clock.set', '2026-03-01T09:00:00Z');
  await control(first, 'configure', { quotes: 'reusable' });
  await control(first, 'faults.next', 'payments.list', { kind: 'reset' });
  const before = await control(first, 'snapshot');
  await mock.stop();

  const second = announcedBy(await start(...words));

  expect(await control(second, 'snapshot')).toEqual(before);
  expect(await control<unknown[]>(second, 'payments.all')).toHaveLength(4);
  expect(second.apiKey).toBe(first.apiKey);
  expect(await control(second, 'credentials')).toMatchObject({
    privateKey: await readFile(second.keyFile ?? '', 'utf8'),
  });
  const now = (): number => Date.parse('2026-03-01T09:00:00Z');
  const acme = new Corridor({ baseUrl: second.baseUrl, apiKey: partner.apiKey, privateKey: partner.privateKey, now });
  expect(await acme.customers.list().toArray()).toEqual([]);
  expect(((await stat(join(folder, 'state.json'))).mode & 0o777).toString(8)).toBe('600');
  expect((await readdir(folder)).toSorted()).toEqual(['small.json', 'state.json']);
});

test('a change is stored while the mock runs, so that a killed mock loses only the last seconds', async () => {
  const file = join(await emptyFolder(), 'state.json');
  const mock = await start('--json', '--state', file);
  const { id } = await control<{ id: string }>(announcedBy(mock), 'payments.add');
  await vi.waitFor(async () => expect(await readFile(file, 'utf8')).toContain(id), { timeout: 60_000, interval: 50 });
  await mock.stop('SIGKILL');

  const again = announcedBy(await start('--json', '--state', file));

  expect(await control(again, 'payments.get', id)).toMatchObject({ id });
});

test.each([
  ['{"version":1', 'state.json: these are not the lines of a snapshot, because they are damaged or cut off'],
  ['', 'state.json: these are not the lines of a snapshot, because they are damaged or cut off'],
  ['{"version":1}', 'state.json: these are not the lines of a snapshot (received object). Pass all lines as they'],
  [
    '{"version":2,"next":{}}',
    'state.json: these are not the lines of a snapshot of this release: its version is 2 (expected: 1). Use the release of corridor-sdk',
  ],
  ['[]', 'state.json: these are not the lines of a snapshot (received array). Pass all'],
])('a file with %j is reported and not overwritten', async (text, message) => {
  const file = join(await emptyFolder(), 'state.json');
  await writeFile(file, text);

  const { code, notes } = await corridor(['mock', '--port', '0', '--state', file]);

  expect({ code, notes }).toEqual({ code: 1, notes: expect.stringContaining(message) });
  expect(await readFile(file, 'utf8')).toBe(text);
});

test('an option that contradicts the state is reported', async () => {
  const file = join(await emptyFolder(), 'state.json');
  await (await start('--json', '--state', file, '--seed', '7')).stop();

  const { code, notes } = await corridor(['mock', '--port', '0', '--state', file, '--seed', '8']);

  expect({ code, notes }).toEqual({
    code: 1,
    notes: expect.stringContaining('state.json: it has another seed. Omit seed, or pass another state.'),
  });
  expect(announcedBy(await start('--json', '--state', file)).seed).toBe('7');
});

test('a file that another process replaced is not overwritten', async () => {
  const file = join(await emptyFolder(), 'state.json');
  const mock = await start('--json', '--state', file);
  await writeFile(file, 'theirs');
  await control(announcedBy(mock), 'payments.add');

  const { code, notes } = await mock.stop();

  expect({ code, notes }).toEqual({
    code: 1,
    notes: expect.stringContaining('state.json was changed by another process'),
  });
  expect(await readFile(file, 'utf8')).toBe('theirs');
});

test('a file that cannot be written is reported at the start', async () => {
  const { code, notes } = await corridor(['mock', '--port', '0', '--state', join(await emptyFolder(), 'a', 'b.json')]);

  expect({ code, notes }).toEqual({ code: 1, notes: expect.stringContaining('b.json cannot be written (ENOENT)') });
});

test('a file that cannot be written for a while is reported once, and written later', async () => {
  const file = join(await emptyFolder(), 'state.json');
  const surroundings = { preload: './preload/failing-rename.ts', environment: { TEST_FAILING_RENAMES: '2' } } as const;
  const mock = await startIn(surroundings, '--state', file, '--seed', '1');
  const [, baseUrl = ''] = /listening at (\S+)\. In/.exec(mock.first) ?? [];
  const { id } = await control<{ id: string }>({ baseUrl }, 'payments.add');
  await vi.waitFor(async () => expect(await readFile(file, 'utf8')).toContain(id), { timeout: 60_000, interval: 50 });

  const { notes } = await mock.stop();

  expect(notes.match(/cannot be written \(ENOSPC\)/g)).toHaveLength(1);
});
