import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findAny } from './any.js';
import { everything, programOf } from './tree.js';

const tree = everything();
// NestJS has its own names for files: app.module.ts.
const files = tree.filter(
  ({ path }) =>
    /^(?:src|test|examples|scripts|bench)\/.*\.ts$/.test(path) && !path.startsWith('test/ecosystem/projects/nest/'),
);
const vagueNames = ['utils', 'util', 'helpers', 'helper', 'common', 'types', 'constants', 'misc'];

describe('every file', () => {
  test('is named after its content, in kebab-case', () => {
    const names = files.flatMap(({ path }) =>
      path
        .split('/')
        .slice(1)
        .map((part, index, parts) => ({
          path,
          isFile: index === parts.length - 1,
          name: part.replace(/(?:\.(?:test|test-d|config))?\.ts$/, ''),
        })),
    );
    expect(
      names.filter(
        ({ isFile, name }) => (isFile && vagueNames.includes(name)) || !/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name),
      ),
    ).toEqual([]);
  });
});

describe('the tree', () => {
  const folders = Map.groupBy(
    tree.map(({ path }) => path),
    (path) => posix.dirname(path),
  );

  test('has no two files in one folder whose names differ by an s', () => {
    const stems = [...folders].map(([folder, paths]) => ({
      folder,
      names: new Set(paths.map((path) => posix.basename(path).replace(/\..*$/, ''))),
    }));
    expect(
      stems.flatMap(({ folder, names }) =>
        [...names].filter((name) => name !== '' && names.has(`${name}s`)).map((name) => `${folder}/${name}`),
      ),
    ).toEqual([]);
  });
});

const wrong = [
  'let a: any;',
  'export const a = (b: unknown) => b as any;',
  "export const a = JSON.parse('1');",
  "export const a: string = JSON.parse('{}').b;",
  'export function a(text: string) { return JSON.parse(text); }',
  'export async function a(response: Response) { return response.json(); }',
  'export const a = (list: Set<any>) => list;',
  '// @ts-expect-error\nexport const a: string = 1;',
];
const right = "export const a: unknown = JSON.parse('1');";

describe('the types of src', () => {
  const probe = (index: number): string => `src/probe-${index}.ts`;
  const found = findAny(programOf([...wrong, right].map((text, index) => ({ path: probe(index), text }))));

  test('contain no any, written or inferred, and no comment that silences a checker', () => {
    expect(found.filter((line) => !line.startsWith('src/probe-'))).toEqual([]);
  });

  test.each([...wrong.entries()])('fail for probe %i: %s', (index) => {
    expect(found.filter((line) => line.startsWith(probe(index)))).not.toEqual([]);
  });

  test('may assign any to unknown', () => {
    expect(found.filter((line) => line.startsWith(probe(wrong.length)))).toEqual([]);
  });
});
