import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { format } from 'node:util';
import { serveMockPlatform, type ServedMockPlatform } from 'corridor-sdk/mock/node';
import type { PlatformSnapshot } from 'corridor-sdk/mock';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { contents } from '../../scripts/site/contents.ts';
import { runProgram } from '../examples/program.js';
import { programOf, read, typescriptIn } from '../repository/tree.js';
import { addSnippetRecords } from './fixture.js';
import { fencesIn, promisedOutput, snippetsOfDocument, snippetsOfSource, type Snippet } from './snippet.js';

const documents = ['README.md', 'docs/README.md', ...contents('').map(({ path }) => path)];
const snippets = [
  ...documents.flatMap((path) => snippetsOfDocument(path, read(path).text)),
  ...typescriptIn('src').flatMap(({ path, text }) => snippetsOfSource(path, text)),
];
const modules = snippets.filter(({ runner, notRun }) => runner === 'module' && notRun === undefined);
const tests = snippets.filter(({ runner }) => runner !== 'module');

const folder = fileURLToPath(new URL(`../../.cache/snippets/${process.pid}/`, import.meta.url));
const endings = { module: '.ts', vitest: '.test.ts', 'node:test': '.node-test.ts' } as const;
const fileOf = ({ name, runner }: Snippet): string => `${folder}${name}${endings[runner]}`;

beforeAll(async () => {
  await mkdir(folder, { recursive: true });
  await Promise.all(snippets.map((snippet) => writeFile(fileOf(snippet), snippet.code)));
});

afterAll(() => rm(folder, { recursive: true }));

// Where the compiler finds fault with snippets, by place. That a snippet shows a value and does not use it is no fault.
function faults(list: readonly Snippet[]): string[] {
  const unused = new Set([6133, 6138, 6192, 6196, 6198, 6199]);
  const texts = list.map(({ name, code }) => ({ path: `test/docs/${name}.ts`, text: `${code}\nexport {};\n` }));
  const program = programOf(texts);
  return list.flatMap(({ at, name }) => {
    const file = program.getSourceFiles().find(({ fileName }) => fileName.endsWith(`/test/docs/${name}.ts`));
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return found.filter(({ code }) => !unused.has(code)).map(({ messageText }) => `${at}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
  });
}

const wrong = snippetsOfDocument('a.md', "text\n\n```ts\nimport { Corridor } from 'corridor-sdk';\nnew Corridor().payments.create({ amount: 10 });\n```\n");

describe('the compiler', () => {
  let found: readonly string[];

  beforeAll(() => {
    found = faults([...snippets, ...wrong]);
  }, 60_000);

  test('takes every snippet, as strictly as our own code', () => {
    expect(found.filter((fault) => !fault.startsWith('a.md:'))).toEqual([]);
  });

  test('would notice one that is wrong, with its place', () => {
    expect(found).toContainEqual(expect.stringContaining('a.md:3: Type '));
  });
});

describe('every snippet runs, against a platform that has what it speaks of', () => {
  let served: ServedMockPlatform;
  let fresh: PlatformSnapshot;

  beforeAll(async () => {
    served = await serveMockPlatform();
    addSnippetRecords(served.platform);
    fresh = served.platform.snapshot();
    const { baseUrl, apiKey, privateKey } = await served.credentials();
    vi.stubEnv('CORRIDOR_BASE_URL', baseUrl);
    vi.stubEnv('CORRIDOR_API_KEY', apiKey);
    vi.stubEnv('CORRIDOR_PRIVATE_KEY', privateKey);
    for (const method of ['debug', 'log', 'warn', 'error', 'table'] as const) vi.spyOn(console, method).mockImplementation(() => {});
  });

  afterAll(async () => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    await served.close();
  });

  test.each(modules.map((snippet) => [snippet.at, snippet] as const))('%s', async (_at, snippet) => {
    served.platform.restore(fresh);
    const log = vi.spyOn(console, 'log');
    log.mockClear();
    await import(/* @vite-ignore */ pathToFileURL(fileOf(snippet)).href);
    const printed = log.mock.calls.map((values) => format(...values)).join('\n');
    for (const promised of promisedOutput(snippet)) expect(printed).toMatch(promised);
  }, 30_000);

  test('and one that fails would be noticed', async () => {
    await writeFile(`${folder}failing.ts`, "import { Corridor } from 'corridor-sdk';\nawait new Corridor().customers.get('cus_0');\n");
    await expect(import(/* @vite-ignore */ pathToFileURL(`${folder}failing.ts`).href)).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('every snippet that is a test passes', () => {
  const filesOf = (runner: Snippet['runner']): string[] => tests.filter((snippet) => snippet.runner === runner).map(fileOf);

  test('by vitest', async () => {
    const files = filesOf('vitest');
    const config = fileURLToPath(new URL('./snippet-tests.config.ts', import.meta.url));
    const { code } = await runProgram('node_modules/vitest/vitest.mjs', ['run', '--config', config, '--dir', folder, '--reporter', 'json', `--outputFile=${folder}report.json`]);
    const report = JSON.parse(await readFile(`${folder}report.json`, 'utf8')) as { readonly testResults: readonly { readonly name: string; readonly status: string; readonly assertionResults: readonly unknown[] }[] };

    const ran = report.testResults.map(({ name, status, assertionResults }) => ({ name, status, empty: assertionResults.length === 0 }));
    expect(new Set(ran)).toEqual(new Set(files.map((name) => ({ name, status: 'passed', empty: false }))));
    expect(code).toBe(0);
  }, 60_000);

  test('by node:test', async () => {
    const files = filesOf('node:test');
    const runs = await Promise.all(files.map((file) => runProgram(file)));

    expect(files).not.toHaveLength(0);
    for (const run of runs) {
      expect(run).toMatchObject({ code: 0 });
      expect(run.output).toMatch(/pass [1-9]/);
    }
  }, 60_000);
});

describe('a snippet', () => {
  test('is only exceptionally not run, with a reason', () => {
    expect(snippets.filter(({ notRun }) => notRun !== undefined).length).toBeLessThanOrEqual(2);
    expect(() => snippetsOfDocument('a.md', '```ts no-run\nconst a = 1;\n```\n')).toThrow('a.md:1');
  });

  test('is found in documents and in docstrings, with its place', () => {
    expect(snippetsOfDocument('a.md', '# A\n\n- item\n  ```ts\n  const a = `x`;\n  ```\n```sh\nls\n```\n')).toEqual([
      { at: 'a.md:4', name: 'a-md-4', code: 'const a = `x`;\n', runner: 'module', notRun: undefined },
    ]);
    expect(snippetsOfSource('src/a.ts', "/**\n * A.\n * @example\n * ```ts\n * import { test } from 'node:test';\n * ```\n */\n")).toMatchObject([
      { at: 'src/a.ts:4', code: "import { test } from 'node:test';\n", runner: 'node:test' },
    ]);
    expect(typescriptIn('src').filter(({ text }) => /@example(?!\n\s*\* ```ts\n)/.test(text)).map(({ path }) => path)).toEqual([]);
  });

  test('says behind a console.log what that prints', () => {
    const [snippet] = snippetsOfDocument('a.md', '```ts\nconsole.log(id, 1); // pay_… 1\nconst a = 1; // no output\n```\n');
    expect(snippet === undefined ? [] : promisedOutput(snippet).map((promised) => [promised.test('a\npay_4711 1\nb'), promised.test('pay_4711 2')])).toEqual([[true, false]]);
  });

  test('is in a language that says whether it is checked', () => {
    const languages = documents.flatMap((path) => fencesIn(read(path).text).map(({ info, line }) => ({ at: `${path}:${line}`, language: info.split(' ')[0] })));
    expect(languages.filter(({ language = '' }) => !['ts', 'sh', 'json', 'http', 'text', 'diff', 'python'].includes(language))).toEqual([]);
  });
});
