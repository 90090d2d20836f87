import { execFileSync } from 'node:child_process';
import { cp, mkdir, rm } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { read } from '../repository/tree.js';
import { fencesIn } from './read-snippets.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = `.cache/fifteenth/${process.pid}`;
const diff = fencesIn(read('docs/adding-an-endpoint.md').text).find(({ info }) => info === 'diff')?.code ?? '';

beforeAll(async () => {
  await mkdir(`${root}${folder}`, { recursive: true });
  await cp(`${root}src`, `${root}${folder}/src`, { recursive: true });
  execFileSync('git', ['apply', '--unidiff-zero', `--directory=${folder}`, '-'], {
    cwd: root,
    input: diff,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
});

afterAll(() => rm(`${root}${folder}`, { recursive: true, force: true }));

test('the guide shows the four files, and the export of the type', () => {
  expect([...diff.matchAll(/^\+\+\+ b\/(.+)$/gm)].map(([, path]) => path).toSorted()).toEqual([
    'src/contract/endpoints.ts',
    'src/contract/schema/crypto.ts',
    'src/index.ts',
    'src/mock/request/handlers/crypto.ts',
    'src/resources/crypto.ts',
  ]);
});

test('the source compiles with these changes alone', () => {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile) as { config: unknown };
  const { options } = ts.parseJsonConfigFileContent({ ...(config as object), include: [] }, ts.sys, root);
  const program = ts.createProgram([`${root}${folder}/src/index.ts`, `${root}${folder}/src/mock/index.ts`], options);
  expect(
    [...program.getSyntacticDiagnostics(), ...program.getSemanticDiagnostics()].map(({ messageText }) =>
      ts.flattenDiagnosticMessageText(messageText, '\n'),
    ),
  ).toEqual([]);
}, 180_000);

test('the endpoint can be called, is validated, and the mock handles it', async () => {
  const load = async (path: string) =>
    (await import(/* @vite-ignore */ pathToFileURL(`${root}${folder}/src/${path}`).href)) as unknown;
  const { Corridor, endpointNames } = (await load('index.ts')) as typeof import('corridor-sdk');
  const { createMockPlatform } = (await load('mock/index.ts')) as typeof import('corridor-sdk/mock');
  const platform = createMockPlatform();
  const corridor = new Corridor({ ...platform.clientOptions(), validation: 'strict' });
  const { crypto } = corridor as unknown as { readonly crypto: { prices(): Promise<unknown> } };

  expect(await crypto.prices()).toEqual([{ token: 'USDC', priceUsd: '1.00', updatedAt: expect.stringMatching(/Z$/) }]);
  expect(endpointNames.at(-1)).toBe('crypto.prices');
  expect(platform.requests.map(({ method, path, status }) => `${method} ${path} ${status}`)).toEqual([
    'GET /api/v1/crypto/prices 200',
  ]);
});
