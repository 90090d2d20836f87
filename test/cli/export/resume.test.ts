import { execFileSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import {
  appendFile,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MockPlatformServer } from 'corridor-sdk/mock/node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { corridor, ended, environmentOf, startCorridor, type Run } from '../corridor.ts';
import { exportedIds, january, januaryIds, servePayments } from './served-payments.ts';

let served: MockPlatformServer;
let environment: Readonly<Record<string, string>>;
let folder: string;
const requests = new EventEmitter();

beforeAll(async () => {
  served = await servePayments();
  served.platform.onRequest(() => requests.emit('request'));
  environment = await environmentOf(served);
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corridor-export-'));
  return () => rm(folder, { recursive: true });
});

afterEach(() => served.platform.faults.clear());

afterAll(() => served.close());

const words = ['export', 'payments', ...january, '--out', 'payments.jsonl', '--concurrency', '1'];
const run = (...more: string[]): Promise<Run> => corridor([...words, ...more], { environment, folder });

/**
 * Starts an export, and waits until it has sent a number of requests. The last of them gets no response; the first one
 * takes long enough for the position after it to be saved.
 */
async function startUntil(count: number): Promise<ReturnType<typeof startCorridor>> {
  const steps = [{ kind: 'slow', delay: 1_100 }, 'ok', 'ok', 'ok'] as const;
  served.platform.faults.sequence('payments.list', [...steps.slice(0, count - 1), { kind: 'hang' }]);
  const last = served.platform.requests.length + count;
  const child = startCorridor(words, { environment, folder });
  while (served.platform.requests.length < last && child.exitCode === null)
    await Promise.race([once(requests, 'request'), once(child, 'close')]);
  return child;
}

test('continues after it was interrupted, and rejects other options', async () => {
  const child = await startUntil(3);
  const interrupted = ended(child);
  child.kill('SIGINT');
  const { code, notes } = await interrupted;
  expect(code).toBe(130);
  expect(notes).toMatch(/^Interrupted after \d+ records\. To continue: corridor export payments .* --resume$/m);

  const other = await corridor(
    ['export', 'payments', '--from', '2026-01-02T00:00Z', '--out', 'payments.jsonl', '--resume'],
    { environment, folder },
  );
  expect(other).toMatchObject({ code: 1, output: '' });
  expect(other.notes).toContain('payments.jsonl.part belongs to an export with other options');
  const baseUrl = environment['CORRIDOR_BASE_URL']?.replace('127.0.0.1', 'localhost') ?? '';
  const elsewhere = await corridor([...words, '--resume'], {
    environment: { ...environment, CORRIDOR_BASE_URL: baseUrl },
    folder,
  });
  expect(elsewhere.notes).toContain('payments.jsonl.part belongs to an export with other options');
  const withOtherKey = await corridor([...words, '--resume'], {
    environment: { ...environment, CORRIDOR_API_KEY: 'another-key' },
    folder,
  });
  expect(withOtherKey).toMatchObject({ code: 1, output: '' });
  const state = await readFile(join(folder, 'payments.jsonl.part.json'), 'utf8');
  expect(state).not.toContain(environment['CORRIDOR_API_KEY']);
  expect((await run()).notes).toContain('Pass --resume to continue it');

  expect((await run('--resume')).code).toBe(0);
  expect(await exportedIds(join(folder, 'payments.jsonl'))).toEqual(januaryIds(served));
});

test('another organization cannot continue an export of payments', async () => {
  const child = await startUntil(3);
  const interrupted = ended(child);
  child.kill('SIGINT');
  await interrupted;
  const organization = served.platform.organization({ id: 'org_2' });
  const { apiKey, privateKey } = await served.credentials(organization);
  const other = await corridor([...words, '--resume'], {
    environment: { ...environment, CORRIDOR_API_KEY: apiKey, CORRIDOR_PRIVATE_KEY: privateKey },
    folder,
  });
  expect(other).toMatchObject({ code: 1, output: '' });
  expect(other.notes).toContain('the checkpoint belongs to another organization');
  expect(other.notes).toContain('Pass the API key of its organization');
  expect((await run('--resume')).code).toBe(0);
  expect(await exportedIds(join(folder, 'payments.jsonl'))).toEqual(januaryIds(served));
});

test('if the platform rejects the position, it says how to start again, and advises nothing else', async () => {
  served.platform.customers.addMany(150);
  const customers = ['export', 'customers', '--out', 'customers.jsonl'];
  served.platform.faults.sequence('customers.list', ['ok', { kind: 'status', status: 403 }]);
  expect((await corridor(customers, { environment, folder })).notes).toContain('Stopped after 100 records.');
  served.platform.faults.always('customers.list', { kind: 'status', status: 400 });
  const { code, notes } = await corridor([...customers, '--resume'], { environment, folder });
  expect(code).toBe(1);
  expect(notes).toMatch(/^error {2}customers\.list failed with status 400/);
  expect(notes).toContain('delete customers.jsonl.part.json, and run the command without --resume');
  expect(notes).not.toMatch(/To continue|pass \{"cursor"/);
});

test('an error in the middle advises only to continue', async () => {
  served.platform.faults.sequence('payments.list', ['ok', 'ok', { kind: 'status', status: 403 }]);
  const { code, notes } = await run();
  expect(code).toBe(1);
  expect(notes).toContain('To continue: corridor export payments');
  expect(notes).not.toContain('"cursor"');
});

test('what was written after the last checkpoint is removed when it continues', async () => {
  await interruptedState();
  await appendFile(join(folder, 'payments.jsonl.part'), `{"id":"pay_twice"}\n`.repeat(100_000));
  expect((await run('--resume')).code).toBe(0);
  expect(await exportedIds(join(folder, 'payments.jsonl'))).toEqual(januaryIds(served));
});

describe('a part file that the export did not create', () => {
  const own = 'not part of the export';
  const file = (name: string): string => join(folder, name);

  test.each([
    ['is a symbolic link', () => symlink(file('own'), file('payments.jsonl.part')), 'is no regular file'],
    ['is a broken symbolic link', () => symlink(file('none'), file('payments.jsonl.part')), 'is no regular file'],
    ['is another name of a file', () => link(file('own'), file('payments.jsonl.part')), 'has another name, too'],
    ['is a folder', () => mkdir(file('payments.jsonl.part')), 'cannot be written (EISDIR)'],
  ])('and that %s is rejected', async (_, create, message) => {
    await writeFile(file('own'), own, { mode: 0o644 });
    await create();
    const sent = served.platform.requests.length;
    const { code, notes } = await run();
    expect({ code, sent: served.platform.requests.length }).toEqual({ code: 1, sent });
    expect(notes).toContain(message);
    expect(notes).toContain('another file with --out');
    expect(await readFile(file('own'), 'utf8')).toBe(own);
    expect((await stat(file('own'))).mode & 0o777).toBe(0o644);
    expect(await readdir(folder)).not.toContain('none');
  });

  test('and that is a named pipe is rejected without waiting', async () => {
    execFileSync('mkfifo', [file('payments.jsonl.part')]);
    expect((await run()).notes).toContain('payments.jsonl.part is no regular file. Delete it');
  });

  test('and that belongs to another user is rejected', async () => {
    await writeFile(file('payments.jsonl.part'), own);
    const { code, notes } = await corridor(words, { environment, folder, preload: './preload/other-user.ts' });
    expect({ code, notes }).toEqual({ code: 1, notes: expect.stringContaining('belongs to another user. Delete it') });
    expect(await readFile(file('payments.jsonl.part'), 'utf8')).toBe(own);
  });

  test('and that replaced it by a symbolic link is not continued', async () => {
    await interruptedState();
    await rename(file('payments.jsonl.part'), file('own'));
    await symlink(file('own'), file('payments.jsonl.part'));
    const before = await readFile(file('own'), 'utf8');
    expect((await run('--resume')).notes).toContain('payments.jsonl.part is no regular file. Delete it');
    expect(await readFile(file('own'), 'utf8')).toBe(before);
  });

  test('is overwritten with mode 600 if it is a file of the same user', async () => {
    await writeFile(file('payments.jsonl.part'), own.repeat(100_000), { mode: 0o644 });
    expect((await run()).code).toBe(0);
    expect(await exportedIds(file('payments.jsonl'))).toEqual(januaryIds(served));
    expect((await stat(file('payments.jsonl'))).mode & 0o777).toBe(0o600);
  });
});

test.each([1, 2, 3, 4, 5])(
  'killed at request %i, it continues without losing or repeating a payment',
  async (count) => {
    const child = await startUntil(count);
    const killed = ended(child);
    child.kill('SIGKILL');
    await killed;
    const { code } = await run('--resume');
    const ids = await exportedIds(join(folder, 'payments.jsonl'));
    expect({ code, ids }).toEqual({ code: 0, ids: januaryIds(served) });
  },
);

test('saves its position while it runs', async () => {
  const child = await startUntil(3);
  await vi.waitFor(async () => expect(await readdir(folder)).toContain('payments.jsonl.part.json'), 60_000);
  const killed = ended(child);
  child.kill('SIGKILL');
  expect((await killed).code).toBe(null);
  const { count } = JSON.parse(await readFile(join(folder, 'payments.jsonl.part.json'), 'utf8')) as { count: number };
  expect(count).toBeGreaterThan(0);
});

test('two exports do not write the same file', async () => {
  const first = await startUntil(2);
  const interrupted = ended(first);
  const second = await run('--resume');
  expect(second).toMatchObject({ code: 1, output: '' });
  expect(second.notes).toMatch(/^error {2}payments\.jsonl is being written by another process \(\d+ on .+\)/);
  first.kill('SIGINT');
  expect((await interrupted).code).toBe(130);
  expect((await run('--resume')).code).toBe(0);
  expect(await exportedIds(join(folder, 'payments.jsonl'))).toEqual(januaryIds(served));
  expect((await readdir(folder)).toSorted()).toEqual(['payments.jsonl', 'payments.jsonl.manifest.json']);
});

test('on a full disk, it says what is missing, and continues later', async () => {
  const { code, notes } = await corridor(words, { environment, folder, maxFileSize: 600 });
  expect(code).toBe(1);
  expect(notes).toContain('error  payments.jsonl cannot be written (EFBIG). Check its folder and the free space');

  expect((await run('--resume')).code).toBe(0);
  expect(await exportedIds(join(folder, 'payments.jsonl'))).toEqual(januaryIds(served));
});

test('a folder is rejected before anything is sent', async () => {
  const before = served.platform.requests.length;
  await mkdir(join(folder, 'year.csv'));
  const { code, notes } = await corridor(['export', 'payments', '--out', 'year.csv'], { environment, folder });
  expect(code).toBe(1);
  expect(notes).toContain('year.csv is a folder. Pass a file with --out');
  expect(served.platform.requests.length).toBe(before);
});

/** Interrupts an export, and returns its saved state. */
async function interruptedState(): Promise<{ readonly file: string; readonly text: string }> {
  const child = await startUntil(3);
  const interrupted = ended(child);
  child.kill('SIGINT');
  await interrupted;
  const file = join(folder, 'payments.jsonl.part.json');
  return { file, text: await readFile(file, 'utf8') };
}

test('a file that was changed or deleted is not continued', async () => {
  await interruptedState();
  await truncate(join(folder, 'payments.jsonl.part'), 100);
  expect((await run('--resume')).notes).toContain('payments.jsonl.part is missing or was changed. Delete');
  await rm(join(folder, 'payments.jsonl.part'));
  expect((await run('--resume')).notes).toContain('payments.jsonl.part is missing or was changed. Delete');
});

test('a damaged state is not continued', async () => {
  const { file, text } = await interruptedState();
  const { position: _, ...withoutPosition } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const damaged = [withoutPosition, { ...withoutPosition, position: null }, { ...withoutPosition, position: {} }];
  for (const content of ['{}', '{', 'null', ...damaged.map((state) => JSON.stringify(state))]) {
    await writeFile(file, content);
    expect((await run('--resume')).notes).toContain('payments.jsonl.part.json is damaged. Delete it to start again');
  }
});
