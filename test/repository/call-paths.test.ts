import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { read } from '../../scripts/repository/tree.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

let paths: Readonly<Record<string, readonly string[]>>;

beforeAll(() => {
  const args = ['--import', './scripts/from-source.ts', './scripts/call-paths.ts', '--json'];
  paths = JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' })) as typeof paths;
}, 120_000);

test.each([
  ['## Walk of a call: the client', 'payments.create'],
  ['## Walk of a request: the mock', 'a create in the mock'],
])('%s in docs/architecture.md shows files that run', (title, call) => {
  const [, section = ''] = read('docs/architecture.md').text.split(title);
  const [text = ''] = section.split('\n## ');
  const shown = [...text.matchAll(/^\| ([^|]+) \|/gm)]
    .flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)])
    .map(([, path = '']) => path);
  expect(shown.length).toBeGreaterThan(8);
  expect(shown.filter((path) => !paths[call]?.some((file) => file.startsWith(path)))).toEqual([]);
});

test('docs/architecture.md says how many files run', () => {
  const { text } = read('docs/architecture.md');
  const shown = [...text.matchAll(/`([^`]+)` \((\d+) files\)/g)].map(([, call, count]) => [call, Number(count)]);
  expect(shown).toEqual(Object.entries(paths).map(([call, files]) => [call, files.length]));
});
