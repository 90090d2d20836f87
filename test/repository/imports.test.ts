import { describe, expect, test } from 'vitest';
import { circles, refusedImports } from './rooms.js';
import { typescriptIn } from './tree.js';

const source = typescriptIn('src');
const file = (path: string, ...specifiers: string[]) => ({ path, text: specifiers.map((specifier) => `import ${JSON.stringify(specifier)};`).join('\n') });

describe('src', () => {
  test('imports only what stands below, and each package only where it belongs', () => {
    expect(refusedImports(source)).toEqual([]);
  });

  test('has no circle of imports, types included', () => {
    expect(circles(source).map((circle) => circle.join(' -> '))).toEqual([]);
  });

  test('imports by paths that end in .js', () => {
    const relative = /(?:from|import)\s*\(?\s*'(\.[^']*)'/g;
    const wrong = source.flatMap(({ path, text }) => [...text.matchAll(relative)].filter(([, specifier]) => !specifier?.endsWith('.js')).map(([statement]) => `${path}: ${statement}`));
    expect(wrong).toEqual([]);
  });
});

describe('the table of rooms', () => {
  test.each([
    ['src/resources/payments.ts', '../client.js'],
    ['src/resources/payments.ts', '../options.js'],
    ['src/transport/send.ts', '../resources/payments.js'],
    ['src/contract/payments.ts', '../transport/send.js'],
    ['src/errors.ts', './contract/check.js'],
    ['src/mock/state.ts', '../transport/send.js'],
    ['src/mock/state.ts', '../errors.js'],
    ['src/client.ts', './mock/index.js'],
    ['src/transport/send.ts', 'ky'],
    ['src/mock/keys.ts', 'msw'],
    ['src/contract/field.ts', 'zod'],
    ['src/client.ts', 'node:fs'],
    ['src/client.ts', 'left-pad'],
    ['src/shelf/attic.ts', '../errors.js'],
  ])('refuses %s the import of %s', (path, specifier) => {
    expect(refusedImports([file(path, specifier)])).toHaveLength(1);
  });

  test('lets a file import its own room and those below', () => {
    expect(refusedImports([file('src/client.ts', './options.js', './resources/payments.js', './errors.js'), file('src/mock/msw.ts', './state.js', '../contract/page.js', 'jose', 'msw')])).toEqual([]);
  });

  test('sees every kind of import', () => {
    const text = "import a from '../client.js'; export * from '../client.js'; type B = import('../client.js').B; const c = import('../client.js'); import type { D } from '../client.js';";
    expect(refusedImports([{ path: 'src/resources/payments.ts', text }])).toHaveLength(5);
  });

  test('sees circles, however long, and those of types', () => {
    const there = { path: 'src/contract/b.ts', text: "import type { C } from './c.js';" };
    expect(circles([file('src/contract/a.ts', './b.js'), there, file('src/contract/c.ts', './a.js')])).toEqual([['src/contract/a.ts', 'src/contract/b.ts', 'src/contract/c.ts', 'src/contract/a.ts']]);
    expect(circles([file('src/contract/a.ts', './b.js', './c.js'), file('src/contract/b.ts', './c.js'), file('src/contract/c.ts')])).toEqual([]);
  });
});
