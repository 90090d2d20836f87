import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { format } from 'node:util';
import { serveMockPlatform, type MockPlatformServer } from 'corridor-sdk/mock/node';
import { createMockPlatform, type PlatformSnapshot } from 'corridor-sdk/mock';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Corridor, endpointNames } from 'corridor-sdk';
import { contents } from '../../scripts/site/contents.ts';
import { exampleOf } from '../../scripts/site/endpoints/examples.ts';
import { endpointPage, type OpenApi } from '../../scripts/site/endpoints/pages.ts';
import { runProgram } from '../examples/run-program.ts';
import { read, typescriptIn } from '../../scripts/repository/tree.ts';
import { fencesIn, promisedOutput, snippetsOfDocument, snippetsOfSource, type Snippet } from './read-snippets.ts';

const documents = [
  'README.md',
  'docs/README.md',
  'scripts/site/pages/index.md',
  ...contents('').map(({ path }) => path),
];
const openapi = JSON.parse(read('docs/openapi.json').text) as OpenApi;
const endpoints = await Promise.all(
  endpointNames.map(async (name) => endpointPage(name, { call: '', guides: '' }, await exampleOf(name), openapi)),
);
const snippets = [
  ...endpoints.flatMap(({ path, text }) => snippetsOfDocument(path, text.replaceAll('```ts [TypeScript]', '```ts'))),
  ...documents.flatMap((path) => snippetsOfDocument(path, read(path).text)),
  ...typescriptIn('src').flatMap(({ path, text }) => snippetsOfSource(path, text)),
];
const modules = snippets.filter(({ runner, notRun }) => runner === 'module' && notRun === undefined);
const tests = snippets.filter(({ runner }) => runner !== 'module');

const folder = fileURLToPath(new URL(`../../.cache/snippets/${process.pid}/`, import.meta.url));
const endings = { module: '.ts', vitest: '.test.ts', 'node:test': '.node-test.ts' } as const;
const nameOf = ({ name, runner }: Snippet): string => `${name}${endings[runner]}`;
const fileOf = (snippet: Snippet): string => `${folder}${nameOf(snippet)}`;

beforeAll(async () => {
  await mkdir(folder, { recursive: true });
  await Promise.all(snippets.map((snippet) => writeFile(fileOf(snippet), snippet.code)));
  // As corridor verify writes it, for the snippets that read it.
  await writeFile(
    `${folder}corridor.platform.json`,
    JSON.stringify({ version: 1, dialect: {}, behavior: { quotes: 'reusable' }, rows: {} }),
  );
  const sandbox = createMockPlatform();
  sandbox.customers.add({ status: 'APPROVED' });
  const { items } = await new Corridor(sandbox.clientOptions()).customers.list();
  const recorded = { endpoint: 'customers.list', method: 'GET', path: '/api/v1/customers', query: { limit: '10' } };
  const response = { status: 200, headers: {}, body: { items, nextCursor: null, hasMore: false } };
  await writeFile(`${folder}sandbox.jsonl`, JSON.stringify({ ...recorded, ...response }));
});

afterAll(() => rm(folder, { recursive: true }));

test('the compiler accepts every snippet, as strictly as the source', async () => {
  // An unused value is not an error.
  const compilerOptions = { moduleDetection: 'force', noUnusedLocals: false, noUnusedParameters: false };
  const config = { extends: '../../../tsconfig.json', compilerOptions, include: ['*.ts'], exclude: [] };
  await writeFile(`${folder}tsconfig.json`, JSON.stringify(config));
  const { output } = await runProgram('node_modules/typescript-7/bin/tsc', ['-p', folder, '--pretty', 'false']);
  const lines = output.split('\n').filter((line) => line !== '');
  expect(lines.map((line) => `${snippets.find((snippet) => line.includes(nameOf(snippet)))?.at}: ${line}`)).toEqual([]);
}, 180_000);

describe('every snippet runs with the records that docs/README.md names', () => {
  let served: MockPlatformServer;
  let fresh: PlatformSnapshot;
  const root = process.cwd();

  beforeAll(async () => {
    // Some save files beside themselves.
    process.chdir(folder);
    served = await serveMockPlatform();
    served.platform.populate();
    served.platform.scenarios.load('first-payment');
    served.platform.payments.add({ id: 'pay_2', status: 'COMPLETED' }); // of a docstring
    fresh = served.platform.snapshot();
    const { baseUrl, apiKey, privateKey } = await served.credentials();
    vi.stubEnv('CORRIDOR_BASE_URL', baseUrl);
    vi.stubEnv('CORRIDOR_API_KEY', apiKey);
    vi.stubEnv('CORRIDOR_PRIVATE_KEY', privateKey);
    vi.stubEnv('PLATFORM_API_KEY', apiKey);
    vi.stubEnv('CORRIDOR_WEBHOOK_SECRET', `whsec_${btoa('not-a-real-secret-of-webhooks')}`);
    for (const method of ['debug', 'log', 'warn', 'error', 'table'] as const)
      vi.spyOn(console, method).mockImplementation(() => {});
  });

  afterAll(async () => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    process.chdir(root);
    await served.close();
  });

  test.each(modules.map((snippet) => [snippet.at, snippet] as const))(
    '%s',
    async (_at, snippet) => {
      served.platform.restore(fresh);
      const log = vi.spyOn(console, 'log');
      log.mockClear();
      await import(/* @vite-ignore */ pathToFileURL(fileOf(snippet)).href);
      const printed = log.mock.calls.map((values) => format(...values)).join('\n');
      for (const promised of promisedOutput(snippet)) expect(printed).toMatch(promised);
    },
    180_000,
  );
});

describe('every snippet that is a test passes', () => {
  const filesOf = (runner: Snippet['runner']): string[] =>
    tests.filter((snippet) => snippet.runner === runner).map(fileOf);

  test('by vitest', async () => {
    const files = filesOf('vitest');
    const config = fileURLToPath(new URL('./snippet-tests.config.ts', import.meta.url));
    const { code } = await runProgram('node_modules/vitest/vitest.mjs', [
      'run',
      '--config',
      config,
      '--dir',
      folder,
      '--reporter',
      'json',
      `--outputFile=${folder}report.json`,
    ]);
    const report = JSON.parse(await readFile(`${folder}report.json`, 'utf8')) as {
      readonly testResults: readonly {
        readonly name: string;
        readonly status: string;
        readonly assertionResults: readonly unknown[];
      }[];
    };

    const ran = report.testResults.map(({ name, status, assertionResults }) => ({
      name,
      status,
      empty: assertionResults.length === 0,
    }));
    expect(new Set(ran)).toEqual(new Set(files.map((name) => ({ name, status: 'passed', empty: false }))));
    expect(code).toBe(0);
  }, 180_000);

  test('by node:test', async () => {
    const files = filesOf('node:test');
    const runs = await Promise.all(files.map((file) => runProgram(file)));

    expect(files).not.toHaveLength(0);
    for (const run of runs) {
      expect(run).toMatchObject({ code: 0 });
      expect(run.output).toMatch(/pass [1-9]/);
    }
  }, 180_000);
});

test('at most two snippets are not run', () => {
  expect(snippets.filter(({ notRun }) => notRun !== undefined).length).toBeLessThanOrEqual(2);
});

test('a snippet is in a language that says whether it is checked', () => {
  const languages = documents.flatMap((path) =>
    fencesIn(read(path).text).map(({ info, line }) => ({ at: `${path}:${line}`, language: info.split(' ')[0] })),
  );
  // Run by test/ecosystem/runtimes/network.js, projects/environments and projects/query-builders.
  const isRunElsewhere = (at: string, language: string): boolean =>
    (language === 'js' && /^docs\/(network|runtimes)\.md:/.test(at)) ||
    (language === 'typescript' && at.startsWith('docs/query-builders.md:'));
  expect(
    languages.filter(
      ({ at, language = '' }) =>
        !['ts', 'sh', 'console', 'json', 'http', 'text', 'diff', 'python'].includes(language) &&
        !isRunElsewhere(at, language),
    ),
  ).toEqual([]);
});
