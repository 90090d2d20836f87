import { describe, expect, test } from 'vitest';
import { findAny } from './any.js';
import { everything, programOf, typescriptIn } from './tree.js';

const source = typescriptIn('src');
const files = everything().filter(({ path }) => /^(?:src|test|examples|scripts)\/.*\.ts$/.test(path));
const bannedNames = ['utils', 'util', 'helpers', 'helper', 'common', 'types', 'constants', 'misc'];

describe('every file', () => {
  test('of src has at most 300 lines', () => {
    expect(source.map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length })).filter(({ lines }) => lines > 300)).toEqual([]);
  });

  test('is called by what it holds, in kebab-case', () => {
    const names = files.flatMap(({ path }) => path.split('/').slice(1).map((name) => ({ path, name: name.replace(/(?:\.test(?:-d)?)?\.ts$/, '') })));
    expect(names.filter(({ name }) => bannedNames.includes(name) || !/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name))).toEqual([]);
  });
});

describe('the types of src', () => {
  test('hold no any, written or inferred, and nothing silences the checkers', () => {
    expect(findAny(programOf())).toEqual([]);
  }, 60_000);

  test.each([
    ['let a: any;'],
    ['export const a = (b: unknown) => b as any;'],
    ["export const a = JSON.parse('1');"],
    ["export const a: string = JSON.parse('{}').b;"],
    ['export function a(text: string) { return JSON.parse(text); }'],
    ['export async function a(response: Response) { return response.json(); }'],
    ['export const a = (list: Set<any>) => list;'],
    ["// @ts-expect-error\nexport const a: string = 1;"],
  ])('would not pass with %s', (text) => {
    expect(findAny(programOf([{ path: 'src/probe.ts', text }]))).not.toEqual([]);
  }, 60_000);

  test('may take unknown from where any comes', () => {
    expect(findAny(programOf([{ path: 'src/probe.ts', text: "export const a: unknown = JSON.parse('1');" }]))).toEqual([]);
  }, 60_000);
});
