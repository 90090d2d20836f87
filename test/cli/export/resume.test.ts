import { EventEmitter, once } from 'node:events';
import { appendFileSync } from 'node:fs';
import {
  appendFile,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MockPlatformServer } from 'corridor-sdk/mock/node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
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

/** Starts an export, and waits until it has sent a number of requests. The last of them gets no response. */
async function startUntil(count: number): Promise<ReturnType<typeof startCorridor>> {
  const steps = Array.from({ length: count - 1 }, () => 'ok' as const);
  served.platform.faults.sequence('payments.list', [...steps, { kind: 'hang' }]);
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
  expect(notes).toMatch(
    /^Stopped after \d+ records\. To continue: npx corridor-sdk export payments .* --resume\. To start again, delete payments\.jsonl\.part\.$/m,
  );

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

test('if the platform rejects the position, it says how to start again', async () => {
  served.platform.customers.addMany(150);
  const customers = ['export', 'customers', '--out', 'customers.jsonl'];
  served.platform.faults.sequence('customers.list', ['ok', { kind: 'status', status: 403 }]);
  expect((await corridor(customers, { environment, folder })).notes).toContain('Stopped after 100 records.');
  served.platform.faults.always('customers.list', { kind: 'status', status: 400 });
  const { code, notes } = await corridor([...customers, '--resume'], { environment, folder });
  expect(code).toBe(1);
  expect(notes).toMatch(/^error {2}customers\.list failed with status 400/m);
  expect(notes).toContain('To start again, delete customers.jsonl.part.');
  expect(notes).not.toMatch(/pass \{"cursor"/);
});

test('an error in the middle advises only to continue', async () => {
  served.platform.faults.sequence('payments.list', ['ok', 'ok', { kind: 'status', status: 403 }]);
  const { code, notes } = await run();
  expect(code).toBe(1);
  expect(notes).toContain('To continue: npx corridor-sdk export payments');
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

  test.each<[string, () => Promise<void>]>([
    ['a file', () => writeFile(file('payments.jsonl.part'), own)],
    ['a symbolic link', () => symlink(file('own'), file('payments.jsonl.part'))],
    ['a broken symbolic link', () => symlink(file('none'), file('payments.jsonl.part'))],
    ['another name of a file', () => link(file('own'), file('payments.jsonl.part'))],
    ['a folder', () => mkdir(file('payments.jsonl.part'))],
  ])('is rejected if it is %s', async (_, create) => {
    await writeFile(file('own'), own);
    await create();
    const sent = served.platform.requests.length;
    const runs = [await run(), await run('--resume')];
    expect({ codes: runs.map(({ code }) => code), sent: served.platform.requests.length }).toEqual({
      codes: [1, 1],
      sent,
    });
    for (const { notes } of runs) expect(notes).toContain('payments.jsonl.part exists with');
    expect(await readFile(file('own'), 'utf8')).toBe(own);
    expect(await readdir(folder)).not.toContain('none');
  });

  test('is not continued if it replaced that file as a symbolic link', async () => {
    await interruptedState();
    await rename(file('payments.jsonl.part'), file('own'));
    await symlink(file('own'), file('payments.jsonl.part'));
    const before = await readFile(file('own'), 'utf8');
    expect((await run('--resume')).notes).toContain('payments.jsonl cannot be written (ELOOP)');
    expect(await readFile(file('own'), 'utf8')).toBe(before);
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

test('killed before it wrote anything, it starts again', async () => {
  await writeFile(join(folder, 'payments.jsonl.part'), '');
  expect((await run('--resume')).code).toBe(0);
  expect(await exportedIds(join(folder, 'payments.jsonl'))).toEqual(januaryIds(served));
});

test('saves its position while it runs', async () => {
  const child = await startUntil(3);
  onTestFinished(() => void child.kill('SIGKILL'));
  const count = async (): Promise<unknown> => {
    const state = await readFile(join(folder, 'payments.jsonl.part.json'), 'utf8');
    return (JSON.parse(state) as { readonly count: number }).count;
  };
  await expect.poll(count, { timeout: 60_000 }).toBeGreaterThan(0);
});

test('a second export of the same file does not begin', async () => {
  const first = await startUntil(2);
  const interrupted = ended(first);
  expect((await run()).notes).toContain('Pass --resume to continue it');
  first.kill('SIGINT');
  expect((await interrupted).code).toBe(130);
  expect((await run('--resume')).code).toBe(0);
  expect(await exportedIds(join(folder, 'payments.jsonl'))).toEqual(januaryIds(served));
  expect((await readdir(folder)).toSorted()).toEqual(['payments.jsonl', 'payments.jsonl.manifest.json']);
});

test('an export whose file another process writes to stops, and continues without what that process wrote', async () => {
  const second = served.platform.requests.length + 2;
  const stop = served.platform.onRequest(() => {
    if (served.platform.requests.length === second)
      appendFileSync(join(folder, 'payments.jsonl.part'), '{"id":"pay_of_another"}\n');
  });
  const { code, notes } = await run();
  stop();
  expect(code).toBe(1);
  expect(notes).toContain('payments.jsonl.part was changed by another process. Wait until');
  expect((await run('--resume')).code).toBe(0);
  expect(await exportedIds(join(folder, 'payments.jsonl'))).toEqual(januaryIds(served));
});

test('an export that wrote nothing keeps what another process wrote', async () => {
  const first = served.platform.requests.length + 1;
  const stop = served.platform.onRequest(() => {
    if (served.platform.requests.length === first) appendFileSync(join(folder, 'payments.jsonl.part'), 'of another');
  });
  const { code, notes } = await run();
  stop();
  expect(code).toBe(1);
  expect(notes).toContain('payments.jsonl.part was changed by another process. Wait until');
  expect(await readFile(join(folder, 'payments.jsonl.part'), 'utf8')).toBe('of another');
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
  expect((await run('--resume')).notes).toContain('payments.jsonl.part was changed. Delete it');
  await rm(join(folder, 'payments.jsonl.part'));
  expect((await run('--resume')).notes).toContain('payments.jsonl.part is missing. Run the command without --resume');
});

test('a damaged state is not continued', async () => {
  const { file, text } = await interruptedState();
  const { position: _, ...withoutPosition } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const damaged = [withoutPosition, { ...withoutPosition, position: null }];
  for (const content of ['{}', '{', 'null', ...damaged.map((state) => JSON.stringify(state))]) {
    await writeFile(file, content);
    expect((await run('--resume')).notes).toContain(
      'payments.jsonl.part.json is damaged. Delete payments.jsonl.part to start again',
    );
  }
});
