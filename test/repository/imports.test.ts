import { describe, expect, test } from 'vitest';
import { cycles, forbiddenImports } from './layers.js';
import { typescriptIn } from './tree.js';

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
    const relative = /(?:from|import)\s*\(?\s*'(\.[^']*)'/g;
    const wrong = source.flatMap(({ path, text }) =>
      [...text.matchAll(relative)]
        .filter(([, specifier]) => !specifier?.endsWith('.js'))
        .map(([statement]) => `${path}: ${statement}`),
    );
    expect(wrong).toEqual([]);
  });
});
