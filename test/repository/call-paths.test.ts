import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { read } from './tree.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** How many files a reader opens to follow a call, at most. */
const limits: Readonly<Record<string, number>> = {
  'payments.create': 18,
  'payments.list': 20,
  'payments.createOnce': 27,
  'payments.export': 31,
  'a create in the mock': 20,
};

let paths: Readonly<Record<string, readonly string[]>>;

beforeAll(() => {
  const args = ['--import', './test/examples/from-source.ts', './scripts/call-paths.ts', '--json'];
  paths = JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' })) as typeof paths;
}, 120_000);

test('a call runs through few files', () => {
  expect(Object.keys(paths)).toEqual(Object.keys(limits));
  for (const [call, files] of Object.entries(paths)) {
    expect(files.length, `${call}:\n${files.join('\n')}`).toBeGreaterThan(0);
    expect(files.length, `${call}:\n${files.join('\n')}`).toBeLessThanOrEqual(limits[call] ?? 0);
  }
});

test.each([
  ['## Walk of a call: the client', 'payments.create'],
  ['## Walk of a request: the mock', 'a create in the mock'],
])('%s shows files that run', (title, call) => {
  const [, section = ''] = read('docs/architecture.md').text.split(title);
  const [text = ''] = section.split('\n## ');
  const shown = [...text.matchAll(/^\| ([^|]+) \|/gm)]
    .flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)])
    .map(([, path = '']) => path);
  expect(shown.length).toBeGreaterThan(8);
  const runs = (path: string): boolean => paths[call]?.some((file) => file.startsWith(path)) === true;
  expect(shown.filter((path) => !runs(path))).toEqual([]);
  if (call === 'payments.create')
    expect(paths[call]?.filter((file) => !shown.some((path) => file.startsWith(path)))).toEqual([]);
});
