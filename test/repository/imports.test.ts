import { describe, expect, test } from 'vitest';
import { cycles, forbiddenImports } from './layers.ts';
import { everything, importsOf, typescriptIn, type SourceFile } from '../../scripts/repository/tree.ts';

const source = typescriptIn('src');

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
    expect(importsWithout('.js', source)).toEqual([]);
  });
});

test('tests and scripts import TypeScript by paths that end in .ts', () => {
  const own = everything().filter(({ path }) => /^(?:test(?!\/ecosystem\/projects)|scripts)\/.*\.ts$/.test(path));
  expect(importsWithout('.ts', own).filter((line) => !/\/dist\/|\.(?:json|vue|css)$/.test(line))).toEqual([]);
});

test('scripts import nothing of tests', () => {
  const scripts = everything().filter(({ path, text }) => /^scripts\/.*\.ts$/.test(path) && text.includes('/test/'));
  expect(scripts.flatMap(importsOf).filter((specifier) => /^[./]+\/test\//.test(specifier))).toEqual([]);
});

test('an import of a layer above and one of a package that the file may not use are found', () => {
  const text = "import '../client.js'; import type { A } from '../client.js'; import 'msw'; import '../errors/api.js';";
  expect(forbiddenImports([{ path: 'src/resources/payments.ts', text }])).toEqual([
    'src/resources/payments.ts imports src/client.ts',
    'src/resources/payments.ts imports src/client.ts',
    'src/resources/payments.ts imports msw',
  ]);
});

test('a cycle of a folder and a file is found', () => {
  const files = [
    { path: 'src/a/one.ts', text: "import type { Two } from '../two.js';" },
    { path: 'src/two.ts', text: "import './a/one.js';" },
  ];
  expect(cycles(files, 'src/')).toEqual([['a/', 'two.ts']]);
});

/** Returns the imports by a relative path that does not end in a suffix. */
function importsWithout(suffix: string, files: readonly SourceFile[]): string[] {
  const relative = /^[^'"`\n]*\b(?:from|import)\s*\(?'(\.\.?\/[^']+)'/gm;
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(relative)]
      .filter(([, specifier]) => !specifier?.endsWith(suffix))
      .map(([, specifier]) => `${path} imports ${specifier}`),
  );
}
