import { describe, expect, test } from 'vitest';
import { findAny } from './any.js';
import { everything, programOf, typescriptIn } from './tree.js';

const source = typescriptIn('src');
const files = everything().filter(({ path }) => /^(?:src|test|examples|scripts|interop)\/.*\.ts$/.test(path));
const bannedNames = ['utils', 'util', 'helpers', 'helper', 'common', 'types', 'constants', 'misc'];

describe('every file', () => {
  test('of src has at most 300 lines', () => {
    expect(source.map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length })).filter(({ lines }) => lines > 300)).toEqual([]);
  });

  test('is called by what it holds, in kebab-case', () => {
    const names = files.flatMap(({ path }) => path.split('/').slice(1).map((part, index, parts) => ({ path, isFile: index === parts.length - 1, name: part.replace(/(?:\.(?:test|test-d|config))?\.ts$/, '') })));
    expect(names.filter(({ isFile, name }) => (isFile && bannedNames.includes(name)) || !/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name))).toEqual([]);
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

  test('hold no any, written or inferred, and nothing silences the checkers', () => {
    expect(found.filter((line) => !line.startsWith('src/probe-'))).toEqual([]);
  });

  test.each([...wrong.entries()])('would not pass with probe %i: %s', (index) => {
    expect(found.filter((line) => line.startsWith(probe(index)))).not.toEqual([]);
  });

  test('may take unknown from where any comes', () => {
    expect(found.filter((line) => line.startsWith(probe(wrong.length)))).toEqual([]);
  });
});
