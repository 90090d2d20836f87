import { describe, expect, test } from 'vitest';
import { cycles, forbiddenImports } from './layers.js';
import { typescriptIn } from './tree.js';

const source = typescriptIn('src');
const file = (path: string, ...specifiers: string[]) => ({
  path,
  text: specifiers.map((specifier) => `import ${JSON.stringify(specifier)};`).join('\n'),
});

describe('src', () => {
  test('imports only from layers below, and each package only from the files that may use it', () => {
    expect(forbiddenImports(source)).toEqual([]);
  });

  test.each(['src/', 'src/transport/', 'src/workflows/', 'src/mock/', 'src/cli/'])(
    'has no cycle between the rooms of %s',
    (folder) => {
      expect(cycles(source, folder)).toEqual([]);
    },
  );

  test('imports by paths that end in .js', () => {
    const relative = /(?:from|import)\s*\(?\s*'(\.[^']*)'/g;
    const wrong = source.flatMap(({ path, text }) =>
      [...text.matchAll(relative)]
        .filter(([, specifier]) => !specifier?.endsWith('.js'))
        .map(([statement]) => `${path}: ${statement}`),
    );
    expect(wrong).toEqual([]);
  });
});

describe('a cycle', () => {
  test('is found between folders and loose files, through types and over several steps', () => {
    const files = [
      file('src/a/one.ts', '../b/one.js'),
      file('src/b/two.ts', '../c.js'),
      { path: 'src/c.ts', text: "import type { One } from './a/one.js';" },
      file('src/d/one.ts', '../a/one.js', './two.js'),
      file('src/d/two.ts', './one.js'),
    ];
    expect(cycles(files, 'src/')).toEqual([['a/', 'b/', 'c.ts']]);
    expect(cycles(files, 'src/d/')).toEqual([['one.ts', 'two.ts']]);
  });
});

describe('the layers', () => {
  test.each([
    ['src/resources/payments.ts', '../client.js'],
    ['src/resources/payments.ts', '../options.js'],
    ['src/transport/call.ts', '../resources/payments.js'],
    ['src/transport/call.ts', '../core/api-promise.js'],
    ['src/core/api-promise.ts', '../workflows/find.js'],
    ['src/contract/schema/payments.ts', '../../transport/call.js'],
    ['src/contract/validate.ts', '../errors/api.js'],
    ['src/errors/api.ts', '../journal/journal.js'],
    ['src/mock/state/platform.ts', '../../transport/call.js'],
    ['src/mock/state/platform.ts', '../../errors/api.js'],
    ['src/mock/state/platform.ts', '../request/handle.js'],
    ['src/mock/request/handlers/payments.ts', '../../platform/platform.js'],
    ['src/mock/data/names.ts', '../records/payments.js'],
    ['src/cli/index.ts', '../transport/call.js'],
    ['src/cli/mock.ts', '../mock/platform/platform.js'],
    ['src/client.ts', './mock/index.js'],
    ['src/transport/call.ts', 'ky'],
    ['src/mock/base/keys.ts', 'msw'],
    ['src/contract/schema/schema.ts', 'zod'],
    ['src/client.ts', 'node:fs'],
    ['src/client.ts', 'left-pad'],
    ['src/unknown/file.ts', '../errors/api.js'],
  ])('forbid %s the import of %s', (path, specifier) => {
    expect(forbiddenImports([file(path, specifier)])).toHaveLength(1);
  });

  test('allow a file to import from its own layer and from those below', () => {
    expect(
      forbiddenImports([
        file('src/client.ts', './options.js', './resources/payments.js', './errors/api.js'),
        file('src/mock/msw.ts', './state/platform.js', '../contract/endpoints.js', 'jose', 'msw'),
      ]),
    ).toEqual([]);
  });

  test('apply to every kind of import', () => {
    const text =
      "import a from '../client.js'; export * from '../client.js'; type B = import('../client.js').B; const c = import('../client.js'); import type { D } from '../client.js';";
    expect(forbiddenImports([{ path: 'src/resources/payments.ts', text }])).toHaveLength(5);
  });
});
